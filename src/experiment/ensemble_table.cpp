// An ensemble as a table of an experiment: a row for each member.

#include "ensemble_table.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "../base/files.hpp"
#include "../base/not_a_number.hpp"

namespace rattleback {
namespace {

/// Columns by their names, in the order in which they first appear.
class Row {
 public:
  explicit Row(Table& table) : table_(table) {}
  void begin() { column_ = 0; }
  void add(const std::string& name, double value) {
    if (column_ == table_.columns.size()) {
      if (table_.find(name) != nullptr)
        throw ModelError(fmt::format("two columns of a table would have the name '{}'", name));
      table_.columns.push_back({name, {}});
    }
    table_.columns[column_++].values.push_back(value);
  }

 private:
  Table& table_;
  std::size_t column_ = 0;
};

/// Of the last node.
void add_node(Row& row, const System& system, const NodeRow& node) {
  const std::vector<std::string> positions = system.position_names();
  const std::vector<double> q = system.space().shown(node.q);
  row.add("time", node.time);
  for (std::size_t i = 0; i < q.size(); ++i) row.add(positions[i], q[i]);
  for (std::size_t i = 0; i < node.v.size(); ++i) row.add(system.velocities()[i].name(), node.v[i]);
  row.add("energy", node.energy);
}

}  // namespace

EnsembleFile ensemble_of(const DataRecipe& recipe) {
  const auto place = std::filesystem::path(recipe.folder) / std::get<EnsembleRecipe>(recipe.kind).file;
  EnsembleFile file = read_ensemble(read_file(place.string()), place.string(), recipe.parameters);
  if (recipe.method) file.ensemble.methods = {*recipe.method};
  if (recipe.step > 0.0) file.ensemble.step = recipe.step;
  return file;
}

Data make_ensemble(const DataRecipe& recipe, const std::atomic<bool>* interrupt) {
  const EnsembleFile file = ensemble_of(recipe);
  const Ensemble& ensemble = file.ensemble;
  Data data{recipe, file.model, {}, {}};
  data.recipe.model = file.model.name;
  data.recipe.method = ensemble.methods.front();
  data.recipe.step = ensemble.step;
  EnsembleOptions options;
  options.interrupt = interrupt;
  const std::vector<MemberResult> members = run_in_memory(ensemble, options);
  keep_working();
  const std::vector<std::string> varied = Members(ensemble).varied();
  std::vector<std::string> passages;
  for (const Section& section : ensemble.sections) passages.push_back(section.name);
  for (const Event& event : ensemble.system.events()) passages.push_back(event.name);
  std::int64_t failed = 0;
  Row row(data.table);
  for (const MemberResult& member : members) {
    row.begin();
    // What is varied may be a coordinate of the start, which is not where the member ends.
    for (std::size_t i = 0; i < varied.size(); ++i) row.add("varied_" + varied[i], member.varied[i]);
    row.add("finished", member.failure.empty() ? 1.0 : 0.0);
    row.add("steps", static_cast<double>(member.steps));
    add_node(row, ensemble.system, member.last);
    for (std::size_t k = 0; k < passages.size(); ++k) {
      const std::vector<Crossing>& crossings = member.crossings[k];
      row.add("count_" + passages[k], static_cast<double>(crossings.size()));
      row.add("first_" + passages[k], crossings.empty() ? not_a_number : crossings.front().node.time);
    }
    for (std::size_t k = 0; k < ensemble.statistics.size(); ++k) {
      const std::string& label = ensemble.statistics[k].name;
      row.add("least_" + label, member.statistics[k].least);
      row.add("largest_" + label, member.statistics[k].largest);
      row.add("mean_" + label, member.statistics[k].mean);
    }
    if (member.failure.empty()) continue;
    if (failed++ == 0) data.failure = fmt::format("member {}: {}", member.member, member.failure);
  }
  data.table.scalars["members"] = static_cast<double>(members.size());
  data.table.scalars["failed"] = static_cast<double>(failed);
  return data;
}

}  // namespace rattleback
