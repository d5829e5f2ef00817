#include "rattleback/ensemble/ensemble_result.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../io/hdf5_result.hpp"
#include "../io/hdf5_writer.hpp"
#include "../io/replaceable.hpp"
#include "ensemble_journal.hpp"
#include "ensemble_quantities.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/io/result_file.hpp"

namespace rattleback {
namespace {

/// Members that are in memory at once while the file is written.
constexpr std::int64_t block_size = 4096;
/// Failures that are told in words; all are marked.
constexpr std::size_t most_reasons = 10000;

/// The dataset with the file that describes an ensemble: no other result has it.
constexpr const char* ensemble_text = "ensemble";

enum class Status : std::uint8_t { finished, failed, missing };

/// Everything that decides about the numbers, as one number: journals of another ensemble must not be mixed in.
std::uint64_t identity_of(const EnsembleFile& file, const std::string& program) {
  std::uint64_t h = 0xcbf29ce484222325U;
  const auto mix = [&](std::string_view text) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    h = (h ^ 0xffU) * 0x100000001b3U;
  };
  mix(program);
  mix(file.text);
  mix(file.model.text);
  for (const NamedExpression& input : file.model.inputs) mix(input_text(input.expression));  // files it names
  return h;
}

const ResultKind ensemble_hdf5{"a result of an ensemble",
                               [](const std::string& path) { return is_result_with(path, ensemble_text); }};

/// A dataset with one entry for each member, filled in blocks.
class MemberColumn {
 public:
  MemberColumn(const Hdf5Writer& writer, hid_t owner, const std::string& name, hsize_t rows, std::vector<hsize_t> rest,
               const std::vector<std::string>& labels = {})
      : writer_(writer), size_(std::move(rest)) {
    size_.insert(size_.begin(), rows);
    dataset_.emplace(writer.dataset(owner, name, size_));
    if (!labels.empty()) writer.attribute(*dataset_, "labels", labels);
  }

  void add(double number) { buffer_.push_back(number); }
  void add(std::span<const double> numbers) { buffer_.insert(buffer_.end(), numbers.begin(), numbers.end()); }

  void write() {
    hsize_t width = 1;
    for (std::size_t d = 1; d < size_.size(); ++d) width *= size_[d];
    std::vector<hsize_t> size = size_;
    size[0] = width == 0 ? 0 : buffer_.size() / width;
    if (size[0] > 0) writer_.write_rows(*dataset_, size, first_, buffer_.data());
    first_ += size[0];
    buffer_.clear();
  }

 private:
  const Hdf5Writer& writer_;
  std::vector<hsize_t> size_;
  std::optional<Hdf5Handle> dataset_;
  std::vector<double> buffer_;
  hsize_t first_ = 0;
};

/// The columns of nodes: one for each row, or several for each if there is a second dimension.
class NodeColumns {
 public:
  NodeColumns(const Hdf5Writer& writer, hid_t group, const System& system, hsize_t rows,
              std::vector<hsize_t> between = {}) {
    const auto make = [&](const char* name, std::vector<std::string> labels) {
      std::vector<hsize_t> rest = between;
      if (!labels.empty()) rest.push_back(labels.size());
      columns_.emplace_back(writer, group, name, rows, rest, labels);
    };
    make("time", {});
    make("q", system.position_names());
    make("v", velocity_columns(system));
    make("p", momentum_columns(system));
    make("energy", {});
  }
  void add(const NodeRow& row) {
    columns_[0].add(row.time);
    columns_[1].add(row.q);
    columns_[2].add(row.v);
    columns_[3].add(row.p);
    columns_[4].add(row.energy);
  }
  void write() {
    for (MemberColumn& column : columns_) column.write();
  }

 private:
  std::vector<MemberColumn> columns_;
};

}  // namespace

struct EnsembleResult::Implementation {
  Implementation(std::string p, const EnsembleFile& f, std::string name, Start start)
      : path(std::move(p)), file(f), program(std::move(name)), identity(identity_of(f, program)), members(f.ensemble),
        folder(path) {
    if (is_stream(path)) throw FileError(fmt::format("{} is a device or a pipe, expected a file", path));
    require_replaceable(path, ensemble_hdf5, start == Start::forced);
    const bool unfinished = !folder.journals().empty();
    if (start == Start::fresh && unfinished) {
      throw ResumeError(
          fmt::format("{} holds an unfinished ensemble; continue it with `resume`, or give it up with `force`",
                      folder.path().string()));
    }
    if (start == Start::resume && !unfinished) {
      std::error_code ignored;
      throw ResumeError(
          std::filesystem::exists(path, ignored)
              ? fmt::format("{} is finished: there is nothing to resume", path)
              : fmt::format("there is nothing to resume at {}: no journals are in {}", path, folder.path().string()));
    }
    check_memory();
    const std::vector<std::string> observed = observed_labels(f.ensemble, members);
    shape = empty_result(f.ensemble, members.at(0), observed.size());
    for (const NamedExpression& s : f.ensemble.statistics) watched.push_back(s.name);
    watched.insert(watched.end(), observed.begin(), observed.end());
    folder.take();
    if (start == Start::forced) {
      folder.remove();
      folder.take();
    }
    open();
    generation = folder.next_generation();
  }

