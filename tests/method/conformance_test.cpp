// What every method promises (Structure), measured on nonlinear systems; and that what is not promised does not hold,
// so that the table in docs/methods.md says no more and no less than is true.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>

#include "conforming_methods.hpp"
#include "observe/step_map.hpp"
#include "quadruple.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/observe/observers.hpp"
#include "tests/case_name.hpp"
#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace conformance_test {

using test::distance;
using test::problem_of;
using test::take;

/// Two coupled oscillators (Hénon & Heiles) with unit masses, so that p = v.
Problem oscillators(double step) {
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) + sq(dot(y))) - 0.5 * (sq(x) + sq(y)) - (sq(x) * y - pow(y, 3) / 3));
  return {system, {}, {{0.2, -0.1}, {0.3, 0.25}}, step};
}

/// A double pendulum: the mass matrix depends on the angles.
Problem double_pendulum(double step) {
  const auto [a, b] = coordinates("a", "b");
  const System system({a, b}, sq(dot(a)) + 0.5 * sq(dot(b)) + dot(a) * dot(b) * cos(a - b) + 2 * cos(a) + cos(b));
  return {system, {}, {{0.7, -0.4}, {0.3, 0.8}}, step};
}

/// Whether a method has equations for a problem.
bool suits(const std::string& method, const Problem& problem) {
  try {
    make_method(method, problem);
    return true;
  } catch (const MethodError&) {
    return false;
  }
}

/// Those of some models that a method can treat. What was found is remembered: deriving takes longer than some tests.
std::vector<Problem> suitable(const std::string& method, double step, std::span<const char* const> models) {
  static std::map<std::string, std::vector<std::string>> known;
  const auto [position, is_new] = known.emplace(method, std::vector<std::string>{});
  if (is_new) {
    for (const char* model : models) {
      if (suits(method, problem_of(model, step))) position->second.emplace_back(model);
    }
  }
  std::vector<Problem> all;
  for (const std::string& model : position->second) all.push_back(problem_of(model, step));
  return all;
}

/// Models with constraints whose motions from their own starts meet no singularity of the methods that are for some of
/// them only.
const std::string rotating = test::source_file("tests/method/rotating/veering-body.toml");
const char* const constrained_models[] = {"quadratic-particle", "chaplygin-sleigh", "mclachlan-perlmutter",
                                          "rolling-disk",       "mobile-robot",     rotating.c_str()};
constexpr const char* hamiltonizable_models[] = {"quadratic-particle", "sinusoidal-particle", "harmonic-particle"};
constexpr const char* steered_models[] = {"rolling-disk", "knife-edge"};

bool is_reduced(const std::string& method) {
  return std::ranges::any_of(std::array{"rdla", "hdel", "pthdel", "conformal"},
                             [&](const char* family) { return method.starts_with(family); });
}

bool is_projected(const std::string& method) { return method.find("project=") != std::string::npos; }

/// The sleigh starts at rest: a projected method has no velocity to scale when a step leads back there.
std::vector<const char*> constrained_models_for(const std::string& method) {
  std::vector<const char*> models(std::begin(constrained_models), std::end(constrained_models));
  if (is_projected(method)) std::erase(models, std::string_view("chaplygin-sleigh"));
  return models;
}

/// Whether a method is for systems with constraints at all.
bool takes_constraints(const std::string& method) {
  return is_reduced(method) || method.starts_with("free") ||
         !suitable(method, 0.1, constrained_models_for(method)).empty();
}

/// The systems a method is examined on.
std::vector<Problem> problems_for(const std::string& method, double step) {
  if (is_reduced(method)) return suitable(method, step, hamiltonizable_models);
  if (method.starts_with("free")) return suitable(method, step, steered_models);
  const std::vector<Problem> all = suitable(method, step, constrained_models_for(method));
  return all.empty() ? std::vector{oscillators(step), double_pendulum(step)} : all;
}

