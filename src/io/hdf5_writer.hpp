#pragma once

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "../base/files.hpp"
#include "columns.hpp"
#include "hdf5_disk.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

/// An identifier of the HDF5 library, closed at the end of its scope.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  /// A negative one is none: its making has failed.
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) closer_(id_);
  }
  operator hid_t() const { return id_; }
  herr_t close() { return closer_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  Closer closer_;
};

/// Writes into one file; everything that fails is an exception.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path)
      : path_(path), file_([&] {
          // The format of HDF5 1.8: attributes of the older one end at 64 KiB.
          const Hdf5Handle access = handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
          check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
          disk_.carry(access);
          const Hdf5Handle creation = handle(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
          check(H5Pset_obj_track_times(creation, 0));  // two files of the same run must not differ
          return handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
        }()) {}
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void check(std::int64_t status) const {
    if (disk_.error() != 0) throw_file_error("write to", path_, disk_.error());
    if (status < 0) throw FileError(fmt::format("cannot write to {}: HDF5 gave up", path_));
  }
  void close() { check(file_.close()); }

  void attribute(hid_t owner, const char* name, const std::string& text) const {
    const Hdf5Handle type = text_type(text.size());
    const Hdf5Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle made = handle(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, type, text.c_str()));
  }
  void attribute(hid_t owner, const char* name, const std::vector<std::string>& texts) const {
    std::size_t longest = 1;
    for (const std::string& t : texts) longest = std::max(longest, t.size());
    std::string padded;
    for (std::string t : texts) t.resize(longest + 1, '\0'), padded += t;
    const Hdf5Handle type = text_type(longest);
    array_attribute(owner, name, type, padded.data(), texts.size());
  }
  void attribute(hid_t owner, const char* name, const std::vector<double>& values) const {
    array_attribute(owner, name, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void attribute(hid_t owner, const char* name, double value) const {
    const Hdf5Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle made =
        handle(H5Acreate2(owner, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, H5T_NATIVE_DOUBLE, &value));
  }
  void attribute(hid_t owner, const char* name, std::int64_t value) const {
    const Hdf5Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle made =
        handle(H5Acreate2(owner, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, H5T_NATIVE_INT64, &value));
  }

  Hdf5Handle group(const std::string& name) const {
    const Hdf5Handle properties = handle(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties, 0));
    return handle(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose);
  }

  void text_dataset(const char* name, const std::string& text) const {
    const Hdf5Handle type = text_type(text.size());
    const Hdf5Handle space = handle(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle properties = without_times();
    const Hdf5Handle made =
        handle(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    check(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()));
  }

  /// A dataset of rows × width numbers, or of rows numbers if there is no second dimension.
  Hdf5Handle dataset(hid_t owner, const Column& column, hsize_t rows) const {
    return dataset(owner, column.name, shape(column, rows));
  }
  void write_rows(hid_t dataset, const Column& column, hsize_t first, hsize_t count, const double* values) const {
    write_rows(dataset, shape(column, count), first, values);
  }

  Hdf5Handle dataset(hid_t owner, const std::string& name, const std::vector<hsize_t>& size) const {
    const Hdf5Handle space = handle(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    const Hdf5Handle properties = without_times();
    return handle(H5Dcreate2(owner, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                  H5Dclose);
  }
  /// Entries from `first` on of the first dimension; `size` is that of the values.
  void write_rows(hid_t dataset, const std::vector<hsize_t>& size, hsize_t first, const double* values) const {
    std::vector<hsize_t> start(size.size(), 0);
    start[0] = first;
    const Hdf5Handle memory = handle(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    const Hdf5Handle file = handle(H5Dget_space(dataset), H5Sclose);
    check(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, values));
  }

  /// A dataset that was written before.
  Hdf5Handle opened(const char* name) const { return handle(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose); }

  hid_t root() const { return file_; }

 private:
  static std::vector<hsize_t> shape(const Column& column, hsize_t rows) {
    if (column.labels.empty()) return {rows};
    return {rows, column.width()};
  }
  Hdf5Handle handle(hid_t id, Hdf5Handle::Closer closer) const {
    Hdf5Handle made(id, closer);
    check(id);
    return made;
  }

  Hdf5Handle text_type(std::size_t length) const {
    Hdf5Handle type = handle(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(type, length + 1));
    check(H5Tset_cset(type, H5T_CSET_UTF8));
    return type;
  }
  /// Creation times would make two files of the same run differ.
  Hdf5Handle without_times() const {
    Hdf5Handle properties = handle(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(properties, 0));
    return properties;
  }
  void array_attribute(hid_t owner, const char* name, hid_t type, const void* values, std::size_t count) const {
    if (count == 0) return;
    const hsize_t size[] = {count};
    const Hdf5Handle space = handle(H5Screate_simple(1, size, nullptr), H5Sclose);
    const Hdf5Handle made = handle(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(H5Awrite(made, type, values));
  }

  std::string path_;
  Hdf5Disk disk_;
  Hdf5Handle file_;
};

/// Makes an HDF5 file: at any moment there is either the old one or the new one. write(writer) fills it.
void replace_hdf5(const std::string& path, auto&& write) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are exceptions of ours
  const std::string temporary = made_beside(path);
  try {
    Hdf5Writer writer(temporary);
    write(writer);
    writer.close();
    put_in_place(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace rattleback
