// The catalogue in other units: lengths, angles, times, energies and constraints from 1e-12 to 1e12 of what they were.
// The motion is the same, so the numbers must be, or somebody must say why they cannot.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"
#include "tests/case_name.hpp"

namespace rattleback {
namespace units_test {

constexpr std::uint64_t seed = 20261117;
constexpr int steps = 50;
constexpr double agreement = 1e-9;

/// q = length q̃, t = time t̃, L̃ = energy L, and a factor for each constraint. Rotations have no unit.
struct Units {
  std::string name;
  std::vector<double> length;
  double time = 1.0;
  double energy = 1.0;
  std::vector<double> constraint;
};

/// A system whose units are parameters.
class Rewritten {
 public:
  explicit Rewritten(const System& s) : original_(s), system_(rewrite(s)) {}

  Problem problem(const State& start, double step, const Units& u) const {
    Problem p{system_, original_.parameter_values(), start, step / u.time};
    p.parameters.insert(p.parameters.end(), u.length.begin(), u.length.end());
    p.parameters.insert(p.parameters.end(), u.constraint.begin(), u.constraint.end());
    p.parameters.push_back(u.time);
    p.parameters.push_back(u.energy);
    for (std::size_t i = 0; i < u.length.size(); ++i) p.start.q[i] /= u.length[i];
    for (std::size_t i = 0; i < start.v.size(); ++i) p.start.v[i] *= u.time / (i < u.length.size() ? u.length[i] : 1.0);
    p.start.t /= u.time;
    return p;
  }

 private:
  static System rewrite(const System& s) {
    SystemDefinition d;
    const std::size_t numbers = s.space().numbers;
    d.coordinates.assign(s.coordinates().begin(), s.coordinates().begin() + static_cast<std::ptrdiff_t>(numbers));
    for (const Rotation& r : s.rotations()) d.rotations.push_back(r.name);
    d.parameters = s.parameter_list();
    const auto unit = [&](const std::string& name) {
      d.parameters.push_back({name, 1.0});
      return Expression::symbol(name);
    };
    std::vector<Expression> lengths;
    std::vector<Expression> factors;
    for (std::size_t i = 0; i < numbers; ++i) lengths.push_back(unit(fmt::format("unit_{}", i)));
    for (std::size_t k = 0; k < s.velocity_rows().size(); ++k) factors.push_back(unit(fmt::format("factor_{}", k)));
    const Expression time = unit("unit_time");
    const Expression energy = unit("unit_energy");
    Substitution in_units;
    for (std::size_t i = 0; i < numbers; ++i) in_units.emplace(s.coordinates()[i], lengths[i] * s.coordinates()[i]);
    lengths.resize(s.dimension(), 1.0);
    for (std::size_t i = 0; i < s.dimension(); ++i) {
      in_units.emplace(s.velocities()[i], lengths[i] / time * s.velocities()[i]);
    }
    for (const Expression& t : s.time()) in_units.emplace(t, time * t);
    for (std::size_t k = 0; k < factors.size();
         ++k) {  // of forces by a contact: energy λ = factor λ̃, or that over time
      const Expression unit_of_rate = k < s.constraints().size() ? time : Expression(1.0);
      in_units.emplace(multiplier_symbol(k), factors[k] / (energy * unit_of_rate) * multiplier_symbol(k));
    }
    d.lagrangian = energy * substitute(s.lagrangian(), in_units);
    std::size_t row = 0;
    for (const Expression& c : s.constraints()) d.constraints.push_back(factors[row++] * substitute(c, in_units));
    for (const Expression& g : s.holonomic()) d.holonomic.push_back(factors[row++] * substitute(g, in_units));
    for (std::size_t i = 0; i < s.applied_forces().size(); ++i) {
      d.applied_forces.push_back(energy * lengths[i] * substitute(s.applied_forces()[i], in_units));
    }
    return System(std::move(d));
  }

