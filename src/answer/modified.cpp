#include "rattleback/answer/modified.hpp"

#include <fmt/format.h>

#include <cmath>

#include "check.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/registry.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

/// A state of the method, and the velocity of its node.
struct Place {
  std::vector<double> state;
  std::vector<double> velocity;
};

void run(CompiledMap& map, const char* what) {
  if (!map.run()) throw NumericalError(fmt::format("{} cannot be computed: {}", what, map.failure()));
}

std::vector<double> start_state(const Method& method, const Problem& problem, const State& node) {
  CompiledMap start(method.start, problem, Backend::interpreted);
  start.place(node);
  run(start, "the state of the method");
  return {start(Slot::state).begin(), start(Slot::state).end()};
}

/// The state at a point, with the energy there.
void move_to(const ModifiedRequest::Point& point, const Method& method, const Problem& problem, Place& place) {
  const CanonicalStep& canonical = *method.canonical;
  const auto put = [&] {
    for (std::size_t i = 0; i < canonical.positions.size(); ++i) {
      place.state[canonical.positions[i]] = point.positions[i];
      place.state[canonical.momenta[i]] = point.momenta[i];
    }
  };
  put();
  if (!method.node) return;
  CompiledMap node(*method.node, problem, Backend::interpreted);
  node.set(Slot::state, place.state);
  node.set(Slot::velocity, place.velocity);
  run(node, "the velocity at `at`");
  const State there{{node(Slot::position).begin(), node(Slot::position).end()},
                    {node(Slot::velocity).begin(), node(Slot::velocity).end()}};
  place = {start_state(method, problem, there), there.v};
  put();
}

void check_point(const ModifiedRequest::Point& point, const CanonicalStep& canonical, const System& system) {
  const std::size_t m = canonical.positions.size();
  if (point.positions.size() == m && point.momenta.size() == m) return;
  std::vector<Expression> r;
  for (const std::size_t i : canonical.positions) r.push_back(system.coordinates()[i]);
  throw RequestError(fmt::format("`at` must be positions and momenta, {0} and {0} numbers for {1}; found {2} and {3}",
                                 m, names(r), point.positions.size(), point.momenta.size()));
}

Place place_of(const ModifiedRequest& request, const Method& method, const Problem& problem) {
  const CanonicalStep& canonical = *method.canonical;
  Place place{start_state(method, problem, problem.start), problem.start.v};
  if (request.at) {
    check_point(*request.at, canonical, problem.system);
    move_to(*request.at, method, problem, place);
  }
  if (request.energy) {
    if (!canonical.conformal) throw RequestError("`energy` is for altered Lagrangians: pthdel and conformal");
    place.state[canonical.conformal->entry] = *request.energy;
  }
  return place;
}

void add_formulas(ModifiedAnswer& answer, const ModifiedRequest& request, const Method& method,
                  const Problem& problem) {
  ParameterNumbers numbers;
  for (std::size_t i = 0; request.numbers && i < problem.parameters.size(); ++i) {
    const Expression& parameter = problem.system.parameters()[i];
    numbers.emplace(parameter, problem.parameters[i]);
    answer.parameters.emplace_back(parameter.name(), problem.parameters[i]);
  }
  ModifiedSeries series = modified_series(method, request.order, numbers);
  if (request.equation) answer.equation = modified_motion(series, *method.canonical->motion);
  if (series.energy_symbol) {
    const Substitution named{{*series.energy_symbol, unused_symbol("E", *method.canonical->motion)}};
    series.hamiltonian = substitute(series.hamiltonian, named);
    if (answer.equation) answer.equation->lagrangian = substitute(answer.equation->lagrangian, named);
  }
  answer.formulas = std::move(series);
}

ModifiedAnswer::Numbers numbers_of(const ModifiedRequest& request, const Method& method, const Problem& problem) {
  const CanonicalStep& canonical = *method.canonical;
  const double h = problem.step;
  const bool conformal = canonical.conformal.has_value();
  const Place place = place_of(request, method, problem);
  ModifiedAnswer::Numbers numbers;
  ModifiedHamiltonian modified(method, problem, ModifiedHamiltonian::Digits::extended);
  modified.set_tolerance(request.tolerance);
  for (int ell = 0; ell <= request.order; ell += method.structure.symmetric ? 2 : 1) {
    ModifiedAnswer::Values values{modified.truncated(place.state, place.velocity, h, ell), std::nullopt};
    if (conformal) values.conformal = modified.truncated_conformal(place.state, place.velocity, h, ell);
    numbers.series.push_back({ell, values});
  }
  numbers.orbit.hamiltonian = modified.value(place.state, place.velocity, h);
  numbers.points = modified.points();
  if (conformal) numbers.orbit.conformal = modified.conformal(place.state, place.velocity, h);
  if (std::isnan(numbers.orbit.hamiltonian.value) || std::isnan(numbers.series.front().values.hamiltonian.value)) {
    throw NumericalError(fmt::format("there are no steps of {} around this point; a smaller `step` may help", h));
  }
  for (const std::size_t i : canonical.positions) numbers.names.push_back(problem.system.coordinates()[i].name());
  for (const std::size_t i : canonical.positions)
    numbers.names.push_back("p_" + problem.system.coordinates()[i].name());
  for (const auto* entries : {&canonical.positions, &canonical.momenta}) {
    for (const std::size_t i : *entries) numbers.point.push_back(place.state[i]);
  }
  if (conformal) numbers.energy = place.state[canonical.conformal->entry];
  return numbers;
}

}  // namespace

ModifiedAnswer modified(const ModifiedRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  const auto patience = hooks.patience();
  constexpr int highest = 12;
  if (request.order < 0 || request.order > highest) {
    throw RequestError(fmt::format("`order` must be between 0 and {}, found {}", highest, request.order));
  }
  require_positive(request.tolerance, "tolerance");
  const MethodSpec spec = request.method;
  ProblemRequest one_step = request.problem;
  if (!one_step.steps && !one_step.time) one_step.steps = 1;
  PreparedProblem prepared = prepare(one_step);
  hooks.tell(prepared.notes);
  const Problem& problem = prepared.problem;
  const Method method = spec.derive(problem);
  require_canonical(method);
  if (problem.second_position) throw RequestError("`q1` has no meaning here: give `at`, or `q0` and `v0`");
  using Formulas = ModifiedRequest::Formulas;
  ModifiedAnswer answer{.model = prepared.model.name,
                        .title = prepared.model.title,
                        .method = request.method,
                        .step = problem.step,
                        .symmetric = method.structure.symmetric};
  if (request.equation && request.formulas == Formulas::none) {
    throw RequestError("`equation` is for formulas: give `formulas`");
  }
  if (request.numbers && request.formulas == Formulas::none) {
    throw RequestError("`numbers` is for formulas: give `formulas`");
  }
  if (request.formulas != Formulas::none) add_formulas(answer, request, method, problem);
  if (request.formulas != Formulas::only) answer.numbers = numbers_of(request, method, problem);
  answer.notes = std::move(prepared.notes);
  return answer;
}

}  // namespace rattleback::answer
