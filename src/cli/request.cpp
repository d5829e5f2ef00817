#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exit_status.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/exact.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback::cli {
namespace {

/// Up to this many coordinates the constraints are looked at before every run.
constexpr std::size_t small_system = 60;

constexpr double most_steps = 9007199254740992.0;  // 2⁵³

std::vector<double> numbers(const std::string& text, const char* option, const System& system) {
  ParameterValues values;
  for (const Parameter& p : system.parameter_list()) values[p.name] = p.value;
  const std::vector<double> result = numbers_from_text(text, option, values);
  if (result.size() != system.dimension()) {
    throw Failure(ExitStatus::wrong_request, fmt::format("{} has {} {}, expected {}: one for each of {}", option,
                                                         result.size(), result.size() == 1 ? "entry" : "entries",
                                                         system.dimension(), names(system.coordinates())));
  }
  return result;
}

State start_of(const ProblemOptions& options, const Model& model) {
  State start{{}, std::vector<double>(model.system.dimension(), 0.0)};
  if (model.initial) start = *model.initial;
  if (options.q0) start.q = numbers(*options.q0, "--q0", model.system);
  if (options.v0) start.v = numbers(*options.v0, "--v0", model.system);
  if (start.q.empty()) {
    throw Failure(
        ExitStatus::wrong_request,
        fmt::format("{} has no initial state; give one with --q0 and --v0, or add [initial] to the model", model.name));
  }
  return start;
}

double step_of(const ProblemOptions& options, const Model& model) {
  if (options.step) return positive(*options.step, "--step");
  if (model.step) return *model.step;
  throw Failure(ExitStatus::wrong_request, fmt::format("{} has no step of its own; give one with --step", model.name));
}

double time_of(const ProblemOptions& options, const Model& model) {
  if (options.time) return positive(*options.time, "--time");
  if (model.time) return *model.time;
  throw Failure(ExitStatus::wrong_request, fmt::format("{} has no time of its own; give one with --time", model.name));
}

std::int64_t steps_of(const ProblemOptions& options, const Model& model, double h, std::vector<std::string>& notes) {
  if (options.steps) return positive_integer(*options.steps, "--steps");
  const double time = time_of(options, model);
  const double count = std::round(time / h);
  if (count < 1.0) {
    throw Failure(ExitStatus::wrong_request, fmt::format("the time {} is shorter than half a step of {}", time, h));
  }
  if (count > most_steps) throw Failure(ExitStatus::wrong_request, fmt::format("{} steps are too many", count));
  if (std::abs(count * h - time) > 1e-9 * time) {
    notes.push_back(fmt::format("{} is not a multiple of the step {}: the run takes {} steps to t = {:.10g}", time, h,
                                count, count * h));
  }
  return static_cast<std::int64_t>(count);
}

/// Asks the system what it thinks of the start; --project moves it onto the constraints.
void check_start(const ProblemOptions& options, const std::string& name, Problem& problem,
                 std::vector<std::string>& notes) {
  if (options.project) {
    const PointReport report = examine(problem.system, problem.parameters, problem.start);
    if (report.projected) {
      problem.start = *report.projected;
      notes.push_back(fmt::format("the start was projected onto the constraints: q = {}, v = {}",
                                  tuple(problem.start.q, 17), tuple(problem.start.v, 17)));
    }
  }
  try {
    require_regular_start(problem.system, problem.parameters, problem.start);
  } catch (const InconsistentStart& error) {
    const bool helps = examine(problem.system, problem.parameters, problem.start).projected.has_value();
    throw StartError(fmt::format("{}: {}{}", name, error.what(),
                                 helps ? "\nGive it with --q0 and --v0, or let --project use it."
                                       : "\nChange the initial data or the constraints."));
  } catch (const StartError& error) {
    throw StartError(fmt::format("{}: {}", name, error.what()));
  }
  if (problem.system.dimension() > small_system) return;
  const ConstraintReport constraints = examine_constraints(problem.system, problem.parameters, problem.start.q);
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
  for (const std::string& broken : broken_conservation(problem.system, problem.parameters, problem.start)) {
    notes.push_back("a declared conserved quantity is none: " + broken);
  }
}

}  // namespace

double positive(const std::string& text, const char* option) {
  const double value = number_from_text(text, option);
  if (value > 0.0) return value;
  throw Failure(ExitStatus::wrong_request, fmt::format("{} must be positive, found {}", option, text));
}

std::int64_t positive_integer(const std::string& text, const char* option) {
  const double value = positive(text, option);
  if (value != std::round(value) || value > most_steps) {
    throw Failure(ExitStatus::wrong_request, fmt::format("{} must be an integer{}, found {}", option,
                                                         value > most_steps ? " of at most 2^53" : "", text));
  }
  return static_cast<std::int64_t>(value);
}

void OutputOptions::add_to(Command& command) {
  command.add({.names = "--json", .help = "One JSON document on standard output instead of text", .target = &json});
  command.add({.names = "--quiet", .help = "No text: the exit status is the answer", .target = &quiet});
}

void ModelOptions::add_to(Command& command) {
  command.add({.names = "model",
               .value = "MODEL",
               .help = "A name of the catalogue ('rattleback models'), or a file ending with .toml",
               .target = &model,
               .values = {Values::Kind::model},
               .required = true,
               .hint = "'rattleback models' lists those there are"});
  command.add({.names = "--set",
               .value = "NAME=VALUE",
               .help = "Replaces the value of a parameter; may be repeated",
               .target = &set,
               .values = {Values::Kind::parameter}});
}

