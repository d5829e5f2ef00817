// The constructors of canonical expressions: folding, merging, ordering.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "node.hpp"
#include "piecewise_call.hpp"
#include "rattleback/expr/expression.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

/// Operands of a nested sum or product up to this many are merged into the outer one; a longer one
/// stays a shared operand. Merging everything would turn n prefix sums into n² terms.
constexpr std::size_t merge_limit = 8;

/// Beyond 2⁵³ neighbouring integers are no longer doubles.
constexpr double largest_exponent = 9007199254740992.0;

/// Levels that compare() descends before it lets the hash decide.
constexpr int deepest_comparison = 32;

bool is_integer(double x) { return std::abs(x) <= largest_exponent && x == std::trunc(x); }

double finite(double value, const char* what) {
  if (!std::isfinite(value)) throw ExpressionError(std::string(what) + " is not a finite number");
  return value;
}

int natural_compare(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t end_a = i;
      std::size_t end_b = j;
      while (end_a < a.size() && digit(a[end_a])) ++end_a;
      while (end_b < b.size() && digit(b[end_b])) ++end_b;
      std::string_view number_a = a.substr(i, end_a - i);
      std::string_view number_b = b.substr(j, end_b - j);
      number_a.remove_prefix(std::min(number_a.find_first_not_of('0'), number_a.size()));
      number_b.remove_prefix(std::min(number_b.find_first_not_of('0'), number_b.size()));
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size() ? -1 : 1;
      if (const int c = number_a.compare(number_b); c != 0) return c;
      i = end_a;
      j = end_b;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j ? -1 : 1;
  return a.compare(b);  // x1 and x01
}

void sort_terms(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return compare(a.expression, b.expression) < 0; });
}

/// Splits c·t into c and a term t without coefficient.
Term split_coefficient(const Expression& e) {
  if (e.kind() == Kind::product && e.value() != 1.0) return {product(e.operands()), e.value()};
  return {e, 1.0};
}

bool merges_into_sum(const Term& t) {
  return t.expression.kind() == Kind::sum && std::abs(t.weight) == 1.0 && t.expression.operands().size() <= merge_limit;
}

/// Base^exponent of a product while factors are being merged.
struct Factor {
  Expression base;
  double exponent;
  bool has_pole;  ///< a negative exponent took part
};

/// x^S, keeping the pole at x = 0 when a negative exponent took part and S is not negative.
void emit_factor(const Factor& f, std::vector<Term>& out) {
  if (f.has_pole && f.exponent >= 0.0) {
    out.push_back({f.base, f.exponent + 1.0});
    out.push_back({f.base, -1.0});
  } else if (f.exponent != 0.0) {
    out.push_back({f.base, f.exponent});
  }
}

/// base^exponent into the list of a product's factors and its coefficient.
void collect_factor(const Expression& base, double exponent, std::vector<Factor>& factors, double& coefficient) {
  const auto scale = [&](double c) {  // division, so that x/3 has the correctly rounded 1/3
    coefficient = exponent == -1.0 ? coefficient / c : coefficient * std::pow(c, exponent);
  };
  if (base.is_constant()) {
    scale(base.value());
  } else if (base.kind() == Kind::product && base.operands().size() <= merge_limit) {
    scale(base.value());
    for (const Term& t : base.operands()) {
      factors.push_back({t.expression, t.weight * exponent, t.weight < 0.0 || exponent < 0.0});
    }
  } else {
    factors.push_back({base, exponent, exponent < 0.0});
  }
}

}  // namespace

int compare(const Expression& first, const Expression& second) {
  // Descends into the first operands that differ; equal operands are one node, so there is nothing
  // to search below them and no recursion is needed. Two long chains differ only at their far ends:
  // without a limit, sorting the factors of a chain's derivative would take quadratic time.
  const Node* a = first.node();
  const Node* b = second.node();
  for (int depth = 0; a != b; ++depth) {
    if (depth >= deepest_comparison && a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kind == Kind::symbol) return natural_compare(a->name, b->name);
    if (a->kind == Kind::constant) return a->value < b->value ? -1 : 1;
    if (a->function != b->function) return a->function < b->function ? -1 : 1;
    const std::size_t shared = std::min(a->operands.size(), b->operands.size());
    std::size_t i = 0;
    while (i < shared && a->operands[i].expression == b->operands[i].expression &&
           a->operands[i].weight == b->operands[i].weight) {
      ++i;
    }
    if (i == shared) {
      if (a->operands.size() != b->operands.size()) return a->operands.size() < b->operands.size() ? -1 : 1;
      return a->value < b->value ? -1 : 1;
    }
    if (a->operands[i].expression == b->operands[i].expression) {
      return a->operands[i].weight > b->operands[i].weight ? -1 : 1;
    }
    const Node* next_a = a->operands[i].expression.node();
    b = b->operands[i].expression.node();
    a = next_a;
  }
  return 0;
}

