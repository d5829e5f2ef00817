#pragma once

// A checksum against accidents (cut files, flipped bits, edits by hand), not against forgers.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rattleback {

/// Of bytes that come in pieces; how they were cut does not matter. Each word is mixed in by rotation and
/// multiplication, both bijective: one changed word always changes the sum. There are four sums that take turns,
/// because each has to wait for its own multiplications only: some 10 GB/s.
class Checksum {
 public:
  void add(std::string_view bytes) {
    if (const std::size_t there = size_ % sizeof rest_; there > 0) {
      const std::size_t count = std::min(bytes.size(), sizeof rest_ - there);
      keep(bytes.substr(0, count), there);
      bytes.remove_prefix(count);
      if (size_ % sizeof rest_ == 0) mix(sums_, rest_);
    }
    for (; bytes.size() >= sizeof rest_; bytes.remove_prefix(sizeof rest_)) {
      keep(bytes.substr(0, sizeof rest_), 0);
      mix(sums_, rest_);
    }
    if (!bytes.empty()) keep(bytes, 0);
  }

  std::uint64_t value() const {
    Words sums = sums_;
    Words rest = rest_;
    const std::size_t there = size_ % sizeof rest_;
    std::memset(reinterpret_cast<char*>(rest.data()) + there, 0, sizeof rest - there);
    mix(sums, rest);
    std::uint64_t sum = size_;
    for (const std::uint64_t s : sums) sum = mixed(sum, s);
    return sum;
  }

 private:
  using Words = std::array<std::uint64_t, 4>;

  static std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
    sum = (std::rotl(sum, 23) ^ word) * 0xff51afd7ed558ccdU;
    return sum ^ sum >> 32U;
  }
  static void mix(Words& sums, const Words& words) {
    for (std::size_t k = 0; k < words.size(); ++k) sums[k] = mixed(sums[k], words[k]);
  }
  void keep(std::string_view bytes, std::size_t place) {
    std::memcpy(reinterpret_cast<char*>(rest_.data()) + place, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

  Words sums_{0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U, 0x94d049bb133111ebU, 0xd6e8feb86659fd93U};
  Words rest_{};  ///< the last bytes, as long as they do not fill it
  std::uint64_t size_ = 0;
};

inline std::uint64_t checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
}

}  // namespace rattleback
