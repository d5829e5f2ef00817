#include "rattleback/io/result_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <filesystem>

#include "../base/files.hpp"
#include "checkpoint_file.hpp"
#include "hdf5_result.hpp"
#include "replaceable.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

/// Names as a table has them: R[1,2] contains a comma.
std::vector<std::string> quoted(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.find(',') != std::string::npos) name = fmt::format("\"{}\"", name);
  }
  return names;
}

bool is_csv(const std::string& path) { return fs::path(path).extension() == ".csv"; }

}  // namespace

struct ResultFile::Implementation {
  std::string path;
  RunDescription description;
  std::vector<Column> columns;
  bool csv;
  std::string rows_path;
  std::string checkpoint_path;
  std::optional<AppendFile> rows;
  std::optional<Checkpoint> resumed;
  std::string row;

  void start_anew() {
    rows.emplace(rows_path, 0);
    remove_file(checkpoint_path);
    if (csv) rows->append(fmt::format("{}\n", fmt::join(quoted(labels(columns)), ",")));
  }

  void resume() {
    if (!fs::exists(checkpoint_path)) {
      throw ResumeError(
          fmt::format("there is no checkpoint {} to resume from (a finished run leaves none); start without "
                      "`resume`",
                      checkpoint_path));
    }
    const StoredCheckpoint stored = read_checkpoint(read_file(checkpoint_path), checkpoint_path);
    if (const std::string other = difference(stored.description, description); !other.empty()) {
      throw ResumeError(
          fmt::format("{} belongs to another run: {}; use the same options to resume, or `force` to start anew",
                      checkpoint_path, other));
    }
    if (csv) take_back_rows(stored);
    rows.emplace(rows_path, stored.row_bytes, stored.row_checksum);
    resumed = stored.checkpoint;
  }

  /// A run that ended between its last two operations has its rows in place, and a checkpoint still.
  void take_back_rows(const StoredCheckpoint& stored) const {
    std::error_code ignored;
    if (fs::exists(rows_path, ignored) || !fs::is_regular_file(path, ignored)) return;
    require_beginning(path, stored.row_bytes, stored.row_checksum);
    put_in_place(path, rows_path);
  }

  /// The result of all rows, or of those so far if the run can be continued.
  void make_result(const RunResult& result) const {
    if (!csv) return write_hdf5(path, rows_path, columns, description, result);
    if (rows_path == path) return;
    if (result.outcome == RunOutcome::interrupted) return copy_file(rows_path, path);
    put_in_place(rows_path, path);
  }

  /// What fails when a checkpoint is there can be continued.
  template <class Work>
  void guarded(Work&& work) const {
    try {
      work();
    } catch (const FileError& error) {
      std::error_code ignored;
      if (!fs::exists(checkpoint_path, ignored)) throw;
      throw FileError(
          fmt::format("{}; the run is saved up to its last checkpoint: continue it with `resume`", error.what()));
    }
  }

  void record(const Sample& s) {
    row.clear();
    const double time[] = {s.time};
    const double energy[] = {s.energy};
    for (const std::span<const double> part :
         {std::span<const double>(time), s.q, s.v, s.p, s.multipliers, std::span<const double>(energy), s.work,
          s.constraint, s.conserved, s.observed}) {
      put(part);
    }
    if (csv) {
      row += '\n';
      rows->append(std::string_view(row).substr(1));  // without the first comma
    } else {
      rows->append(row);
    }
  }

  void put(std::span<const double> values) {
    if (csv) {
      for (const double x : values) fmt::format_to(std::back_inserter(row), FMT_COMPILE(",{}"), x);
    } else {
      row.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
  }
};

bool ResultFile::knows(const std::string& path) {
  const auto extension = fs::path(path).extension();
  return extension == ".h5" || extension == ".hdf5" || extension == ".csv";
}

ResultFile::ResultFile(std::string path, const System& system, RunDescription description, Start start)
    : implementation_(std::make_unique<Implementation>()) {
  Implementation& i = *implementation_;
  i.csv = is_csv(path);
  i.rows_path = i.csv && is_stream(path) ? path : path + ".rows";
  i.checkpoint_path = path + ".checkpoint";
  i.path = std::move(path);
  i.description = std::move(description);
  i.description.space = system.space();
  i.columns = columns_of(system, i.description.observed);
  std::error_code error;
  if (start == Start::fresh && fs::exists(i.checkpoint_path, error)) {
    throw ResumeError(fmt::format(
        "{} belongs to an unfinished run: continue it with `resume`, or start anew with `force`", i.checkpoint_path));
  }
  require_older_result(i.path, i.csv ? run_table : run_hdf5, start == Start::forced);
  start == Start::resume ? i.resume() : i.start_anew();
}

ResultFile::~ResultFile() = default;

const Checkpoint* ResultFile::resumed() const {
  return implementation_->resumed ? &*implementation_->resumed : nullptr;
}

void ResultFile::record(const Sample& sample) {
  implementation_->guarded([&] { implementation_->record(sample); });
}

void ResultFile::checkpoint(const Checkpoint& checkpoint) {
  Implementation& i = *implementation_;
  i.guarded([&] {
    i.rows->synchronise();
    replace_file(i.checkpoint_path, checkpoint_text({i.description, checkpoint, i.rows->size(), i.rows->checksum()}));
  });
}

void ResultFile::finish(const RunResult& result, bool resumable) {
  Implementation& i = *implementation_;
  i.guarded([&] {
    i.rows->synchronise();
    i.make_result(result);
  });
  const bool interrupted = result.outcome == RunOutcome::interrupted;
  if (interrupted && resumable) return;
  remove_file(i.checkpoint_path);
  if (!i.csv || (interrupted && i.rows_path != i.path)) remove_file(i.rows_path);
}

}  // namespace rattleback
