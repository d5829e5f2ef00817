#include "rattleback/answer/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "../base/files.hpp"
#include "../io/replaceable.hpp"
#include "check.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

using Of = MeasuredVolume::Of;
using In = MeasuredVolume::In;
using Column = MeasureAnswer::Column;
using MethodTable = MeasureAnswer::MethodTable;

/// Whether a method has modified measures.
bool is_conformal(const DerivedMethod& method) {
  return method.map && method.map->canonical && method.map->canonical->conformal;
}

/// Relative changes of the infinitesimal measure around the trajectory of the start.
class Samples final : public Recorder {
 public:
  explicit Samples(MethodTable& table) : table_(table) {}
  void record(const Sample& sample) override {
    table_.time.push_back(sample.time);
    for (std::size_t k = 0; k < sample.observed.size(); ++k) table_.columns[k].changes.push_back(sample.observed[k]);
  }
  void checkpoint(const Checkpoint&) override {}

 private:
  MethodTable& table_;
};

std::string observer_name(int ell) { return fmt::format("measure:ell={}", ell); }

MethodTable along_trajectory(const DerivedMethod& method, const PreparedProblem& prepared, const std::vector<int>& ells,
                             std::int64_t every, const Hooks& hooks) {
  const Problem& problem = prepared.problem;
  const std::string& name = method.spec.text();
  MethodTable table{.method = name};
  std::vector<std::unique_ptr<Observer>> observers;
  observers.push_back(make_observer("measure", method, problem));
  table.columns.push_back({{Of::local, In::measure}, {}});
  for (const int ell : ells) {
    observers.push_back(make_observer(observer_name(ell), method, problem));
    table.columns.push_back({{Of::local, In::modified_measure, ell}, {}});
  }
  Samples samples(table);
  RunOptions options;
  options.steps = prepared.steps;
  options.every = every;
  options.recorder = &samples;
  for (const auto& observer : observers) options.observers.push_back(observer.get());
  options.interrupt = hooks.interrupt;
  if (hooks.progress) options.progress = [&](const Progress& p) { hooks.progress(name, p); };
  const auto stepper = make_stepper(method, problem);
  const RunResult result = run(*stepper, problem, options);
  for (std::size_t k = 0; k < table.columns.size(); ++k) table.columns[k].largest = result.statistics.observed[k];
  table.interrupted = result.outcome == RunOutcome::interrupted;
  table.failure = result.failure;
  return table;
}

MethodTable of_cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options) {
  const CloudResult cloud = follow_cloud(method, problem, options);
  MethodTable table{.method = method.spec.text(), .failure = cloud.failure, .interrupted = cloud.interrupted};
  table.columns = {{{Of::hull, In::phase_space}, {}}, {{Of::hull, In::measure}, {}}};
  for (const int ell : options.ells) table.columns.push_back({{Of::hull, In::modified_measure, ell}, {}});
  const CloudSample& first = cloud.samples.front();
  const auto add = [](Column& column, double volume, double initial, const CloudSample& s) {
    column.changes.push_back(volume / initial - 1.0);
    column.largest.see(column.changes.back(), {s.step, s.time}, "its density is not defined everywhere in the cloud");
  };
  for (const CloudSample& s : cloud.samples) {
    table.time.push_back(s.time);
    if (options.keep_points) table.points.push_back(s.points);
    table.inside.push_back(s.inside);
    add(table.columns[0], s.volume, first.volume, s);
    add(table.columns[1], s.mass, first.mass, s);
    for (std::size_t k = 0; k < s.modified.size(); ++k) add(table.columns[k + 2], s.modified[k], first.modified[k], s);
  }
  return table;
}

void require_csv(const std::optional<std::string>& path, const char* field) {
  if (path && !path->ends_with(".csv")) throw RequestError(fmt::format("`{}` '{}' must end with .csv", field, *path));
}

bool has_header(const std::string& path, std::initializer_list<std::string> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](const std::string& text) { return beginning_of(path, text.size()) == text; });
}

const ResultKind changes_table{"a table of measure", [](const std::string& path) {
                                 const std::string head = "method,time,";
                                 return has_header(path, {head + column_name({Of::local, In::measure}),
                                                          head + column_name({Of::hull, In::phase_space})});
                               }};
