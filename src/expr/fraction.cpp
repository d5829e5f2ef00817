#include "fraction.hpp"

#include <algorithm>
#include <cmath>

#include "polynomial.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// The number that a double was meant to be, if that is a fraction of small integers: 0.0416… is 1/24.
DoubleDouble meant_number(double value) {
  constexpr double largest = 1e5;
  double x = std::abs(value);
  double n = 1.0;
  double before = 0.0;
  for (;;) {  // denominators of the convergents of the continued fraction
    const double multiple = std::round(std::abs(value) * n);
    if (std::abs(std::abs(value) * n - multiple) <= 4e-16 * multiple && multiple < 1e15) {
      const DoubleDouble fraction = DoubleDouble(multiple) / DoubleDouble(n);
      return value < 0.0 ? -fraction : fraction;
    }
    const double rest = x - std::floor(x);
    if (rest == 0.0) return value;
    x = 1.0 / rest;
    before = std::exchange(n, std::floor(x) * n + before);
    if (!(n <= largest)) return value;
  }
}

RingPolynomial constant(const DoubleDouble& c) {
  return c.high == 0.0 ? RingPolynomial{} : RingPolynomial{{Powers(), c}};
}

bool is_constant(const RingPolynomial& p) { return p.empty() || (p.size() == 1 && p.front().first == Powers()); }

double value_of(const RingPolynomial& p) { return p.empty() ? 0.0 : p.front().second.high; }

bool is_constant(const Fraction& f) {
  return is_constant(f.numerator) && std::ranges::all_of(f.exponents, [](int e) { return e == 0; });
}

/// Exponents of denominators that nobody has used yet are 0.
int exponent_of(const std::vector<int>& exponents, std::size_t k) { return k < exponents.size() ? exponents[k] : 0; }

void add_to(std::vector<int>& exponents, std::size_t k, int change) {
  if (exponents.size() <= k) exponents.resize(k + 1);
  exponents[k] += change;
}

}  // namespace

Fraction Fractions::of(const Expression& root) {
  const Graph graph({&root, 1});
  // What stands under roots first: it is found in other denominators then.
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    const bool is_root = e.kind() == Kind::power || (e.kind() == Kind::function && e.function() == Function::sqrt);
    if (!is_root) continue;
    const Graph below({&e.operands()[0].expression, 1});
    for (std::size_t j = 0; j < below.size(); ++j) visit(below[j]);
    Fraction unused{{}, {}};
    divide(unused, visit(e.operands()[0].expression).numerator);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) visit(graph[i]);
  return fractions_.at(root.node());
}

const Fraction& Fractions::visit(const Expression& e) {
  const auto known = fractions_.find(e.node());
  if (known != fractions_.end()) return known->second;
  keep_working();
  Fraction f;
  switch (e.kind()) {
    case Kind::constant: f.numerator = constant(meant_number(e.value())); break;
    case Kind::symbol: f = variable(e); break;
    case Kind::sum: f = of_sum(e); break;
    case Kind::product: f = of_product(e); break;
    case Kind::power: f = of_power(e); break;
    case Kind::function: f = of_function(e); break;
  }
  kept_.push_back(e);
  return fractions_.emplace(e.node(), std::move(f)).first->second;
}

std::size_t Fractions::number_of(const Expression& e) {
  const auto [place, fresh] = numbers_of_variables_.try_emplace(e.node(), variables_.size());
  if (fresh) {
    if (variables_.size() == Powers::most_variables) throw TooLarge();
    variables_.push_back(e);
    squares_.emplace_back();
  }
  return place->second;
}

Fraction Fractions::variable(const Expression& e) {
  if (e.is_symbol()) {
    if (const auto number = numbers_.find(e); number != numbers_.end()) return {constant(meant_number(number->second))};
  }
  return {itself(number_of(e))};
}