/// The largest value an observer sees.
double largest_observed(const std::string& observer_name, const std::string& method, const Problem& problem,
                        int steps) {
  const auto observer = make_observer(observer_name, method, problem);
  const auto stepper = make_stepper(method, problem);
  RunOptions options;
  options.steps = steps;
  options.observers = {observer.get()};
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(result.outcome, RunOutcome::finished) << result.failure;
  double largest = 0.0;
  for (const Largest& observed : result.statistics.observed) {
    EXPECT_FALSE(observed.end) << "not defined at step " << observed.end->at.step;
    largest = std::max(largest, observed.value);
  }
  return largest;
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  const std::string& name_ = GetParam();
  Structure structure(const Problem& problem) const { return make_method(name_, problem).structure; }
};
/// Those of them that something can be asked of.
std::vector<std::string> methods_that(const std::function<bool(const std::string&)>& can_be_asked) {
  std::vector<std::string> some;
  std::ranges::copy_if(test::conforming_methods, std::back_inserter(some), can_be_asked);
  return some;
}

std::string name_of_method(const testing::TestParamInfo<std::string>& p) {
  // The same code with other coefficients, or longer.
  const auto has = [&](const char* word) { return p.param.find(word) != std::string::npos; };
  const bool is_long =
      has("order=8") || has("order=10") || has("stages") || has("trapezoidal:order") || has("alpha=0.3");
  return test::long_case_if(is_long, test::case_name(p.param));
}

INSTANTIATE_TEST_SUITE_P(Method, Conformance, testing::ValuesIn(test::conforming_methods), name_of_method);

/// Whether double precision shows the order.
bool has_low_order(const std::string& name) {
  return std::ranges::none_of(std::array{"order=6", "order=8", "order=10"},
                              [&](const char* order) { return name.find(order) != std::string::npos; });
}

/// Nodes of a method with a time of its own are at other times: its orders are those of reduced_test.cpp.
bool has_time_of_its_own(const std::string& name) {
  return name.starts_with("hdel") && !name.starts_with("hdel:nodes=t");
}

class LowOrder : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, LowOrder, testing::ValuesIn(methods_that([](const std::string& name) {
                           return has_low_order(name) && !has_time_of_its_own(name);
                         })),
                         name_of_method);

class HighOrder : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, HighOrder, testing::ValuesIn(methods_that(std::not_fn(has_low_order))),
                         name_of_method);

class WithConstraints : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, WithConstraints, testing::ValuesIn(methods_that(takes_constraints)), name_of_method);

class WithMomenta : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, WithMomenta, testing::ValuesIn(methods_that([](const std::string& name) {
                           return takes_constraints(name) && suits(name, problem_of("snakeboard", 0.1)) &&
                                  make_method(name, load_model("snakeboard").system).keeps_momenta;
                         })),
                         name_of_method);

/// Maps of (q, p), and of nothing else.
class OnCotangentBundle : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, OnCotangentBundle, testing::ValuesIn(methods_that([](const std::string& name) {
                           if (is_reduced(name) || !suits(name, problem_of("quadratic-particle", 0.1))) return false;
                           const System particle = load_model("quadratic-particle").system;
                           const Method method = make_method(name, problem_of("quadratic-particle", 0.1));
                           return method.keeps_momenta && method.state_size() == 2 * particle.dimension();
                         })),
                         name_of_method);

TEST_P(LowOrder, converges_to_the_motion_with_its_order) {
  for (const Problem& problem : problems_for(name_, 0.1)) {
    const int order = structure(problem).order;
    // Even numbers of steps: the multipliers of gni alternate.
    std::vector<std::int64_t> counts{240, 480, 960};
    if (order > 2) counts = {32, 64, 128};
    if (order > 2 && is_projected(name_)) counts = {48, 96, 192};  // with 32 the robot is not there yet
    const State reference = ReferenceFlow(problem).at(5.0);
    const Convergence c = measure_convergence(name_, problem, 5.0, counts, reference);
    ASSERT_TRUE(c.measured_order);
    EXPECT_NEAR(*c.measured_order, order, order <= 2 ? 0.1 : 0.2) << problem.system.coordinates()[0].name();
    EXPECT_LT(c.points.back().error, 0.2);
  }
}

