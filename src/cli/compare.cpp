// `rattleback compare`: several methods on one problem.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/report/runs.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  std::vector<std::string> methods{"reference", "dla", "rk4"};
  std::optional<std::string> report;
};

using Row = report::MethodRun;

/// Largest difference between the last positions of two runs that both reached the end.
std::optional<double> distance(const RunResult& a, const RunResult& b) {
  if (a.outcome != RunOutcome::finished || b.outcome != RunOutcome::finished) return std::nullopt;
  if (std::abs(a.time - b.time) > 1e-12 * std::abs(b.time)) return std::nullopt;
  double d = 0.0;
  for (std::size_t i = 0; i < a.node.q.size(); ++i) d = std::max(d, std::abs(a.node.q[i] - b.node.q[i]));
  return d;
}

void print(const std::vector<Row>& rows, const Row* reference, const Request& request) {
  const double end = static_cast<double>(request.steps) * request.problem.step;
  fmt::print("{}: h = {}, {} steps to t = {:.10g}\n\n", request.model.title, request.problem.step, request.steps, end);
  std::size_t width = 6;
  for (const Row& row : rows) width = std::max(width, row.method.size());
  fmt::print("  {:<{}}  {:>13}  {:>13}  {:>13}  {:>7}  {:>11}\n", "method", width, "energy error", "constraint",
             "from reference", "newton", "ns per step");
  for (const auto& [method, table, r] : rows) {
    const double steps = static_cast<double>(std::max<std::int64_t>(r.steps, 1));
    const auto d = reference == nullptr || reference->method == method ? std::nullopt : distance(r, reference->result);
    fmt::print("  {:<{}}  {:>13.3e}  {:>13.3e}  {:>14}  {:>7}  {:>11.4g}{}\n", method, width,
               r.statistics.max_energy_error, r.statistics.max_constraint, d ? fmt::format("{:.3e}", *d) : "-",
               r.newton.mean() >= 0.005 ? fmt::format("{:.2f}", r.newton.mean()) : "-",
               1e9 * r.statistics.seconds / steps,
               r.outcome == RunOutcome::failed ? fmt::format("  failed at t = {:.6g}", r.time)
               : std::abs(r.time - end) > 1e-12 * end
                   ? fmt::format("  ends at t = {:.6g} (with :resample at t = {:.6g})", r.time, end)
                   : "");
  }
  fmt::print(
      "\n  energy error: largest at the nodes, relative to max(1, |E(0)|); constraint: largest residual;\n"
      "  from reference: largest difference of the last positions; newton: iterations, - where none are needed\n");
  if (!request.problem.system.conserves_energy()) {
    fmt::print("  {} do work: the energy changes in the motion itself\n",
               request.problem.system.is_affine() ? "affine constraints" : "applied forces");
  }
}

void compare_methods(const Options& o) {
  check_methods(o.methods);
  check_report(o.report);
  const Request request = make_request(o.problem);
  print_notes(request.notes, o.output);
  const InterruptGuard guard;
  std::vector<std::unique_ptr<Stepper>> steppers;  // first, so that one that cannot start wastes no time of the others
  for (const std::string& method : o.methods) {
    try {
      steppers.push_back(make_stepper(method, request.problem));
    } catch (const MethodError& error) {
      throw MethodError(fmt::format("{}: {}", method, error.what()));
    }
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < o.methods.size(); ++i) {
    const std::string& method = o.methods[i];
    ProgressBar bar(method, o.output.talks());
    RunOptions options;
    options.steps = request.steps;
    options.interrupt = &guard.flag();
    options.progress = [&](const Progress& p) { bar(p); };
    Row row{method, {}, {}};
    std::optional<TableRecorder> recorder;
    if (o.report) {
      recorder.emplace(row.table, request.problem.system, std::vector<ObservedQuantity>{}, report::most_rows);
      options.recorder = &*recorder;
    }
    row.result = run(*steppers[i], request.problem, options);
    if (recorder) recorder->finish();
    rows.push_back(std::move(row));
    if (rows.back().result.outcome == RunOutcome::interrupted) throw Failure(ExitStatus::interrupted, "interrupted");
  }
  auto found = std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.method == "reference"; });
  if (found == rows.end()) {
    found = std::find_if(rows.begin(), rows.end(), [](const Row& r) { return r.method.starts_with("reference"); });
  }
  const Row* reference = found == rows.end() ? nullptr : &*found;
  if (o.output.json) {
    nlohmann::json document{{"model", request.model.name},
                            {"step", request.problem.step},
                            {"steps", request.steps},
                            {"methods", nlohmann::json::array()}};
    for (const Row& row : rows) {
      nlohmann::json entry = to_json(row.result, request, row.method);
      if (reference != nullptr && reference != &row) {
        const auto d = distance(row.result, reference->result);
        entry["from_reference"] = d ? nlohmann::json(*d) : nlohmann::json();
      }
      document["methods"].push_back(std::move(entry));
    }
    fmt::print("{}\n", document.dump(2));
  }
  if (o.output.talks()) print(rows, reference, request);
  if (o.report) {
    write_report(ReportKind::compare, *o.report, report::of_runs(request.model, request.problem, rows, {}), o.output);
  }
  std::string failures;
  for (const Row& row : rows) {
    if (row.result.outcome == RunOutcome::failed)
      failures += fmt::format("\n  {} failed in {}", row.method, row.result.failure);
  }
  if (!failures.empty()) throw Failure(ExitStatus::numerics_failed, "not all methods reached the end:" + failures);
}

}  // namespace

Command compare_command() {
  Command command{"compare", "Runs several methods on one problem: one table"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command);
  add_methods_option(command, o->methods);
  add_report_option(command, o->report);
  o->output.add_to(command);
  command.examples = {"rattleback compare quadratic-particle -m reference,dla,dla:order=6,rk4 --step 0.2 --time 250"};
  command.action = [o] { compare_methods(*o); };
  return command;
}

}  // namespace rattleback::cli