Fraction Fractions::of_sum(const Expression& e) {
  Fraction total;
  for (const Term& t : e.operands()) {
    const Fraction& f = visit(t.expression);
    for (std::size_t k = 0; k < f.exponents.size(); ++k)
      add_to(total.exponents, k, std::max(0, f.exponents[k] - exponent_of(total.exponents, k)));
  }
  RingSum sum(most_terms_);
  const auto add = [&](const RingPolynomial& p, const DoubleDouble& weight) {
    for (const auto& [m, c] : p) sum.add(m, weight * c);
  };
  // Terms over the same denominators are added before they are brought to the common one.
  std::vector<std::pair<std::vector<int>, RingSum>> groups;
  const auto over = [&](std::vector<int> missing) -> RingSum& {
    while (!missing.empty() && missing.back() == 0) missing.pop_back();
    for (auto& [exponents, group] : groups) {
      if (exponents == missing) return group;
    }
    return groups.emplace_back(std::move(missing), RingSum(most_terms_)).second;
  };
  for (const Term& t : e.operands()) {
    const Fraction& f = visit(t.expression);
    std::vector<int> missing = total.exponents;
    for (std::size_t k = 0; k < missing.size(); ++k) missing[k] -= exponent_of(f.exponents, k);
    RingSum& group = over(std::move(missing));
    const DoubleDouble weight = meant_number(t.weight);
    for (const auto& [m, c] : f.numerator) group.add(m, weight * c);
  }
  if (e.value() != 0.0) over(total.exponents).add(Powers(), meant_number(e.value()));
  for (const auto& [missing, group] : groups) add(multiplied(group.result(), missing), 1.0);
  total.numerator = sum.result();
  cancel(total);
  return total;
}

Fraction Fractions::of_product(const Expression& e) {
  Fraction total{constant(meant_number(e.value()))};
  for (const Term& t : e.operands()) {
    if (std::abs(t.weight) > 127.0) throw TooLarge();
    total = times(total, power(visit(t.expression), static_cast<int>(t.weight)));
  }
  return total;
}

// u^e = u^k u^(e − k), k the integer below the constant part of e: powers that differ by integers have one variable.
Fraction Fractions::of_power(const Expression& e) {
  const Fraction base = visit(e.operands()[0].expression);
  const Fraction& exponent = visit(e.operands()[1].expression);
  double whole = 0.0;
  Expression rest;
  if (is_constant(exponent)) {
    const double value = value_of(exponent.numerator);
    whole = std::floor(value);
    rest = Expression(value - whole);
  } else {
    const Expression form = inside(e.operands()[1].expression);
    whole = form.kind() == Kind::sum ? std::floor(form.value()) : 0.0;
    rest = form - whole;
  }
  if (std::abs(whole) > 127.0) throw TooLarge();
  const Fraction integer = power(base, static_cast<int>(whole));
  if (rest.is_constant(0.0)) return integer;
  const Expression root = pow(inside(e.operands()[0].expression), rest);
  return times(integer, root.kind() == Kind::function ? of_root(root) : variable(root));
}

Fraction Fractions::of_root(const Expression& e) {
  const Expression& under = e.operands()[0].expression;
  const Graph graph({&under, 1});
  for (std::size_t i = 0; i < graph.size(); ++i) visit(graph[i]);
  const Fraction f = visit(under);
  if (is_constant(f)) return {constant(std::sqrt(value_of(f.numerator)))};
  const Expression root = sqrt(inside(under));
  const std::size_t number = number_of(root);
  if (std::ranges::all_of(f.exponents, [](int k) { return k == 0; })) squares_[number] = f.numerator;
  return {itself(number)};
}

Fraction Fractions::of_function(const Expression& e) {
  if (e.function() == Function::sqrt) return of_root(e);
  std::vector<Expression> arguments;
  for (const Term& t : e.operands()) arguments.push_back(inside(t.expression));
  const Expression form = call(e.function(), arguments);
  if (form.is_constant()) return {constant(form.value())};
  if (e.function() != Function::sin && e.function() != Function::cos && e.function() != Function::tan)
    return variable(form);
  const std::size_t cosine = number_of(cos(arguments[0]));
  const std::size_t sine = number_of(sin(arguments[0]));
  squares_[sine] = RingPolynomial{{Powers(cosine, 2), -1.0}, {Powers(), 1.0}};
  if (e.function() == Function::sin) return {itself(sine)};
  if (e.function() == Function::cos) return {itself(cosine)};
  return times({itself(sine)}, inverse({itself(cosine)}));
}

