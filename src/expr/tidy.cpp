#include "rattleback/expr/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_map>

#include "fraction.hpp"
#include "polynomial.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

constexpr std::size_t usual_terms = 300;
constexpr int highest_power = 8;                    ///< of a sum that is multiplied out
constexpr double largest_tidied_exponent = 1000.0;  ///< of a factor; those of its factors multiply

Polynomial atom(const Expression& e, int exponent = 1) { return {{Monomial(base_number(e), exponent), 1.0}}; }

/// For people and for machines: terms, factors, and powers that are divisions.
std::size_t size(const Polynomial& p) {
  std::size_t total = 0;
  for (const auto& [m, c] : p) {
    total += c == 1.0 ? 2 : 3;
    for (const auto& [number, exponent] : m) {
      const Expression& base = base_expression(number);
      total += 2 + (exponent < 0 ? 1 : 0) + (std::abs(exponent) > 2 ? 1 : 0) +
               (base.kind() == Kind::sum ? 2 * base.operands().size() : 0);
    }
  }
  return total;
}

/// f(u)² → 1 − g(u)² in every monomial, for the pair (sin, cos) either way round.
std::optional<Polynomial> without_squares(const Polynomial& p, const Expression& f, const Expression& g,
                                          std::size_t most_terms) {
  const Base sine = base_number(f);
  const Polynomial square{{Monomial{}, 1.0}, {Monomial(base_number(g), 2), -1.0}};
  Sum sum;
  for (const auto& [m, c] : p) {
    keep_working();
    const int exponent = m.exponent(sine);
    if (exponent < 2) {
      sum.add(m, c);
      continue;
    }
    Monomial rest = m;
    rest.set(sine, exponent % 2);
    const auto replaced = power(square, exponent / 2, most_terms);
    if (!replaced) return std::nullopt;
    for (const auto& [n, d] : *replaced) sum.add(rest * n, c * d);
  }
  Polynomial result = sum.result();
  if (result.size() > most_terms) return std::nullopt;
  return result;
}

std::vector<Expression> angles_in(const Polynomial& p) {
  std::set<Base> bases;
  for (const auto& [m, c] : p) {
    for (const auto& [base, exponent] : m) bases.insert(base);
  }
  std::vector<Expression> angles;
  for (const Base number : bases) {
    const Expression& base = base_expression(number);
    if (base.kind() != Kind::function || (base.function() != Function::sin && base.function() != Function::cos))
      continue;
    const Expression& angle = base.operands()[0].expression;
    if (std::ranges::find(angles, angle) == angles.end()) angles.push_back(angle);
  }
  std::ranges::sort(angles, [](const Expression& a, const Expression& b) { return compare(a, b) < 0; });
  return angles;
}

/// Angle by angle, the form that is shortest.
Polynomial shortened_by_pythagoras(Polynomial p, std::size_t most_terms) {
  const auto angles = angles_in(p);
  for (int pass = 0; pass < 2; ++pass) {
    for (const Expression& u : angles) {
      for (const auto& [f, g] : {std::pair(sin(u), cos(u)), std::pair(cos(u), sin(u))}) {
        auto other = without_squares(p, f, g, most_terms);
        if (other && size(*other) < size(p)) p = std::move(*other);
      }
    }
  }
  return p;
}

/// The factors that all terms have.
Monomial common_factors(const Polynomial& p) {
  if (p.size() < 2) return {};
  Monomial common = p.begin()->first;
  for (const auto& [m, c] : p) {
    Monomial shared;
    for (const auto& [base, exponent] : common) {
      const int other = m.exponent(base);
      const bool same_sign = (exponent > 0) == (other > 0) && other != 0;
      if (same_sign) shared.set(base, exponent > 0 ? std::min(exponent, other) : std::max(exponent, other));
    }
    common = std::move(shared);
  }
  return common;
}

