#include "rattleback/experiment/table_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "../base/files.hpp"
#include "../io/hdf5_writer.hpp"
#include "../io/replaceable.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

void write_hdf5(const ExperimentResult& result, const std::string& path, const std::string& program) {
  replace_hdf5(path, [&](const Hdf5Writer& writer) {
    writer.attribute(writer.root(), "program", program);
    writer.attribute(writer.root(), "title", result.experiment.title);
    for (const Data& d : result.data) {
      const Hdf5Handle group = writer.group(d.recipe.name);
      writer.attribute(group, "model", d.recipe.model);
      writer.attribute(group, "method", d.recipe.method ? d.recipe.method->text() : "");
      for (const auto& [name, value] : d.table.scalars) writer.attribute(group, name.c_str(), value);
      if (!d.failure.empty()) writer.attribute(group, "failure", d.failure);
      for (const Table::Column& c : d.table.columns) {
        const Column column{c.name, {}};
        const Hdf5Handle dataset = writer.dataset(group, column, c.values.size());
        if (!c.values.empty()) writer.write_rows(dataset, column, 0, c.values.size(), c.values.data());
      }
    }
  });
}

void write_csv(const Table& table, const std::string& path) {
  std::string text = fmt::format("{}\n", fmt::join(table.names(), ","));
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      fmt::format_to(std::back_inserter(text), "{}{}", k == 0 ? "" : ",", table.columns[k].values[i]);
    text += '\n';
  }
  replace_file(path, text);
}

std::string place_of(const Experiment& experiment, const std::string& folder, TableFormat format) {
  return format == TableFormat::hdf5 ? folder : (fs::path(folder) / experiment.name).string();
}

/// Whether the tables of some kind of data begin like this (see data.cpp). Points have positions and their momenta.
bool is_header(const std::vector<std::string>& names) {
  const std::string all = fmt::format("{},", fmt::join(names, ","));
  for (const char* const beginning :
       {"step,steps,odd,error,", "time,volume,mu,", "unknowns,dimension,regular,regularity,"})
    if (all.starts_with(beginning)) return true;
  if (all.find(",K_0,") != std::string::npos) return true;
  const std::size_t n = names.size() / 2;
  if (n == 0 || names.size() != 2 * n + 1 || names[0] != column_name(ColumnKind::time)) return false;
  for (std::size_t k = 1; k <= n; ++k)
    if (names[n + k] != column_name(ColumnKind::momentum, names[k])) return false;
  return true;
}

const ResultKind experiment_table{"a table of an experiment", [](const std::string& path) {
                                    return run_table.recognises(path) || is_header(header_of(path));
                                  }};

/// Relative to the folder.
std::vector<std::string> files_of(const Experiment& experiment, TableFormat format) {
  if (format == TableFormat::hdf5) return {experiment.name + ".h5"};
  std::vector<std::string> files;
  for (const auto& recipe : experiment.data) files.push_back(fmt::format("{}/{}.csv", experiment.name, recipe.name));
  return files;
}

}  // namespace

void require_tables(const Experiment& experiment, const std::string& folder, TableFormat format, bool force) {
  const ResultKind& kind = format == TableFormat::hdf5 ? hdf5_result : experiment_table;
  make_folder(place_of(experiment, folder, format));
  for (const std::string& file : files_of(experiment, format))
    require_replaceable((fs::path(folder) / file).string(), kind, force);
}

std::vector<std::string> write_tables(const ExperimentResult& result, const std::string& folder, TableFormat format,
                                      const std::string& program) {
  std::vector<std::string> files = files_of(result.experiment, format);
  const auto path = [&](std::size_t k) { return (fs::path(folder) / files[k]).string(); };
  make_folder(place_of(result.experiment, folder, format));
  if (format == TableFormat::hdf5) {
    write_hdf5(result, path(0), program);
  } else {
    for (std::size_t k = 0; k < files.size(); ++k) write_csv(result.data[k].table, path(k));
  }
  return files;
}

}  // namespace rattleback
