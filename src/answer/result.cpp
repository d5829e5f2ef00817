#include "rattleback/answer/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "describe.hpp"
#include "json.hpp"
#include "measured.hpp"
#include "page.hpp"
#include "rattleback/report/runs.hpp"

namespace rattleback::answer {
namespace {

void require_all_samples(const RunAnswer& a) {
  const auto rows = static_cast<std::int64_t>(a.samples.rows());
  const std::int64_t all = a.result.steps / a.every + 1;
  if (rows >= all) return;  // events may add some
  throw RequestError(fmt::format("the run has kept {} of {} samples; run it with larger `samples`", rows, all));
}

/// The rows of a table, each as the sample it was made of.
class Rows {
 public:
  explicit Rows(const Table& table) : table_(table), row_(table.columns.size()) {}

  Sample operator[](std::size_t i) {
    for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = table_.columns[k].values[i];
    using enum ColumnKind;
    Sample sample;
    sample.time = row_[0];
    sample.q = of(position);
    sample.v = of(velocity);
    sample.p = of(momentum);
    sample.multipliers = of(multiplier);
    sample.energy = of(energy)[0];
    sample.work = of(work);
    sample.constraint = of(constraint);
    sample.conserved = of(conserved);
    sample.observed = of(observed);
    return sample;
  }

 private:
  /// Columns of a kind stand together.
  std::span<const double> of(ColumnKind kind) const {
    const auto begin = std::ranges::find(table_.columns, kind, &Table::Column::kind);
    const auto end = std::find_if(begin, table_.columns.end(), [&](const auto& c) { return c.kind != kind; });
    return std::span(row_).subspan(static_cast<std::size_t>(begin - table_.columns.begin()),
                                   static_cast<std::size_t>(end - begin));
  }

  const Table& table_;
  std::vector<double> row_;
};

}  // namespace

void save(const RunAnswer& answer, const std::string& output, bool force) {
  require_known_format(output);
  require_all_samples(answer);
  ResultFile file(output, answer.prepared.problem.system, description_of(answer),
                  force ? ResultFile::Start::forced : ResultFile::Start::fresh);
  Rows rows(answer.samples);
  for (std::size_t i = 0; i < answer.samples.rows(); ++i) file.record(rows[i]);
  file.finish(answer.result, /*resumable=*/false);  // the state of its method is gone
}

void make_report(const RunAnswer& answer, const std::string& report, bool force, const std::string& command) {
  require_page(report, force);
  Table kept;
  TableRecorder recorder(kept, answer.prepared.problem.system, answer.observed, report::most_rows);
  Rows rows(answer.samples);
  for (std::size_t i = 0; i < answer.samples.rows(); ++i) recorder.record(rows[i]);
  recorder.finish();
  write_page(ReportKind::run, report,
             report::of_runs(answer.prepared.model, answer.prepared.problem, {{answer.method, kept, answer.result}},
                             answer.observed),
             command);
}

OpenAnswer open(const std::string& file) {
  OpenAnswer answer{read_run(file), {}};
  for (auto& [name, kind, values] : answer.run.columns)
    answer.samples.columns.push_back({name, std::move(values), kind});
  answer.run.columns.clear();
  return answer;
}

std::string to_json(const OpenAnswer& answer) {
  const StoredRun& run = answer.run;
  nlohmann::json document{{"model", run.description.model},      {"method", run.description.method},
                          {"step", run.description.step},        {"steps", run.steps},
                          {"every", run.description.every},      {"time", run.time},
                          {"outcome", outcome_name(run.outcome)}};
  if (!run.failure.empty()) document["failure"] = run.failure;
  if (!run.description.stop_when.empty()) document["stop_when"] = run.description.stop_when;
  const auto& columns = answer.samples.columns;
  std::vector<std::int64_t> counts;
  for (const Event& event : run.model.system.events()) {
    const auto column = std::ranges::find(columns, "events_" + event.name, &Table::Column::name);
    if (column == columns.end() || column->values.empty()) return text_of(document);  // made before there were any
    counts.push_back(std::llround(column->values.back()));
  }
  if (!counts.empty()) document["events"] = events_json(run.events, counts, run.model.system);
  return text_of(document);
}

}  // namespace rattleback::answer
