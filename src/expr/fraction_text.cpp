// Fractions as expressions that people read.

#include <algorithm>

#include "fraction.hpp"
#include "polynomial.hpp"

namespace rattleback {
namespace {

/// Terms and factors.
std::size_t length(const RingPolynomial& p) {
  std::size_t total = 0;
  for (const auto& [m, c] : p) {
    ++total;
    for (std::size_t v = 0; v < Powers::most_variables; ++v) total += m[v] == 0 ? 0 : m[v] == 1 ? 1 : 2;
  }
  return total;
}

/// one² → 1 − other² in every term.
RingPolynomial exchanged(const RingPolynomial& p, std::size_t one, std::size_t other, std::size_t most_terms) {
  RingSum sum(most_terms);
  for (const auto& [m, c] : p) {
    Powers rest = m;
    const int pairs = m[one] / 2;
    rest.set(one, m[one] % 2);
    DoubleDouble coefficient = c;
    for (int k = 0; k <= pairs; ++k) {  // Σ (−1)^k C(pairs, k) other^2k
      sum.add(rest * Powers(other, 2 * k), coefficient);
      coefficient = coefficient * DoubleDouble(-(pairs - k)) / DoubleDouble(k + 1);
    }
  }
  return sum.result();
}

bool is_call(const Expression& e, Function function) { return e.kind() == Kind::function && e.function() == function; }

/// a/b if it is a number.
std::optional<double> ratio(const RingPolynomial& a, const RingPolynomial& b) {
  const auto quotient = divided(a, b);
  const bool constant = quotient && quotient->size() == 1 && quotient->front().first == Powers();
  return constant ? std::optional(quotient->front().second.high) : std::nullopt;
}

}  // namespace

RingPolynomial Fractions::shortened(RingPolynomial p) const {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t sine = 0; sine < variables_.size(); ++sine) {
      if (!is_call(variables_[sine], Function::sin)) continue;
      const auto cosine = numbers_of_variables_.at(cos(variables_[sine].operands()[0].expression).node());
      for (const auto& [one, other] : {std::pair(cosine, sine), std::pair(sine, cosine)}) {
        try {
          RingPolynomial form = exchanged(p, one, other, most_terms_);
          if (length(form) < length(p)) p = std::move(form);
        } catch (const TooLarge&) {
          continue;  // that is not shorter
        }
      }
    }
  }
  return p;
}

Expression Fractions::expression(const RingPolynomial& p) const {
  std::vector<Term> terms;
  for (const auto& [m, c] : p) {
    std::vector<Term> factors;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (m[v] != 0) factors.push_back({variables_[v], static_cast<double>(m[v])});
    }
    terms.push_back({rattleback::product(factors), c.high});
  }
  return sum(terms);
}

Expression Fractions::expression(const Fraction& f) const {
  if (f.numerator.empty()) return Expression(0.0);
  RingPolynomial p = shortened(f.numerator);
  const Powers taken = common_powers(p);
  std::vector<int> outside(variables_.size());
  for (std::size_t v = 0; v < variables_.size(); ++v) outside[v] = taken[v];
  for (auto& [m, c] : p) m = m / taken;

  double factor = 1.0;
  std::vector<Term> powers;
  for (std::size_t k = 0; k < f.exponents.size(); ++k) {
    int exponent = f.exponents[k];
    for (std::size_t v = 0; v < variables_.size() && exponent > 0; ++v) {
      const bool is_sine = is_call(variables_[v], Function::sin);
      if (denominators_[k] == itself(v)) {
        outside[v] -= exponent;
        exponent = 0;
      } else if (squares_[v] && (is_sine || outside[v] == 1)) {
        const auto c = ratio(denominators_[k], *squares_[v]);
        if (!c) continue;
        const int pairs = is_sine ? exponent : 1;  // sqrt(u)/u² is 1/(sqrt(u) u)
        outside[v] -= 2 * pairs;
        exponent -= pairs;
        factor *= std::pow(*c, -pairs);
      }
    }
    if (exponent > 0) powers.push_back({expression(Fraction{denominators_[k]}), static_cast<double>(-exponent)});
  }
  for (std::size_t v = 0; v < outside.size(); ++v) {
    if (outside[v] != 0) powers.push_back({variables_[v], static_cast<double>(outside[v])});
  }

  std::vector<double> coefficients;
  for (const auto& [m, c] : p) coefficients.push_back(c.high);
  const double denominator = common_denominator(coefficients);
  if (denominator != 1.0) {
    for (auto& [m, c] : p) c = std::round(c.high * denominator);
  }
  return rattleback::product(powers, factor) * expression(p) / denominator;
}

}  // namespace rattleback