TEST_P(HighOrder, has_its_high_order_in_quadruple_precision) {
  // The coefficients of a composition are doubles: errors below some 1e-17 are theirs.
  const double times[] = {3.0, 24.0, 3.0, 15.0, 3.0, 3.0};
  const std::vector<Problem> problems = problems_for(name_, 0.1);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const Problem& problem = problems[p];
    const Method method = make_method(name_, problem);
    const double time = takes_constraints(name_) ? times[p] : 2.0;
    std::vector<std::vector<float128>> q;
    const std::size_t n = problem.start.q.size();
    const int fewest = method.structure.order < 10 ? 32 : 20;
    for (const int steps : {fewest, 2 * fewest, 4 * fewest}) {
      q.push_back(test::quadruple_state(method, problem, time, steps));
      q.back().resize(n);
    }
    const auto difference = [&](std::size_t i) {
      float128 largest = 0;
      for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, float128(abs(q[i][k] - q[i + 1][k])));
      return static_cast<double>(largest);
    };
    EXPECT_NEAR(std::log2(difference(0) / difference(1)), method.structure.order,
                method.structure.order < 10 ? 0.1 : 0.4)
        << problem.system.coordinates().back().name();
    const State reference = ReferenceFlow(problem).at(time);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(static_cast<double>(q[2][k]), reference.q[k], 1e-8);
  }
}

TEST_P(WithConstraints, keeps_constraints_where_it_says) {
  for (const char* model : {"quadratic-particle", "mobile-robot", "snakeboard", "rolling-disk"}) {
    const Problem problem = problem_of(model, 0.1);
    if (!suits(name_, problem) || (is_reduced(name_) && model != std::string("quadratic-particle"))) continue;
    const auto kept = structure(problem).constraint;
    const double at_nodes = largest_observed("node-constraint", name_, problem, 200);
    if (kept == Structure::Constraint::drifts) {
      EXPECT_GT(at_nodes, 1e-9) << model;
      continue;
    }
    EXPECT_LT(at_nodes, 1e-13) << model;
    if (kept == Structure::Constraint::at_nodes && model == std::string("quadratic-particle")) {
      const auto stepper = make_stepper(name_, problem);  // the momenta themselves, not only their projection
      take(*stepper, 200);
      const auto state = stepper->state();
      EXPECT_NEAR(state[5] - state[1] * state[3], 0.0, 1e-13);
    }
    const double between = largest_observed("discrete-constraint", name_, problem, 200);
    if (kept == Structure::Constraint::between_nodes) {
      EXPECT_LT(between, 1e-13) << model;
    } else {
      EXPECT_GT(between, 1e-6) << model;
    }
  }
}

TEST_P(Conformance, is_reversible_if_symmetric) {
  double largest = 0.0;
  bool symmetric = true;
  for (const Problem& problem : problems_for(name_, 0.1)) {
    const double defect = largest_observed("reversibility", name_, problem, 50);
    largest = std::max(largest, defect);
    symmetric = structure(problem).symmetric;
  }
  if (symmetric) {
    EXPECT_LT(largest, 1e-12);
  } else {
    EXPECT_GT(largest, 1e-8);
  }
}

class WithoutConstraints : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, WithoutConstraints, testing::ValuesIn(methods_that([](const std::string& name) {
                           if (is_reduced(name) || !suits(name, oscillators(0.1))) return false;
                           const Method method = make_method(name, oscillators(0.1));
                           return method.keeps_momenta || !method.node;  // others have momenta of their own
                         })),
                         name_of_method);

TEST_P(WithoutConstraints, is_symplectic_if_it_says_so) {
  const Problem problem = oscillators(0.2);
  if (structure(problem).symplectic) {
    EXPECT_LT(largest_observed("symplectic", name_, problem, 50), 1e-12);
    EXPECT_LT(largest_observed("symplectic", name_, double_pendulum(0.1), 50), 1e-12);
    return;
  }
  StepMap map(make_method(name_, problem.system), problem, true);  // (q, v) is (q, p) here
  const auto stepper = make_stepper(name_, problem);
  ASSERT_TRUE(map.apply(stepper->state(), stepper->node().v, problem.start.t, problem.step));
  Eigen::Matrix4d omega = Eigen::Matrix4d::Zero();
  omega.topRightCorner<2, 2>().setIdentity();
  omega.bottomLeftCorner<2, 2>() = -Eigen::Matrix2d::Identity();
  const Eigen::MatrixXd tangent = map.tangent().topLeftCorner(4, 4);
  EXPECT_GT((tangent.transpose() * omega * tangent - omega).cwiseAbs().maxCoeff(), 1e-8);
}

TEST_P(OnCotangentBundle, changes_the_symplectic_form_by_the_constraint_impulse) {
  // Cortés & Martínez (22).
  for (const char* model :
       {"quadratic-particle", "chaplygin-sleigh", "mobile-robot", "cart-pendulum", rotating.c_str()}) {
    if (!suits(name_, problem_of(model, 0.02))) continue;
    EXPECT_LT(largest_observed("symplectic", name_, problem_of(model, 0.02), 50), 1e-12) << model;
  }
}

