#include "rattleback/answer/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

/// Up to this many coordinates the constraints are looked at before every run.
constexpr std::size_t small_system = 60;

std::vector<double> one_for_each(const std::vector<double>& numbers, const char* field,
                                 const std::vector<std::string>& of) {
  if (numbers.size() == of.size()) return numbers;
  throw RequestError(fmt::format("`{}` has {} {}, expected {}: one for each of {}", field, numbers.size(),
                                 numbers.size() == 1 ? "entry" : "entries", of.size(), names(of)));
}

std::vector<std::string> freedom_names(const System& system) {
  std::vector<std::string> list;
  for (const Expression& freedom : system.freedoms()) list.push_back(freedom.name());
  return list;
}

State start_of(const ProblemRequest& request, const Model& model) {
  State start{{}, std::vector<double>(model.system.dimension(), 0.0), 0.0};
  if (model.initial) start = *model.initial;
  const Space space = model.system.space();
  if (!request.q0.each.empty())
    start.q = space.from_shown(one_for_each(request.q0.each, "q0", model.system.position_names()));
  if (!request.v0.each.empty()) start.v = one_for_each(request.v0.each, "v0", freedom_names(model.system));
  if (start.q.empty() && !request.q0.named.empty()) start.q = space.origin();
  if (request.t0 && !std::isfinite(*request.t0)) {
    throw RequestError(fmt::format("`t0` must be a finite number, found {}", *request.t0));
  }
  start.t = request.t0.value_or(start.t);
  if (start.q.empty()) {
    throw RequestError(
        fmt::format("{} has no initial state; give one with `q0` and `v0`, or add [initial] to the model", model.name));
  }
  return start;
}

/// What is given by name is kept, the rest follows from the constraints; also the velocities that the model leaves
/// open, where the positions are others.
void complete(State& start, const ProblemRequest& request, const Model& model) {
  const System& s = model.system;
  const auto completed = [&](const char* field, auto&& find) {
    try {
      return find();
    } catch (const ModelError&) {
      throw;
    } catch (const RequestError& error) {
      throw RequestError(fmt::format("`{}`: {}", field, error.what()));
    }
  };
  if (!request.q0.named.empty()) {
    const SomeNumbers given = positions_by_name(s, request.q0.named, "`q0`", start.q);
    start.q = completed("q0", [&] { return completed_positions(s, s.parameter_values(), given, start.q, start.t); });
  }
  const bool moved = !request.q0.empty() && !model.given_velocities.empty() && request.v0.empty();
  if (request.v0.named.empty() && !moved) return;
  const SomeNumbers given = moved ? model.given_velocities : velocities_by_name(s, request.v0.named, "`v0`");
  start.v = completed("v0", [&] { return completed_velocities(s, s.parameter_values(), start.q, given, start.t); });
}

double step_of(const ProblemRequest& request, const Model& model) {
  if (request.step) return require_positive(*request.step, "step");
  if (model.step) return *model.step;
  throw RequestError(fmt::format("{} has no step of its own; give one with `step`", model.name));
}

double time_of(const ProblemRequest& request, const Model& model) {
  if (request.time) return require_positive(*request.time, "time");
  if (model.time) return *model.time;
  throw RequestError(fmt::format("{} has no time of its own; give one with `time`", model.name));
}

std::int64_t steps_of(const ProblemRequest& request, const Model& model, double h, std::vector<std::string>& notes) {
  const double start = request.t0.value_or(model.initial ? model.initial->t : 0.0);
  if (request.steps && request.time) throw RequestError("`steps` and `time` say the same in two ways: give one");
  if (request.steps) return require_positive(*request.steps, "steps");
  const double time = time_of(request, model);
  const double count = std::round(time / h);
  if (count < 1.0) throw RequestError(fmt::format("the time {} is shorter than half a step of {}", time, h));
  if (count > static_cast<double>(most_steps)) throw RequestError(fmt::format("{} steps are too many", count));
  if (std::abs(count * h - time) > 1e-9 * time) {
    notes.push_back(fmt::format("{} is not a multiple of the step {}: the run takes {} steps to t = {:.10g}", time, h,
                                count, std::fma(count, h, start)));
  }
  return static_cast<std::int64_t>(count);
}

void project_start(Problem& problem, std::vector<std::string>& notes) {
  const PointReport report = examine(problem.system, problem.parameters, problem.start);
  if (!report.projected) return;
  problem.start = *report.projected;
  notes.push_back(fmt::format("the start was projected onto the constraints: q = {}, v = {}",
                              tuple(problem.system.space().shown(problem.start.q), 17), tuple(problem.start.v, 17)));
}

void require_start(const std::string& name, const Problem& problem) {
  try {
    require_regular_start(problem.system, problem.parameters, problem.start);
  } catch (const InconsistentStart& error) {
    const bool helps = examine(problem.system, problem.parameters, problem.start).projected.has_value();
    throw InconsistentStart(fmt::format("{}: {}{}", name, error.what(),
                                        helps ? "\nGive it with `q0` and `v0`, or let `project` use it."
                                              : "\nChange the initial data or the constraints."));
  } catch (const StartError& error) {
    throw StartError(fmt::format("{}: {}", name, error.what()));
  }
}

