#pragma once

// Polynomials in a few numbered variables, packed: products and divisions of thousands of terms take milliseconds.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "double_double.hpp"

namespace rattleback {

/// A polynomial would be larger than was allowed.
struct TooLarge {};

/// Exponents from 0 to 127 of at most 24 variables. The order is lexicographic.
class Powers {
 public:
  static constexpr std::size_t most_variables = 24;

  Powers() = default;
  Powers(std::size_t variable, int exponent) { set(variable, exponent); }

  int operator[](std::size_t variable) const {
    return static_cast<int>(words_[variable / 8] >> shift(variable) & 0xFFU);
  }
  void set(std::size_t variable, int exponent) {
    std::uint64_t& word = words_[variable / 8];
    word &= ~(std::uint64_t{0xFF} << shift(variable));
    word |= static_cast<std::uint64_t>(exponent) << shift(variable);
  }
  bool divides(const Powers& other) const;
  std::size_t hash() const;

  /// Throws TooLarge.
  friend Powers operator*(const Powers& a, const Powers& b);
  /// If b divides a.
  friend Powers operator/(const Powers& a, const Powers& b);
  friend Powers common(const Powers& a, const Powers& b);
  friend bool operator==(const Powers&, const Powers&) = default;
  friend auto operator<=>(const Powers&, const Powers&) = default;

 private:
  static constexpr std::size_t shift(std::size_t variable) { return 56 - 8 * (variable % 8); }
  std::array<std::uint64_t, most_variables / 8> words_{};
};

/// Σ coefficient · powers, without zero coefficients, largest powers first.
using RingPolynomial = std::vector<std::pair<Powers, DoubleDouble>>;

inline RingPolynomial itself(std::size_t variable) { return {{Powers(variable, 1), 1.0}}; }

/// Adds up a polynomial. What remains of a cancellation is rounding, and dropped.
class RingSum {
 public:
  /// Throws TooLarge if there would be more terms than that.
  explicit RingSum(std::size_t most_terms) : most_terms_(most_terms), table_(64) {}

  void add(const Powers& powers, const DoubleDouble& coefficient);
  void add_product(const RingPolynomial& a, const RingPolynomial& b, const DoubleDouble& factor = 1.0);
  RingPolynomial result() const;

 private:
  struct Entry {
    Powers powers;
    DoubleDouble value;
    double magnitude = -1.0;  ///< of what was added; negative where there is nothing
  };
  Entry& place(std::vector<Entry>& table, const Powers& powers) const;
  void grow();

  std::size_t most_terms_;
  std::size_t used_ = 0;
  std::vector<Entry> table_;
};

RingPolynomial times(const RingPolynomial& a, const RingPolynomial& b, std::size_t most_terms);

/// a/b if b divides a. One polynomial is a Gröbner basis of its multiples: leading terms decide.
std::optional<RingPolynomial> divided(const RingPolynomial& a, const RingPolynomial& b);

/// What all terms have in common.
Powers common_powers(const RingPolynomial& p);

}  // namespace rattleback
