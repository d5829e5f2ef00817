#pragma once

// Polynomials in symbols, functions, and sums that are not multiplied out, with negative powers too.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// An expression that a polynomial does not look into, by its number: numbers are quicker to compare. They are given in
/// the order of first use, since the last call of forget_bases.
using Base = std::uint32_t;
Base base_number(const Expression& expression);
const Expression& base_expression(Base base);
void forget_bases();

/// Π base^exponent, without zero exponents, ordered.
class Monomial {
 public:
  using Factor = std::pair<Base, int>;

  Monomial() = default;
  Monomial(Base base, int exponent) { set(base, exponent); }

  int exponent(Base base) const {
    const auto place = find(base);
    return place != factors_.end() && place->first == base ? place->second : 0;
  }
  void set(Base base, int exponent);
  Monomial inverse() const;

  std::size_t size() const { return factors_.size(); }
  bool empty() const { return factors_.empty(); }
  auto begin() const { return factors_.begin(); }
  auto end() const { return factors_.end(); }

  friend Monomial operator*(const Monomial& a, const Monomial& b);
  friend bool operator==(const Monomial&, const Monomial&) = default;
  friend auto operator<=>(const Monomial&, const Monomial&) = default;

 private:
  std::vector<Factor>::const_iterator find(Base base) const {
    return std::ranges::lower_bound(factors_, base, {}, &Factor::first);
  }
  std::vector<Factor> factors_;
};

/// Σ coefficient · monomial, without zero coefficients, ordered.
using Polynomial = std::vector<std::pair<Monomial, double>>;

/// Adds up a polynomial. What remains of a cancellation is rounding, and dropped.
class Sum {
 public:
  void add(const Monomial& m, double coefficient) {
    auto& [value, magnitude] = terms_[m];
    value += coefficient;
    magnitude += std::abs(coefficient);
  }
  void add(const Polynomial& p, double factor = 1.0) {
    for (const auto& [m, c] : p) add(m, factor * c);
  }
  Polynomial result() const;

 private:
  struct Hash {
    std::size_t operator()(const Monomial& m) const;
  };
  std::unordered_map<Monomial, std::pair<double, double>, Hash> terms_;  ///< value, and magnitude of what was added
};

/// Nothing if there would be more terms than that.
std::optional<Polynomial> times(const Polynomial& a, const Polynomial& b, std::size_t most_terms);
std::optional<Polynomial> power(const Polynomial& p, int exponent, std::size_t most_terms);

Polynomial times(const Polynomial& p, const Monomial& m);

/// The smallest number that makes all of them integers, as far as rounding tells; 1 if there is none.
double common_denominator(std::span<const double> coefficients);

Expression to_expression(const Polynomial& p);
Expression to_expression(const Monomial& m);

}  // namespace rattleback