const ResultKind points_table{"a table of points of a cloud",
                              [](const std::string& path) { return has_header(path, {"method,time,point,"}); }};

void check_files(const MeasureRequest& request) {
  require_csv(request.output, "output");
  require_csv(request.points, "points");
  if (request.points && !request.cloud) throw RequestError("`points` are those of a cloud: give `cloud`");
  if (request.output && request.output == request.points)
    throw RequestError(fmt::format("`output` and `points` are both '{}': give two files", *request.output));
  if (request.output) require_folder(*request.output, "output");
  if (request.points) require_folder(*request.points, "points");
  if (request.output) require_replaceable(*request.output, changes_table, request.force);
  if (request.points) require_replaceable(*request.points, points_table, request.force);
}

CloudOptions cloud_options(const MeasureRequest& request, const PreparedProblem& prepared, const Hooks& hooks) {
  CloudOptions options;
  options.directions = cloud_points(request.cloud->shape, phase_coordinates(prepared.problem));
  options.radius = require_positive(request.cloud->radius, "radius");
  options.weights = request.cloud->weights;
  options.steps = prepared.steps;
  options.every = request.every;
  options.keep_points = request.cloud->keep_points || request.points;
  options.interrupt = hooks.interrupt;
  return options;
}

}  // namespace

MeasureAnswer measure(const MeasureRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  auto patience = hooks.patience();
  const std::vector<MethodSpec> methods = require_methods(request.methods);
  for (const int ell : request.ells) check_observer(observer_name(ell));
  require_positive(request.every, "every");
  check_files(request);
  PreparedProblem prepared = prepare(request.problem);
  hooks.tell(prepared.notes);
  const Problem& problem = prepared.problem;
  MeasureAnswer answer{.model = prepared.model.name,
                       .title = prepared.model.title,
                       .step = problem.step,
                       .steps = prepared.steps,
                       .notes = prepared.notes,
                       .output = request.output,
                       .points = request.points};
  CloudOptions cloud;
  if (request.cloud) cloud = cloud_options(request, prepared, hooks);
  if (cloud.keep_points) answer.coordinates = phase_coordinates(problem);
  Geometry geometry(problem);  // which several methods may need
  for (const MethodSpec& method : methods) {
    try {
      if (!patience) patience = hooks.patience();
      const DerivedMethod derived(method, problem, geometry);
      patience.reset();
      const std::vector<int> ells = is_conformal(derived) ? request.ells : std::vector<int>{};
      if (request.cloud) {
        cloud.ells = ells;
        if (hooks.progress) cloud.progress = [&](const Progress& p) { hooks.progress(method.text(), p); };
        answer.tables.push_back(of_cloud(derived, problem, cloud));
      } else {
        answer.tables.push_back(along_trajectory(derived, prepared, ells, request.every, hooks));
      }
    } catch (const MethodError& error) {
      answer.inapplicable.push_back({method.text(), error.what()});
    }
    if (answer.interrupted()) break;
  }
  require_applicable(!answer.tables.empty(), answer.inapplicable);
  if (request.output) replace_file(*request.output, to_csv(answer));
  if (request.points) replace_file(*request.points, points_to_csv(answer));
  return answer;
}

std::optional<Error> complaint(const MeasureAnswer& answer) {
  if (answer.interrupted()) {
    const MethodTable& last = answer.tables.back();
    return Error(Error::Kind::interrupted,
                 fmt::format("interrupted at t = {:.6g} of {}{}", last.time.back(), last.method,
                             answer.output ? "; everything up to there is in " + *answer.output : ""));
  }
  std::string failures;
  for (const MethodTable& t : answer.tables) {
    if (!t.failure.empty()) failures += fmt::format("\n  {} failed in {}", t.method, t.failure);
  }
  if (!failures.empty()) return NumericalError("not all methods reached the end:" + failures);
  for (const MethodTable& t : answer.tables) {
    for (const Column& c : t.columns) {
      if (!c.largest.end) continue;
      failures += fmt::format("\n  {}, {}: {}", t.method, column_name(c.volume), words_of(*c.largest.end));
    }
  }
  if (failures.empty()) return {};
  return NumericalError("not all volumes exist along the whole way:" + failures);
}

}  // namespace rattleback::answer