Model ModelOptions::load() const {
  ParameterValues values;
  for (const std::string& entry : set) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      throw Failure(ExitStatus::wrong_request, fmt::format("--set needs NAME=VALUE, found '{}'", entry));
    }
    std::string name = entry.substr(0, equals);
    name.erase(name.find_last_not_of(' ') + 1);
    values[name] = number_from_text(entry.substr(equals + 1), "--set " + name);
  }
  return load_model(model, values);
}

void ProblemOptions::add_to(Command& command, bool with_step) {
  model.add_to(command);
  command.add({.names = "--time", .value = "T", .help = "The time to integrate over", .target = &time});
  if (with_step) {
    command.add({.names = "--step", .value = "H", .help = "The step size h", .target = &step});
    command.add(
        {.names = "--steps", .value = "N", .help = "The number of steps", .target = &steps, .excludes = "--time"});
  }
  command.add({.names = "--q0", .value = "A,B,...", .help = "Initial positions, as in 1,0,pi/2", .target = &q0});
  command.add({.names = "--v0", .value = "A,B,...", .help = "Initial velocities", .target = &v0});
  if (with_step) {
    command.add({.names = "--q1",
                 .value = "A,B,...",
                 .help = "Positions after the first step, for methods that can start from two positions",
                 .target = &q1});
  }
  command.add({.names = "--project",
               .help = "Moves inconsistent initial data to the nearest consistent ones",
               .target = &project});
}

Request make_request(const ProblemOptions& options, bool one_step) {
  Model model = options.model.load();
  std::vector<std::string> notes;
  const double h = one_step ? time_of(options, model) : step_of(options, model);
  const std::int64_t steps = steps_of(options, model, h, notes);
  Problem problem{model.system, model.system.parameter_values(), start_of(options, model), h};
  if (options.q1) problem.second_position = numbers(*options.q1, "--q1", model.system);
  check_start(options, model.name, problem, notes);
  return {std::move(model), std::move(problem), steps, std::move(notes)};
}

void add_methods_option(Command& command, std::vector<std::string>& methods) {
  command.add({.names = "-m,--methods",
               .value = "A,B,...",
               .help = "The integrators, separated by commas",
               .target = &methods,
               .values = {Values::Kind::method},
               .list = true});
}

void check_methods(const std::vector<std::string>& methods) {
  if (methods.empty()) throw Failure(ExitStatus::wrong_request, "-m needs at least one method");
  for (const std::string& method : methods) MethodSpec{method};
}

void print_notes(const std::vector<std::string>& notes, const OutputOptions& output) {
  if (!output.talks()) return;
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

nlohmann::json to_json(const RunResult& result, const Request& request, const std::string& method) {
  const RunStatistics& s = result.statistics;
  const double steps = static_cast<double>(std::max<std::int64_t>(result.steps, 1));
  nlohmann::json document{
      {"model", request.model.name},
      {"method", method},
      {"step", request.problem.step},
      {"steps", result.steps},
      {"time", result.time},
      {"q", result.node.q},
      {"v", result.node.v},
      {"p", result.momenta},
      {"energy", {{"initial", s.initial_energy}, {"final", s.final_energy}, {"max_error", s.max_energy_error}}},
      {"constraint", {{"max", s.max_constraint}}},
      {"newton", {{"mean", result.newton.mean()}, {"max", result.newton.max}}},
      {"seconds", s.seconds},
      {"ns_per_step", 1e9 * s.seconds / steps},
      {"outcome", outcome_name(result.outcome)}};
  if (!result.failure.empty()) document["failure"] = result.failure;
  for (std::size_t k = 0; k < s.max_conserved_error.size(); ++k) {
    document["conserved"][request.problem.system.conserved()[k].name] = {{"initial", s.initial_conserved[k]},
                                                                         {"max_error", s.max_conserved_error[k]}};
  }
  if (!s.midpoint_energy.empty()) {
    document["energy"]["midpoints"] = {{"min", s.midpoint_energy[0]}, {"max", s.midpoint_energy[1]}};
  }
  for (const Remark& remark : result.remarks) document["remarks"][remark.name] = remark.value;
  if (const auto error = exact_error(result, request)) document["exact"] = {{"error", *error}};
  return document;
}

std::optional<double> exact_error(const RunResult& result, const Request& request) {
  const System& system = request.problem.system;
  if (system.exact().empty()) return std::nullopt;
  const std::vector<double> exact =
      exact_position(system, request.problem.parameters, request.problem.start, result.time);
  double error = 0.0;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    if (!system.exact()[i]) continue;
    if (!std::isfinite(exact[i])) return std::nullopt;  // the formula is not made for this start
    error = std::max(error, std::abs(result.node.q[i] - exact[i]));
  }
  return error;
}

std::string tuple(const std::vector<double>& values, int digits) {
  constexpr std::size_t longest = 12;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(values.size(), longest); ++i) {
    texts.push_back(digits >= 17 ? fmt::format("{}", values[i]) : fmt::format("{:.{}g}", values[i], digits));
  }
  if (values.size() > longest) texts.emplace_back("...");
  return fmt::format("({})", fmt::join(texts, ", "));
}

nlohmann::json texts(const std::vector<Expression>& expressions) {
  nlohmann::json list = nlohmann::json::array();
  for (const Expression& e : expressions) list.push_back(to_text(e));
  return list;
}

std::string names(const std::vector<Expression>& symbols) {
  constexpr std::size_t longest = 12;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(symbols.size(), longest); ++i) texts.push_back(symbols[i].name());
  if (symbols.size() > longest) texts.push_back(fmt::format("... ({} in all)", symbols.size()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace rattleback::cli
