#include "src/bench/ours.hpp"

#include <algorithm>
#include <stdexcept>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"
#include "src/bench/rattlebacks.hpp"

namespace rattleback::bench {
namespace {

Problem problem_of(const Model& model, double step) {
  return {model.system, model.system.parameter_values(), *model.initial, step};
}

ChainStep compiled(const Method& method, const MethodMaps& maps, int lanes = 1) {
  return std::move(ChainStep::make(WholeStep(method, maps, {}).chain, lanes, Backend::compiled).value());
}

/// (state, v before, h, parameters) ↦ (q, v, E).
ImplicitSystem node_with_energy(const Method& method, const System& system) {
  const std::size_t n = system.dimension();
  ImplicitSystem node;
  if (method.node) {
    node = *method.node;
  } else {
    const Layout& layout = method.step.data_layout;
    std::vector<Expression> before;
    for (std::size_t i = 0; i < n; ++i) before.push_back(Expression::symbol("before_" + std::to_string(i)));
    node.take(Slot::state, layout.of(method.step.data, Slot::state));
    node.take(Slot::velocity, before);
    node.take(Slot::step, layout.of(method.step.data, Slot::step));
    node.take(Slot::parameters, layout.of(method.step.data, Slot::parameters));
    node.give(Slot::position, method.state.of(node.data, Slot::position));
    node.give(Slot::velocity, method.state.of(node.data, Slot::velocity));
  }
  Substitution at_node;
  for (std::size_t i = 0; i < n; ++i) {
    at_node.emplace(system.coordinates()[i], node.outputs[i]);
    at_node.emplace(system.velocities()[i], node.outputs[n + i]);
  }
  node.give(Slot::energy, substitute(std::vector{system.energy()}, at_node));
  node.state = 0;
  return node;
}

}  // namespace

Problem particle() { return problem_of(load_model("quadratic-particle"), 0.2); }
Problem sleigh() { return problem_of(load_model("chaplygin-sleigh"), 0.12); }

Problem oscillators(int n, double step) {
  Problem problem = problem_of(load_model("mclachlan-perlmutter", {{"n", n}}), step);
  if (n == 6) problem.start = {{1, 0, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 0}, {0, 1, 0, -1, 1, 0, -1, 0, 1, -1, 1, 1, 1}};
  return problem;
}

Problem rattleback_by_rotation() { return problem_of(read_model(rattleback_by_rotation_text, "by_rotation"), 0.001); }
Problem rattleback_by_angles() { return problem_of(read_model(rattleback_by_angles_text, "by_angles"), 0.001); }

Problem rattleback_on_ground() { return problem_of(load_model("rattleback"), 0.001); }

OurMethod::OurMethod(const std::string& name, const Problem& problem)
    : OurMethod(name, make_method(name, problem), problem) {}

OurMethod::OurMethod(const std::string& name, const Method& method, const Problem& problem)
    : Contestant(name, Setting::step, method.structure.order + 1), problem_(problem), maps_(maps_of(method, problem)),
      start_(method, maps_, problem, Backend::interpreted), step_(compiled(method, maps_)),
      layout_(WholeStep(method, maps_, {}).layout),
      node_(node_with_energy(method, problem.system), problem, Backend::compiled), outputs_(step_.outputs_size()) {}

void OurMethod::start(double step) {
  if (step != started_) {
    const auto state = start_(problem_.start, step, problem_.parameters);
    if (!state) throw std::runtime_error(start_.failure());
    problem_.step = started_ = step;
    start_data_ = data_of(layout_, problem_);
    std::ranges::copy(*state, start_data_.begin());  // state and memories
  }
  data_ = start_data_;
  node_.set(Slot::velocity, problem_.start.v);
  node_.set(Slot::step, step);
}

bool OurMethod::look() {
  node_.set(Slot::state, data_);
  if (!node_.run()) return false;
  node_.set(Slot::velocity, node_(Slot::velocity));
  return true;
}

Attempt OurMethod::hold(double wanted, const Goal& goal) {
  const std::int64_t steps = steps_until(goal.time, wanted);
  const double step = goal.time / static_cast<double>(steps);
  start(step);
  if (!look()) return {};
  EnergyWatch watch(node_(Slot::energy)[0], goal);
  std::int64_t k = 0;
  while (k < steps && step_.run(data_, outputs_, 1) == 1 && look() && watch(node_(Slot::energy)[0])) ++k;
  return watch.at(step * static_cast<double>(k));
}

std::int64_t OurMethod::run(double wanted, double time) {
  const std::int64_t steps = steps_until(time, wanted);
  start(time / static_cast<double>(steps));
  return step_.run(data_, outputs_, steps) == steps ? steps : 0;
}

std::vector<double> OurMethod::end(double wanted, double time) {
  if (run(wanted, time) == 0 || !look()) return {};
  return {node_(Slot::position).begin(), node_(Slot::position).end()};
}

Trajectories::Trajectories(const std::string& name, const Problem& problem, int lanes)
    : Trajectories(make_method(name, problem), problem, lanes) {}

Trajectories::Trajectories(const Method& method, const Problem& problem, int lanes)
    : Trajectories(method, maps_of(method, problem), problem, lanes) {}

Trajectories::Trajectories(const Method& method, const MethodMaps& maps, const Problem& problem, int lanes)
    : start_(data_of(WholeStep(method, maps, {}).layout, problem)), state_(whole_start(method, maps, problem).size()),
      step_(compiled(method, maps, lanes)), data_(start_.size() * static_cast<std::size_t>(lanes)),
      outputs_(step_.outputs_size() * static_cast<std::size_t>(lanes)) {
  std::ranges::copy(whole_start(method, maps, problem), start_.begin());  // state and memories
}

void Trajectories::run(std::int64_t steps, std::int64_t first) {
  const auto lanes = static_cast<std::size_t>(step_.lanes());
  for (std::size_t l = 0; l < lanes; ++l) {
    const double factor = 1.0 + 1e-6 * static_cast<double>(first + static_cast<std::int64_t>(l));
    for (std::size_t i = 0; i < start_.size(); ++i) {
      data_[i * lanes + l] = i < state_ ? start_[i] * factor : start_[i];
    }
  }
  if (step_.run(data_, outputs_, steps) != steps) throw std::runtime_error("a step of the benchmark failed");
  steps_ = steps;
}

double Trajectories::iterations() const {
  return static_cast<double>(step_.iterations(0)) / static_cast<double>(steps_);
}

}  // namespace rattleback::bench
