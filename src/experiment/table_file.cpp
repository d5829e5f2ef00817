#include "rattleback/experiment/table_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "../base/files.hpp"
#include "../io/hdf5_writer.hpp"

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
      writer.attribute(group, "method", d.recipe.method);
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

}  // namespace

std::vector<std::string> write_tables(const ExperimentResult& result, const std::string& folder, TableFormat format,
                                      const std::string& program) {
  const std::string& name = result.experiment.name;
  const fs::path place = format == TableFormat::hdf5 ? fs::path(folder) : fs::path(folder) / name;
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw FileError(fmt::format("cannot make the folder {}: {}", place.string(), error.message()));
  if (format == TableFormat::hdf5) {
    write_hdf5(result, (place / (name + ".h5")).string(), program);
    return {name + ".h5"};
  }
  std::vector<std::string> files;
  for (const Data& d : result.data) {
    files.push_back(fmt::format("{}/{}.csv", name, d.recipe.name));
    write_csv(d.table, (fs::path(folder) / files.back()).string());
  }
  return files;
}

}  // namespace rattleback
