#include "hdf5_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hdf5_writer.hpp"

namespace rattleback {
namespace {

void write_rows(const Hdf5Writer& writer, const std::string& rows_path, const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& c : columns) width += c.width();
  const std::size_t row_bytes = width * sizeof(double);
  const std::size_t rows = std::filesystem::file_size(rows_path) / row_bytes;
  std::vector<Hdf5Handle> datasets;
  for (const Column& c : columns) {
    datasets.push_back(writer.dataset(writer.root(), c, rows));
    if (!c.labels.empty()) writer.attribute(datasets.back(), "labels", c.labels);
  }
  std::ifstream file(rows_path, std::ios::binary);
  const std::size_t block = std::max<std::size_t>(1, (1U << 20) / row_bytes);
  std::vector<double> values(block * width);
  std::vector<double> part;
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t count = std::min(block, rows - first);
    if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * row_bytes))) {
      throw FileError(fmt::format("cannot read {}: {}", rows_path, std::strerror(errno)));
    }
    std::size_t offset = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t w = columns[k].width();
      part.resize(count * w);
      for (std::size_t j = 0; j < w; ++j) {  // number by number: calls that copy a few bytes take longer
        for (std::size_t i = 0; i < count; ++i) part[i * w + j] = values[i * width + offset + j];
      }
      writer.write_rows(datasets[k], columns[k], first, count, part.data());
      offset += w;
    }
  }
}

/// A group with the events in their order: which one, when, upwards or downwards, where, and the velocities after it.
void write_events(const Hdf5Writer& writer, const std::vector<Column>& columns, const Space& space,
                  const RunStatistics& statistics) {
  if (statistics.event_counts.empty()) return;
  const Hdf5Handle group = writer.group("event_list");
  const auto write = [&](const char* name, std::size_t width, auto&& numbers_of) {
    std::vector<double> values;
    for (const EventRecord& e : statistics.events) {
      const std::vector<double> numbers = numbers_of(e);
      values.insert(values.end(), numbers.begin(), numbers.end());
    }
    std::vector<hsize_t> size{statistics.events.size()};
    if (width > 0) size.push_back(width);
    const Hdf5Handle made = writer.dataset(group, name, size);
    if (!values.empty()) writer.write_rows(made, size, 0, values.data());
  };
  const std::size_t n = columns[2].width();
  write("event", 0, [](const EventRecord& e) { return std::vector{static_cast<double>(e.event)}; });
  write("time", 0, [](const EventRecord& e) { return std::vector{e.time}; });
  write("direction", 0, [](const EventRecord& e) { return std::vector{e.rising ? 1.0 : -1.0}; });
  write("q", columns[1].width(), [&](const EventRecord& e) { return space.shown(e.node.q); });
  write("v", n, [](const EventRecord& e) { return e.node.v; });
  write("v_after", n, [](const EventRecord& e) { return e.after.empty() ? e.node.v : e.after; });
}

}  // namespace

void write_hdf5(const std::string& path, const std::string& rows_path, const std::vector<Column>& columns,
                const RunDescription& d, const RunResult& result) {
  replace_hdf5(path, [&](const Hdf5Writer& writer) {
    write_rows(writer, rows_path, columns);
    write_events(writer, columns, d.space, result.statistics);
    writer.text_dataset("model", d.model_text);
    const hid_t root = writer.root();
    writer.attribute(root, "program", "rattleback " + d.version);
    writer.attribute(root, "model", d.model);
    writer.attribute(root, "title", d.title);
    writer.attribute(root, "method", d.method);
    writer.attribute(root, "step", d.step);
    writer.attribute(root, "steps", result.steps);
    writer.attribute(root, "every", d.every);
    writer.attribute(root, "time", result.time);
    writer.attribute(root, "outcome", std::string(outcome_name(result.outcome)));
    if (!result.failure.empty()) writer.attribute(root, "failure", result.failure);
    std::vector<std::string> names;
    std::vector<double> values;
    for (const Parameter& p : d.parameters) names.push_back(p.name), values.push_back(p.value);
    writer.attribute(root, "parameter_names", names);
    writer.attribute(root, "parameter_values", values);
    if (!d.inputs.empty()) {
      std::vector<std::string> inputs;
      for (const auto& [name, text] : d.inputs) inputs.push_back(name + " = " + text);
      writer.attribute(root, "inputs", inputs);
    }
    writer.attribute(root, "initial_q", d.space.shown(d.start.q));
    writer.attribute(root, "initial_v", d.start.v);
    if (d.start.t != 0.0) writer.attribute(root, "initial_t", d.start.t);
    writer.attribute(root, "second_q",
                     d.second_position.empty() ? d.second_position : d.space.shown(d.second_position));
    writer.attribute(root, "final_q", d.space.shown(result.node.q));
    writer.attribute(root, "final_v", result.node.v);
    writer.attribute(root, "final_p", result.momenta);
    writer.attribute(root, "energy_initial", result.statistics.initial_energy);
    writer.attribute(root, "energy_final", result.statistics.final_energy);
    if (result.statistics.work != 0.0) writer.attribute(root, "work", result.statistics.work);
    if (result.statistics.impact_energy != 0.0)
      writer.attribute(root, "impact_energy", result.statistics.impact_energy);
    if (result.stopped_by) writer.attribute(root, "stopped_by", static_cast<std::int64_t>(*result.stopped_by));
    if (!d.stop_when.empty()) writer.attribute(root, "stop_when", d.stop_when);
    writer.attribute(root, "energy_max_error", result.statistics.max_energy_error());
    writer.attribute(root, "constraint_max", result.statistics.constraint.everywhere());
    writer.attribute(root, "midpoint_energy_range", result.statistics.midpoint_energy);
  });
}

bool is_result_with(const std::string& path, const char* dataset) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0 || (dataset != nullptr && H5Lexists(file, dataset, H5P_DEFAULT) <= 0)) return false;
  const Hdf5Handle program(H5Aopen(file, "program", H5P_DEFAULT), H5Aclose);
  if (program < 0) return false;
  const Hdf5Handle type(H5Aget_type(program), H5Tclose);
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return false;
  std::string text(H5Tget_size(type), '\0');
  if (H5Aget_storage_size(program) != text.size() || H5Aread(program, type, text.data()) < 0) return false;
  return text.starts_with("rattleback ");
}

}  // namespace rattleback
