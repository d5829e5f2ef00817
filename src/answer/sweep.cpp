#include "rattleback/answer/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../base/not_a_number.hpp"
#include "engine_options.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback::answer {
namespace {

Axis axis_of(const SweepRequest& request) {
  const std::size_t width = request.names.size();
  if (width == 0) throw RequestError("nothing is varied: give `names` and `points`");
  if (request.points.empty() || request.points.size() % width != 0) {
    throw RequestError(fmt::format("`points` has {} numbers, expected a multiple of {}: one for each of {}",
                                   request.points.size(), width, fmt::join(request.names, ", ")));
  }
  return {request.names, static_cast<std::int64_t>(request.points.size() / width),
          [&points = request.points, width](std::int64_t index, std::span<double> point) {
            std::copy_n(points.begin() + index * static_cast<std::ptrdiff_t>(width), width, point.begin());
          }};
}

void make_room(SweepAnswer::Nodes& nodes, std::size_t count, const Space& space) {
  for (auto* numbers : {&nodes.time, &nodes.energy}) numbers->assign(count, not_a_number);
  nodes.q.assign(count * space.shown_positions(), not_a_number);
  for (auto* numbers : {&nodes.v, &nodes.p}) numbers->assign(count * space.velocities(), not_a_number);
}

void put(SweepAnswer::Nodes& nodes, std::size_t at, const NodeRow& row) {
  nodes.time[at] = row.time;
  nodes.energy[at] = row.energy;
  const auto copy = [&](const std::vector<double>& from, std::vector<double>& to) {
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(at * from.size()));
  };
  copy(row.q, nodes.q);
  copy(row.v, nodes.v);
  copy(row.p, nodes.p);
}

/// Results into arrays, each at the place of its member.
class Arrays final : public EnsembleSink {
 public:
  Arrays(SweepAnswer& answer, std::size_t times) : answer_(answer), times_(times) {
    const auto count = static_cast<std::size_t>(answer.members);
    const Space space = answer.prepared.problem.system.space();
    const std::size_t numbers = space.shown_positions() + 2 * space.velocities() + 2;
    require_memory(
        static_cast<double>(count) * (1.0 + static_cast<double>(times)) * static_cast<double>(numbers) * sizeof(double),
        "the sweep", "choose fewer members or `times`");
    answer.steps.assign(count, 0);
    answer.failures.resize(count);
    make_room(answer.last, count, space);
    make_room(answer.at_times, count * times, space);
  }
  void record(const MemberResult& result) override {
    const auto i = static_cast<std::size_t>(result.member);
    answer_.steps[i] = result.steps;
    answer_.failures[i] = result.failure;
    put(answer_.last, i, result.last);
    for (std::size_t k = 0; k < times_; ++k) put(answer_.at_times, i * times_ + k, result.nodes[k]);
  }

 private:
  SweepAnswer& answer_;
  std::size_t times_;
};

}  // namespace

SweepAnswer sweep(const SweepRequest& request, const Hooks& hooks) {
  EnsembleOptions options = engine_options(request.lanes, request.threads);
  const MethodSpec method = request.method;
  Axis axis = axis_of(request);
  std::optional<Interruptible> deriving(hooks.interrupt);
  // Starts are judged member by member.
  SweepAnswer answer{.prepared = prepare(request.problem), .method = request.method};
  hooks.tell(answer.prepared.notes);
  deriving.reset();
  answer.members = axis.count;
  const Problem& problem = answer.prepared.problem;
  Ensemble ensemble{.system = problem.system, .methods = {method}, .start = problem.start, .step = problem.step};
  ensemble.steps = answer.prepared.steps;
  ensemble.axes.push_back(std::move(axis));
  ensemble.project = request.problem.project;
  ensemble.times = request.times;
  Arrays arrays(answer, ensemble.times.size());
  options.interrupt = hooks.interrupt;
  if (hooks.progress) {
    options.progress = [&](const EnsembleProgress& p) {
      hooks.progress(answer.prepared.model.name,
                     {static_cast<std::int64_t>(p.steps), static_cast<std::int64_t>(p.total_steps), p.seconds, 0});
    };
  }
  const EnsembleSummary summary = run(ensemble, options, arrays);
  answer.done = summary.progress.members;
  answer.failed = summary.progress.failed;
  answer.interrupted = summary.interrupted;
  answer.seconds = summary.seconds;
  return answer;
}

std::string to_text(const SweepAnswer& a) {
  std::string text = fmt::format("{} of {}, {}, {} steps each: {} done, {} failed, {:.3g} s\n", a.members,
                                 a.prepared.model.name, a.method, a.prepared.steps, a.done, a.failed, a.seconds);
  const auto first = std::ranges::find_if(a.failures, [](const std::string& f) { return !f.empty(); });
  if (first != a.failures.end()) {
    text += fmt::format("the first that failed is member {}: {}\n", first - a.failures.begin(), *first);
  }
  return text;
}

std::string to_json(const SweepAnswer& a) {
  return nlohmann::json{{"model", a.prepared.model.name},
                        {"method", a.method},
                        {"members", a.members},
                        {"done", a.done},
                        {"failed", a.failed},
                        {"interrupted", a.interrupted},
                        {"seconds", a.seconds}}
      .dump(2);
}

std::optional<Error> complaint(const SweepAnswer& a) {
  if (a.interrupted) {
    return Error(Error::Kind::interrupted, fmt::format("interrupted after {} of {} members", a.done, a.members));
  }
  if (a.failed == a.members) return NumericalError("all members failed; the first: " + a.failures.front());
  return {};
}

}  // namespace rattleback::answer
