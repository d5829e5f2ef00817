#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rattleback {

/// What is taken of a number that is read.
enum class Taken : std::uint8_t { itself, negative, magnitude };

/// Where a number is found: a constant of the program or an entry of the workspace.
struct ValuePlace {
  bool is_constant = false;
  std::size_t at = 0;
  Taken taken = Taken::itself;
  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

/// Whether a column is one constant, or entries at a constant distance.
bool is_affine(const std::vector<ValuePlace>& column);

/// Neighbours first, first + 1, … of a list of places.
struct PlaceRun {
  std::size_t begin = 0;
  std::size_t count = 0;
  bool affine = false;  ///< in each column one constant, or entries at a constant distance
};

/// Cuts columns of equal length into runs; those that are affine have at least the length `shortest`.
std::vector<PlaceRun> affine_runs(std::span<const std::vector<ValuePlace>> columns, std::size_t shortest);

/// Packs begin where a cache line of one lane does; a page further, the last twelve bits of addresses are the same.
constexpr std::size_t next_line(std::size_t entry) { return (entry + 7) / 8 * 8; }
constexpr std::size_t next_page(std::size_t entry) { return (entry + 511) / 512 * 512; }

/// The first entry from `from` on, at the beginning of a cache line, where a loop that reads entries in order from each
/// of `loads` on may write in order. Processors compare the last twelve bits of addresses before they know the others:
/// a load that has them in common with a store of an iteration before waits for it, and iterations that could overlap
/// follow each other. `entry_size` is in bytes.
std::size_t entry_away_from(std::size_t from, std::span<const std::size_t> loads, std::size_t entry_size);

}  // namespace rattleback
