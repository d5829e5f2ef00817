#include "polynomial.hpp"
#include "rattleback/base/work.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {
namespace {

/// What remains of a cancellation, relative to what cancelled.
constexpr double rounding = 1e-14;

struct Bases {
  std::vector<Expression> expressions;
  std::unordered_map<const Node*, Base> numbers;
};

Bases& bases() {
  thread_local Bases all;
  return all;
}

}  // namespace

Base base_number(const Expression& expression) {
  Bases& all = bases();
  const auto [place, fresh] = all.numbers.try_emplace(expression.node(), static_cast<Base>(all.expressions.size()));
  if (fresh) all.expressions.push_back(expression);
  return place->second;
}

const Expression& base_expression(Base base) { return bases().expressions[base]; }

void forget_bases() { bases() = {}; }

void Monomial::set(Base base, int exponent) {
  const auto place = factors_.begin() + (find(base) - factors_.begin());
  const bool found = place != factors_.end() && place->first == base;
  if (exponent == 0) {
    if (found) factors_.erase(place);
  } else if (found) {
    place->second = exponent;
  } else {
    factors_.insert(place, {base, exponent});
  }
}

Monomial Monomial::inverse() const {
  Monomial result = *this;
  for (Factor& f : result.factors_) f.second = -f.second;
  return result;
}

Monomial operator*(const Monomial& a, const Monomial& b) {
  Monomial result;
  result.factors_.reserve(a.size() + b.size());
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->first < y->first)) {
      result.factors_.push_back(*x++);
    } else if (x == a.end() || y->first < x->first) {
      result.factors_.push_back(*y++);
    } else {
      if (x->second + y->second != 0) result.factors_.emplace_back(x->first, x->second + y->second);
      ++x;
      ++y;
    }
  }
  return result;
}

std::size_t Sum::Hash::operator()(const Monomial& m) const {
  std::size_t hash = 0;
  for (const auto& [base, exponent] : m) {
    hash = (hash ^ (base * 64 + static_cast<std::size_t>(exponent + 32))) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

Polynomial Sum::result() const {
  Polynomial p;
  for (const auto& [m, c] : terms_) {
    const bool overflows = !std::isfinite(c.second);  // to be noticed where an expression is made of it
    if (overflows || std::abs(c.first) > rounding * c.second) p.emplace_back(m, c.first);
  }
  std::ranges::sort(p);
  return p;
}

std::optional<Polynomial> times(const Polynomial& a, const Polynomial& b, std::size_t most_terms) {
  if (a.size() * b.size() > 100 * most_terms) return std::nullopt;
  Sum sum;
  for (const auto& [m, c] : a) {
    keep_working();
    for (const auto& [n, d] : b) sum.add(m * n, c * d);
  }
  Polynomial product = sum.result();
  if (product.size() > most_terms) return std::nullopt;
  return product;
}

std::optional<Polynomial> power(const Polynomial& p, int exponent, std::size_t most_terms) {
  Polynomial result{{Monomial{}, 1.0}};
  for (int k = 0; k < exponent; ++k) {
    auto next = times(result, p, most_terms);
    if (!next) return std::nullopt;
    result = std::move(*next);
  }
  return result;
}

Polynomial times(const Polynomial& p, const Monomial& m) {
  Polynomial product;
  for (const auto& [n, c] : p) product.emplace_back(n * m, c);
  std::ranges::sort(product);
  return product;
}

double common_denominator(std::span<const double> coefficients) {
  constexpr double largest = 1e7;
  double common = 1.0;
  for (const double c : coefficients) {
    const double value = std::abs(c) * common;
    const auto is_integer = [](double x) { return std::abs(x - std::round(x)) <= 1e-13 * x; };
    // Denominators of the convergents of the continued fraction.
    double x = value;
    double n = 1.0;
    double before = 0.0;
    while (!is_integer(value * n)) {
      x = 1.0 / (x - std::floor(x));
      before = std::exchange(n, std::floor(x) * n + before);
      if (!(common * n <= largest)) return 1.0;
    }
    common *= n;
  }
  return common;
}

Expression to_expression(const Monomial& m) {
  std::vector<Term> factors;
  for (const auto& [base, exponent] : m) factors.push_back({base_expression(base), static_cast<double>(exponent)});
  return product(factors);
}

Expression to_expression(const Polynomial& p) {
  std::vector<Term> terms;
  for (const auto& [m, c] : p) terms.push_back({to_expression(m), c});
  return sum(terms);
}

}  // namespace rattleback
