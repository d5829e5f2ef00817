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

}  // namespace rattleback
