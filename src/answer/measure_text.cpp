#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/answer/measure.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

using Column = MeasureAnswer::Column;
using MethodTable = MeasureAnswer::MethodTable;

/// Of all methods, in the order in which they occur.
std::vector<MeasuredVolume> columns_of(const MeasureAnswer& answer) {
  std::vector<MeasuredVolume> list;
  for (const MethodTable& t : answer.tables) {
    for (const Column& c : t.columns) {
      if (std::ranges::find(list, c.volume) == list.end()) list.push_back(c.volume);
    }
  }
  return list;
}

const Column* find(const MethodTable& table, const MeasuredVolume& volume) {
  const auto found = std::ranges::find(table.columns, volume, &Column::volume);
  return found == table.columns.end() ? nullptr : &*found;
}

/// A complaint says where it ceases to exist.
std::string words_of(const Column& column) {
  return column.largest.end ? "undefined" : fmt::format("{:.2e}", column.largest.value);
}

}  // namespace

std::string column_name(const MeasuredVolume& volume) {
  const char* of = volume.of == MeasuredVolume::Of::local ? "local" : "hull";
  switch (volume.in) {
    case MeasuredVolume::In::phase_space: return fmt::format("{} dr dp", of);
    case MeasuredVolume::In::measure: return fmt::format("{} mu", of);
    case MeasuredVolume::In::modified_measure: return fmt::format("{} mu_{}", of, volume.ell);
  }
  return of;
}

std::string to_text(const MeasureAnswer& answer) {
  std::string out = fmt::format("{}: h = {}, {} steps\n\n", answer.title, answer.step, answer.steps);
  const std::vector<MeasuredVolume> columns = columns_of(answer);
  std::size_t width = 6;
  for (const MethodTable& t : answer.tables) width = std::max(width, t.method.size());
  for (const auto& [method, reason] : answer.inapplicable) width = std::max(width, method.size());
  add(out, "  {:<{}}", "method", width);
  for (const MeasuredVolume& volume : columns) add(out, "  {:>10}", column_name(volume));
  add(out, "\n");
  for (const MethodTable& t : answer.tables) {
    add(out, "  {:<{}}", t.method, width);
    for (const MeasuredVolume& volume : columns) {
      const Column* column = find(t, volume);
      add(out, "  {:>10}", column == nullptr ? "-" : words_of(*column));
    }
    add(out, "{}\n", t.failure.empty() ? "" : "  failed");
  }
  out += rows_of(answer.inapplicable, width);
  add(out, "\n  largest relative change since the start");
  using Of = MeasuredVolume::Of;
  if (std::ranges::find(columns, Of::local, &MeasuredVolume::of) != columns.end())
    add(out, " of an infinitesimal volume around the trajectory (local)");
  if (std::ranges::find(columns, Of::hull, &MeasuredVolume::of) != columns.end())
    add(out, " of the convex hull of the cloud (hull)");
  add(out, ",\n  in the invariant measure of the system (mu) and in the modified measures up to h^L (mu_L)\n");
  for (const MethodTable& t : answer.tables) {
    const auto first = std::ranges::find_if(t.inside, [](std::size_t count) { return count > 0; });
    if (first == t.inside.end()) continue;
    const auto row = static_cast<std::size_t>(first - t.inside.begin());
    add(out,
        "\n  {}: points inside their hull from t = {:.6g} on, up to {} of them; a cloud on a sphere is not convex "
        "then\n",
        t.method, t.time[row], *std::ranges::max_element(t.inside));
  }
  if (answer.output) add(out, "\nWritten to {}\n", *answer.output);
  if (answer.points) add(out, "{}Points written to {}\n", answer.output ? "" : "\n", *answer.points);
  return out;
}

std::string to_json(const MeasureAnswer& answer) {
  nlohmann::json document{
      {"model", answer.model}, {"step", answer.step}, {"steps", answer.steps}, {"methods", nlohmann::json::array()}};
  for (const MethodTable& t : answer.tables) {
    nlohmann::json entry{{"method", t.method}, {"time", t.time}};
    for (const Column& c : t.columns) {
      nlohmann::json& column = entry["columns"][column_name(c.volume)] = {{"values", c.changes}};
      add(column, "max", c.largest);
    }
    if (!t.inside.empty()) entry["inside"] = t.inside;
    if (!t.failure.empty()) entry["failure"] = t.failure;
    document["methods"].push_back(std::move(entry));
  }
  add(document, answer.inapplicable);
  return text_of(document);
}

std::string to_csv(const MeasureAnswer& answer) {
  const std::vector<MeasuredVolume> columns = columns_of(answer);
  std::string out = "method,time";
  for (const MeasuredVolume& volume : columns) add(out, ",{}", column_name(volume));
  out += '\n';
  for (const MethodTable& t : answer.tables) {
    for (std::size_t i = 0; i < t.time.size(); ++i) {
      add(out, "{},{}", t.method, t.time[i]);
      for (const MeasuredVolume& volume : columns) {
        const Column* column = find(t, volume);
        out += column == nullptr ? "," : fmt::format(",{}", column->changes[i]);
      }
      out += '\n';
    }
  }
  return out;
}

std::string points_to_csv(const MeasureAnswer& answer) {
  std::string out = fmt::format("method,time,point,{}\n", fmt::join(answer.coordinates, ","));
  for (const MethodTable& t : answer.tables) {
    for (std::size_t i = 0; i < t.points.size(); ++i) {
      for (std::size_t k = 0; k < t.points[i].size(); ++k) {
        add(out, "{},{},{},{}\n", t.method, t.time[i], k + 1, fmt::join(t.points[i][k], ","));
      }
    }
  }
  return out;
}

}  // namespace rattleback::answer
