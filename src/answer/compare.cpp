#include "rattleback/answer/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "../base/raise.hpp"
#include "check.hpp"
#include "json.hpp"
#include "measured.hpp"
#include "page.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/report/runs.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

/// Largest difference between the last positions of two runs that both reached the end.
std::optional<double> distance(const RunResult& a, const RunResult& b) {
  if (a.outcome != RunOutcome::finished || b.outcome != RunOutcome::finished) return std::nullopt;
  if (std::abs(a.time - b.time) > 1e-12 * std::abs(b.time)) return std::nullopt;
  double d = 0.0;
  for (std::size_t i = 0; i < a.node.q.size(); ++i) raise(d, std::abs(a.node.q[i] - b.node.q[i]));
  return d;
}

struct Contestant {
  std::string method;
  std::unique_ptr<Stepper> stepper;
};

/// All of them before the first run, so that a request of which nothing can be had is refused at once.
std::vector<Contestant> contestants(const std::vector<MethodSpec>& methods, const Problem& problem,
                                    std::vector<InapplicableMethod>& others) {
  std::vector<Contestant> list;
  Geometry geometry(problem);  // which several methods may need
  for (const MethodSpec& method : methods) {
    try {
      list.push_back({method.text(), make_stepper(DerivedMethod(method, problem, geometry), problem)});
    } catch (const MethodError& error) {
      others.push_back({method.text(), error.what()});
    }
  }
  require_applicable(!list.empty(), others);
  return list;
}

ComparedRun run_one(Stepper& stepper, const std::string& method, std::size_t samples, const PreparedProblem& prepared,
                    const Hooks& hooks) {
  RunOptions options;
  options.steps = prepared.steps;
  options.interrupt = hooks.interrupt;
  if (hooks.progress) options.progress = [&](const Progress& p) { hooks.progress(method, p); };
  ComparedRun row{.method = method, .result = {}};
  std::optional<TableRecorder> recorder;
  if (samples > 0) {
    recorder.emplace(row.samples, prepared.problem.system, std::vector<ObservedQuantity>{}, samples);
    options.recorder = &*recorder;
  }
  row.result = run(stepper, prepared.problem, options);
  if (recorder) recorder->finish();
  row.exact_error = exact_error(row.result, prepared.problem);
  return row;
}

/// The reference with its own tolerance, else another flow.
std::optional<std::size_t> reference_among(const std::vector<ComparedRun>& runs) {
  auto found = std::ranges::find(runs, "reference", &ComparedRun::method);
  if (found == runs.end()) {
    found = std::ranges::find_if(runs, [](const ComparedRun& r) { return MethodSpec(r.method).is_flow(); });
  }
  if (found == runs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - runs.begin());
}

void write_page_of(const CompareAnswer& answer, const CompareRequest& request) {
  std::vector<report::MethodRun> runs;
  for (const ComparedRun& r : answer.runs) runs.push_back({r.method, r.samples, r.result});
  report::ExperimentEntry page = report::of_runs(answer.prepared.model, answer.prepared.problem, runs, {});
  for (const auto& [method, reason] : answer.inapplicable)
    page.runs.push_back({method, answer.prepared.model.title, method, {"does not apply"}, reason});
  write_page(ReportKind::compare, *request.report, page, request.command);
}

}  // namespace

CompareAnswer compare(const CompareRequest& request, const Hooks& hooks) {
  std::optional<Interruptible> deriving(hooks.interrupt);
  auto patience = hooks.patience();
  const std::vector<MethodSpec> methods = require_methods(request.methods);
  require_page(request.report, request.force);
  CompareAnswer answer{.prepared = prepare(request.problem)};
  hooks.tell(answer.prepared.notes);
  const auto methods_that_apply = contestants(methods, answer.prepared.problem, answer.inapplicable);
  deriving.reset();
  patience.reset();
  const std::size_t samples = request.samples > 0 ? request.samples : request.report ? report::most_rows : 0;
  for (const auto& [method, stepper] : methods_that_apply) {
    ComparedRun row = run_one(*stepper, method, samples, answer.prepared, hooks);
    answer.interrupted = row.result.outcome == RunOutcome::interrupted;
    if (answer.interrupted) break;
    answer.runs.push_back(std::move(row));
  }
  answer.reference = reference_among(answer.runs);
  for (std::size_t i = 0; answer.reference && i < answer.runs.size(); ++i) {
    if (i != *answer.reference) {
      answer.runs[i].from_reference = distance(answer.runs[i].result, answer.runs[*answer.reference].result);
    }
  }
  if (request.report && !answer.interrupted) {
    write_page_of(answer, request);
    answer.report = request.report;
  }
  return answer;
}

