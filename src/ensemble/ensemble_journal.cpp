#include "ensemble_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "rattleback/io/result_file.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace {

constexpr std::string_view magic = "rattleback ensemble journal 1\n";
constexpr std::size_t header_size = 40;
static_assert(magic.size() + sizeof(std::uint64_t) <= header_size);

/// Before the bytes of a record.
struct RecordHead {
  std::uint64_t size;
  std::uint64_t checksum;
};

std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t h = 0x9e3779b97f4a7c15U ^ bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(sizeof word, bytes.size());
    std::memcpy(&word, bytes.data(), size);
    h = (std::rotl(h, 23) ^ word) * 0xff51afd7ed558ccdU;
    h ^= h >> 32U;
    bytes.remove_prefix(size);
  }
  return h;
}

/// Writes numbers one after the other.
class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) {}
  void put(const auto& number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put_list(const std::vector<double>& numbers) {
    put(static_cast<std::uint64_t>(numbers.size()));
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  }
  void put_row(const NodeRow& row) {
    put(row.time);
    put(row.energy);
    put_list(row.q);
    put_list(row.v);
    put_list(row.p);
  }
  void put_text(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }

 private:
  std::string& bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::size_t get_size() { return static_cast<std::size_t>(get<std::uint64_t>()); }
  std::vector<double> get_list() {
    std::vector<double> numbers(get_size());
    const std::string_view bytes = take(numbers.size() * sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  NodeRow get_row() {
    NodeRow row;
    row.time = get<double>();
    row.energy = get<double>();
    row.q = get_list();
    row.v = get_list();
    row.p = get_list();
    return row;
  }
  std::string get_text() { return std::string(take(get_size())); }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view piece = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return piece;
  }
  std::string_view bytes_;
};

/// The member and whether it failed stand first: an index needs no more.
void encode(const MemberResult& result, std::string& bytes) {
  Writer writer(bytes);
  writer.put(result.member);
  writer.put(static_cast<std::uint64_t>(result.failure.empty() ? 0 : 1));
  writer.put(result.steps);
  writer.put_list(result.varied);
  writer.put_row(result.last);
  writer.put(static_cast<std::uint64_t>(result.nodes.size()));
  for (const NodeRow& row : result.nodes) writer.put_row(row);
  writer.put(static_cast<std::uint64_t>(result.statistics.size()));
  for (const Extremes& e : result.statistics) writer.put(e);
  writer.put(static_cast<std::uint64_t>(result.crossings.size()));
  for (const auto& section : result.crossings) {
    writer.put(static_cast<std::uint64_t>(section.size()));
    for (const Crossing& crossing : section) {
      writer.put(static_cast<std::uint64_t>(crossing.up ? 1 : 0));
      writer.put_row(crossing.node);
    }
  }
  writer.put_text(result.failure);
}

MemberResult decode(std::string_view bytes) {
  Reader reader(bytes);
  MemberResult result;
  result.member = reader.get<std::int64_t>();
  reader.get<std::uint64_t>();
  result.steps = reader.get<std::int64_t>();
  result.varied = reader.get_list();
  result.last = reader.get_row();
  result.nodes.resize(reader.get_size());
  for (NodeRow& row : result.nodes) row = reader.get_row();
  result.statistics.resize(reader.get_size());
  for (Extremes& e : result.statistics) e = reader.get<Extremes>();
  result.crossings.resize(reader.get_size());
  for (auto& section : result.crossings) {
    section.resize(reader.get_size());
    for (Crossing& crossing : section) {
      crossing.up = reader.get<std::uint64_t>() != 0;
      crossing.node = reader.get_row();
    }
  }
  result.failure = reader.get_text();
  return result;
}

constexpr std::uint64_t place_bits = 44;

}  // namespace

std::string journal_name(int generation, int rank) { return fmt::format("part-{:03}-{:05}", generation, rank); }

EnsembleJournal::EnsembleJournal(const std::string& path, std::uint64_t identity) : file_(path, 0) {
  bytes_ = magic;
  bytes_.resize(header_size - sizeof identity);
  Writer(bytes_).put(identity);
  file_.append(bytes_);
  file_.flush();
}

void EnsembleJournal::record(const MemberResult& result) {
  bytes_.assign(sizeof(RecordHead), '\0');
  encode(result, bytes_);
  const std::string_view content = std::string_view(bytes_).substr(sizeof(RecordHead));
  const RecordHead head{content.size(), checksum_of(content)};
  std::memcpy(bytes_.data(), &head, sizeof head);
  file_.append(bytes_);
}

void EnsembleJournal::close() { file_.synchronise(); }

class EnsembleJournals::Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) throw FileError(fmt::format("cannot read {}", path));
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    ::close(descriptor);
    if (data_ == MAP_FAILED) throw FileError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

EnsembleJournals::EnsembleJournals(EnsembleJournals&&) noexcept = default;
EnsembleJournals::~EnsembleJournals() = default;

EnsembleJournals::EnsembleJournals(const std::filesystem::path& folder, std::uint64_t identity, std::int64_t members)
    : offsets_(static_cast<std::size_t>(members), 0) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("part-")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    const std::string name = path.filename().string();
    generations_ = std::max(generations_, 1 + std::atoi(name.c_str() + std::strlen("part-")));
    files_.push_back(std::make_unique<Mapped>(path.string()));
    const std::string_view bytes = files_.back()->bytes();
    if (bytes.size() < header_size) continue;  // its process died at once
    const auto found = Reader(bytes.substr(header_size - sizeof identity)).get<std::uint64_t>();
    if (!bytes.starts_with(magic) || found != identity) {
      throw ResumeError(fmt::format(
          "{} belongs to another ensemble, or to another version of the program; choose another file (`output`), or "
          "give it up with `force`",
          path.string()));
    }
    index(*files_.back(), files_.size());
  }
}

void EnsembleJournals::index(const Mapped& file, std::uint64_t number) {
  const std::string_view bytes = file.bytes();
  for (std::size_t at = header_size; at + sizeof(RecordHead) <= bytes.size();) {
    RecordHead head{};
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t begin = at + sizeof head;
    if (head.size > bytes.size() - begin || checksum_of(bytes.substr(begin, head.size)) != head.checksum) return;
    Reader reader(bytes.substr(begin, head.size));
    const auto member = static_cast<std::uint64_t>(reader.get<std::int64_t>());
    const bool failed = reader.get<std::uint64_t>() != 0;
    if (member < offsets_.size() && offsets_[member] == 0) {
      offsets_[member] = number << place_bits | at;
      failed_ += failed ? 1 : 0;
    }
    at = begin + head.size;
  }
}

MemberResult EnsembleJournals::read(std::int64_t member) const {
  const std::uint64_t offset = offsets_.at(static_cast<std::size_t>(member));
  const std::string_view bytes = files_[(offset >> place_bits) - 1]->bytes();
  const std::size_t at = offset & ((std::uint64_t{1} << place_bits) - 1);
  RecordHead head{};
  std::memcpy(&head, bytes.data() + at, sizeof head);
  return decode(bytes.substr(at + sizeof head, head.size));
}

std::vector<bool> EnsembleJournals::done() const {
  std::vector<bool> all(offsets_.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = offsets_[k] != 0;
  return all;
}

}  // namespace rattleback