TEST_P(WithMomenta, satisfies_the_momentum_equation_if_it_says_so) {
  // Cortés & Martínez (24), for SE(2) and for translations.
  double largest = 0.0;
  for (const char* model : {"snakeboard", "chaplygin-sleigh-horizontal", "knife-edge"}) {
    largest = std::max(largest, largest_observed("momentum-equation", name_, problem_of(model, 0.1), 100));
  }
  if (structure(problem_of("snakeboard")).momentum_equation) {
    EXPECT_LT(largest, 1e-12);
  } else {
    EXPECT_GT(largest, 1e-6);
  }
}

/// The quadratic particle with a free coordinate w: translation of w is admissible everywhere.
Problem particle_with_free_coordinate() {
  const auto [x, y, z, w] = coordinates("x", "y", "z", "w");
  SystemDefinition d;
  d.coordinates = {x, y, z, w};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)) + (1 + sq(x)) * sq(dot(w))) - sq(x) - sq(y);
  d.constraints = {dot(z) - y * dot(x)};
  d.symmetries = {{"translation of w", {Expression(0.0), Expression(0.0), Expression(0.0), Expression(1.0)}}};
  return {System(d), {}, {{1, 0, 0, 0}, {0, 1, 0, 0.7}}, 0.1};
}

class WithHorizontalSymmetry : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Method, WithHorizontalSymmetry, testing::ValuesIn(methods_that([](const std::string& name) {
                           return suits(name, particle_with_free_coordinate());
                         })),
                         name_of_method);

TEST_P(WithHorizontalSymmetry, keeps_its_momentum_if_symplectic) {
  const Problem problem = particle_with_free_coordinate();
  const auto stepper = make_stepper(name_, problem);
  const double initial = 2.0 * 0.7;
  double change = 0.0;
  for (int k = 0; k < 500; ++k) {
    take(*stepper, 1);
    const auto& [q, v, when] = stepper->node();
    change = std::max(change, std::abs((1 + q[0] * q[0]) * v[3] - initial));
  }
  if (structure(problem).symplectic) {
    EXPECT_LT(change, 1e-13);
  } else {
    EXPECT_GT(change, 1e-9);
  }
}

TEST_P(Conformance, gives_the_same_bits_in_one_lane_and_in_four) {
  for (const Problem& problem : problems_for(name_, 0.1)) {
    const Method method = make_method(name_, problem);
    std::vector<double> start = problem.start.q;
    const std::size_t positions = start.size();
    start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());
    const std::size_t of_node = start.size();
    start.push_back(problem.step);
    start.insert(start.end(), problem.parameters.begin(), problem.parameters.end());
    std::vector<double> data(method.start.outputs.size());
    Step first(method.start, 1, Backend::interpreted);
    ASSERT_EQ(first.run(start, data), 1);
    data.insert(data.end(), start.begin() + static_cast<std::ptrdiff_t>(of_node), start.end());

    std::vector<double> four_data;
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (int lane = 0; lane < 4; ++lane) {
        const bool momentum = i >= positions && i < of_node;
        four_data.push_back(momentum ? data[i] * (1 + 0.1 * lane) : data[i]);
      }
    }
    Step four(method.step, 4, Backend::compiled);
    std::vector<double> four_outputs(4 * method.step.outputs.size());
    const std::vector<double> four_start = four_data;
    ASSERT_EQ(four.run(four_data, four_outputs, 40), 40);
    Step one(method.step, 1, Backend::compiled);
    for (std::size_t lane = 0; lane < 4; ++lane) {
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = four_start[4 * i + lane];
      std::vector<double> outputs(method.step.outputs.size());
      ASSERT_EQ(one.run(data, outputs, 40), 40);
      for (std::size_t i = 0; i < method.step.state; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(data[i]), std::bit_cast<std::uint64_t>(four_data[4 * i + lane]));
      }
    }
  }
}

TEST_P(Conformance, goes_on_to_the_same_bits_from_what_it_saved) {
  const Problem problem = problems_for(name_, 0.1)[1];
  const auto whole = make_stepper(name_, problem);
  take(*whole, 7);
  const std::vector<double> saved = whole->save();
  const auto resumed = make_stepper(name_, problem);
  resumed->restore(saved);
  take(*whole, 20);
  take(*resumed, 20);
  EXPECT_EQ(whole->node().q, resumed->node().q);
  EXPECT_EQ(whole->save(), resumed->save());
}