  System original_;
  System system_;
};

Units all_by(const System& s, double length, double time, double energy, double constraint) {
  return {fmt::format("lengths {:g}, times {:g}, energies {:g}, constraints {:g}", length, time, energy, constraint),
          std::vector<double>(s.space().numbers, length), time, energy,
          std::vector<double>(s.velocity_rows().size(), constraint)};
}

Units at_random(const System& s, std::uint64_t number) {
  std::mt19937_64 generator(seed + number);
  const auto power = [&] { return std::pow(10.0, static_cast<double>(generator() % 25) - 12.0); };
  Units u = all_by(s, 1.0, power(), power(), 1.0);
  for (double& l : u.length) l = power();
  for (double& c : u.constraint) c = power();
  u.name = fmt::format("seed {}: lengths {:g}, time {:g}, energy {:g}, constraints {:g}", seed + number,
                       fmt::join(u.length, " "), u.time, u.energy, fmt::join(u.constraint, " "));
  return u;
}

bool everything() { return std::getenv("RATTLEBACK_FAULTS") != nullptr; }

std::vector<Units> units_for(const System& s) {
  if (!everything()) return {at_random(s, 0)};
  std::vector<Units> list;
  for (const double x : {1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12}) {
    list.push_back(all_by(s, x, 1.0, 1.0, 1.0));
    list.push_back(all_by(s, 1.0, x, 1.0, 1.0));
    list.push_back(all_by(s, 1.0, 1.0, x, 1.0));
    list.push_back(all_by(s, 1.0, 1.0, 1.0, x));
  }
  for (const double x : {1e-12, 1e12}) {
    for (const double y : {1e-12, 1e12}) list.push_back(all_by(s, x, y, 1e12, 1e-12));
  }
  for (std::uint64_t k = 0; k < 12; ++k) list.push_back(at_random(s, k));
  return list;
}

/// The last node, in units 1; or why there is none.
struct End {
  State node;
  std::string refusal;
};

End end_of(const char* method, const Problem& problem, const Units& u) {
  End end;
  try {
    require_regular_start(problem.system, problem.parameters, problem.start);
    const auto stepper = make_stepper(method, problem);
    for (int k = 0; k < steps; ++k) {
      if (stepper->advance()) continue;
      end.refusal = fmt::format("step {}: {}", k + 1, stepper->failure());
      return end;
    }
    end.node = stepper->node();
    for (std::size_t i = 0; i < u.length.size(); ++i) end.node.q[i] *= u.length[i];
    for (std::size_t i = 0; i < end.node.v.size(); ++i) {
      end.node.v[i] *= (i < u.length.size() ? u.length[i] : 1.0) / u.time;
    }
  } catch (const Error& error) {
    end.refusal = error.what();
  }
  return end;
}

double difference(const State& a, const State& b) {
  double largest = 0.0;
  const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i]));
      if (!(d <= largest)) largest = d;  // NaN counts as large
    }
  };
  compare(a.q, b.q);
  compare(a.v, b.v);
  return largest;
}

class InOtherUnits : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Model, InOtherUnits, testing::ValuesIn(catalogue()),
                         [](const auto& p) { return test::case_name(p.param); });

TEST_P(InOtherUnits, every_method_ends_in_the_same_state) {
  const Model model = load_model(GetParam());
  const System& system = model.system;
  const Rewritten rewritten(system);
  const Units same = all_by(system, 1.0, 1.0, 1.0, 1.0);
  for (const char* method : {"reference", "dla", "gni", "rk4"}) {
    const auto end_in = [&](const Units& u) {
      return end_of(method, rewritten.problem(*model.initial, *model.step, u), u);
    };
    const End expected = end_in(same);
    if (!expected.refusal.empty()) continue;  // a method that is not for this system
    int agreed = 0;
    int refused = 0;
    double worst = 0.0;
    for (const Units& u : units_for(system)) {
      const End found = end_in(u);
      if (!found.refusal.empty()) {
        ++refused;
        ADD_FAILURE() << GetParam() << ", " << method << ", " << u.name << ": " << found.refusal;
        continue;
      }
      const double d = difference(found.node, expected.node);
      worst = std::max(worst, std::isnan(d) ? 1.0 : d);
      agreed += d <= agreement ? 1 : 0;
      EXPECT_LE(d, agreement) << GetParam() << ", " << method << ", " << u.name;
    }
    if (everything()) {
      fmt::print("{} {}: {} agree, {} refused, worst difference {:.1e}\n", GetParam(), method, agreed, refused, worst);
    }
  }
}

Problem problem_of(const char* text, const ParameterValues& parameters) {
  const Model model = read_model(text, "model.toml", parameters);
  return {model.system, model.system.parameter_values(), *model.initial, 0.1};
}

TEST(Units, small_masses_beside_large_constraints_are_not_singular) {
  const auto end = [](const char* method, double mass) {
    const Problem problem = problem_of(R"toml(
coordinates = ["x", "y", "phi"]
lagrangian = "c*(0.5*(x'^2 + y'^2) + 0.25*phi'^2 - (x^2 + y^2))"
constraints = ["x'*sin(phi) - y'*cos(phi)"]
parameters = {c = 1}
initial = {q = [1, 0, "pi/2"], v = [0, 1, 0.7]}
)toml",
                                       {{"c", mass}});
    return end_of(method, problem, all_by(problem.system, 1.0, 1.0, 1.0, 1.0));
  };
  for (const char* method : {"reference", "dla", "gni", "rk4"}) {
    const End expected = end(method, 1.0);
    for (const double mass : {1e-40, 1e-22, 1e22, 1e40}) {
      const End found = end(method, mass);
      ASSERT_EQ(found.refusal, "") << method << ", c = " << mass;
      EXPECT_LT(difference(found.node, expected.node), 1e-11) << method << ", c = " << mass;
    }
  }
}

TEST(Units, numbers_that_overflow_stop_a_step) {
  // M/h is infinite, and whatever is divided by it zero: y would stand still at ẏ = 1.
  const Problem problem = problem_of(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*x'^2 + 0.5*M*y'^2 - 0.5*x^2"
parameters = {M = 1e308}
initial = {q = [1, 0], v = [0, 1]}
)toml",
                                     {});
  const Units same = all_by(problem.system, 1.0, 1.0, 1.0, 1.0);
  for (const char* method : {"dla", "gni", "del"}) {
    EXPECT_NE(end_of(method, problem, same).refusal.find("not finite"), std::string::npos) << method;
  }
  for (const char* method : {"reference", "rk4"}) {
    EXPECT_NEAR(end_of(method, problem, same).node.q[1], 5.0, 1e-12) << method;
  }
}

}  // namespace units_test
}  // namespace rattleback
