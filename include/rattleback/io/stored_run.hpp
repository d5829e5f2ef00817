#pragma once

#include <string>
#include <vector>

#include "rattleback/io/result_file.hpp"
#include "rattleback/method/event_record.hpp"
#include "rattleback/model/column.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

/// What an HDF5 file of a run holds.
struct StoredRun {
  struct Column {
    std::string name;
    ColumnKind kind;
    std::vector<double> values;
  };
  Model model;  ///< with the parameters and inputs of the run
  RunDescription description;
  RunOutcome outcome = RunOutcome::finished;
  std::int64_t steps = 0;
  double time = 0.0;
  std::string failure;     ///< of a failed run
  InputTexts inputs = {};  ///< that the run had instead of the model's own
  std::vector<Column> columns;
  std::vector<std::string> notes = {};  ///< what of the run is not in the file
  std::vector<EventRecord> events = {};  ///< those that are listed, in their order
};

/// Reads a file that ResultFile has written. Throws FileError if it cannot be read, or is none.
StoredRun read_run(const std::string& path);

}  // namespace rattleback
