#include "rattleback/expr/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

constexpr std::size_t most_terms = 300;
constexpr double most_multiplications = 20000;
constexpr int highest_power = 8;  ///< of a sum that is multiplied out

struct Less {
  bool operator()(const Expression& a, const Expression& b) const { return compare(a, b) < 0; }
};

/// Π base^exponent, without zero exponents.
using Monomial = std::map<Expression, int, Less>;

struct MonomialLess {
  bool operator()(const Monomial& a, const Monomial& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      const int c = compare(x.first, y.first);
      return c != 0 ? c < 0 : x.second < y.second;
    });
  }
};

/// Σ coefficient · monomial, without zero coefficients.
using Polynomial = std::map<Monomial, double, MonomialLess>;

void add(Polynomial& p, const Monomial& m, double coefficient) {
  const auto [place, fresh] = p.try_emplace(m, coefficient);
  if (fresh) return;
  const double before = place->second;
  place->second += coefficient;
  // What remains of a cancellation is rounding.
  if (std::abs(place->second) <= 1e-15 * (std::abs(before) + std::abs(coefficient))) p.erase(place);
}

Monomial times(Monomial a, const Monomial& b) {
  for (const auto& [base, exponent] : b) {
    const auto place = a.try_emplace(base, 0).first;
    place->second += exponent;
    if (place->second == 0) a.erase(place);
  }
  return a;
}

/// Nothing if it became too large.
std::optional<Polynomial> times(const Polynomial& a, const Polynomial& b) {
  if (static_cast<double>(a.size()) * static_cast<double>(b.size()) > most_multiplications) return std::nullopt;
  Polynomial product;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) add(product, times(m, n), c * d);
  }
  if (product.size() > most_terms) return std::nullopt;
  return product;
}

std::optional<Polynomial> power(const Polynomial& p, int exponent) {
  Polynomial result{{Monomial{}, 1.0}};
  for (int k = 0; k < exponent; ++k) {
    auto next = times(result, p);
    if (!next) return std::nullopt;
    result = std::move(*next);
  }
  return result;
}

Expression rebuilt(const Polynomial& p) {
  std::vector<Term> terms;
  for (const auto& [m, c] : p) {
    std::vector<Term> factors;
    for (const auto& [base, exponent] : m) factors.push_back({base, static_cast<double>(exponent)});
    terms.push_back({product(factors), c});
  }
  return sum(terms);
}

/// For people and for machines: terms, factors, and powers that are divisions.
std::size_t size(const Polynomial& p) {
  std::size_t total = 0;
  for (const auto& [m, c] : p) {
    total += c == 1.0 ? 2 : 3;
    for (const auto& [base, exponent] : m) {
      total += 2 + (exponent < 0 ? 1 : 0) + (std::abs(exponent) > 2 ? 1 : 0) +
               (base.kind() == Kind::sum ? 2 * base.operands().size() : 0);
    }
  }
  return total;
}

/// f(u)² → 1 − g(u)² in every monomial, for the pair (sin, cos) either way round.
std::optional<Polynomial> without_squares(const Polynomial& p, const Expression& f, const Expression& g) {
  const Polynomial square{{Monomial{}, 1.0}, {Monomial{{g, 2}}, -1.0}};
  Polynomial result;
  for (const auto& [m, c] : p) {
    const auto found = m.find(f);
    if (found == m.end() || found->second < 2) {
      add(result, m, c);
      continue;
    }
    Monomial rest = m;
    if (found->second % 2 == 0) {
      rest.erase(f);
    } else {
      rest[f] = 1;
    }
    const auto replaced = power(square, found->second / 2);
    if (!replaced) return std::nullopt;
    for (const auto& [n, d] : *replaced) add(result, times(rest, n), c * d);
  }
  if (result.size() > most_terms) return std::nullopt;
  return result;
}

std::set<Expression, Less> angles_in(const Polynomial& p) {
  std::set<Expression, Less> angles;
  for (const auto& [m, c] : p) {
    for (const auto& [base, exponent] : m) {
      const bool trigonometric =
          base.kind() == Kind::function && (base.function() == Function::sin || base.function() == Function::cos);
      if (trigonometric) angles.insert(base.operands()[0].expression);
    }
  }
  return angles;
}

