#pragma once

#include <string>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

enum class TableFormat : std::uint8_t { hdf5, csv };

/// Makes the folder and throws if write_tables() could not write there, or would replace what are no tables of
/// experiments without `force`. To be asked before the experiment is performed.
void require_tables(const Experiment& experiment, const std::string& folder, TableFormat format, bool force);

/// Writes the tables of an experiment into a folder: NAME.h5 with a group for each table, or a file NAME/TABLE.csv for
/// each. The same numbers make the same bytes. Returns the files, relative to the folder.
std::vector<std::string> write_tables(const ExperimentResult& result, const std::string& folder, TableFormat format,
                                      const std::string& program);

}  // namespace rattleback
