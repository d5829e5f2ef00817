#include "hdf5_result.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace rattleback {
namespace {

/// An identifier of the HDF5 library, closed at the end of its scope.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle(hid_t id, Closer closer, const std::string& path) : id_(id), closer_(closer) {
    if (id < 0) throw FileError(fmt::format("cannot write to {}: HDF5 gave up; is the disk full?", path));
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  operator hid_t() const { return id_; }
  herr_t close() { return closer_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  Closer closer_;
};

/// Writes into one file; everything that fails is an exception.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : path_(path), file_([&] {
          // The format of HDF5 1.8: attributes of the older one end at 64 KiB.
          const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
          H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
          const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path);
          H5Pset_obj_track_times(creation, 0);  // two files of the same run must not differ
          return Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose, path);
        }()) {}

  void check(herr_t status) const {
    if (status < 0) throw FileError(fmt::format("cannot write to {}: HDF5 gave up; is the disk full?", path_));
  }
  void close() { check(file_.close()); }

  void attribute(hid_t owner, const char* name, const std::string& text) const {
    const Handle type = text_type(text.size());
    const Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle made = handle(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, type, text.c_str()));
  }
  void attribute(hid_t owner, const char* name, const std::vector<std::string>& texts) const {
    std::size_t longest = 1;
    for (const std::string& t : texts) longest = std::max(longest, t.size());
    std::string padded;
    for (std::string t : texts) t.resize(longest + 1, '\0'), padded += t;
    const Handle type = text_type(longest);
    array_attribute(owner, name, type, padded.data(), texts.size());
  }
  void attribute(hid_t owner, const char* name, const std::vector<double>& values) const {
    array_attribute(owner, name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void attribute(hid_t owner, const char* name, double value) const {
    const Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle made = handle(H5Acreate2(owner, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, H5T_NATIVE_DOUBLE, &value));
  }
  void attribute(hid_t owner, const char* name, std::int64_t value) const {
    const Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle made = handle(H5Acreate2(owner, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, H5T_NATIVE_INT64, &value));
  }

  void text_dataset(const char* name, const std::string& text) const {
    const Handle type = text_type(text.size());
    const Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle properties = without_times();
    const Handle made = handle(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    check(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  }

  /// A dataset of rows × width numbers, or of rows numbers if there is no second dimension.
  Handle dataset(const Column& column, hsize_t rows) const {
    const hsize_t size[] = {rows, column.width()};
    const Handle space = handle(H5Screate_simple(column.labels.empty() ? 1 : 2, size, nullptr), H5Sclose);
    const Handle properties = without_times();
    return handle(
        H5Dcreate2(file_, column.name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        H5Dclose);
  }

  void write_rows(hid_t dataset, const Column& column, hsize_t first, hsize_t count, const double* values) const {
    const int rank = column.labels.empty() ? 1 : 2;
    const hsize_t start[] = {first, 0};
    const hsize_t size[] = {count, column.width()};
    const Handle memory = handle(H5Screate_simple(rank, size, nullptr), H5Sclose);
    const Handle file = handle(H5Dget_space(dataset), H5Sclose);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, size, nullptr));
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values));
  }

  hid_t root() const { return file_; }

 private:
  Handle handle(hid_t id, Handle::Closer closer) const { return Handle(id, closer, path_); }

  Handle text_type(std::size_t length) const {
    Handle type = handle(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, length + 1));
    check(H5Tset_cset(type, H5T_CSET_UTF8));
    return type;
  }
  /// Creation times would make two files of the same run differ.
  Handle without_times() const {
    Handle properties = handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties, 0));
    return properties;
  }
  void array_attribute(hid_t owner, const char* name, hid_t type, const void* values, std::size_t count) const {
    if (count == 0) return;
    const hsize_t size[] = {count};
    const Handle space = handle(H5Screate_simple(1, size, nullptr), H5Sclose);
    const Handle made = handle(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, type, values));
  }

  std::string path_;
  Handle file_;
};

void write_rows(const Writer& writer, const std::string& rows_path, const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& c : columns) width += c.width();
  const std::size_t row_bytes = width * sizeof(double);
  const std::size_t rows = std::filesystem::file_size(rows_path) / row_bytes;
  std::vector<Handle> datasets;
  for (const Column& c : columns) {
    datasets.push_back(writer.dataset(c, rows));
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
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * width + offset), w,
                    part.begin() + static_cast<std::ptrdiff_t>(i * w));
      }
      writer.write_rows(datasets[k], columns[k], first, count, part.data());
      offset += w;
    }
  }
}

}  // namespace

void write_hdf5(const std::string& path, const std::string& rows_path, const std::vector<Column>& columns,
                const RunDescription& d, const RunResult& result) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are exceptions of ours
  const std::string temporary = path + ".new";
  try {
    Writer writer(temporary);
    write_rows(writer, rows_path, columns);
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
    writer.attribute(root, "initial_q", d.start.q);
    writer.attribute(root, "initial_v", d.start.v);
    writer.attribute(root, "second_q", d.second_position);
    writer.attribute(root, "final_q", result.node.q);
    writer.attribute(root, "final_v", result.node.v);
    writer.attribute(root, "final_p", result.momenta);
    writer.attribute(root, "energy_initial", result.statistics.initial_energy);
    writer.attribute(root, "energy_final", result.statistics.final_energy);
    writer.attribute(root, "energy_max_error", result.statistics.max_energy_error);
    writer.attribute(root, "constraint_max", result.statistics.max_constraint);
    writer.attribute(root, "midpoint_energy_range", result.statistics.midpoint_energy);
    writer.close();
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    throw FileError(fmt::format("cannot write to {}: {}", path, std::strerror(errno)));
  }
}

}  // namespace rattleback