/// Angle by angle, the form that is shortest.
Polynomial shortened_by_pythagoras(Polynomial p) {
  const auto angles = angles_in(p);
  for (int pass = 0; pass < 2; ++pass) {
    for (const Expression& u : angles) {
      for (const auto& [f, g] : {std::pair(sin(u), cos(u)), std::pair(cos(u), sin(u))}) {
        auto other = without_squares(p, f, g);
        if (other && size(*other) < size(p)) p = std::move(*other);
      }
    }
  }
  return p;
}

/// The lowest power of every base over all terms, negative ones too: what the sum is a multiple of over a common
/// denominator.
Monomial lowest_powers(const Polynomial& p) {
  Monomial lowest;
  for (const auto& [m, c] : p) {
    for (const auto& [base, exponent] : m) lowest.try_emplace(base, exponent);
  }
  for (auto& [base, exponent] : lowest) {
    for (const auto& [m, c] : p) {
      const auto found = m.find(base);
      exponent = std::min(exponent, found == m.end() ? 0 : found->second);
    }
  }
  std::erase_if(lowest, [](const auto& f) { return f.second == 0; });
  return lowest;
}

/// The factors that all terms have.
Monomial common_factors(const Polynomial& p) {
  if (p.size() < 2) return {};
  Monomial common = p.begin()->first;
  for (const auto& [m, c] : p) {
    Monomial shared;
    for (const auto& [base, exponent] : common) {
      const auto found = m.find(base);
      const int other = found == m.end() ? 0 : found->second;
      const bool same_sign = (exponent > 0) == (other > 0) && other != 0;
      if (same_sign) shared[base] = exponent > 0 ? std::min(exponent, other) : std::max(exponent, other);
    }
    common = std::move(shared);
  }
  return common;
}

class Tidier {
 public:
  /// Multiplied out.
  Polynomial expanded(const Expression& root) {
    (*this)(root);
    return polynomials_.at(root.node());
  }

  Expression operator()(const Expression& root) {
    const Graph graph({&root, 1});
    for (std::size_t i = 0; i < graph.size(); ++i) visit(graph[i]);
    return simple_.at(root.node());
  }

 private:
  void visit(const Expression& e) {
    auto expanded = e.kind() == Kind::sum ? of_sum(e) : e.kind() == Kind::product ? of_product(e) : of_atom(e);
    if (!expanded) {
      polynomials_[e.node()] = atom(e);
      simple_[e.node()] = e;
      return;
    }
    if (auto merged = without_powers_of_roots(*expanded)) expanded = std::move(merged);
    Polynomial shorter = shortened_by_pythagoras(*expanded);
    const Expression tidied = rebuilt(shorter);
    simple_[e.node()] = operation_count(tidied) <= operation_count(e) ? tidied : e;
    polynomials_[e.node()] = std::move(shorter);
  }

  static Polynomial atom(const Expression& e, int exponent = 1) { return {{Monomial{{e, exponent}}, 1.0}}; }

  std::optional<Polynomial> of_sum(const Expression& e) {
    Polynomial p;
    if (e.value() != 0.0) add(p, {}, e.value());
    for (const Term& t : e.operands()) {
      for (const auto& [m, c] : polynomials_.at(t.expression.node())) add(p, m, c * t.weight);
    }
    if (p.size() > most_terms) return std::nullopt;
    return p;
  }

  std::optional<Polynomial> of_product(const Expression& e) {
    Polynomial p{{Monomial{}, e.value()}};
    for (const auto& [base, exponent] : merged_roots(e)) {
      auto next = times(p, factor(base, exponent));
      if (!next) return std::nullopt;
      p = std::move(*next);
    }
    return p;
  }

