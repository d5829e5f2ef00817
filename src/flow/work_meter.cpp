#include "work_meter.hpp"

#include <cmath>

#include "../base/not_a_number.hpp"
#include "../mech/between_nodes.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

ImplicitSystem motion_with_power(const Problem& problem) {
  const System& system = problem.system;
  ImplicitSystem motion = accelerations(system);
  Expression power = system.power();
  const auto lambda = motion.given(Slot::multipliers);
  for (std::size_t k = 0; k < lambda.size(); ++k) power -= lambda[k] * system.affine_part()[k];
  motion.give(Slot::energy, {&power, 1});
  return typical_at(std::move(motion), problem);
}

}  // namespace

WorkMeter::WorkMeter(const Problem& problem)
    : space_(problem.system.space()), motion_(motion_with_power(problem), problem) {}

bool WorkMeter::is_needed(const Problem& problem) {
  const System& system = problem.system;
  Substitution numbers;
  for (std::size_t i = 0; i < system.parameters().size(); ++i) {
    numbers.emplace(system.parameters()[i], problem.parameters[i]);
  }
  return system.is_affine() || !tidy(substitute(system.power(), numbers)).is_constant(0.0);
}

bool WorkMeter::look(const State& node, std::vector<double>& acceleration) {
  if (!motion_.run(node)) return false;
  acceleration.assign(motion_(Slot::acceleration).begin(), motion_(Slot::acceleration).end());
  return true;
}

void WorkMeter::begin(const State& node, double t) {
  node_ = between_ = node;
  time_ = t;
  known_ = look(node, acceleration_);
}

double WorkMeter::advance(const State& node, double t) {
  const double h = t - time_;
  double work = 0.0;
  bool known = known_ && look(node, next_acceleration_);
  const double offset = std::sqrt(0.15);  // Gauss: ½ ± √15/10 and ½
  const double points[] = {0.5 - offset, 0.5, 0.5 + offset};
  const double weights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  for (std::size_t k = 0; known && k < 3; ++k) {
    state_between(space_, {node_, acceleration_}, {node, next_acceleration_}, h, points[k], between_);
    between_.t = time_ + points[k] * h;
    known = motion_.run(between_);
    if (known) work += h * weights[k] * motion_(Slot::energy)[0];
  }
  begin(node, t);
  return known ? work : not_a_number;
}

}  // namespace rattleback
