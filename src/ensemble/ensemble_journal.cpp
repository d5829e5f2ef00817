#include "ensemble_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "rattleback/base/work.hpp"
#include "rattleback/io/result_file.hpp"

namespace rattleback {
namespace {

constexpr std::string_view magic = "rattleback ensemble journal 2\n";
static_assert(magic.starts_with(journal_family));

/// The beginning of a journal.
struct Header {
  char words[32];  ///< the magic, then zeros
  std::uint64_t identity;
  std::uint64_t checksum;  ///< of what comes before it
};
static_assert(magic.size() <= sizeof Header::words && sizeof(Header) == 48);

/// Before the bytes of a record.
struct RecordHead {
  std::uint64_t size;
  std::uint64_t checksum;
};

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

/// Reads them again. Throws FileError where they are not what a Writer has written.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  /// The number of things that take so many bytes each, at least.
  std::size_t get_size(std::size_t bytes_each) {
    const auto size = get<std::uint64_t>();
    if (size > bytes_.size() / bytes_each) fail();
    return static_cast<std::size_t>(size);
  }
  void expect_size(std::size_t size) {
    if (get<std::uint64_t>() != size) fail();
  }
  std::vector<double> get_list(std::size_t size) {
    expect_size(size);
    if (size > bytes_.size() / sizeof(double)) fail();
    std::vector<double> numbers(size);
    if (size > 0) std::memcpy(numbers.data(), take(size * sizeof(double)).data(), size * sizeof(double));
    return numbers;
  }
  NodeRow get_row(const NodeRow& shape) {
    NodeRow row;
    row.time = get<double>();
    row.energy = get<double>();
    row.q = get_list(shape.q.size());
    row.v = get_list(shape.v.size());
    row.p = get_list(shape.p.size());
    return row;
  }
  std::string get_text() { return std::string(take(get_size(1))); }
  void expect_end() const {
    if (!bytes_.empty()) fail();
  }

 private:
  [[noreturn]] static void fail() { throw FileError("a record of a journal is damaged"); }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view piece = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return piece;
  }
  std::string_view bytes_;
};

void encode(const MemberResult& result, std::string& bytes) {
  Writer writer(bytes);
  writer.put(result.member);
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
  writer.put_list(result.undefined);
  writer.put_text(result.failure);
}

/// A result whose lists have the lengths of those of `shape`.
MemberResult decode(std::string_view bytes, const MemberResult& shape) {
  Reader reader(bytes);
  MemberResult result;
  result.member = reader.get<std::int64_t>();
  result.steps = reader.get<std::int64_t>();
  result.varied = reader.get_list(shape.varied.size());
  result.last = reader.get_row(shape.last);
  reader.expect_size(shape.nodes.size());
  for (std::size_t k = 0; k < shape.nodes.size(); ++k) result.nodes.push_back(reader.get_row(shape.last));
  reader.expect_size(shape.statistics.size());
  for (std::size_t k = 0; k < shape.statistics.size(); ++k) result.statistics.push_back(reader.get<Extremes>());
  reader.expect_size(shape.crossings.size());
  result.crossings.resize(shape.crossings.size());
  for (auto& section : result.crossings) {
    const std::size_t count = reader.get_size(sizeof(std::uint64_t));
    for (std::size_t k = 0; k < count; ++k) {
      const bool up = reader.get<std::uint64_t>() != 0;
      section.push_back({up, reader.get_row(shape.last)});
    }
  }
  result.undefined = reader.get_list(shape.undefined.size());
  result.failure = reader.get_text();
  reader.expect_end();
  return result;
}

/// What the checksum of a header is of.
std::string_view first_bytes(const Header& header) {
  return {reinterpret_cast<const char*>(&header), offsetof(Header, checksum)};
}

constexpr std::uint64_t place_bits = 44;

}  // namespace

const std::size_t EnsembleJournal::empty_size = sizeof(Header);

EnsembleJournal::EnsembleJournal(const std::string& path, std::uint64_t identity) : file_(path, 0) {
  Header header{};
  std::ranges::copy(magic, header.words);
  header.identity = identity;
  header.checksum = checksum_of(first_bytes(header));
  Writer(bytes_).put(header);
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

EnsembleJournals::EnsembleJournals(const JournalFolder& folder, std::uint64_t identity, std::int64_t members,
                                   MemberResult shape)
    : shape_(std::move(shape)), offsets_(static_cast<std::size_t>(members), 0) {
  for (const auto& path : folder.journals()) {
    files_.push_back(std::make_unique<Mapped>(path.string()));
    const std::string_view bytes = files_.back()->bytes();
    if (bytes.size() < sizeof(Header) || bytes.front() == '\0') continue;  // its process died at once
    const auto header = Reader(bytes).get<Header>();
    const bool is_of_this_format = bytes.starts_with(magic);
    if (is_of_this_format && header.checksum != checksum_of(first_bytes(header))) continue;
    if (!is_of_this_format || header.identity != identity) {
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
  for (std::size_t at = sizeof(Header); at + sizeof(RecordHead) <= bytes.size();) {
    keep_working();
    const auto head = Reader(bytes.substr(at)).get<RecordHead>();
    const std::size_t begin = at + sizeof head;
    if (head.size > bytes.size() - begin) return;
    const std::string_view record = bytes.substr(begin, head.size);
    if (checksum_of(record) != head.checksum) return;
    MemberResult result;
    try {
      result = decode(record, shape_);
    } catch (const FileError&) {
      return;
    }
    const auto member = static_cast<std::uint64_t>(result.member);
    if (member < offsets_.size() && offsets_[member] == 0) {
      offsets_[member] = number << place_bits | at;
      failed_ += result.failure.empty() ? 0 : 1;
    }
    at = begin + head.size;
  }
}

MemberResult EnsembleJournals::read(std::int64_t member) const {
  const std::uint64_t offset = offsets_.at(static_cast<std::size_t>(member));
  const std::string_view bytes = files_[(offset >> place_bits) - 1]->bytes();
  const std::size_t at = offset & ((std::uint64_t{1} << place_bits) - 1);
  const auto head = Reader(bytes.substr(at)).get<RecordHead>();
  return decode(bytes.substr(at + sizeof head, head.size), shape_);
}

std::vector<bool> EnsembleJournals::done() const {
  std::vector<bool> all(offsets_.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = offsets_[k] != 0;
  return all;
}

}  // namespace rattleback
