#include "rattleback/answer/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "engine_options.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback::answer {
namespace {

/// One step: a simulation has no end.
PreparedProblem prepare_start(ProblemRequest request) {
  if (request.time || request.steps) {
    throw RequestError("a simulation ends when nobody steps any more: drop `time` and `steps`");
  }
  request.steps = 1;
  return prepare(request);
}

/// Whether two systems are written with the same expressions.
bool same_equations(const System& a, const System& b) {
  return a.lagrangian() == b.lagrangian() && a.constraints() == b.constraints() && a.holonomic() == b.holonomic() &&
         a.applied_forces() == b.applied_forces() && a.coordinates() == b.coordinates();
}

PreparedProblem prepare_start(const ProblemRequest& request, const Hooks& hooks) {
  const Interruptible deriving(hooks.interrupt);
  return prepare_start(request);
}

}  // namespace

ChangingParameters::ChangingParameters(const ProblemRequest& request, const System& system)
    : source_(request.model), inputs_(request.inputs), given_(request.parameters), system_(system) {
  for (std::size_t i = 0; i < system.parameters().size(); ++i) index_.emplace(system.parameters()[i].name(), i);
}

std::size_t ChangingParameters::index(const std::string& name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  source_.load({{name, 0.0}}, inputs_);  // says so
  throw RequestError(fmt::format("there is no parameter '{}'", name));
}

bool ChangingParameters::is_independent(std::size_t parameter, double value, const std::vector<double>& now) {
  if (const auto known = independent_.find(parameter); known != independent_.end()) return known->second;
  const std::string& name = system_.parameters()[parameter].name();
  ParameterValues values = given_;
  values[name] = value;
  const System other = source_.load(values, inputs_).system;
  if (!same_equations(system_, other)) {
    throw RequestError(fmt::format(
        "the parameter {} decides about the shape of the system and cannot change on the way; begin anew", name));
  }
  bool alone = true;
  for (std::size_t i = 0; i < now.size(); ++i) alone &= i == parameter || other.parameter_values()[i] == now[i];
  // A value that is the present one shows nothing.
  if (value != now[parameter]) independent_[parameter] = alone;
  return alone;
}

std::vector<double> ChangingParameters::changed(const ParameterValues& values, const std::vector<double>& now) {
  std::vector<double> result = now;
  ParameterValues given = given_;
  bool alone = true;
  for (const auto& [name, value] : values) {
    const std::size_t i = index(name);
    if (!std::isfinite(value))
      throw RequestError(fmt::format("the parameter {} must be finite, found {}", name, value));
    alone &= is_independent(i, value, now);
    result[i] = value;
    given[name] = value;
  }
  if (!alone) result = source_.load(given, inputs_).system.parameter_values();
  given_ = std::move(given);
  return result;
}

Simulation::Simulation(const SimulationRequest& request, const Hooks& hooks)
    : prepared_(prepare_start(request.problem, hooks)), changing_(request.problem, prepared_.problem.system) {
  const Interruptible deriving(hooks.interrupt);
  const auto patience = hooks.patience();
  hooks.tell(prepared_.notes);
  const DerivedMethod method(request.method, prepared_.problem);
  const CompileAtOnce at_once;  // who leads a trajectory does not want to wait in the middle of it
  stepper_ = make_stepper(method, prepared_.problem);
  if (method.needs_only_maps()) maps_ = dynamic_cast<OneStepper*>(stepper_.get());
  parameters_ = prepared_.problem.parameters;
}

double Simulation::time() const {
  const double start = prepared_.problem.start.t;
  if (const auto own = stepper_->time()) return start + *own;
  return std::fma(static_cast<double>(steps_), prepared_.problem.step, start);
}

std::int64_t Simulation::step(std::int64_t count) {
  for (std::int64_t taken = 0; taken < count; ++taken) {
    if (taken % 1024 == 1023) keep_working();
    if (!stepper_->advance()) return taken;
    ++steps_;
  }
  return std::max<std::int64_t>(count, 0);
}

void Simulation::set(const ParameterValues& values) {
  if (maps_ == nullptr) {
    throw MethodError(
        "the method does more than its maps say and cannot take other values on the way; dla, gni, rk4 can");
  }
  std::vector<double> next = changing_.changed(values, parameters_);
  if (!maps_->set_parameters(next)) {
    const std::string why = maps_->failure();
    maps_->set_parameters(parameters_);
    throw NumericalError(fmt::format("with the new values there are no velocities: {}", why));
  }
  parameters_ = std::move(next);
}

