// Clouds as tables: their points, or what becomes of their volumes.

#include <fmt/format.h>

#include "kinds_of_data.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

void fill_points(Table& table, const CloudResult& cloud, const std::vector<std::string>& names) {
  table.columns.push_back({"time", {}});
  for (const std::string& name : names) table.columns.push_back({name, {}});
  for (const CloudSample& sample : cloud.samples) {
    for (const auto& point : sample.points) {
      table.columns[0].values.push_back(sample.time);
      for (std::size_t k = 0; k < point.size(); ++k) table.columns[k + 1].values.push_back(point[k]);
    }
  }
}

/// Relative changes since the start.
void fill_volumes(Table& table, const CloudResult& cloud, const std::vector<int>& ells) {
  for (const char* name : {"time", "volume", "mu"}) table.columns.push_back({name, {}});
  for (const int ell : ells) table.columns.push_back({fmt::format("mu_{}", ell), {}});
  table.columns.push_back({"inside", {}});
  const CloudSample& first = cloud.samples.front();
  for (const CloudSample& s : cloud.samples) {
    table.columns[0].values.push_back(s.time);
    table.columns[1].values.push_back(s.volume / first.volume - 1.0);
    table.columns[2].values.push_back(s.mass / first.mass - 1.0);
    for (std::size_t k = 0; k < s.modified.size(); ++k) {
      table.columns[k + 3].values.push_back(s.modified[k] / first.modified[k] - 1.0);
    }
    table.columns.back().values.push_back(static_cast<double>(s.inside));
  }
}

}  // namespace

Data make_cloud(const Making& making, const CloudRecipe& c) {
  Filling filling(making);
  CloudOptions options;
  const std::vector<std::string> names = phase_coordinates(filling.nominal);
  options.directions = cloud_points({c.shape.count, place_of(making.recipe, c.shape.file, ".csv")}, names);
  options.radius = c.radius;
  options.weights = c.weights;
  options.steps = c.steps;
  options.every = c.every;
  options.keep_points = c.keep_points;
  options.ells = c.ells;
  options.interrupt = making.interrupt;
  const CloudResult cloud = follow_cloud(*making.recipe.method, filling.nominal, options);
  filling.data.failure = cloud.failure;
  if (c.keep_points) {
    fill_points(filling.data.table, cloud, names);
  } else {
    fill_volumes(filling.data.table, cloud, c.ells);
  }
  return std::move(filling.data);
}

}  // namespace rattleback
