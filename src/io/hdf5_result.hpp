#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "columns.hpp"
#include "rattleback/io/result_file.hpp"

namespace rattleback {

/// Makes the HDF5 file of a run from its rows (doubles, one row after the other) and replaces `path` by it.
/// The same run makes the same bytes.
void write_hdf5(const std::string& path, const std::string& rows_path, const std::vector<Column>& columns,
                const RunDescription& description, const RunResult& result);

/// Whether an HDF5 file names this program, and has this dataset if one is given.
bool is_result_with(const std::string& path, const char* dataset = nullptr);

}  // namespace rattleback
