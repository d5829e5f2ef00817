// Journals of ensembles that are damaged, in every byte and at every length.

#include "ensemble/ensemble_journal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "base/checksum.hpp"
#include "rattleback/io/result_file.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace journal_test {

constexpr std::uint64_t identity = 0x1234567812345678U;
constexpr std::int64_t members = 4;

NodeRow row(double number) { return {number, {number, 1.0}, {2.0, number}, {3.0, 4.0}, 5.0}; }

/// All that a member can have.
MemberResult result(std::int64_t member, std::size_t crossings = 2) {
  const auto number = static_cast<double>(member);
  MemberResult r;
  r.member = member;
  r.varied = {number, 0.5};
  r.steps = 7;
  r.last = row(number);
  r.nodes = {row(0.0)};
  r.statistics = {{1.0, 2.0, 1.5}};
  r.crossings = {std::vector<Crossing>(crossings, {true, row(0.25)})};
  r.undefined = {std::nan(""), 0.75};
  r.failure = member % 2 == 1 ? "it cannot start" : "";
  return r;
}

class Journals : public testing::Test {
 protected:
  Journals() : folder_(temporary_ / "x.h5") {
    std::filesystem::create_directory(folder_.path());
    EnsembleJournal journal(path(), identity);
    for (std::int64_t k = 0; k < members; ++k) journal.record(result(k, static_cast<std::size_t>(k)));
    journal.close();
    good_ = test::content(path());
  }

  std::string path() const { return (folder_.path() / journal_name(0, 0)).string(); }
  EnsembleJournals open() const { return {folder_, identity, members, result(0)}; }
  void put(const std::string& bytes) const {
    std::filesystem::remove(path());  // some file systems wait for the disk when a file is cut and written again
    std::ofstream(path(), std::ios::binary) << bytes;
  }

  /// Opens what is there; how many members are read, all of them as they were written. Nothing if it is refused.
  std::optional<std::int64_t> members_read() const {
    try {
      const EnsembleJournals journals = open();
      std::int64_t found = 0;
      for (std::int64_t k = 0; k < members; ++k) {
        if (!journals.has(k)) continue;
        ++found;
        const MemberResult r = journals.read(k);
        EXPECT_EQ(r.member, k);
        EXPECT_EQ(r.last.q, result(k).last.q);
        EXPECT_EQ(r.crossings[0].size(), static_cast<std::size_t>(k));
        EXPECT_EQ(r.failure, result(k).failure);
        EXPECT_EQ(r.undefined[1], 0.75);
      }
      return found;
    } catch (const ResumeError&) {
      return std::nullopt;
    }
  }

  /// A journal with one record, whose checksum is right.
  void put_record(const std::string& content) const {
    const std::uint64_t head[] = {content.size(), checksum_of(content)};
    put(good_.substr(0, EnsembleJournal::empty_size) + std::string(reinterpret_cast<const char*>(head), sizeof head) +
        content);
  }

  test::TemporaryFolder temporary_;
  JournalFolder folder_;
  std::string good_;
};

TEST_F(Journals, are_read_as_they_were_written) {
  EXPECT_EQ(members_read(), members);
  EXPECT_EQ(open().failed(), 2);
}

TEST_F(Journals, that_are_cut_anywhere_are_read_up_to_there) {
  std::int64_t before = 0;
  for (std::size_t size = 0; size < good_.size(); ++size) {
    put(good_.substr(0, size));
    const auto found = members_read();
    ASSERT_TRUE(found) << size;
    EXPECT_GE(*found, before) << size;
    before = *found;
  }
  EXPECT_EQ(before, members - 1);
}

TEST_F(Journals, with_any_byte_changed_are_read_up_to_there) {
  for (std::size_t at = 0; at < good_.size(); ++at) {
    for (const unsigned flip : {1U, 0x80U, 0xffU}) {
      std::string bad = good_;
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ flip);
      put(bad);
      const auto found = members_read();
      // A number of another format is one of another version.
      EXPECT_TRUE(found || at < sizeof "rattleback ensemble journal 2") << at;
      EXPECT_LT(found.value_or(0), members) << at;
    }
  }
}

TEST_F(Journals, whose_sizes_lie_are_not_believed) {
  std::uint64_t size = 0;
  std::memcpy(&size, good_.data() + EnsembleJournal::empty_size, sizeof size);
  const std::string record = good_.substr(EnsembleJournal::empty_size + 16, size);
  put_record(record);
  EXPECT_EQ(members_read(), 1);
  int refused = 0;
  for (std::size_t at = 0; at + sizeof size <= record.size(); ++at) {
    for (const std::uint64_t lie :
         {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 20U, std::uint64_t{1} << 61U, ~std::uint64_t{0}}) {
      std::string bad = record;
      std::memcpy(bad.data() + at, &lie, sizeof lie);
      put_record(bad);
      const EnsembleJournals journals = open();  // numbers may be any; sizes may not
      for (std::int64_t k = 0; k < members; ++k) {
        if (!journals.has(k)) continue;
        EXPECT_EQ(journals.read(k).nodes.size(), 1U);
      }
      refused += journals.done() == std::vector<bool>(members, false) ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 100);
  for (std::size_t cut = 0; cut < record.size(); ++cut) {
    put_record(record.substr(0, cut));
    EXPECT_EQ(members_read(), 0) << cut;
  }
  put_record(record + "more");
  EXPECT_EQ(members_read(), 0);
}

TEST_F(Journals, of_which_only_the_size_survived_are_ours_and_empty) {
  put(std::string(good_.size(), '\0'));
  EXPECT_EQ(members_read(), 0);
  EXPECT_EQ(folder_.strangers(), std::vector<std::string>());
}

TEST_F(Journals, of_others_are_refused_and_files_of_others_left_alone) {
  EXPECT_THROW(EnsembleJournals(folder_, identity + 1, members, result(0)), ResumeError);
  for (const char* const name : {"part-000-00001", "part-0-1", "part-001-00000.bak", "thesis.tex"}) {
    std::ofstream(folder_.path() / name) << "mine, and longer than a header of a journal would be, for certain";
  }
  std::filesystem::create_directory(folder_.path() / journal_name(7, 0));
  EXPECT_EQ(members_read(), members);
  EXPECT_EQ(folder_.next_generation(), 8) << "a name that is taken";
  folder_.take();
  folder_.remove();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(folder_.strangers(), (std::vector<std::string>{"part-0-1", "part-000-00001", "part-001-00000.bak",
                                                           "part-007-00000", "thesis.tex"}));
}

}  // namespace journal_test
}  // namespace rattleback
