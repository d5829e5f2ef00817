#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rattleback/io/result_file.hpp"

namespace rattleback {

/// A part of a row: one or several numbers under one name.
struct Column {
  std::string name;                 ///< of the dataset
  std::vector<std::string> labels;  ///< of its numbers; empty for a single number
  std::size_t width() const { return labels.empty() ? 1 : labels.size(); }
};

/// Makes the HDF5 file of a run from its rows (doubles, one row after the other) and replaces `path` by it.
/// The same run makes the same bytes.
void write_hdf5(const std::string& path, const std::string& rows_path, const std::vector<Column>& columns,
                const RunDescription& description, const RunResult& result);

}  // namespace rattleback
