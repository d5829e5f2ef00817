#pragma once

// What methods promise, and how it is seen.

#include <cctype>
#include <ostream>

#include "mech/decompositions.hpp"
#include "observe/step_map.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/observe/observers.hpp"
#include "tests/case_name.hpp"
#include "trajectory.hpp"

namespace rattleback::test {

/// The order of a method on a model.
struct Promise {
  std::string model;
  std::string method;
  int order;
};

inline void PrintTo(const Promise& p, std::ostream* out) { *out << p.model << " " << p.method; }

/// Cases with one of the words are long.
inline std::string name_of_promise(const testing::TestParamInfo<Promise>& which,
                                   std::initializer_list<const char*> long_words) {
  const std::string name = case_name(which.param.model + "_" + which.param.method);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  return long_case_if(std::ranges::any_of(long_words, has), name);
}

inline void expect_promised_order(const Promise& promise, double time) {
  const Problem problem = problem_of(promise.model);
  const State reference = ReferenceFlow(problem).at(time);
  const Convergence c = measure_convergence(promise.method, problem, time, {20, 40, 80, 160}, reference, nullptr, {});
  ASSERT_TRUE(c.measured_order);
  EXPECT_NEAR(*c.measured_order, promise.order, 0.1);
  EXPECT_EQ(*c.expected_order, promise.order);
}

/// Along 60 steps.
inline double largest_observed(const std::string& observer_name, const std::string& method, const Problem& problem) {
  const auto observer = make_observer(observer_name, method, problem);
  const auto stepper = make_stepper(method, problem);
  RunOptions options;
  options.steps = 60;
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

/// DΦᵀ J DΦ − J of the map of (r, P), for a state (q, P, …) of which r are the first m coordinates.
inline double symplectic_defect(const std::string& method, const Problem& problem, std::size_t m) {
  const Method derived = make_method(method, problem);
  StepMap map(derived, problem, true);
  const auto stepper = make_stepper(method, problem);
  take(*stepper, 3);
  const std::vector<double> state(stepper->state().begin(), stepper->state().end());
  EXPECT_TRUE(map.apply(state, stepper->node().v, problem.start.t, problem.step));
  const Eigen::MatrixXd all = map.tangent();
  const auto half = static_cast<Eigen::Index>(m);
  const auto n = static_cast<Eigen::Index>(problem.system.dimension());
  Eigen::MatrixXd d(2 * half, 2 * half);
  d << all.block(0, 0, half, half), all.block(0, n, half, half), all.block(n, 0, half, half),
      all.block(n, n, half, half);
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(2 * half, 2 * half);
  j.topRightCorner(half, half).setIdentity();
  j.bottomLeftCorner(half, half) = -Eigen::MatrixXd::Identity(half, half);
  return (d.transpose() * j * d - j).cwiseAbs().maxCoeff();
}

}  // namespace rattleback::test
