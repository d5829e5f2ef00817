#include "examination.hpp"

#include <algorithm>
#include <tuple>

#include "experiment/data.hpp"

namespace rattleback::test {
namespace {

std::string compared_with(const DataRecipe& recipe) {
  const auto* const trajectory = std::get_if<TrajectoryRecipe>(&recipe.kind);
  return trajectory == nullptr || trajectory->against == "exact" ? "" : trajectory->against;
}

/// Recipes of one experiment; mistakes change nothing else of them.
bool same(const DataRecipe& a, const DataRecipe& b) {
  const auto numbers = [](const DataRecipe& r) {
    const auto* const run = std::get_if<TrajectoryRecipe>(&r.kind);
    const State start = r.start.value_or(State{});
    return std::tuple(r.model, r.method ? r.method->text() : "", r.parameters, start.q, start.v, r.second_position,
                      r.step, run == nullptr ? 0 : run->steps);
  };
  return numbers(a) == numbers(b);
}

/// Whether formulas of one table can be evaluated with the other: a model with other names has other columns.
bool has_columns(const Table& table, const Table& of) {
  return std::ranges::all_of(of.columns, [&](const Table::Column& c) { return table.find(c.name) != nullptr; });
}

}  // namespace

const Data& Examination::made(const std::string& name) {
  const auto known = right_.find(name);
  if (known != right_.end()) return known->second;
  const DataRecipe& recipe = *std::ranges::find(experiment_.data, name, &DataRecipe::name);
  const auto find = [&](const std::string& other) -> const Table& { return made(other).table; };
  return right_.emplace(name, make_data(recipe, find, nullptr)).first->second;
}

std::vector<Finding> Examination::without_mistake(std::span<const std::size_t> claims) {
  const Experiment part = with_claims(experiment_, claims);
  std::vector<Data> data;
  for (const DataRecipe& recipe : part.data) data.push_back(made(recipe.name));
  return judge(part, std::move(data)).findings;
}

std::vector<bool> Examination::found(const Mistake& mistake, std::span<const std::size_t> claims) {
  const Experiment right = with_claims(experiment_, claims);
  Experiment wrong = right;
  mistake.make(wrong);
  std::map<std::string, Data> changed;
  for (const DataRecipe& recipe : wrong.data) {
    const std::string& other = compared_with(recipe);
    const DataRecipe& meant = *std::ranges::find(right.data, recipe.name, &DataRecipe::name);
    const bool is_right = same(recipe, meant);
    if (is_right && !changed.contains(other)) continue;
    try {
      const auto find = [&](const std::string& name) -> const Table& {
        return changed.contains(name) ? changed.at(name).table : made(name).table;
      };
      Data data = make_data(recipe, find, nullptr);
      if (recipe.model != meant.model && !has_columns(data.table, made(recipe.name).table)) continue;
      changed.emplace(recipe.name, std::move(data));
    } catch (const Error&) {
      // It cannot be made with this mistake.
    }
  }
  std::vector<Data> data;
  for (const DataRecipe& r : right.data) data.push_back(changed.contains(r.name) ? changed.at(r.name) : made(r.name));
  const ExperimentResult result = judge(wrong, std::move(data));
  std::vector<bool> found;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const Finding& f = result.findings[k];
    const Experiment behind = with_claims(right, std::span(&k, 1));
    const bool too_long = std::ranges::any_of(
        behind.data, [&](const DataRecipe& d) { return d.ends_early && result.of(d.name).failure.empty(); });
    found.push_back(f.verdict == Finding::Verdict::failed && (too_long || (f.measured.known && f.trouble.empty())));
  }
  return found;
}

}  // namespace rattleback::test
