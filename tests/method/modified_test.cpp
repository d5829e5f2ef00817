// Modified Hamiltonians of variational methods, from orbits and as series: against García-Naranjo & Vermeeren's
// formulas and the power series of modified_numbers.py; that they are constant along trajectories, and where there are
// none.

#include <fmt/format.h>

#include <array>
#include <random>
#include <set>

#include "modified_numbers.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/modified_series.hpp"
#include "tests/case_name.hpp"

namespace rattleback::test {
namespace modified_test {

using Values = std::unordered_map<Expression, double>;
using Digits = ModifiedHamiltonian::Digits;

/// What the symbols of a series stand for.
Values values_of(const ModifiedSeries& series, const Method& method, const Problem& problem,
                 std::span<const double> state) {
  const CanonicalStep& c = *method.canonical;
  Values values;
  for (std::size_t i = 0; i < c.positions.size(); ++i) {
    values[series.coordinates[i]] = state[c.positions[i]];
    values[series.momenta[i]] = state[c.momenta[i]];
  }
  if (series.energy_symbol) values[*series.energy_symbol] = state[c.conformal->entry];
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    values[problem.system.parameters()[i]] = problem.parameters[i];
  return values;
}

// -------------------------------------------------------------------------------------------------- GV, appendix A

/// A system and a rule.
using Case = std::pair<std::string, std::string>;
std::string name_of_case(const testing::TestParamInfo<Case>& which) {
  return case_name(which.param.first + "_" + which.param.second);
}

class Appendix : public testing::TestWithParam<Case> {
 protected:
  static constexpr const char* names[] = {"K2", "E2", "N2"};

  Appendix() {
    static const nlohmann::json all = json_beside_tests("gv_appendix.json");
    const auto& record = all.at(GetParam().first).at(GetParam().second);
    for (std::size_t k = 0; k < 3; ++k) formulas_[k] = parse(record.at(names[k]).get<std::string>());
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-1.5, 1.5);
    for (int k = 0; k < 100; ++k) {
      std::array<double, 4> z{};
      for (double& x : z) x = any(random);
      states_.push_back(state_of(method_, std::span(z).first(2), std::span(z).last(2), any(random)));
    }
  }
  double formula(std::size_t which, std::span<const double> state) const {
    const CanonicalStep& c = *method_.canonical;
    const auto at = [&](std::size_t entry) { return state[entry]; };
    return evaluate(formulas_[which], {{Expression::symbol("x"), at(c.positions[0])},
                                       {Expression::symbol("y"), at(c.positions[1])},
                                       {Expression::symbol("px"), at(c.momenta[0])},
                                       {Expression::symbol("py"), at(c.momenta[1])},
                                       {Expression::symbol("E"), at(c.conformal->entry)}});
  }

  Problem problem_ = recorded_problem(GetParam().first);
  Method method_ = make_method("conformal:" + GetParam().second, problem_);
  std::array<Expression, 3> formulas_;
  std::vector<std::vector<double>> states_;
};

// The terms of the numerators, divided by 96 or 24, are below 50 at these points: rounding is about 1e-14.
TEST_P(Appendix, has_the_formulas_of_the_series) {
  const ModifiedSeries series = modified_series(method_, 2);
  const Expression ours[] = {series.hamiltonian[2], series.energy[2], series.factor[2]};
  EXPECT_TRUE(series.hamiltonian[1].is_constant(0.0));
  for (const auto& state : states_) {
    const Values values = values_of(series, method_, problem_, state);
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = formula(k, state);
      EXPECT_NEAR(evaluate(ours[k], values), expected, 1e-12 * std::max(1.0, std::abs(expected))) << names[k];
    }
  }
}