class Tidier {
 public:
  explicit Tidier(std::size_t most_terms) : most_terms_(most_terms) { forget_bases(); }
  Tidier(const Tidier&) = delete;
  Tidier& operator=(const Tidier&) = delete;

  /// Multiplied out.
  const Polynomial& expanded(const Expression& root) {
    const Graph graph({&root, 1});
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!polynomials_.contains(graph[i].node())) visit(graph[i]);
    }
    return polynomials_.at(root.node());
  }

  Expression operator()(const Expression& root) {
    expanded(root);
    return simple(root);
  }

 private:
  void visit(const Expression& e) {
    auto expanded = e.kind() == Kind::sum ? of_sum(e) : e.kind() == Kind::product ? of_product(e) : of_atom(e);
    kept_.push_back(e);
    if (!expanded) {
      polynomials_[e.node()] = atom(e);
      simple_.emplace(e.node(), e);
      return;
    }
    if (auto merged = without_powers_of_roots(*expanded)) expanded = std::move(merged);
    polynomials_[e.node()] = shortened_by_pythagoras(std::move(*expanded), most_terms_);
  }

  /// The shorter form of an expression that was visited.
  const Expression& simple(const Expression& e) {
    const auto found = simple_.find(e.node());
    if (found != simple_.end()) return found->second;
    const Expression tidied = to_expression(polynomials_.at(e.node()));
    return simple_.emplace(e.node(), operation_count(tidied) <= operation_count(e) ? tidied : e).first->second;
  }

  std::optional<Polynomial> of_sum(const Expression& e) {
    Sum sum;
    if (e.value() != 0.0) sum.add(Monomial{}, e.value());
    for (const Term& t : e.operands()) sum.add(polynomials_.at(t.expression.node()), t.weight);
    Polynomial p = sum.result();
    if (p.size() > most_terms_) return std::nullopt;
    return p;
  }

  std::optional<Polynomial> of_product(const Expression& e) {
    if (std::ranges::any_of(e.operands(), [](const Term& t) { return std::abs(t.weight) > largest_tidied_exponent; }))
      return std::nullopt;
    Polynomial p{{Monomial{}, e.value()}};
    for (const auto& [base, exponent] : merged_roots(e)) {
      auto next = times(p, factor(base, exponent), most_terms_);
      if (!next) return std::nullopt;
      p = std::move(*next);
    }
    return p;
  }

  /// sqrt(u)² → u in every monomial: roots that met where sums were multiplied out.
  std::optional<Polynomial> without_powers_of_roots(const Polynomial& p) {
    const auto is_root = [](Base base) {
      const Expression& e = base_expression(base);
      return e.kind() == Kind::function && e.function() == Function::sqrt;
    };
    const auto meet = [&](const auto& f) { return std::abs(f.second) > 1 && is_root(f.first); };
    if (std::ranges::none_of(p, [&](const auto& t) { return std::ranges::any_of(t.first, meet); })) return p;
    Sum sum;
    for (const auto& [m, c] : p) {
      Monomial rest = m;
      Polynomial merged{{Monomial{}, c}};
      for (const auto& [base, exponent] : m) {
        if (std::abs(exponent) < 2 || !is_root(base)) continue;
        rest.set(base, exponent % 2);
        const Expression u = base_expression(base).operands()[0].expression;
        expanded(u);
        auto next = times(merged, factor(u, exponent / 2), most_terms_);
        if (!next) return std::nullopt;
        merged = std::move(*next);
      }
      for (const auto& [n, d] : merged) sum.add(n * rest, d);
    }
    Polynomial result = sum.result();
    if (result.size() > most_terms_) return std::nullopt;
    return result;
  }

  /// The factors of a product, with u·u⁻¹ cancelled and u^a·sqrt(u)^b made one power.
  static std::vector<std::pair<Expression, int>> merged_roots(const Expression& e) {
    std::vector<std::pair<Expression, int>> factors;
    const auto exponent = [&](const Expression& base) -> int& {
      for (auto& [b, k] : factors) {
        if (b == base) return k;
      }
      return factors.emplace_back(base, 0).second;
    };
    for (const Term& t : e.operands()) exponent(t.expression) += static_cast<int>(t.weight);
    for (const Term& t : e.operands()) {
      if (t.expression.kind() != Kind::function || t.expression.function() != Function::sqrt) continue;
      const Expression& u = t.expression.operands()[0].expression;
      const int whole = exponent(u);
      const int halves = exponent(t.expression) + 2 * whole;
      exponent(t.expression) = halves % 2;
      exponent(u) = halves / 2;
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
      for (const auto& [b, k] : m) raised.set(b, k * exponent);
      return {{raised, std::pow(c, exponent)}};
    }
    if (exponent > 0 && exponent <= highest_power) {
      if (auto raised = power(p, exponent, most_terms_)) return *raised;
    }
    return atom(p.empty() ? base : simple(base), exponent);
  }

  std::optional<Polynomial> of_atom(const Expression& e) {
    if (e.is_constant()) return e.value() == 0.0 ? Polynomial{} : Polynomial{{Monomial{}, e.value()}};
    if (e.is_symbol()) return atom(e);
    std::vector<Expression> arguments;
    for (const Term& t : e.operands()) arguments.push_back(simple(t.expression));
    if (e.kind() == Kind::power) return atom(pow(arguments[0], arguments[1]));
    if (e.function() == Function::tan)
      return times(atom(sin(arguments[0])), Monomial(base_number(cos(arguments[0])), -1));
    return atom(call(e.function(), arguments));
  }

  std::size_t most_terms_;
  std::vector<Expression> kept_;  ///< what was visited, so that no other expression has its node
  std::unordered_map<const Node*, Polynomial> polynomials_;
  std::unordered_map<const Node*, Expression> simple_;
};

}  // namespace