TEST_P(Conformance, needs_two_or_three_iterations_in_smooth_motion) {
  for (const Problem& problem : problems_for(name_, 0.05)) {
    const auto stepper = make_stepper(name_, problem);
    take(*stepper, 200);
    EXPECT_LE(stepper->newton().mean(), is_projected(name_) ? 4.0 : 3.0);
  }
}

/// L_d of two positions from its definition, with symbols a and b for them.
struct TwoPoints {
  TwoPoints(const System& system, const Rule& rule, double step) : n(system.dimension()) {
    Substitution at;
    for (const Expression& q : system.coordinates()) {
      a.push_back(Expression::symbol(q.name() + "_a"));
      b.push_back(Expression::symbol(q.name() + "_b"));
    }
    for (const auto& [weight, position] : rule.nodes) {
      Substitution node;
      for (std::size_t i = 0; i < n; ++i) {
        node.emplace(system.coordinates()[i], (1 - position) * a[i] + position * b[i]);
        node.emplace(system.velocities()[i], (b[i] - a[i]) / step);
      }
      lagrangian += step * weight * substitute(system.lagrangian(), node);
    }
  }
  std::vector<double> derivative(const std::vector<Expression>& with_respect_to, std::span<const double> from,
                                 std::span<const double> to, const System& system) const {
    std::unordered_map<Expression, double> values;
    for (std::size_t i = 0; i < n; ++i) values[a[i]] = from[i], values[b[i]] = to[i];
    for (std::size_t i = 0; i < system.parameters().size(); ++i)
      values[system.parameters()[i]] = system.parameter_values()[i];
    std::vector<double> result;
    for (const Expression& d : gradient(lagrangian, with_respect_to)) result.push_back(evaluate(d, values));
    return result;
  }
  std::size_t n;
  std::vector<Expression> a;
  std::vector<Expression> b;
  Expression lagrangian;
};

TEST(TwoStepForm, is_satisfied_by_the_positions_of_the_one_step_form) {
  // Cortés & Martínez (6): D₂L_d(q₀, q₁) + D₁L_d(q₁, q₂) = A(q₁)ᵀλ, here with the λ of the step.
  for (const auto& [name, rule] : {std::pair{"dla:midpoint", midpoint()}, std::pair{"dla:trapezoidal", trapezoidal()},
                                   std::pair{"dla:sym=0.25", sym(0.25)}, std::pair{"dla:alpha=0.3", alpha(0.3)}}) {
    for (const Problem& problem : problems_for(name, 0.1)) {
      const System& system = problem.system;
      if (!system.rotations().empty()) continue;  // rotation_test.cpp
      const TwoPoints discrete(system, rule, problem.step);
      const auto stepper = make_stepper(name, problem);
      std::vector<double> q0 = stepper->node().q;
      take(*stepper, 1);
      std::vector<double> q1 = stepper->node().q;
      for (int k = 0; k < 20; ++k) {
        take(*stepper, 1);
        const std::vector<double> q2 = stepper->node().q;
        std::vector<double> sum = discrete.derivative(discrete.b, q0, q1, system);
        const std::vector<double> next = discrete.derivative(discrete.a, q1, q2, system);
        std::unordered_map<Expression, double> at;
        for (std::size_t i = 0; i < q1.size(); ++i) at[system.coordinates()[i]] = q1[i];
        for (std::size_t i = 0; i < system.parameters().size(); ++i) at[system.parameters()[i]] = problem.parameters[i];
        for (const auto& entry : system.constraint_matrix().entries) {
          sum[static_cast<std::size_t>(entry.column)] -=
              evaluate(entry.value, at) * stepper->interval()->multipliers[static_cast<std::size_t>(entry.row)];
        }
        for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i] + next[i], 0.0, 1e-12) << name;
        q0 = q1;
        q1 = q2;
      }
    }
  }
}

// Cortés & Martínez, Theorem 4.3: generalised and constrained coordinates give the same motion if L_d on Q is the
// restriction of L_d on the surrounding space, L_d(J(q₀), J(q₁)).

