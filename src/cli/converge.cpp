// `rattleback converge`: errors and costs of methods over a range of step sizes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/report/runs.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

/// A measured order that is further from the promised one was missed.
constexpr double order_tolerance = 0.2;

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  std::vector<std::string> methods{"dla:midpoint", "rk4"};
  std::string fewest = "20";
  std::string most = "1000";
  std::string count = "10";
  bool check = false;
  std::optional<std::string> report;
};

/// Why a method does not pass the check; empty if it does.
std::string complaint(const Convergence& c) {
  if (!c.expected_order) return "promises no order";
  if (!c.measured_order) return fmt::format("order {} was promised and could not be measured", *c.expected_order);
  if (std::abs(*c.measured_order - *c.expected_order) <= order_tolerance) return "";
  return fmt::format("order {} was promised, {:.3f} was measured", *c.expected_order, *c.measured_order);
}

void print(const Convergence& c) {
  fmt::print("\n{}\n  {:>10}  {:>9}  {:>11}  {:>6}  {:>12}  {:>7}  {:>11}\n", c.method, "h", "steps", "error", "order",
             "energy error", "newton", "ms");
  const ConvergencePoint* last = nullptr;
  for (const ConvergencePoint& p : c.points) {
    if (p.outcome == RunOutcome::failed) {
      fmt::print("  {:>10.5g}  {:>9}  failed\n", p.step, p.steps);
      last = nullptr;
      continue;
    }
    const std::string order =
        last == nullptr || last->error == 0.0 || p.error == 0.0
            ? ""
            : fmt::format("{:.2f}", std::log(p.error / last->error) / std::log(p.step / last->step));
    fmt::print("  {:>10.5g}  {:>9}  {:>11.3e}  {:>6}  {:>12.3e}  {:>7}  {:>11.4g}{}\n", p.step, p.steps, p.error, order,
               p.energy_error, p.newton > 0.0 ? fmt::format("{:.2f}", p.newton) : "-", 1e3 * p.seconds,
               p.fitted ? " *" : "");
    last = &p;
  }
  fmt::print("  order {}{}\n",
             c.measured_order ? fmt::format("{:.3f} (over the steps marked *)", *c.measured_order)
                              : "not measurable: fewer than three errors are above round-off",
             c.expected_order ? fmt::format(", {} expected", *c.expected_order) : "");
}

nlohmann::json to_json(const Convergence& c) {
  nlohmann::json entry{{"method", c.method}, {"points", nlohmann::json::array()}};
  entry["order"] = c.measured_order ? nlohmann::json(*c.measured_order) : nlohmann::json();
  entry["expected_order"] = c.expected_order ? nlohmann::json(*c.expected_order) : nlohmann::json();
  for (const ConvergencePoint& p : c.points) {
    entry["points"].push_back({{"step", p.step},
                               {"steps", p.steps},
                               {"outcome", outcome_name(p.outcome)},
                               {"error", p.error},
                               {"energy_error", p.energy_error},
                               {"newton", p.newton},
                               {"seconds", p.seconds},
                               {"fitted", p.fitted}});
  }
  return entry;
}

void converge(const Options& o) {
  check_methods(o.methods);
  check_report(o.report);
  const std::int64_t fewest = positive_integer(o.fewest, "--from");
  const std::int64_t most = positive_integer(o.most, "--to");
  const std::int64_t count = positive_integer(o.count, "--count");
  if (fewest < 2 || most <= fewest) {
    throw Failure(
        ExitStatus::wrong_request,
        fmt::format("--from and --to are numbers of points in time, at least 2 and increasing; found {} and {}", fewest,
                    most));
  }
  if (count < 3 || count > 1000) {
    throw Failure(ExitStatus::wrong_request, fmt::format("--count must be between 3 and 1000, found {}", count));
  }
  const Request request = answer::prepare_time(o.problem.request());
  const double time = request.problem.step;
  print_notes(request.notes, o.output);
  const std::vector<std::int64_t> counts = step_counts(fewest, most, static_cast<int>(count));
  if (counts.size() < 3) {
    throw Failure(ExitStatus::wrong_request,
                  fmt::format("between --from {} and --to {} there are fewer than three different numbers of steps",
                              fewest, most));
  }
  for (const std::string& method : o.methods) {  // before time is spent on the others
    Problem coarsest = request.problem;
    coarsest.step = time / static_cast<double>(counts.front());
    if (make_stepper(method, coarsest)->time()) {
      throw Failure(ExitStatus::wrong_request,
                    fmt::format("{0} has nodes at times of its own and not at the end: {0}:resample has", method));
    }
  }
  const double scale = size_of_positions(request.problem.start, request.problem.start);
  const double tolerance = ReferenceFlow::default_tolerance;
  const State reference = ReferenceFlow(request.problem, tolerance, tolerance * std::min(1.0, scale)).at(time);
  const InterruptGuard guard;
  std::vector<Convergence> results;
  if (o.output.talks()) {
    fmt::print("{}: errors at t = {:.10g} against the reference, largest difference of the positions\n",
               request.model.title, time);
  }
  for (const std::string& method : o.methods) {
    ProgressBar bar(method, o.output.talks());
    results.push_back(measure_convergence(method, request.problem, time, counts, reference, &guard.flag(),
                                          [&](const Progress& p) { bar(p); }));
    if (guard.flag()) throw Failure(ExitStatus::interrupted, "interrupted");
    if (o.output.talks()) print(results.back());
  }
  if (o.output.json) {
    nlohmann::json document{{"model", request.model.name},
                            {"time", time},
                            {"reference", {{"q", reference.q}, {"v", reference.v}}},
                            {"methods", nlohmann::json::array()}};
    for (const Convergence& c : results) document["methods"].push_back(to_json(c));
    fmt::print("{}\n", document.dump(2));
  }
  if (o.report) write_report("converge", *o.report, report::of_convergence(request.model, time, results), o.output);
  if (!o.check) return;
  std::string failures;
  for (const Convergence& c : results) {
    if (const std::string why = complaint(c); !why.empty()) failures += fmt::format("\n  {}: {}", c.method, why);
  }
  if (!failures.empty()) {
    throw Failure(ExitStatus::answer_is_no, "the check of orders failed:" + failures);
  }
}

}  // namespace

Command converge_command() {
  Command command{"converge", "Errors, costs and measured orders over a range of steps"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command, /*with_step=*/false);
  add_methods_option(command, o->methods);
  command.add({.names = "--from",
               .value = "N",
               .help = "The fewest points in time: one more than steps",
               .target = &o->fewest});
  command.add({.names = "--to", .value = "N", .help = "The most points in time", .target = &o->most});
  command.add({.names = "--count", .value = "K", .help = "How many step sizes between them", .target = &o->count});
  command.add(
      {.names = "--check", .help = "Exit status 1 unless every method has the order it promises", .target = &o->check});
  add_report_option(command, o->report);
  o->output.add_to(command);
  command.notes = {
      "The order is the slope of log(error) over log(h), over the finer half of the errors above round-off."};
  command.examples = {"rattleback converge quadratic-particle -m dla:midpoint,dla:midpoint:order=6,rk4 --time 5"};
  command.action = [o] { converge(*o); };
  return command;
}

}  // namespace rattleback::cli