Expression without_common_factors(const Expression& expression) {
  try {
    const Polynomial p = Tidier(usual_terms).expanded(expression);
    Polynomial best = p;
    Monomial taken = common_factors(p);
    for (const Expression& u : angles_in(p)) {
      for (const auto& [f, g] : {std::pair(sin(u), cos(u)), std::pair(cos(u), sin(u))}) {
        const auto other = without_squares(p, f, g, usual_terms);
        if (!other) continue;
        Monomial common = common_factors(*other);
        if (common.size() <= taken.size()) continue;
        best = *other;
        taken = std::move(common);
      }
    }
    if (taken.empty()) return expression;
    return to_expression(shortened_by_pythagoras(times(best, taken.inverse()), usual_terms));
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

Expression factored(const Expression& expression, std::size_t most_terms,
                    const std::unordered_map<Expression, double>& numbers) {
  try {
    Fractions fractions(most_terms, numbers);
    return fractions.expression(fractions.of(expression));
  } catch (const ExpressionError&) {  // something is not finite
  } catch (const TooLarge&) {
  }
  Substitution constants;
  for (const auto& [symbol, number] : numbers) constants.emplace(symbol, Expression(number));
  return substitute(expression, constants);
}

Expression readable(const Expression& expression) {
  constexpr std::size_t largest = 2000;  // nobody reads more
  const Graph graph({&expression, 1});
  if (graph.size() > largest) return expression;
  try {
    Tidier tidier(usual_terms);
    std::vector<Expression> shortest(graph.size());
    std::vector<Expression> operands;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      operands.clear();
      for (const Term& t : graph[i].operands()) operands.push_back(shortest[graph.index(t.expression)]);
      shortest[i] = operands.empty() ? graph[i] : rebuild(graph[i], operands);
      const Expression tidied = tidier(shortest[i]);
      if (operation_count(tidied) < operation_count(shortest[i])) shortest[i] = tidied;
    }
    return shortest.back();
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

Expression tidy(const Expression& expression) {
  try {
    return Tidier(usual_terms)(expression);
  } catch (const ExpressionError&) {  // something is not finite
    return expression;
  }
}

}  // namespace rattleback