std::string to_text(const CompareAnswer& a) {
  const auto& [model, problem, steps, notes] = a.prepared;
  const double end = std::fma(static_cast<double>(steps), problem.step, problem.start.t);
  std::string text = fmt::format("{}: h = {}, {} steps to t = {:.10g}\n\n", model.title, problem.step, steps, end);
  std::size_t width = 6;
  for (const ComparedRun& row : a.runs) width = std::max(width, row.method.size());
  for (const auto& [method, reason] : a.inapplicable) width = std::max(width, method.size());
  text += fmt::format("  {:<{}}  {:>13}  {:>13}  {:>13}  {:>7}  {:>11}\n", "method", width, "energy error",
                      "constraint", "from reference", "newton", "ns per step");
  for (const ComparedRun& row : a.runs) {
    const RunResult& r = row.result;
    text += fmt::format(
        "  {:<{}}  {:>13.3e}  {:>13}  {:>14}  {:>7}  {:>11.4g}{}\n", row.method, width, r.statistics.max_energy_error(),
        r.statistics.constraint.end ? "undefined" : fmt::format("{:.3e}", r.statistics.constraint.value),
        row.from_reference ? fmt::format("{:.3e}", *row.from_reference) : "-",
        r.newton.mean() >= 0.005 ? fmt::format("{:.2f}", r.newton.mean()) : "-", nanoseconds_per_step(r),
        r.outcome == RunOutcome::failed ? fmt::format("  failed at t = {:.6g}", r.time)
        : std::abs(r.time - end) > 1e-12 * std::abs(end)
            ? fmt::format("  ends at t = {:.6g} (with :resample at t = {:.6g})", r.time, end)
            : "");
  }
  text += rows_of(a.inapplicable, width);
  text +=
      "\n  energy error: largest at the nodes, relative to T + |V|; constraint: largest residual;\n"
      "  from reference: largest difference of the last positions; newton: iterations, - where none are needed\n";
  if (!conserves_energy(problem.system, problem.parameters, problem.start)) {
    text += fmt::format("  {} do work: the energy error is that of the balance, energy - work\n",
                        what_does_work(problem.system));
  }
  if (a.report) text += fmt::format("\nThe page is {}\n", *a.report);
  return text;
}

std::string to_json(const CompareAnswer& a) {
  nlohmann::json document{{"model", a.prepared.model.name},
                          {"step", a.prepared.problem.step},
                          {"steps", a.prepared.steps},
                          {"methods", nlohmann::json::array()}};
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    const ComparedRun& row = a.runs[i];
    nlohmann::json entry = run_json(row.result, a.prepared, row.method, row.exact_error);
    if (a.reference && i != *a.reference) {
      entry["from_reference"] = row.from_reference ? nlohmann::json(*row.from_reference) : nlohmann::json();
    }
    document["methods"].push_back(std::move(entry));
  }
  add(document, a.inapplicable);
  if (!a.prepared.notes.empty()) document["notes"] = a.prepared.notes;
  if (a.report) document["report"] = *a.report;
  if (a.interrupted) document["interrupted"] = true;
  return text_of(document);
}

std::optional<Error> complaint(const CompareAnswer& a) {
  if (a.interrupted) return Error(Error::Kind::interrupted, "interrupted");
  std::string failures;
  for (const ComparedRun& row : a.runs) {
    if (row.result.outcome == RunOutcome::failed) {
      failures += fmt::format("\n  {} failed in {}", row.method, row.result.failure);
    }
  }
  if (failures.empty()) return std::nullopt;
  return Error(Error::Kind::numerics, "not all methods reached the end:" + failures);
}

}  // namespace rattleback::answer