RingPolynomial Fractions::reduced(RingPolynomial p) {
  for (std::size_t v = 0; v < squares_.size(); ++v) {
    if (!squares_[v]) continue;
    while (std::ranges::any_of(p, [&](const auto& t) { return t.first[v] > 1; })) {
      RingSum sum(most_terms_);
      RingPolynomial of_squares;
      for (const auto& [m, c] : p) {
        if (m[v] < 2) {
          sum.add(m, c);
        } else {
          of_squares.emplace_back(m / Powers(v, 2), c);
        }
      }
      count_work(of_squares.size() * squares_[v]->size());
      sum.add_product(of_squares, *squares_[v]);
      p = sum.result();
    }
  }
  return p;
}

void Fractions::count_work(std::size_t products) {
  work_ += products;
  if (work_ > 1000 * most_terms_) throw TooLarge();
}

RingPolynomial Fractions::product(const RingPolynomial& a, const RingPolynomial& b) {
  count_work(a.size() * b.size());
  return reduced(rattleback::times(a, b, most_terms_));
}

RingPolynomial Fractions::multiplied(RingPolynomial p, const std::vector<int>& exponents) {
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    for (int i = 0; i < exponents[k]; ++i) p = product(p, denominators_[k]);
  }
  return p;
}

void Fractions::cancel(Fraction& f) {
  if (f.numerator.empty()) f.exponents.clear();
  for (std::size_t k = 0; k < f.exponents.size(); ++k) {
    while (f.exponents[k] > 0) {
      auto quotient = divided(f.numerator, denominators_[k]);
      if (!quotient) break;
      count_work(quotient->size() * denominators_[k].size());
      f.numerator = std::move(*quotient);
      --f.exponents[k];
    }
  }
}

Fraction Fractions::times(const Fraction& a, const Fraction& b) {
  Fraction result{product(a.numerator, b.numerator), a.exponents};
  for (std::size_t k = 0; k < b.exponents.size(); ++k) add_to(result.exponents, k, b.exponents[k]);
  cancel(result);
  return result;
}

Fraction Fractions::power(const Fraction& f, int exponent) {
  const Fraction base = exponent < 0 ? inverse(f) : f;
  Fraction result{constant(1.0)};
  for (int k = 0; k < std::abs(exponent); ++k) result = times(result, base);
  return result;
}

Fraction Fractions::inverse(const Fraction& f) {
  Fraction result{multiplied(constant(1.0), f.exponents)};
  divide(result, f.numerator);
  cancel(result);
  return result;
}

void Fractions::divide(Fraction& f, RingPolynomial divisor) {
  if (divisor.empty()) throw ExpressionError("division by zero");
  const Powers outside = common_powers(divisor);
  for (auto& [m, c] : divisor) m = m / outside;
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (outside[v] == 0) continue;
    if (squares_[v]) {  // 1/s = s/s²
      f.numerator = product(f.numerator, itself(v));
      divide(f, *squares_[v]);
    } else {
      add_to(f.exponents, denominator(itself(v)), outside[v]);
    }
  }
  for (std::size_t k = 0; k < denominators_.size() && !is_constant(divisor); ++k) {
    while (auto quotient = divided(divisor, denominators_[k])) {
      divisor = std::move(*quotient);
      add_to(f.exponents, k, 1);
    }
  }
  if (is_constant(divisor)) {
    for (auto& [m, c] : f.numerator) c = c / divisor.front().second;
  } else {
    add_to(f.exponents, denominator(std::move(divisor)), 1);
  }
}

std::size_t Fractions::denominator(RingPolynomial p) {
  const auto known = std::ranges::find(denominators_, p);
  if (known != denominators_.end()) return static_cast<std::size_t>(known - denominators_.begin());
  denominators_.push_back(std::move(p));
  return denominators_.size() - 1;
}

}  // namespace rattleback