  /// There is an index of all members in memory.
  void check_memory() const {
    const double needed = 8.0 * static_cast<double>(members.count());
    const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (needed < 0.5 * there) return;
    throw EnsembleError(
        fmt::format("{} members are too many: their index alone would take {:.3g} of the {:.3g} GB of memory "
                    "that this machine has",
                    members.count(), 1e-9 * needed, 1e-9 * there));
  }

  void open() { journals.emplace(folder, identity, members.count(), shape); }

  void write(const Hdf5Writer& writer) const {
    const Ensemble& e = file.ensemble;
    const auto count = static_cast<hsize_t>(members.count());
    const hid_t root = writer.root();
    writer.attribute(root, "program", program);
    writer.attribute(root, "model", file.model.name);
    writer.attribute(root, "title", file.title);
    writer.attribute(root, "methods", texts_of(e.methods));
    writer.text_dataset(ensemble_text, file.text);
    writer.text_dataset("model", file.model.text);

    MemberColumn status(writer, root, "status", count, {});
    MemberColumn method(writer, root, "method", count, {});
    MemberColumn steps(writer, root, "steps", count, {});
    std::vector<MemberColumn> varied;
    const Hdf5Handle varied_group = writer.group("varied");
    for (const std::string& name : members.varied())
      varied.emplace_back(writer, varied_group, name, count, std::vector<hsize_t>{});
    const Hdf5Handle last_group = writer.group("last");
    NodeColumns last(writer, last_group, e.system, count);
    std::optional<Hdf5Handle> times_group;
    std::optional<NodeColumns> times;
    if (!e.times.empty()) {
      times_group.emplace(writer.group("times"));
      times.emplace(writer, *times_group, e.system, count, std::vector<hsize_t>{e.times.size()});
    }
    std::optional<MemberColumn> statistics;
    if (!watched.empty()) {
      statistics.emplace(writer, root, "statistics", count, std::vector<hsize_t>{watched.size(), 3}, watched);
    }
    std::vector<std::string> formulas = watched;
    for (const Section& section : e.sections) formulas.push_back(section.name);
    std::optional<MemberColumn> undefined;
    if (!formulas.empty()) {
      undefined.emplace(writer, root, "undefined", count, std::vector<hsize_t>{formulas.size()}, formulas);
    }

    std::string reasons;
    std::size_t reasons_told = 0;
    for (std::int64_t k = 0; k < members.count(); ++k) {
      keep_working();
      const MemberResult result = of(k);
      const Status s = status_of(k, result);
      status.add(static_cast<double>(s));
      method.add(static_cast<double>(k / (members.count() / static_cast<std::int64_t>(e.methods.size()))));
      steps.add(static_cast<double>(result.steps));
      for (std::size_t i = 0; i < varied.size(); ++i) varied[i].add(result.varied[i]);
      last.add(result.last);
      for (const NodeRow& row : result.nodes) times->add(row);
      for (const Extremes& x : result.statistics) statistics->add(std::vector{x.least, x.largest, x.mean});
      if (undefined) undefined->add(result.undefined);
      if (s == Status::failed && reasons_told++ < most_reasons) {
        reasons += fmt::format("{}: {}\n", k, result.failure);
      }
      if (k % block_size != block_size - 1 && k + 1 < members.count()) continue;
      for (MemberColumn* column : {&status, &method, &steps}) column->write();
      for (MemberColumn& column : varied) column.write();
      last.write();
      if (times) times->write();
      if (statistics) statistics->write();
      if (undefined) undefined->write();
    }
    if (!reasons.empty()) writer.text_dataset("failures", reasons);
    if (!e.sections.empty()) writer.group("sections");
    if (!e.system.events().empty()) writer.group("events");
    for (std::size_t s = 0; s < shape.crossings.size(); ++s) write_section(writer, s);
  }

  void write_section(const Hdf5Writer& writer, std::size_t s) const {
    hsize_t rows = 0;
    for (std::int64_t k = 0; k < members.count(); ++k) {
      keep_working();
      if (journals->has(k)) rows += journals->read(k).crossings[s].size();
    }
    const std::size_t sections = file.ensemble.sections.size();
    const Hdf5Handle group = writer.group(s < sections ? "sections/" + file.ensemble.sections[s].name
                                                       : "events/" + file.ensemble.system.events()[s - sections].name);
    MemberColumn member(writer, group, "member", rows, {});
    MemberColumn direction(writer, group, "direction", rows, {});
    NodeColumns nodes(writer, group, file.ensemble.system, rows);
    hsize_t buffered = 0;
    for (std::int64_t k = 0; k < members.count(); ++k) {
      if (journals->has(k)) {
        const MemberResult result = journals->read(k);
        for (const Crossing& crossing : result.crossings[s]) {
          member.add(static_cast<double>(k));
          direction.add(crossing.up ? 1.0 : -1.0);
          nodes.add(crossing.node);
          ++buffered;
        }
      }
      if (buffered < static_cast<hsize_t>(block_size) && k + 1 < members.count()) continue;
      member.write();
      direction.write();
      nodes.write();
      buffered = 0;
    }
  }