std::vector<double> Simulation::save() const {
  std::vector<double> saved = stepper_->save();
  saved.push_back(static_cast<double>(steps_));
  saved.insert(saved.end(), parameters_.begin(), parameters_.end());
  return saved;
}

void Simulation::restore(std::vector<double> saved) {
  const std::vector<double> here = save();
  try {
    take(std::move(saved));
  } catch (...) {
    take(here);  // what cannot be restored changes nothing
    throw;
  }
}

void Simulation::take(std::vector<double> saved) {
  const std::size_t n = parameters_.size();
  if (saved.size() < n + 1) throw RequestError("the saved state belongs to another system or method");
  const double count = saved[saved.size() - n - 1];
  if (!(count >= 0.0 && count <= static_cast<double>(most_steps))) {
    throw RequestError(fmt::format("a saved state has a number of steps, found {}", count));
  }
  std::vector<double> values(saved.end() - static_cast<std::ptrdiff_t>(n), saved.end());
  const auto steps = static_cast<std::int64_t>(count);
  saved.resize(saved.size() - n - 1);
  if (values != parameters_) {
    ParameterValues by_name;
    const auto& names = prepared_.problem.system.parameters();
    for (std::size_t i = 0; i < n; ++i) by_name[names[i].name()] = values[i];
    set(by_name);
    parameters_ = std::move(values);
    maps_->set_parameters(parameters_);
  }
  try {
    stepper_->restore(saved);
  } catch (const std::invalid_argument& error) {
    throw RequestError(error.what());
  }
  steps_ = steps;
}

BatchSimulation::BatchSimulation(const BatchRequest& request, const Hooks& hooks)
    : prepared_(prepare_start(request.problem, hooks)), changing_(request.problem, prepared_.problem.system),
      batch_([&] {
        const Interruptible deriving(hooks.interrupt);
        const int lanes = engine_options(request.lanes, {}).lanes;
        hooks.tell(prepared_.notes);
        const auto members = static_cast<std::size_t>(require_positive(request.n, "n"));
        const Problem& problem = prepared_.problem;
        // (q, v) twice, momenta, memories of a few stages
        require_memory(static_cast<double>(members * (20 * problem.system.dimension() + problem.parameters.size())) *
                           sizeof(double),
                       "the batch", "choose a smaller `n`");
        const CompileAtOnce at_once;
        return Batch(problem, request.method, members, lanes);
      }()) {}

void BatchSimulation::step(std::int64_t count) {
  batch_.step(count);
  steps_ += std::max<std::int64_t>(count, 0);
}

void BatchSimulation::set(const std::string& name, std::span<const double> values) {
  const std::size_t parameter = changing_.index(name);
  if (values.size() != batch_.size()) {
    throw RequestError(
        fmt::format("{} has {} values, expected {}: one for each member", name, values.size(), batch_.size()));
  }
  for (const double value : values) {
    if (!std::isfinite(value))
      throw RequestError(fmt::format("the parameter {} must be finite, found {}", name, value));
  }
  if (!changing_.is_independent(parameter, values[0], prepared_.problem.parameters)) {
    throw RequestError(fmt::format("other parameters are computed from {}: set those", name));
  }
  batch_.set(parameter, values);
}

void BatchSimulation::start(std::int64_t member, const State* node) {
  if (member < 0 || member >= static_cast<std::int64_t>(batch_.size())) {
    throw RequestError(fmt::format("there is no member {}; there are {}", member, batch_.size()));
  }
  if (node == nullptr) return batch_.start(static_cast<std::size_t>(member), prepared_.problem.start);
  const Space space = prepared_.problem.system.space();
  if (node->q.size() != space.shown_positions() || node->v.size() != space.velocities()) {
    throw RequestError(fmt::format("a start has {} numbers for the position and {} for the velocity, found {} and {}",
                                   space.shown_positions(), space.velocities(), node->q.size(), node->v.size()));
  }
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(node->q, is_finite) || !std::ranges::all_of(node->v, is_finite)) {
    throw RequestError(fmt::format("the start of member {} is not finite", member));
  }
  batch_.start(static_cast<std::size_t>(member), {space.from_shown(node->q), node->v, node->t});
}

}  // namespace rattleback::answer