  /// sqrt(u)² → u in every monomial: roots that met where sums were multiplied out.
  std::optional<Polynomial> without_powers_of_roots(const Polynomial& p) {
    Polynomial result;
    for (const auto& [m, c] : p) {
      Polynomial merged{{Monomial{}, c}};
      for (const auto& [base, exponent] : m) {
        const bool is_root = base.kind() == Kind::function && base.function() == Function::sqrt;
        const int whole = is_root ? exponent / 2 : 0;
        Polynomial factors = atom(base, exponent);
        if (whole != 0) {
          const Expression& u = base.operands()[0].expression;
          expanded(u);
          factors = factor(u, whole);
          if (exponent % 2 != 0) factors = *times(factors, atom(base, exponent % 2));
        }
        auto next = times(merged, factors);
        if (!next) return std::nullopt;
        merged = std::move(*next);
      }
      for (const auto& [n, d] : merged) add(result, n, d);
    }
    if (result.size() > most_terms) return std::nullopt;
    return result;
  }

  /// The factors of a product, with u·u⁻¹ cancelled and u^a·sqrt(u)^b made one power.
  static Monomial merged_roots(const Expression& e) {
    Monomial factors;
    for (const Term& t : e.operands()) factors[t.expression] += static_cast<int>(t.weight);
    for (const Term& t : e.operands()) {
      if (t.expression.kind() != Kind::function || t.expression.function() != Function::sqrt) continue;
      const Expression& u = t.expression.operands()[0].expression;
      const int halves = factors[t.expression] + 2 * factors[u];
      factors[t.expression] = halves % 2;
      factors[u] = halves / 2;
    }
    std::erase_if(factors, [](const auto& f) { return f.second == 0; });
    return factors;
  }

  /// base^exponent: sums are multiplied out, single terms inverted; a sum in a denominator stays.
  Polynomial factor(const Expression& base, int exponent) {
    const Polynomial& p = polynomials_.at(base.node());
    if (p.size() == 1) {
      const auto& [m, c] = *p.begin();
      Monomial raised;
      for (const auto& [b, k] : m) raised[b] = k * exponent;
      return {{raised, std::pow(c, exponent)}};
    }
    if (exponent > 0 && exponent <= highest_power) {
      if (auto raised = power(p, exponent)) return *raised;
    }
    return atom(p.empty() ? base : simple_.at(base.node()), exponent);
  }

  std::optional<Polynomial> of_atom(const Expression& e) {
    if (e.is_constant()) return e.value() == 0.0 ? Polynomial{} : Polynomial{{Monomial{}, e.value()}};
    if (e.is_symbol()) return atom(e);
    std::vector<Expression> arguments;
    for (const Term& t : e.operands()) arguments.push_back(simple_.at(t.expression.node()));
    if (e.kind() == Kind::power) return atom(pow(arguments[0], arguments[1]));
    if (e.function() == Function::tan)
      return Polynomial{{Monomial{{sin(arguments[0]), 1}, {cos(arguments[0]), -1}}, 1.0}};
    return atom(call(e.function(), arguments));
  }

  std::unordered_map<const Node*, Polynomial> polynomials_;
  std::unordered_map<const Node*, Expression> simple_;
};

}  // namespace

Expression without_common_factors(const Expression& expression) {
  try {
    const Polynomial p = Tidier().expanded(expression);
    Polynomial best = p;
    Monomial taken = common_factors(p);
    for (const Expression& u : angles_in(p)) {
      for (const auto& [f, g] : {std::pair(sin(u), cos(u)), std::pair(cos(u), sin(u))}) {
        const auto other = without_squares(p, f, g);
        if (!other) continue;
        Monomial common = common_factors(*other);
        if (common.size() <= taken.size()) continue;
        best = *other;
        taken = std::move(common);
      }
    }
    if (taken.empty()) return expression;
    for (auto& [base, exponent] : taken) exponent = -exponent;
    Polynomial rest;
    for (const auto& [m, c] : best) add(rest, times(m, taken), c);
    return rebuilt(shortened_by_pythagoras(std::move(rest)));
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

Expression factored(const Expression& expression) {
  try {
    const Polynomial p = Tidier().expanded(expression);
    Monomial taken = lowest_powers(p);
    const Expression outside = rebuilt({{taken, 1.0}});
    for (auto& [base, exponent] : taken) exponent = -exponent;
    Polynomial rest;
    for (const auto& [m, c] : p) add(rest, times(m, taken), c);
    return outside * rebuilt(shortened_by_pythagoras(std::move(rest)));
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

Expression tidy(const Expression& expression) {
  try {
    return Tidier()(expression);
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

}  // namespace rattleback