/// What a model says of itself that is not so, or that the user may not have meant.
void look_at_claims(const Problem& problem, std::vector<std::string>& notes) {
  const ConstraintReport constraints = examine_constraints(problem.system, problem.parameters, problem.start);
  if (constraints.integrable.size() == 1) {
    notes.push_back(fmt::format("{} is integrable: it restricts positions (holonomic in disguise), not only velocities",
                                problem.system.row_name_with_text(constraints.integrable[0])));
  } else if (!constraints.integrable.empty()) {
    notes.push_back(
        fmt::format("{} of {} constraints are integrable, each by itself: they restrict positions (holonomic in "
                    "disguise), not only velocities",
                    constraints.integrable.size(), problem.system.constraints().size()));
  } else if (constraints.all_integrable) {
    notes.emplace_back("the constraints together are integrable: they restrict positions (holonomic in disguise)");
  }
  for (const std::string& broken : broken_symmetries(problem.system, problem.parameters, problem.start)) {
    notes.push_back("a declared symmetry is not one: " + broken);
  }
  for (const std::string& broken : broken_sections(problem.system, problem.parameters, problem.start)) {
    notes.push_back("a declared section is none: " + broken);
  }
  for (const std::string& broken : broken_conservation(problem.system, problem.parameters, problem.start)) {
    notes.push_back("a declared conserved quantity is none: " + broken);
  }
}

PreparedProblem with_start(const ProblemRequest& request, Model model, double h, std::int64_t steps,
                           std::vector<std::string> notes) {
  Problem problem{model.system, model.system.parameter_values(), start_of(request, model), h};
  complete(problem.start, request, model);
  if (!request.q1.empty())
    problem.second_position =
        model.system.space().from_shown(one_for_each(request.q1, "q1", model.system.position_names()));
  if (request.project) project_start(problem, notes);
  require_start(model.name, problem);
  if (problem.system.has_kinks()) {
    notes.emplace_back(
        "the equations are not smooth everywhere (abs, sign, min, max, if, or a table): steps across a kink leave a "
        "method order 2, steps across a jump order 1, the reference too; steps that end there keep the order");
  }
  if (problem.system.dimension() <= small_system) look_at_claims(problem, notes);
  return {std::move(model), std::move(problem), steps, std::move(notes)};
}

/// The model as the request has it.
Model load(const ProblemRequest& request) {
  Model model = request.model.load(request.parameters, request.inputs);
  if (request.stop_when.empty()) return model;
  const System& system = model.system;
  Definitions names;
  const ParseOptions options = options_of_motion(model, "`stop_when`", names);
  std::vector<Event> events = system.events();
  try {
    events.push_back(
        {stop_when_name, parse(request.stop_when, options), Event::Direction::either, Event::Action::stop});
  } catch (const ParseError& error) {
    throw RequestError(error.what());
  }
  if (free_symbols(events.back().when).empty()) {
    throw RequestError(fmt::format(
        "`stop_when` is {}, a constant, and never passes zero; give an expression of the motion", request.stop_when));
  }
  model.system = system.with_events(std::move(events));
  return model;
}

}  // namespace

ModelSource::ModelSource(System system)
    : source_(Model{"system", "A system", "", "", "", std::move(system), {}, {}, {}, {}}) {}

ModelSource ModelSource::text(std::string text, std::string file) {
  return ModelSource(Text{std::move(text), std::move(file)});
}

Model ModelSource::load(const ParameterValues& parameters, const InputTexts& inputs) const {
  if (const auto* name = std::get_if<std::string>(&source_)) {
    if (name->empty()) throw RequestError("a request needs a `model`");
    return load_model(*name, parameters, inputs);
  }
  if (const auto* text = std::get_if<Text>(&source_)) return read_model(text->text, text->file, parameters, inputs);
  if (!parameters.empty()) {
    throw RequestError("a model that has been read has its values: give `parameters` when it is read");
  }
  if (!inputs.empty()) {
    throw RequestError("a model that has been read has its inputs: give `inputs` when it is read");
  }
  return std::get<Model>(source_);
}

PreparedProblem prepare(const ProblemRequest& request) {
  Model model = load(request);
  std::vector<std::string> notes;
  const double h = step_of(request, model);
  const std::int64_t steps = steps_of(request, model, h, notes);
  return with_start(request, std::move(model), h, steps, std::move(notes));
}

PreparedProblem prepare_time(const ProblemRequest& request) {
  if (request.step || request.steps) throw RequestError("the steps are not to be chosen: give `time`");
  Model model = load(request);
  const double time = time_of(request, model);
  return with_start(request, std::move(model), time, 1, {});
}

}  // namespace rattleback::answer
