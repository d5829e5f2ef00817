#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rattleback {

/// What numbers are.
enum class Slot : std::uint8_t {
  position,      ///< q
  velocity,      ///< v
  acceleration,  ///< a
  momentum,      ///< p, or P on a shape space
  multipliers,   ///< λ
  increments,    ///< Δ = q₁ − q₀
  constants,     ///< of a motion, kept along with its state
  state,         ///< all that a method keeps from step to step
  memory,        ///< former solutions, from which the next one is guessed
  clock,         ///< how many steps were taken, where a system depends on time
  time,          ///< t, where a system depends on it; else empty
  step,          ///< h
  parameters,
  energy,
  constraints,  ///< their residuals
  conserved,
  others,     ///< whatever a map is asked for besides
  direction,  ///< of a tangent map: a change of all data
};

/// A vector of numbers as slots with names, one after the other. Who packs or reads numbers asks it where they are, so
/// that a new slot moves nobody.
class Layout {
 public:
  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::size_t end() const { return begin + size; }
  };

  /// At the end. Each slot occurs once; it may be empty.
  void add(Slot slot, std::size_t size);
  void insert_after(Slot before, Slot slot, std::size_t size);

  bool has(Slot slot) const;
  /// Throws std::logic_error if there is no such slot.
  Range operator[](Slot slot) const;
  std::size_t size() const;
  /// 0 if there is no such slot.
  std::size_t size(Slot slot) const { return has(slot) ? (*this)[slot].size : 0; }

  /// The part of some numbers that is in a slot; empty if there is no such slot.
  template <class T>
  std::span<T> of(std::span<T> numbers, Slot slot) const {
    if (!has(slot)) return {};
    const Range range = (*this)[slot];
    return numbers.subspan(range.begin, range.size);
  }
  template <class T>
  std::span<T> of(std::vector<T>& numbers, Slot slot) const {
    return of(std::span(numbers), slot);
  }
  template <class T>
  std::span<const T> of(const std::vector<T>& numbers, Slot slot) const {
    return of(std::span(numbers), slot);
  }

 private:
  struct Entry {
    Slot slot;
    std::size_t size;
  };
  std::vector<Entry> entries_;
};

}  // namespace rattleback