  /// " (x = 1, a = 0.2)"
  std::string what_was_varied(const MemberResult& result) const {
    std::string text;
    for (std::size_t i = 0; i < result.varied.size(); ++i) {
      text += fmt::format("{}{} = {:.6g}", i == 0 ? " (" : ", ", members.varied()[i], result.varied[i]);
    }
    return text.empty() ? text : text + ")";
  }

  Status status_of(std::int64_t k, const MemberResult& result) const {
    if (!journals->has(k)) return Status::missing;
    return result.failure.empty() ? Status::finished : Status::failed;
  }

  /// What is known of a member: nothing but what was varied, if it has not run.
  MemberResult of(std::int64_t k) const {
    if (journals->has(k)) return journals->read(k);
    MemberResult none = shape;
    none.member = k;
    none.varied = members.at(k).varied;
    return none;
  }

  std::string path;
  const EnsembleFile& file;
  std::string program;
  std::uint64_t identity;
  Members members;
  JournalFolder folder;
  MemberResult shape;                ///< any
  std::vector<std::string> watched;  ///< what statistics are of
  std::optional<EnsembleJournals> journals;
  int generation = 0;
};

EnsembleResult::EnsembleResult(std::string path, const EnsembleFile& file, std::string program, Start start)
    : implementation_(std::make_unique<Implementation>(std::move(path), file, std::move(program), start)) {}
EnsembleResult::~EnsembleResult() = default;

std::vector<bool> EnsembleResult::done() const { return implementation_->journals->done(); }
std::int64_t EnsembleResult::failed() const { return implementation_->journals->failed(); }
int EnsembleResult::generation() const { return implementation_->generation; }
std::vector<std::string> EnsembleResult::strangers() const { return implementation_->folder.strangers(); }

std::int64_t EnsembleResult::missing() const {
  const std::vector<bool> known = implementation_->journals->done();
  return std::ranges::count(known, false);
}

double EnsembleResult::work_to_finish() const {
  const Implementation& i = *implementation_;
  const MemberResult& r = i.shape;
  const std::size_t row = 2 + r.last.q.size() + r.last.v.size() + r.last.p.size();
  const std::size_t numbers =
      3 + r.varied.size() + (1 + r.nodes.size()) * row + 3 * r.statistics.size() + r.undefined.size();
  return 8.0 * static_cast<double>(numbers) * static_cast<double>(i.members.count()) +
         static_cast<double>(i.folder.bytes());
}

EnsembleQuantities EnsembleResult::finish() {
  Implementation& i = *implementation_;
  i.open();
  EnsembleQuantities quantities;
  replace_hdf5(i.path, [&](const Hdf5Writer& writer) {
    i.write(writer);
    quantities = ensemble_quantities(i.file, i.watched, [&](const std::function<void(const MemberResult&)>& use) {
      for (std::int64_t k = 0; k < i.members.count(); ++k) {
        keep_working();
        if (i.journals->has(k)) use(i.journals->read(k));
      }
    });
    write_quantities(writer, quantities);
  });
  if (missing() == 0) i.folder.remove();
  return quantities;
}

bool EnsembleResult::give_up() {
  Implementation& i = *implementation_;
  try {
    if (i.folder.bytes() > i.folder.journals().size() * EnsembleJournal::empty_size) return true;
    i.folder.remove();
  } catch (const std::exception&) {  // the reason to give up is the one to tell
    return true;
  }
  return false;
}

std::vector<std::string> EnsembleResult::failures(std::size_t most) const {
  const Implementation& i = *implementation_;
  std::vector<std::string> list;
  for (std::int64_t k = 0; k < i.members.count() && list.size() < most && i.journals->failed() > 0; ++k) {
    if (!i.journals->has(k)) continue;
    const MemberResult result = i.journals->read(k);
    if (result.failure.empty()) continue;
    list.push_back(fmt::format("member {}{}: {}", k, i.what_was_varied(result), result.failure));
  }
  return list;
}

struct EnsembleRecorder::Implementation {
  EnsembleJournal journal;
};

EnsembleRecorder::EnsembleRecorder(const std::string& path, const EnsembleFile& file, const std::string& program,
                                   int generation, int rank)
    : implementation_(new Implementation{
          {(JournalFolder(path).path() / journal_name(generation, rank)).string(), identity_of(file, program)}}) {}
EnsembleRecorder::~EnsembleRecorder() = default;
void EnsembleRecorder::record(const MemberResult& result) { implementation_->journal.record(result); }
void EnsembleRecorder::flush() { implementation_->journal.flush(); }
void EnsembleRecorder::close() { implementation_->journal.close(); }

}  // namespace rattleback