/// L_d of the surrounding space for points on a surface with the given chart, in q and Δ.
Expression restricted(const System& space, const Rule& rule, const std::vector<Expression>& chart,
                      const std::vector<Expression>& q) {
  Substitution shifted;
  for (const Expression& x : q) shifted.emplace(x, x + Expression::symbol("Δ(" + x.name() + ")"));
  const std::vector<Expression> end = substitute(chart, shifted);
  const std::vector<Expression> increments = increment_symbols(space);
  Substitution on_surface;
  for (std::size_t i = 0; i < chart.size(); ++i) {
    on_surface.emplace(space.coordinates()[i], chart[i]);
    on_surface.emplace(increments[i], end[i] - chart[i]);
  }
  return substitute(discrete_lagrangian(space, rule), on_surface);
}

struct Surface {
  System space;
  System chart_system;
  std::vector<Expression> chart;
  State start;  ///< in the chart
};

Surface circle() {
  const auto [x, y, a] = coordinates("x", "y", "a");
  SystemDefinition d;
  d.coordinates = {x, y};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y))) - y;
  d.holonomic = {sq(x) + sq(y) - 1};
  return {System(d), System({a}, 0.5 * sq(dot(a)) + cos(a)), {sin(a), -cos(a)}, {{0.9}, {0.4}}};
}

Surface sphere() {
  const auto [x, y, z] = coordinates("x", "y", "z");
  const auto [a, b] = coordinates("a", "b");
  SystemDefinition d;
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))) - z;
  d.holonomic = {sq(x) + sq(y) + sq(z) - 1};
  return {System(d),
          System({a, b}, 0.5 * (sq(dot(a)) + sq(sin(a)) * sq(dot(b))) + cos(a)),
          {sin(a) * cos(b), sin(a) * sin(b), -cos(a)},
          {{0.9, 0.2}, {0.3, 0.8}}};
}

std::vector<double> at(const std::vector<Expression>& functions, const System& system, const State& state) {
  std::unordered_map<Expression, double> values;
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    values[system.coordinates()[i]] = state.q[i];
    values[system.velocities()[i]] = state.v[i];
  }
  std::vector<double> result;
  for (const Expression& f : functions) result.push_back(evaluate(f, values));
  return result;
}

TEST(GeneralisedCoordinates, give_the_motion_of_constrained_ones) {
  for (const Surface& s : {circle(), sphere()}) {
    for (const Rule& rule : {midpoint(), trapezoidal(), sym(0.25), alpha(0.3)}) {
      const std::vector<Expression> rates =
          directional_derivative(s.chart, s.chart_system.coordinates(), s.chart_system.velocities());
      const Problem in_space{
          s.space, {}, {at(s.chart, s.chart_system, s.start), at(rates, s.chart_system, s.start)}, 0.1};
      const Problem in_chart{s.chart_system, {}, s.start, 0.1};
      const auto constrained = make_one_step(dla(s.space, rule), in_space);
      const auto generalised = make_one_step(
          del(s.chart_system, restricted(s.space, rule, s.chart, s.chart_system.coordinates())), in_chart);
      const auto in_chart_rule = make_one_step(del(s.chart_system, rule), in_chart);
      take(*constrained, 100);
      take(*generalised, 100);
      take(*in_chart_rule, 100);
      const auto point = at(s.chart, s.chart_system, generalised->node());
      EXPECT_LT(distance(constrained->node().q, point), 1e-12);
      // Under the rule of the chart itself it is another approximation.
      EXPECT_GT(distance(constrained->node().q, at(s.chart, s.chart_system, in_chart_rule->node())), 1e-6);
    }
  }
}

TEST(ProductsOfRules, discretise_altered_lagrangians) {
  // García-Naranjo & Vermeeren (5.1): N at the midpoint, L trapezoidal. N L has the same order as L under one rule.
  const Problem problem = oscillators(0.1);
  const System& s = problem.system;
  const Expression density = 1 + 0.1 * sq(s.coordinates()[0]);
  const Expression mixed =
      step_symbol() * discretise(density, s, midpoint()) * discretise(s.lagrangian(), s, trapezoidal());
  const System altered(s.coordinates(), density * s.lagrangian());
  const State reference = ReferenceFlow({altered, {}, problem.start, 0.1}).at(2.0);
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const Problem here{altered, {}, problem.start, k == 0 ? 0.1 : 0.05};
    const auto stepper = make_one_step(del(altered, mixed), here);
    take(*stepper, k == 0 ? 20 : 40);
    error[k] = distance(stepper->node().q, reference.q);
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.1);
}

}  // namespace conformance_test
}  // namespace rattleback
