#include "rattleback/io/result_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "../base/files.hpp"
#include "checkpoint_file.hpp"
#include "hdf5_result.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

/// Whether a file can be replaced without a question: it is empty, or a result of ours by its first bytes.
bool is_result(const std::string& path, bool csv) {
  std::ifstream file(path, std::ios::binary);
  std::string first(5, '\0');
  file.read(first.data(), 5);
  first.resize(static_cast<std::size_t>(file.gcount()));
  return first.empty() || first.starts_with(csv ? "time," : "\x89HDF");
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
    fs::remove(checkpoint_path);
    if (csv) rows->append(fmt::format("{}\n", fmt::join(labels(columns), ",")));
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
    rows.emplace(rows_path, stored.row_bytes);
    resumed = stored.checkpoint;
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
         {std::span<const double>(time), s.q, s.v, s.p, s.multipliers, std::span<const double>(energy), s.constraint,
          s.conserved, s.observed}) {
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
  i.rows_path = i.csv ? path : path + ".rows";
  i.checkpoint_path = path + ".checkpoint";
  i.path = std::move(path);
  i.description = std::move(description);
  i.columns = columns_of(system, i.description.observed);
  std::error_code error;
  if (fs::is_directory(i.path, error)) throw FileError(fmt::format("{} is a directory, expected a file", i.path));
  if (start == Start::resume) {
    i.resume();
    return;
  }
  if (start == Start::fresh && fs::exists(i.checkpoint_path, error)) {
    throw ResumeError(fmt::format(
        "{} belongs to an unfinished run: continue it with `resume`, or start anew with `force`", i.checkpoint_path));
  }
  if (start == Start::fresh && fs::is_regular_file(i.path, error) && !is_result(i.path, i.csv)) {
    throw ResumeError(
        fmt::format("{} exists and is not a result of a run: choose another file, or replace it with `force`", i.path));
  }
  i.start_anew();
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
    replace_file(i.checkpoint_path, checkpoint_text({i.description, checkpoint, i.rows->size()}));
  });
}

void ResultFile::finish(const RunResult& result) {
  Implementation& i = *implementation_;
  i.guarded([&] {
    i.rows->synchronise();
    if (!i.csv) write_hdf5(i.path, i.rows_path, i.columns, i.description, result);
  });
  if (result.outcome == RunOutcome::interrupted) return;
  fs::remove(i.checkpoint_path);
  if (!i.csv) fs::remove(i.rows_path);
}

}  // namespace rattleback