Expression::Expression(double value) : Expression(intern_constant(finite(value, "constant"))) {}

Expression Expression::symbol(std::string_view name) {
  if (name.empty()) throw ExpressionError("a symbol needs a name");
  return intern(Kind::symbol, {}, 0.0, name, {});
}

Expression sum(std::span<const Term> terms, double constant) {
  std::size_t variable_terms = 0;
  for (const Term& t : terms) {
    if (t.weight == 0.0) continue;
    if (t.expression.is_constant()) {
      constant += t.weight * t.expression.value();
    } else {
      ++variable_terms;
    }
  }
  const bool alone = variable_terms == 1 && constant == 0.0;  // 0 − (x + y) is −(x + y)

  std::vector<Term> collected;
  collected.reserve(terms.size());
  for (const Term& t : terms) {
    if (t.weight == 0.0 || t.expression.is_constant()) continue;
    if (merges_into_sum(t) && !alone) {
      constant += t.weight * t.expression.value();
      for (const Term& inner : t.expression.operands()) {
        collected.push_back({inner.expression, t.weight * inner.weight});
      }
    } else {
      Term split = split_coefficient(t.expression);
      split.weight *= t.weight;
      collected.push_back(std::move(split));
    }
  }
  finite(constant, "constant term of a sum");

  sort_terms(collected);
  std::vector<Term> merged;
  merged.reserve(collected.size());
  for (Term& t : collected) {
    if (!merged.empty() && merged.back().expression == t.expression) {
      merged.back().weight += t.weight;
    } else {
      if (!merged.empty() && merged.back().weight == 0.0) merged.pop_back();
      merged.push_back(std::move(t));
    }
    finite(merged.back().weight, "coefficient of a term");
  }
  if (!merged.empty() && merged.back().weight == 0.0) merged.pop_back();

  if (merged.empty()) return Expression(constant);
  if (merged.size() == 1 && constant == 0.0) {
    const Term factor{merged[0].expression, 1.0};
    return product({&factor, 1}, merged[0].weight);
  }
  // z + (−1)·(x + y) and 3·(x + y) − 2·(x + y) + z: a short sum got a coefficient of ±1 only here.
  if (std::any_of(merged.begin(), merged.end(), merges_into_sum)) return sum(merged, constant);
  return intern(Kind::sum, {}, constant, {}, std::move(merged));
}

Expression product(std::span<const Term> factors, double coefficient) {
  std::vector<Factor> collected;
  collected.reserve(factors.size());
  for (const Term& t : factors) {
    if (!is_integer(t.weight)) throw ExpressionError("the exponent of a factor must be an integer");
    if (t.weight != 0.0) collect_factor(t.expression, t.weight, collected, coefficient);
  }
  finite(coefficient, "constant factor of a product");
  if (coefficient == 0.0) return Expression(0.0);

  std::sort(collected.begin(), collected.end(),
            [](const Factor& a, const Factor& b) { return compare(a.base, b.base) < 0; });
  std::vector<Term> merged;
  merged.reserve(collected.size());
  for (std::size_t i = 0; i < collected.size();) {
    Factor total = collected[i];
    for (++i; i < collected.size() && collected[i].base == total.base; ++i) {
      total.exponent += collected[i].exponent;
      total.has_pole = total.has_pole || collected[i].has_pole;
    }
    // One less than the limit, because emit_factor may add one.
    if (std::abs(total.exponent) >= largest_exponent - 1.0) throw ExpressionError("an exponent is larger than 2^53");
    emit_factor(total, merged);
  }

  if (merged.empty()) return Expression(coefficient);
  if (merged.size() == 1 && coefficient == 1.0 && merged[0].weight == 1.0) return merged[0].expression;
  if (merged.size() > merge_limit && coefficient != 1.0) {  // 2·P and 3·P share a long P
    merged = {{intern(Kind::product, {}, 1.0, {}, std::move(merged)), 1.0}};
  }
  return intern(Kind::product, {}, coefficient, {}, std::move(merged));
}

