#include "rattleback/answer/converge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "check.hpp"
#include "page.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/report/runs.hpp"

namespace rattleback::answer {
namespace {

std::vector<std::int64_t> counts_of(const ConvergeRequest& r) {
  require_positive(r.fewest, "fewest");
  require_positive(r.most, "most");
  if (r.fewest < 2 || r.most <= r.fewest) {
    throw RequestError(
        fmt::format("`fewest` and `most` are numbers of points in time, at least 2 and increasing; found {} and {}",
                    r.fewest, r.most));
  }
  if (r.count < 3 || r.count > 1000) {
    throw RequestError(fmt::format("`count` must be between 3 and 1000, found {}", r.count));
  }
  std::vector<std::int64_t> counts = step_counts(r.fewest, r.most, static_cast<int>(r.count));
  if (counts.size() < 3) {
    throw RequestError(fmt::format(
        "between `fewest={}` and `most={}` there are fewer than three different numbers of steps", r.fewest, r.most));
  }
  return counts;
}

/// Before time is spent on others.
void require_nodes_at_the_end(const std::vector<MethodSpec>& methods, const PreparedProblem& prepared,
                              std::int64_t fewest_steps) {
  Problem coarsest = prepared.problem;
  coarsest.step = prepared.problem.step / static_cast<double>(fewest_steps);
  for (const MethodSpec& method : methods) {
    if (make_stepper(method, coarsest)->time()) {
      throw MethodError(
          fmt::format("{0} has nodes at times of its own and not at the end: {0}:resample has", method.text()));
    }
  }
}

/// Where the reference is at the end, or where an event stops it.
State end_of_reference(const Problem& problem) {
  if (problem.system.events().empty()) return ReferenceFlow(problem).at(problem.step);
  const auto stepper = make_stepper(MethodSpec("reference"), problem);
  if (!stepper->advance()) throw NumericalError(stepper->failure());
  return stepper->node();
}

}  // namespace

ConvergeAnswer converge(const ConvergeRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  const std::vector<MethodSpec> methods = require_methods(request.methods);
  require_page(request.report, request.force);
  const std::vector<std::int64_t> counts = counts_of(request);
  ConvergeAnswer answer{.prepared = prepare_time(request.problem), .reference = {}};
  answer.check = request.check;
  const Problem& problem = answer.prepared.problem;
  hooks.tell(answer.prepared.notes);
  require_nodes_at_the_end(methods, answer.prepared, counts.front());
  answer.reference = end_of_reference(problem);
  for (const MethodSpec& method : methods) {
    auto patience = hooks.patience();
    const auto progress = [&](const Progress& p) {
      patience.reset();
      if (hooks.progress) hooks.progress(method.text(), p);
    };
    Convergence measured =
        measure_convergence(method, problem, problem.step, counts, answer.reference, hooks.interrupt, progress);
    answer.interrupted = hooks.interrupted();
    if (answer.interrupted) return answer;
    answer.methods.push_back(std::move(measured));
  }
  if (request.report) {
    write_page(ReportKind::converge, *request.report,
               report::of_convergence(answer.prepared.model, problem.step, answer.methods), request.command);
    answer.report = request.report;
  }
  return answer;
}

std::string missed_order(const Convergence& c) {
  if (!c.expected_order) return "promises no order";
  if (!c.measured_order) return fmt::format("order {} was promised and could not be measured", *c.expected_order);
  if (std::abs(*c.measured_order - *c.expected_order) <= order_tolerance) return "";
  return fmt::format("order {} was promised, {:.3f} was measured", *c.expected_order, *c.measured_order);
}

std::optional<Error> complaint(const ConvergeAnswer& a) {
  if (a.interrupted) return Error(Error::Kind::interrupted, "interrupted");
  if (!a.check) return std::nullopt;
  std::string failures;
  for (const Convergence& c : a.methods) {
    if (const std::string why = missed_order(c); !why.empty()) failures += fmt::format("\n  {}: {}", c.method, why);
  }
  if (failures.empty()) return std::nullopt;
  return Error(Error::Kind::answer_is_no, "the check of orders failed:" + failures);
}

}  // namespace rattleback::answer
