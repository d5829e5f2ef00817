// Functions that are not smooth everywhere, in canonical form.

#include "rattleback/expr/piecewise.hpp"

#include <algorithm>
#include <cmath>

#include "node.hpp"
#include "piecewise_call.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

Expression piecewise_node(Function function, std::initializer_list<Expression> arguments) {
  std::vector<Term> operands;
  for (const Expression& e : arguments) operands.push_back({e, 1.0});
  return intern(Kind::function, function, 0.0, {}, std::move(operands));
}

bool is(const Expression& e, Function function) { return e.kind() == Kind::function && e.function() == function; }

/// Never negative where it is defined.
bool is_never_negative(const Expression& e) {
  if (e.kind() == Kind::function) {
    return e.function() == Function::abs || e.function() == Function::sqrt || e.function() == Function::exp ||
           e.function() == Function::cosh;
  }
  return e.kind() == Kind::product && e.value() > 0.0 &&
         std::ranges::all_of(e.operands(), [](const Term& t) { return std::fmod(t.weight, 2.0) == 0.0; });
}

/// e = factor·u, where u and −u give the same u.
struct Signed {
  double factor;
  Expression rest;
};

Signed without_sign(const Expression& e) {
  Signed result{1.0, e};
  if (e.kind() == Kind::product && e.value() != 1.0) result = {e.value(), product(e.operands())};
  if (result.rest.kind() != Kind::sum || result.rest.operands()[0].weight > 0.0) return result;
  std::vector<Term> terms(result.rest.operands().begin(), result.rest.operands().end());
  for (Term& t : terms) t.weight = -t.weight;
  return {-result.factor, sum(terms, -result.rest.value())};
}

Expression absolute(const Expression& x) {
  const auto [factor, rest] = without_sign(x);
  return std::abs(factor) * (is_never_negative(rest) ? rest : piecewise_node(Function::abs, {rest}));
}

Expression sign_of(const Expression& x) {
  const auto [factor, rest] = without_sign(x);
  return (factor < 0.0 ? -1.0 : 1.0) * (is(rest, Function::sign) ? rest : piecewise_node(Function::sign, {rest}));
}

/// min, max, and, or: the order of operands does not matter, and f(a, a) = a.
Expression symmetric_call(Function function, const Expression& a, const Expression& b) {
  if (a == b) return a;
  return compare(a, b) < 0 ? piecewise_node(function, {a, b}) : piecewise_node(function, {b, a});
}

Expression joined_conditions(Function function, const Expression& a, const Expression& b) {
  const double neutral = function == Function::both ? 1.0 : 0.0;
  if (a.is_constant()) return a.value() == neutral ? b : a;
  if (b.is_constant()) return b.value() == neutral ? a : b;
  return symmetric_call(function, a, b);
}

Expression call_of(Function function, const Expression& a, const Expression& b) {
  const Expression arguments[] = {a, b};
  return call(function, arguments);
}

}  // namespace

Expression piecewise_call(Function function, std::span<const Expression> x) {
  switch (function) {
    case Function::abs: return absolute(x[0]);
    case Function::sign: return sign_of(x[0]);
    case Function::min:
    case Function::max: return symmetric_call(function, x[0], x[1]);
    case Function::less:
    case Function::less_equal:
      if (x[0] == x[1]) return Expression(function == Function::less ? 0.0 : 1.0);
      return piecewise_node(function, {x[0], x[1]});
    case Function::both:
    case Function::either: return joined_conditions(function, x[0], x[1]);
    case Function::if_else:
      if (x[0].is_constant()) return x[0].value() != 0.0 ? x[1] : x[2];
      return x[1] == x[2] ? x[1] : piecewise_node(function, {x[0], x[1], x[2]});
    default: return piecewise_node(function, {x[0], x[1]});
  }
}

Expression abs(const Expression& x) { return call(Function::abs, {&x, 1}); }
Expression sign(const Expression& x) { return call(Function::sign, {&x, 1}); }
Expression min(const Expression& a, const Expression& b) { return call_of(Function::min, a, b); }
Expression max(const Expression& a, const Expression& b) { return call_of(Function::max, a, b); }
Expression less(const Expression& a, const Expression& b) { return call_of(Function::less, a, b); }
Expression less_equal(const Expression& a, const Expression& b) { return call_of(Function::less_equal, a, b); }
Expression both(const Expression& a, const Expression& b) { return call_of(Function::both, a, b); }
Expression either(const Expression& a, const Expression& b) { return call_of(Function::either, a, b); }

Expression if_else(const Expression& condition, const Expression& a, const Expression& b) {
  const Expression arguments[] = {condition, a, b};
  return call(Function::if_else, arguments);
}

bool is_condition(const Expression& e) {
  return e.kind() == Kind::function && e.function() >= Function::less && e.function() <= Function::either;
}

Expression opposite(const Expression& condition) {
  if (condition.is_constant()) return 1.0 - condition.value();
  const Graph graph({&condition, 1});
  std::vector<Expression> opposites(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    if (!is_condition(e)) continue;
    const Expression& a = e.operands()[0].expression;
    const Expression& b = e.operands()[1].expression;
    switch (e.function()) {
      case Function::less: opposites[i] = less_equal(b, a); break;
      case Function::less_equal: opposites[i] = less(b, a); break;
      case Function::both: opposites[i] = either(opposites[graph.index(a)], opposites[graph.index(b)]); break;
      default: opposites[i] = both(opposites[graph.index(a)], opposites[graph.index(b)]); break;
    }
  }
  return opposites.back();
}

bool is_choice(const Expression& e) { return is(e, Function::if_else) || is(e, Function::min) || is(e, Function::max); }

Expression choosing_condition(const Expression& choice) {
  const Expression& a = choice.operands()[0].expression;
  if (is(choice, Function::if_else)) return a;
  const Expression& b = choice.operands()[1].expression;
  return is(choice, Function::min) ? less_equal(a, b) : less_equal(b, a);
}

bool is_piecewise(const Expression& e) { return e.kind() == Kind::function && e.function() >= Function::abs; }

bool has_kinks(std::span<const Expression> expressions) {
  const Graph graph(expressions);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_piecewise(graph[i])) return true;
  }
  return false;
}

bool has_kinks_in(const Expression& expression, std::span<const Expression> symbols) {
  const Graph graph({&expression, 1});
  std::vector<bool> depends(graph.size(), false);
  for (const Expression& s : symbols) {
    if (graph.contains(s)) depends[graph.index(s)] = true;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const Term& t : graph[i].operands()) depends[i] = depends[i] || depends[graph.index(t.expression)];
    if (depends[i] && is_piecewise(graph[i])) return true;
  }
  return false;
}

}  // namespace rattleback