Expression pow(const Expression& base, const Expression& exponent) {
  if (exponent.is_constant()) {
    const double e = exponent.value();
    if (e == 0.0) return Expression(1.0);
    if (base.is_constant()) return Expression(finite(std::pow(base.value(), e), "power of constants"));
    if (is_integer(e)) {
      const Term factor{base, e};
      return product({&factor, 1});
    }
    // x^1.5 stays a power: as sqrt(x)³ its derivative would divide 0 by 0 at x = 0.
    if (is_integer(2.0 * e) && e <= 0.5) {
      const Term factor{sqrt(base), 2.0 * e};
      return product({&factor, 1});
    }
  }
  return intern(Kind::power, {}, 0.0, {}, {{base, 1.0}, {exponent, 1.0}});
}

Expression call(Function function, std::span<const Expression> arguments) {
  const FunctionInfo& f = info(function);
  if (arguments.size() != static_cast<std::size_t>(f.arity)) {
    throw ExpressionError(std::string(f.name) + " takes " + std::to_string(f.arity) +
                          (f.arity == 1 ? " argument, " : " arguments, ") + std::to_string(arguments.size()) +
                          " given");
  }
  if (std::all_of(arguments.begin(), arguments.end(), [](const Expression& e) { return e.is_constant(); })) {
    double x[3] = {0.0, 0.0, 0.0};
    for (std::size_t k = 0; k < arguments.size(); ++k) x[k] = arguments[k].value();
    const double value = f.evaluate(x[0], x[1], x[2]);
    return Expression(finite(value, std::string(f.name).append(" of a constant").c_str()));
  }
  if (function >= Function::abs) return piecewise_call(function, arguments);
  std::vector<Term> operands;
  for (const Expression& e : arguments) operands.push_back({e, 1.0});
  return intern(Kind::function, function, 0.0, {}, std::move(operands));
}

Expression operator+(const Expression& a, const Expression& b) {
  const Term terms[] = {{a, 1.0}, {b, 1.0}};
  return sum(terms);
}

Expression operator-(const Expression& a, const Expression& b) {
  const Term terms[] = {{a, 1.0}, {b, -1.0}};
  return sum(terms);
}

Expression operator*(const Expression& a, const Expression& b) {
  const Term factors[] = {{a, 1.0}, {b, 1.0}};
  return product(factors);
}

Expression operator/(const Expression& a, const Expression& b) {
  const Term factors[] = {{a, 1.0}, {b, -1.0}};
  if (b.is_constant(0.0)) throw ExpressionError("division by the constant zero");
  return product(factors);
}

Expression operator-(const Expression& a) {
  const Term factor{a, 1.0};
  return product({&factor, 1}, -1.0);
}

Expression sin(const Expression& x) { return call(Function::sin, {&x, 1}); }
Expression cos(const Expression& x) { return call(Function::cos, {&x, 1}); }
Expression tan(const Expression& x) { return call(Function::tan, {&x, 1}); }
Expression asin(const Expression& x) { return call(Function::asin, {&x, 1}); }
Expression acos(const Expression& x) { return call(Function::acos, {&x, 1}); }
Expression atan(const Expression& x) { return call(Function::atan, {&x, 1}); }
Expression sinh(const Expression& x) { return call(Function::sinh, {&x, 1}); }
Expression cosh(const Expression& x) { return call(Function::cosh, {&x, 1}); }
Expression tanh(const Expression& x) { return call(Function::tanh, {&x, 1}); }
Expression asinh(const Expression& x) { return call(Function::asinh, {&x, 1}); }
Expression exp(const Expression& x) { return call(Function::exp, {&x, 1}); }
Expression log(const Expression& x) { return call(Function::log, {&x, 1}); }
Expression sqrt(const Expression& x) { return call(Function::sqrt, {&x, 1}); }

Expression atan2(const Expression& y, const Expression& x) {
  const Expression arguments[] = {y, x};
  return call(Function::atan2, arguments);
}

std::vector<Expression> joined(std::initializer_list<std::span<const Expression>> lists) {
  std::vector<Expression> all;
  for (const auto list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Expression dot(const Expression& coordinate) {
  if (!coordinate.is_symbol()) {
    throw ExpressionError("only a coordinate has a velocity, not " + to_text(coordinate));
  }
  return Expression::symbol(coordinate.name() + "'");
}

}  // namespace rattleback