// (f(h) − f₀)/h² − f₂ = h² f₄ + …, added up over a few points, because f₄ may vanish at one of them. With h about 0.01
// the terms are above 1e-8 and rounding, 1e-16/h², is 1e-12; the terms in h⁴ change the exponent by less than 0.01.
TEST_P(Appendix, is_what_orbits_lead_to) {
  const ModifiedSeries series = modified_series(method_, 0);
  ModifiedHamiltonian modified(method_, problem_, Digits::extended);
  modified.set_tolerance(1e-20);
  const auto remainders = [&](double h) {
    std::array<double, 3> sums{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto velocity = velocity_at(method_, problem_, states_[k]);
      const Values values = values_of(series, method_, problem_, states_[k]);
      const ConformalValues c = modified.conformal(states_[k], velocity, h);
      const double f[] = {modified.value(states_[k], velocity, h).value, c.energy.value, c.factor.value};
      const Expression zeroth[] = {series.hamiltonian[0], series.energy[0], series.factor[0]};
      for (std::size_t i = 0; i < 3; ++i)
        sums[i] += std::abs((f[i] - evaluate(zeroth[i], values)) / (h * h) - formula(i, states_[k]));
    }
    return sums;
  };
  const auto coarse = remainders(0.02);
  const auto fine = remainders(0.01);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(fine[i], 1e-3) << names[i];
    EXPECT_NEAR(std::log2(coarse[i] / fine[i]), 2.0, 0.05) << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(GarciaNaranjoVermeeren, Appendix, testing::ValuesIn([] {
                           std::vector<Case> cases;
                           for (const char* system : {"harmonic", "free"}) {
                             for (const char* rule : {"M", "MT", "TM", "TT", "T"}) cases.emplace_back(system, rule);
                           }
                           return cases;
                         }()),
                         name_of_case);

// ------------------------------------------------------------------------------------------------------ coefficients

class Coefficients : public testing::TestWithParam<Case> {
 protected:
  /// The records of the case.
  std::vector<nlohmann::json> records() const {
    std::vector<nlohmann::json> found;
    for (const char* section : {"coefficients", "others", "del"}) {
      for (const auto& record : modified_numbers().at(section)) {
        if (record.at("system") == GetParam().first && rule_name(record) == GetParam().second) found.push_back(record);
      }
    }
    EXPECT_GE(found.size(), 2U);
    return found;
  }
  static int highest(const nlohmann::json& record) {
    int order = 8;
    while (!record.contains(fmt::format("K{}", order))) --order;
    return order;
  }
  /// Of K, E or N; those that are not stored are 0.
  static double coefficient(const nlohmann::json& record, char name, int j) {
    const std::string key = fmt::format("{}{}", name, j);
    return record.contains(key) ? number(record, key) : 0.0;
  }
  static double sum(const nlohmann::json& record, char name, double h, int ell) {
    double total = 0.0;
    for (int j = ell; j >= 0; --j) total = total * h + coefficient(record, name, j);
    return total;
  }

  Problem problem_ = recorded_problem(GetParam().first);
  Method method_ = make_method((records()[0].contains("E") ? "conformal:" : "del:") + GetParam().second, problem_);
};

// Formulas have thousands of terms, between which there is cancellation. Those of order 6 take a second each.
TEST_P(Coefficients, of_formulas) {
  const auto& [system, rule] = GetParam();
  const int order = rule == "TT" && system != "sinusoidal, potential" ? 6 : 4;
  const ModifiedSeries series = modified_series(method_, order);
  for (const auto& record : records()) {
    const Values values = values_of(series, method_, problem_, recorded_state(method_, problem_, record));
    ASSERT_EQ(series.energy_symbol.has_value(), record.contains("E"));
    for (int j = 0; j <= order; ++j) {
      const auto power = static_cast<std::size_t>(j);
      EXPECT_NEAR(evaluate(series.hamiltonian[power], values), coefficient(record, 'K', j), 1e-12) << j;
      if (!series.energy_symbol) continue;
      EXPECT_NEAR(evaluate(series.energy[power], values), coefficient(record, 'E', j), 1e-12) << j;
      EXPECT_NEAR(evaluate(series.factor[power], values), coefficient(record, 'N', j), 1e-12) << j;
    }
  }
}

// Computed in quadruple precision: what remains is the error of the extrapolation, of which there is an estimate.
void expect_estimated(const Estimate& found, double expected) {
  EXPECT_NEAR(found.value, expected, 2e-15 + 10.0 * found.error);
  EXPECT_LT(found.error, 1e-13);
}

TEST_P(Coefficients, of_orbits) {
  ModifiedHamiltonian modified(method_, problem_);
  const int spacing = method_.structure.symmetric ? 2 : 1;
  const auto all = records();
  for (const auto& record : all) {
    const auto state = recorded_state(method_, problem_, record);
    const auto velocity = velocity_at(method_, problem_, state);
    const auto expect_sums = [&](double h, int ell) {
      SCOPED_TRACE(fmt::format("h = {}, ell = {}", h, ell));
      expect_estimated(modified.truncated(state, velocity, h, ell), sum(record, 'K', h, ell));
      if (!record.contains("E")) return;
      const ConformalValues c = modified.truncated_conformal(state, velocity, h, ell);
      expect_estimated(c.energy, sum(record, 'E', h, ell));
      expect_estimated(c.factor, sum(record, 'N', h, ell));
    };
    for (int ell = spacing; ell <= highest(record); ell += spacing) {
      if (record == all.front() || ell == highest(record)) expect_sums(0.5, ell);
    }
    expect_sums(0.25, highest(record));
  }
}

std::string name_of_coefficients(const testing::TestParamInfo<Case>& p) {
  const auto& [system, rule] = p.param;
  const bool is_long =
      rule == "MT" || rule == "TM" || rule == "T" || system == "kepler" || system.starts_with("sinusoidal");
  return long_case_if(is_long, name_of_case(p));
}

INSTANTIATE_TEST_SUITE_P(Numbers, Coefficients, testing::ValuesIn([] {
                           std::set<Case> cases;
                           for (const char* section : {"coefficients", "others", "del"}) {
                             for (const auto& record : modified_numbers().at(section))
                               cases.emplace(record.at("system"), rule_name(record));
                           }
                           return std::vector<Case>(cases.begin(), cases.end());
                         }()),
                         name_of_coefficients);

TEST(Formulas, agree_with_extrapolation) {
  const Case cases[] = {
      {"harmonic", "conformal:TT"}, {"knife edge, incline", "conformal:alpha=0.3"}, {"kepler", "del:trapezoidal"}};
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(0.2, 0.9);
  for (const auto& [system, name] : cases) {
    SCOPED_TRACE(system + " " + name);
    const Problem problem = recorded_problem(system);
    const Method method = make_method(name, problem);
    ModifiedHamiltonian extrapolated(method, problem);
    ModifiedHamiltonian formulas(method, problem);
    ASSERT_TRUE(formulas.use_formulas(4));
    for (int k = 0; k < 3; ++k) {
      const std::array<double, 5> z{any(random), any(random), any(random), -any(random), any(random)};
      const auto state = state_of(method, std::span(z).first(2), std::span(z).subspan(2, 2), z[4]);
      const auto velocity = velocity_at(method, problem, state);
      const double h = 0.125;
      EXPECT_NEAR(formulas.truncated(state, velocity, h, 4).value, extrapolated.truncated(state, velocity, h, 4).value,
                  1e-13);
      // Other truncations are not affected.
      EXPECT_EQ(formulas.truncated(state, velocity, h, 2).value, extrapolated.truncated(state, velocity, h, 2).value);
      if (!method.canonical->conformal) continue;
      const ConformalValues a = formulas.truncated_conformal(state, velocity, h, 4);
      const ConformalValues b = extrapolated.truncated_conformal(state, velocity, h, 4);
      EXPECT_NEAR(a.energy.value, b.energy.value, 1e-13);
      EXPECT_NEAR(a.factor.value, b.factor.value, 1e-13);
    }
  }
}

// ----------------------------------------------------------------------------------------------- along trajectories

struct Along {
  std::string system;  ///< of the records, or a model
  std::string method;
  double step;
  std::int64_t steps;
};
void PrintTo(const Along& a, std::ostream* out) { *out << a.system << " " << a.method; }

class Trajectory : public testing::TestWithParam<Along> {};

// Differences of two values have both their errors. Steps are so small that exponentially small terms, exp(−c/h), are
// below rounding: K changes by them where the motion passes near singularities in complex time, and no estimate that is
// made at one point sees that. (sinusoidal, potential, hdel:trapezoidal: 6e-10 with h = 0.1.) Rounding: K is about 1,
// and so are the terms it is computed from.
TEST_P(Trajectory, keeps_its_modified_hamiltonian) {
  const auto& [name, method_name, step, steps] = GetParam();
  const bool is_model = name.find('-') != std::string::npos || name == "veselova";
  const Problem problem = is_model ? problem_of(name, step) : recorded_problem(name, step);
  const System& system = problem.system;
  ModifiedHamiltonian modified(make_method(method_name, problem), problem);
  const auto stepper = make_stepper(method_name, problem);
  const auto energy = [&] {
    Values values;
    for (std::size_t i = 0; i < system.dimension(); ++i) {
      values[system.coordinates()[i]] = stepper->node().q[i];
      values[system.velocities()[i]] = stepper->node().v[i];
    }
    for (std::size_t i = 0; i < problem.parameters.size(); ++i) values[system.parameters()[i]] = problem.parameters[i];
    return evaluate(system.energy(), values);
  };
  const auto hamiltonian = [&] { return modified.value(stepper->state(), stepper->node().v, problem.step); };
  const Estimate first = hamiltonian();
  const double first_energy = energy();
  double drift = 0.0;
  double drift_of_energy = 0.0;
  double error = 0.0;
  for (std::int64_t k = 0; k < steps; ++k) {
    take(*stepper, 1);
    const Estimate here = hamiltonian();
    EXPECT_LT(std::abs(here.value - first.value), 10.0 * (here.error + first.error) + 1e-14) << k;
    drift = std::max(drift, std::abs(here.value - first.value));
    drift_of_energy = std::max(drift_of_energy, std::abs(energy() - first_energy));
    error = std::max(error, here.error);
  }
  fmt::print("{:>22} {:<24} modified {:.1e} (estimate {:.1e}), energy {:.1e}\n", name, method_name, drift, error,
             drift_of_energy);
  EXPECT_LT(drift, 1e-3 * drift_of_energy);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Trajectory,
    testing::Values(Along{"pendulum", "del", 0.2, 60}, Along{"pendulum", "del:trapezoidal", 0.2, 60},
                    Along{"pendulum", "del:alpha=0.3", 0.1, 60}, Along{"pendulum", "del:order=4", 0.2, 60},
                    Along{"kepler", "del", 0.05, 100}, Along{"kepler", "del:trapezoidal", 0.05, 100},
                    Along{"kepler", "del:order=4", 0.1, 50}, Along{"kepler", "del:order=6", 0.2, 50},
                    Along{"harmonic", "hdel", 0.1, 60}, Along{"harmonic", "pthdel", 0.1, 60},
                    Along{"harmonic", "pthdel:order=4", 0.1, 60}, Along{"harmonic", "conformal:TT", 0.1, 60},
                    Along{"sinusoidal, potential", "hdel:trapezoidal", 0.05, 120},
                    Along{"sinusoidal, potential", "conformal:MT", 0.05, 120}, Along{"veselova", "pthdel", 0.1, 60},
                    Along{"veselova", "hdel", 0.1, 60}, Along{"knife-edge", "free", 0.1, 60},
                    Along{"rolling-disk", "free:C=0.1", 0.1, 60},
                    Along{"rolling-disk", "free:C=0.1:trapezoidal", 0.1, 60}),
    [](const auto& which) { return case_name(which.param.system + "_" + which.param.method); });

// K is about 1, whatever the step. A sum of terms P·Δr/h with rounding errors of r would be wrong by 1e-13.
TEST(Modified, hamiltonians_of_small_steps_do_not_suffer_from_rounding) {
  const Case cases[] = {{"pendulum", "del"},    {"kepler", "del:trapezoidal"}, {"kepler", "del:order=4"},
                        {"harmonic", "pthdel"}, {"harmonic", "conformal:TT"},  {"sinusoidal, potential", "hdel"}};
  for (const auto& [system, name] : cases) {
    const Problem problem = recorded_problem(system, 1e-3);
    const Method method = make_method(name, problem);
    ModifiedHamiltonian native(method, problem);
    ModifiedHamiltonian extended(method, problem, Digits::extended);
    native.set_tolerance(1e-15);
    extended.set_tolerance(1e-20);
    const auto stepper = make_stepper(name, problem);
    take(*stepper, 3);
    EXPECT_NEAR(native.value(stepper->state(), stepper->node().v, 1e-3).value,
                extended.value(stepper->state(), stepper->node().v, 1e-3).value, 1e-14)
        << system << " " << name;
  }
}

// ------------------------------------------------------------------------------------------------ where there is none

TEST(Modified, hamiltonians_are_refused_to_other_methods) {
  const Problem particle = recorded_problem("harmonic");
  for (const char* name : {"dla", "rk4", "gni", "rdla"}) {
    const Method method = make_method(name, particle);
    for (const std::string& text :
         {refusal_of([&] { require_canonical(method); }), refusal_of([&] { modified_series(method, 2); }),
          refusal_of([&] { ModifiedHamiltonian(method, particle); }), refusal_of([&] { require_conformal(method); })}) {
      EXPECT_NE(text.find("needs a step that comes from a discrete Lagrangian"), std::string::npos)
          << name << ": " << text;
    }
  }
  const Problem pendulum = recorded_problem("pendulum");
  const std::string text = refusal_of([&] { require_conformal(make_method("del", pendulum)); });
  EXPECT_NE(text.find("needs an altered Lagrangian N (l + E)"), std::string::npos) << text;
  ModifiedHamiltonian modified(make_method("del", pendulum), pendulum);
  const double z[] = {0.5, 0.5};
  const double v[] = {0.5};
  EXPECT_THROW(modified.conformal(z, v, 0.1), MethodError);
  EXPECT_THROW(modified.truncated_conformal(z, v, 0.1, 2), MethodError);
  EXPECT_THROW(modified.energy_gradient(z, v, 0.1, 2), MethodError);
}

// With friction the step is not canonical.
TEST(Modified, hamiltonians_are_refused_with_applied_forces) {
  SystemDefinition definition;
  definition.coordinates = {Expression::symbol("x")};
  definition.lagrangian = parse("x'^2/2 - x^2/2");
  definition.applied_forces = {parse("-0.1*x'")};
  const Method method = make_method("del", System(std::move(definition)));
  EXPECT_NE(refusal_of([&] { require_canonical(method); }).find("discrete Lagrangian alone"), std::string::npos);
}

TEST(Formulas, do_not_exist_for_everything) {
  const auto text = [](const std::string& name, const Problem& problem, int order) {
    const Method method = make_method(name, problem);
    if (order == 2) {
      EXPECT_FALSE(ModifiedHamiltonian(method, problem).use_formulas(order));
    }
    return refusal_of([&] { modified_series(method, order); });
  };
  EXPECT_NE(text("del:order=4", recorded_problem("pendulum"), 2).find("of a composition"), std::string::npos);
  EXPECT_NE(text("free", problem_of("rolling-disk"), 2).find("not quadratic in the velocities"), std::string::npos);
  EXPECT_NE(text("pthdel", problem_of("rubber-body-on-sphere"), 2).find("too large"), std::string::npos);
}

// x < 1, and a step leads beyond.
TEST(Modified, hamiltonians_are_not_numbers_where_there_are_no_steps) {
  const Problem problem = written_problem({"x"}, "x'^2/2 + sqrt(1 - x)", {}, {{0}, {0.1}}, 0.25);
  for (const auto digits : {Digits::native, Digits::extended}) {
    ModifiedHamiltonian modified(make_method("del", problem), problem, digits);
    const double near[] = {0.9, 10.0};
    EXPECT_TRUE(std::isnan(modified.value(near, std::span(near).last(1), 0.25).value));
    EXPECT_TRUE(std::isnan(modified.truncated(near, std::span(near).last(1), 0.25, 4).value));
    const double far[] = {-5.0, 0.1};
    EXPECT_NEAR(modified.value(far, std::span(far).last(1), 0.25).value, 0.005 - std::sqrt(6.0), 1e-3);
  }
}

}  // namespace modified_test
}  // namespace rattleback::test
