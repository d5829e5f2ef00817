#include "stage_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rattleback {

StageSolver::StageSolver(const Method& method, const MethodMaps& maps, const Problem& problem)
    : remembered_(method.remembered), equations_(method.equations), start_(maps.start, problem, Backend::interpreted),
      step_(maps.step, problem) {}

void StageSolver::surround(const Problem& problem) {
  start_.surround(problem.step, problem.parameters);
  step_.surround(problem.step, problem.parameters);
  newton_ = {};
}

bool StageSolver::operator()(std::span<double> state, std::span<double> memory, double t, double h,
                             std::span<const double> velocity, bool must_be_near) {
  const Place from{state, velocity, t, h};
  const bool is_solved = solve(from, memory, h);
  if (!is_solved || (must_be_near && !continues(memory))) {
    const std::string why = is_solved
                                ? "the equations of the step have no solution that continues the motion; a smaller "
                                  "step may help"
                                : explain();
    if (remembered_ == 0 || !look_elsewhere(from)) {
      failure_ = why;
      return false;
    }
  }
  std::ranges::copy(step_(Slot::state), state.begin());
  std::ranges::copy(step_(Slot::memory), memory.begin());
  return true;
}

bool StageSolver::solve(const Place& from, std::span<const double> memory, double h) {
  step_.set(Slot::state, from.state);
  std::ranges::copy(memory, step_[Slot::memory].begin());
  step_.set_time(from.t);
  step_.set(Slot::step, h);
  if (!step_.run()) return false;
  const LaneReport& report = step_.report();
  newton_.iterations += report.iterations;
  newton_.max = std::max(newton_.max, report.max_iterations);
  ++newton_.solutions;
  return true;
}

/// Unknowns that differ from their extrapolation by half of what they were lately do not continue the motion. At the
/// start there are no steps to extrapolate from.
bool StageSolver::continues(std::span<const double> memory) const {
  double total = 0.0;
  double change = 0.0;
  bool is_start = true;
  for (std::size_t k = 0; k < remembered_; ++k) {
    const double last[] = {memory[k], memory[remembered_ + k], memory[2 * remembered_ + k]};
    total += std::max({std::abs(last[0]), std::abs(last[1]), std::abs(last[2])});
    change += std::abs(found()[k] - (3.0 * last[0] - 3.0 * last[1] + last[2]));
    is_start = is_start && last[0] == last[1] && last[1] == last[2];
  }
  return is_start || change <= 0.5 * total;
}

/// The remembered unknowns of a step of size h, as the velocity suggests them. Throws MethodError.
std::vector<double> StageSolver::suggested(const Place& from, double h) {
  start_.set(Slot::position, from.state);
  start_.set(Slot::velocity, from.velocity);
  start_.set_time(from.t);
  start_.set(Slot::step, h);
  if (!start_.run()) throw MethodError(fmt::format("the method cannot start: {}", start_.failure()));
  const auto first = start_(Slot::memory).first(remembered_);
  return {first.begin(), first.end()};
}

/// From a guess for the unknowns; `whole` is what is suggested for the whole step and tells how large they are.
bool StageSolver::attempt(const Place& from, double h, std::span<const double> guess, std::span<const double> whole) {
  std::vector<double> memory;
  for (std::size_t age = 0; age < Method::remembered_steps; ++age) {
    memory.insert(memory.end(), guess.begin(), guess.end());
  }
  if (!solve(from, memory, h)) return false;
  double total = 0.0;
  double change = 0.0;
  for (std::size_t k = 0; k < remembered_; ++k) {
    total += std::max(std::abs(guess[k]), std::abs(whole[k]));
    change += std::abs(found()[k] - guess[k]);
  }
  return change <= 0.5 * total;
}

/// The increment that the velocity suggests; and following the solution from small steps, where it is near that
/// increment, to the step that was asked for. Equations that are not linear have other solutions too: one that is not
/// near where it was looked for does not continue the motion.
bool StageSolver::look_elsewhere(const Place& from) {
  try {
    const std::vector<double> whole = suggested(from, from.h);
    if (attempt(from, from.h, whole, whole)) return true;
    double reached = 0.0;  // fraction of h
    std::vector<double> there = suggested(from, 0.0);
    for (double stride = 1.0 / 16.0; stride > 1e-3;) {
      const double next = std::min(1.0, reached + stride);
      const std::vector<double> here = suggested(from, reached * from.h);
      std::vector<double> guess = suggested(from, next * from.h);
      for (std::size_t k = 0; k < remembered_; ++k) guess[k] += there[k] - here[k];
      if (!attempt(from, next * from.h, guess, whole)) {
        stride *= 0.5;
        continue;
      }
      there.assign(found().begin(), found().end());
      reached = next;
      if (reached == 1.0) return true;
    }
    return false;
  } catch (const MethodError&) {  // nothing can be suggested here
    return false;
  }
}

std::string StageSolver::explain() const {
  const LaneReport& report = step_.report();
  const auto equation = static_cast<std::size_t>(report.equation);
  const std::string text = step_.failure() + advice(report);
  return report.equation >= 0 && equation < equations_.size() ? equations_[equation] + ": " + text : text;
}

const char* advice(const LaneReport& report) {
  switch (report.outcome) {
    case Outcome::singular:
      return "; constraints may lose their rank or a direction its inertia here ('rattleback show' searches for such "
             "places): with another step the trajectory passes beside it";
    case Outcome::not_finite:
      return "; a smaller step may help, unless the motion itself leaves the domain of the model";
    default: return "";
  }
}

}  // namespace rattleback
