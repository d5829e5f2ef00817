#include "rattleback/expr/derivative.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/float128.hpp>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "random_expression.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace derivative_test {

using boost::multiprecision::float128;
using test::RandomExpression;

Expression var(const std::string& name) { return Expression::symbol(name); }

float128 elementary(Function f, const float128& a, const float128& b, const float128& c) {
  using namespace boost::multiprecision;
  switch (f) {
    case Function::sin: return sin(a);
    case Function::cos: return cos(a);
    case Function::tan: return tan(a);
    case Function::asin: return asin(a);
    case Function::acos: return acos(a);
    case Function::atan: return atan(a);
    case Function::atan2: return atan2(a, b);
    case Function::sinh: return sinh(a);
    case Function::cosh: return cosh(a);
    case Function::tanh: return tanh(a);
    case Function::asinh: return asinh(a);
    case Function::exp: return exp(a);
    case Function::log: return log(a);
    case Function::sqrt: return sqrt(a);
    case Function::abs: return a < 0 ? float128(-a) : a;
    case Function::sign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Function::min: return a < b ? a : b;
    case Function::max: return a > b ? a : b;
    case Function::less: return a < b ? 1 : 0;
    case Function::less_equal: return a <= b ? 1 : 0;
    case Function::if_else: return a != 0 ? b : c;
    default: break;
  }
  throw std::logic_error("a function without value");
}

float128 integer_power(float128 base, double exponent) {
  auto n = static_cast<long long>(std::abs(exponent));
  float128 result = 1;
  for (; n > 0; n /= 2, base *= base) {
    if (n % 2 == 1) result *= base;
  }
  return exponent < 0.0 ? float128(1) / result : result;
}

/// Evaluates in quadruple precision, so that the error of a finite difference disappears.
class QuadFunction {
 public:
  explicit QuadFunction(const Expression& f) : graph_({&f, 1}) {}

  float128 operator()(const std::unordered_map<Expression, float128>& point) const {
    std::vector<float128> value(graph_.size());
    for (std::size_t i = 0; i < graph_.size(); ++i) value[i] = node(graph_[i], value, point);
    return value.back();
  }

 private:
  float128 node(const Expression& e, const std::vector<float128>& value,
                const std::unordered_map<Expression, float128>& point) const {
    const auto operand = [&](const Term& t) { return value[graph_.index(t.expression)]; };
    const auto operands = e.operands();
    float128 v = e.value();
    switch (e.kind()) {
      case Kind::constant: return v;
      case Kind::symbol: return point.at(e);
      case Kind::sum:
        for (const Term& t : operands) v += float128(t.weight) * operand(t);
        return v;
      case Kind::product:
        for (const Term& t : operands) v *= integer_power(operand(t), t.weight);
        return v;
      case Kind::power: return boost::multiprecision::pow(operand(operands[0]), operand(operands[1]));
      case Kind::function: {
        const float128 second = operands.size() > 1 ? operand(operands[1]) : float128(0);
        return elementary(e.function(), operand(operands[0]), second, operand(operands.back()));
      }
    }
    throw std::logic_error("an unknown kind");
  }

  Graph graph_;
};

using Point = std::unordered_map<Expression, float128>;

Point quad_point(const RandomExpression& random) {
  Point point;
  for (const auto& [symbol, value] : random.point()) point.emplace(symbol, value);
  return point;
}

float128 value_at(const Expression& f, const Point& point) { return QuadFunction(f)(point); }

/// Central differences of fourth order for the first three derivatives.
float128 difference(const Expression& f, const Expression& x, int order, const Point& point) {
  const QuadFunction evaluate_f(f);
  const float128 h = order == 1 ? 1e-7 : order == 2 ? 1e-6 : 1e-5;
  const auto at = [&](int steps) {
    Point moved = point;
    moved[x] += steps * h;
    return evaluate_f(moved);
  };
  switch (order) {
    case 1: return (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h);
    case 2: return (-at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2)) / (12 * h * h);
    default: return (at(-3) - 8 * at(-2) + 13 * at(-1) - 13 * at(1) + 8 * at(2) - at(3)) / (8 * h * h * h);
  }
}

/// Relative; below the floor a number counts as the rounding of a larger one.
void expect_close(const float128& a, const float128& b, double tolerance, const Expression& f, double floor = 1e-10) {
  using boost::multiprecision::fabs;
  const float128 scale = std::max(std::max(fabs(a), fabs(b)), float128(floor));
  EXPECT_LE(fabs(a - b) / scale, tolerance) << a << " and " << b << " for " << to_text(f);
}

TEST(Derivative, AgreesWithCentralDifferences) {
  RandomExpression random(20240901);
  const Point point = quad_point(random);
  int dependent = 0;
  for (int i = 0; i < 1000; ++i) {
    const Expression f = random(2 + i % 5);
    for (const Expression& x : random.symbols()) {
      const Expression d = derivative(f, x);
      dependent += d.is_constant() ? 0 : 1;
      expect_close(value_at(d, point), difference(f, x, 1, point), 1e-13, f);
    }
  }
  EXPECT_GT(dependent, 1500) << "the generator must not make the comparison trivial";
}

TEST(Derivative, SecondAndThirdAgreeWithCentralDifferences) {
  RandomExpression random(7);
  const Point point = quad_point(random);
  // Rounding of the differences: 2e-34·|f|/h² and 2e-34·|f|/h³.
  constexpr double floor = 1e-5;
  int dependent = 0;
  for (int i = 0; i < 200; ++i) {
    const Expression f = random(2 + i % 2);
    for (const Expression& x : random.symbols()) {
      const Expression second = derivative(f, x, 2);
      dependent += second.is_constant() ? 0 : 1;
      expect_close(value_at(second, point), difference(f, x, 2, point), 1e-13, f, floor);
      expect_close(value_at(derivative(f, x, 3), point), difference(f, x, 3, point), 1e-12, f, floor);
    }
  }
  EXPECT_GT(dependent, 200);
}

TEST(Derivative, OfEveryFunctionByTheTextbook) {
  const Expression x = var("x");
  const Expression y = var("y");
  EXPECT_EQ(derivative(sin(x), x), cos(x));
  EXPECT_EQ(derivative(cos(x), x), -sin(x));
  EXPECT_EQ(derivative(tan(x), x), 1 + sq(tan(x)));
  EXPECT_EQ(derivative(asin(x), x), 1 / sqrt(1 - sq(x)));
  EXPECT_EQ(derivative(acos(x), x), -1 / sqrt(1 - sq(x)));
  EXPECT_EQ(derivative(atan(x), x), 1 / (1 + sq(x)));
  EXPECT_EQ(derivative(atan2(y, x), y), x / (sq(x) + sq(y)));
  EXPECT_EQ(derivative(atan2(y, x), x), -y / (sq(x) + sq(y)));
  EXPECT_EQ(derivative(sinh(x), x), cosh(x));
  EXPECT_EQ(derivative(cosh(x), x), sinh(x));
  EXPECT_EQ(derivative(tanh(x), x), 1 - sq(tanh(x)));
  EXPECT_EQ(derivative(asinh(x), x), 1 / sqrt(1 + sq(x)));
  EXPECT_EQ(derivative(exp(x), x), exp(x));
  EXPECT_EQ(derivative(log(x), x), 1 / x);
  EXPECT_EQ(derivative(sqrt(x), x), 0.5 / sqrt(x));
  EXPECT_EQ(derivative(pow(x, 7), x), 7 * pow(x, 6));
  EXPECT_EQ(derivative(pow(2, x), x), pow(2, x) * std::log(2.0));
  EXPECT_EQ(derivative(x * y, x), y);
  EXPECT_EQ(derivative(y, x), Expression(0));
  EXPECT_EQ(derivative(x / x, x), Expression(0));
}

TEST(Derivative, OrdersCountFromZero) {
  const Expression x = var("x");
  EXPECT_EQ(derivative(pow(x, 3), x, 0), pow(x, 3));
  EXPECT_EQ(derivative(pow(x, 3), x, 3), Expression(6));
  EXPECT_EQ(derivative(pow(x, 3), x, 4), Expression(0));
  EXPECT_THROW(derivative(x, x, -1), ExpressionError);
}

TEST(Derivative, OnlyWithRespectToSymbols) {
  const Expression x = var("x");
  EXPECT_THROW(derivative(x, sin(x)), ExpressionError);
  EXPECT_THROW(derivative(x, Expression(2)), ExpressionError);
  EXPECT_NO_THROW(derivative(x, dot(x)));
}

TEST(Derivative, RefusesAVariableTwice) {
  // Its derivative would belong into two columns; a list that names it twice is a mistake.
  const Expression x = var("x");
  const Expression twice[] = {x, x};
  const Expression f = sq(x);
  EXPECT_THROW(gradient(f, twice), ExpressionError);
  EXPECT_THROW(jacobian({&f, 1}, twice), ExpressionError);
  EXPECT_THROW(directional_derivative({&f, 1}, twice, twice), ExpressionError);
}

TEST(Derivative, OfPowersExistsAtZero) {
  const Expression x = var("x");
  EXPECT_EQ(evaluate(derivative(pow(x, 1.5), x), {{x, 0.0}}), 0.0);
  EXPECT_EQ(evaluate(derivative(pow(x, 2.5), x, 2), {{x, 0.0}}), 0.0);
  EXPECT_EQ(evaluate(derivative(pow(x, 1), x), {{x, 0.0}}), 1.0);
  EXPECT_EQ(evaluate(derivative(pow(x, 2), x), {{x, 0.0}}), 0.0);
  EXPECT_EQ(evaluate(derivative(pow(x, 2), x, 2), {{x, 0.0}}), 2.0);
}

TEST(Derivative, OfAProductOfManyFactorsVanishingTogether) {
  // Π xᵢ at x₃ = 0: only ∂/∂x₃ survives; a formula that divides by the factor would give NaN.
  std::vector<Expression> x;
  Expression product(1);
  std::unordered_map<Expression, double> point;
  for (int i = 0; i < 30; ++i) {
    x.push_back(var("x" + std::to_string(i)));
    product *= sin(x.back());
    point.emplace(x.back(), i == 3 ? 0.0 : 1.0);
  }
  const auto g = gradient(product, x);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double expected = i == 3 ? std::pow(std::sin(1.0), 29) : 0.0;
    EXPECT_NEAR(evaluate(g[i], point), expected, 1e-15);
  }
}

class Accumulation : public ::testing::Test {
 protected:
  Accumulation() : point_(quad_point(random_)) {
    for (int i = 0; i < 6; ++i) functions_.push_back(random_(4));
    for (std::size_t j = 0; j < random_.symbols().size(); ++j) {
      direction_.push_back(j == 1 ? Expression(0.5) : var("v" + std::to_string(j)));
      point_.emplace(direction_.back(), 0.25 + static_cast<double>(j));
    }
  }

  float128 at(const Expression& e) const { return value_at(e, point_); }
  std::span<const Expression> variables() const { return random_.symbols(); }

  RandomExpression random_{99};
  Point point_;
  std::vector<Expression> functions_;
  std::vector<Expression> direction_;
};

TEST_F(Accumulation, GradientIsTheListOfDerivatives) {
  for (const Expression& f : functions_) {
    const auto g = gradient(f, variables());
    ASSERT_EQ(g.size(), variables().size());
    for (std::size_t j = 0; j < g.size(); ++j) expect_close(at(g[j]), at(derivative(f, variables()[j])), 1e-14, f);
  }
}

TEST_F(Accumulation, JacobianHoldsEveryDerivativeInEitherDirection) {
  // Six functions of four variables, and each function alone: one is cheaper by columns, the other by rows.
  const auto check = [&](std::span<const Expression> functions) {
    const SparseMatrix j = jacobian(functions, variables());
    EXPECT_EQ(j.rows, static_cast<int>(functions.size()));
    EXPECT_EQ(j.columns, static_cast<int>(variables().size()));
    for (int r = 0; r < j.rows; ++r) {
      for (int c = 0; c < j.columns; ++c) {
        const Expression& f = functions[static_cast<std::size_t>(r)];
        expect_close(at(j.at(r, c)), at(derivative(f, variables()[static_cast<std::size_t>(c)])), 1e-14, f);
      }
    }
    for (std::size_t k = 0; k < j.entries.size(); ++k) {
      EXPECT_FALSE(j.entries[k].value.is_constant(0.0));
      if (k == 0) continue;
      const auto& before = j.entries[k - 1];
      EXPECT_LT(std::pair(before.row, before.column), std::pair(j.entries[k].row, j.entries[k].column));
    }
  };
  check(functions_);
  for (const Expression& f : functions_) check({&f, 1});
}

TEST_F(Accumulation, DirectionalDerivativeIsTheJacobianTimesTheDirection) {
  const auto along = directional_derivative(functions_, variables(), direction_);
  ASSERT_EQ(along.size(), functions_.size());
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    float128 expected = 0;
    for (std::size_t j = 0; j < direction_.size(); ++j) {
      expected += at(derivative(functions_[i], variables()[j])) * at(direction_[j]);
    }
    expect_close(at(along[i]), expected, 1e-14, functions_[i]);
  }
  EXPECT_THROW(directional_derivative(functions_, variables(), {}), ExpressionError);
}

TEST_F(Accumulation, HessianHoldsTheSecondDerivatives) {
  for (const Expression& f : functions_) {
    const SparseMatrix h = hessian(f, variables());
    for (int r = 0; r < h.rows; ++r) {
      for (int c = 0; c < h.columns; ++c) {
        const Expression first = derivative(f, variables()[static_cast<std::size_t>(r)]);
        expect_close(at(h.at(r, c)), at(derivative(first, variables()[static_cast<std::size_t>(c)])), 1e-13, f);
        EXPECT_EQ(h.at(r, c), h.at(c, r)) << "symmetric to the node";
      }
    }
  }
}

TEST_F(Accumulation, HessianVectorIsTheHessianTimesTheDirection) {
  for (const Expression& f : functions_) {
    const auto product = hessian_vector(f, variables(), direction_);
    const SparseMatrix h = hessian(f, variables());
    for (int r = 0; r < h.rows; ++r) {
      float128 expected = 0;
      for (int c = 0; c < h.columns; ++c) expected += at(h.at(r, c)) * at(direction_[static_cast<std::size_t>(c)]);
      expect_close(at(product[static_cast<std::size_t>(r)]), expected, 1e-13, f);
    }
  }
}

TEST(Jacobian, OfNothingIsEmpty) {
  const Expression x = var("x");
  EXPECT_TRUE(jacobian({}, {&x, 1}).entries.empty());
  EXPECT_TRUE(jacobian({&x, 1}, {}).entries.empty());
  EXPECT_EQ(SparseMatrix{}.at(0, 0), Expression(0));
}

TEST(Jacobian, RepeatedFunctionsGetARowEach) {
  const Expression x = var("x");
  const Expression y = var("y");
  const Expression functions[] = {x * y, x * y, Expression(3), x};
  const Expression variables[] = {x, y, var("z")};
  const SparseMatrix j = jacobian(functions, variables);
  EXPECT_EQ(j.entries.size(), 5U);
  EXPECT_EQ(j.at(0, 0), y);
  EXPECT_EQ(j.at(1, 0), y);
  EXPECT_EQ(j.at(1, 1), x);
  EXPECT_EQ(j.at(2, 0), Expression(0));
  EXPECT_EQ(j.at(3, 0), Expression(1));
}

TEST(Jacobian, OfAChainIsTridiagonal) {
  constexpr int n = 2000;
  std::vector<Expression> x;
  for (int i = 0; i < n; ++i) x.push_back(var("q" + std::to_string(i)));
  std::vector<Expression> force;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Expression f = -sin(x[k]);
    if (i > 0) f += x[k - 1] - x[k];
    if (i + 1 < n) f += pow(x[k + 1] - x[k], 3);
    force.push_back(f);
  }
  const SparseMatrix j = jacobian(force, x);
  EXPECT_EQ(j.entries.size(), static_cast<std::size_t>(3 * n - 2));
  for (const auto& e : j.entries) ASSERT_LE(std::abs(e.row - e.column), 1);

  Expression energy;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) energy += sq(x[i + 1] - x[i]) * cos(x[i]);
  const SparseMatrix h = hessian(energy, x);
  EXPECT_EQ(h.entries.size(), static_cast<std::size_t>(3 * n - 2));
}

TEST(Gradient, CostsASmallMultipleOfTheFunction) {
  std::vector<Expression> x;
  for (int i = 0; i < 200; ++i) x.push_back(var("x" + std::to_string(i)));
  // Every level uses every part of the level below twice: 2⁸ paths to each variable.
  std::vector<Expression> level = x;
  for (int depth = 0; depth < 8; ++depth) {
    std::vector<Expression> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Expression& a = level[i];
      const Expression& b = level[(i + 1) % level.size()];
      next.push_back(sin(a) * b + exp(a * b) / (2 + cos(b)));
    }
    level = std::move(next);
  }
  Expression f;
  for (const Expression& e : level) f += sq(e);
  std::vector<Expression> outputs = gradient(f, x);
  for (const Expression& g : outputs) EXPECT_FALSE(g.is_constant());
  outputs.push_back(f);
  EXPECT_LE(operation_count(outputs), 6 * operation_count(f));
}

TEST(Gradient, OfALongProductIsLinear) {
  const auto cost = [](int n) {
    std::vector<Expression> x;
    std::vector<Term> factors;
    for (int i = 0; i < n; ++i) {
      x.push_back(var("x" + std::to_string(i)));
      factors.push_back({x.back(), 1.0});
    }
    const Expression f = product(factors);
    return operation_count(gradient(f, x));
  };
  EXPECT_LT(cost(2000), 2.2 * static_cast<double>(cost(1000)));
}

TEST(DeepChain, DifferentiatesInLinearTime) {
  const Expression x = var("x");
  const auto chain = [&](int n) {
    Expression e = x;
    for (int i = 0; i < n; ++i) e = sin(e);
    return e;
  };
  // 10⁵ levels: recursion would overflow the stack, and a quadratic algorithm would run for minutes.
  const Expression deep = chain(100000);
  const Expression d = derivative(deep, x);
  EXPECT_LT(operation_count(d), 4U * 100000U);

  double value = 1.0;
  double slope = 1.0;
  for (int i = 0; i < 100000; ++i) {
    slope *= std::cos(value);
    value = std::sin(value);
  }
  // sin iterated n times tends to sqrt(3/n) and its slope to a multiple of n^(−3/2).
  EXPECT_NEAR(evaluate(deep, {{x, 1.0}}), value, 1e-13);
  EXPECT_NEAR(evaluate(d, {{x, 1.0}}) / slope, 1.0, 1e-9);
}

TEST(DeepChain, OfSharedPartsDifferentiates) {
  // e ↦ sin(e)·e + 1 doubles the paths at each level; the graph stays a chain.
  const Expression x = var("x");
  Expression e = x;
  double value = 0.3;
  double slope = 1.0;
  for (int i = 0; i < 1000; ++i) {
    e = 0.125 * sin(e) * e + 1;
    slope *= 0.125 * (std::cos(value) * value + std::sin(value));
    value = 0.125 * std::sin(value) * value + 1;
    if (i == 60) {
      EXPECT_NEAR(evaluate(derivative(e, x), {{x, 0.3}}) / slope, 1.0, 1e-12);
    }
  }
  const Expression d = derivative(e, x);
  EXPECT_LT(operation_count(d), 20U * 1000U);
  EXPECT_NEAR(evaluate(e, {{x, 0.3}}), value, 1e-14);
}

TEST(Jacobian, takes_slopes_that_are_known) {
  const Expression x = var("x");
  const Expression y = var("y");
  const Expression a = x * y + 3 * x;
  const Expression b = sin(x) - y;
  const std::vector<Expression> functions{a * b + x, exp(b) * y, 2 * y + 1};
  const std::vector<Expression> variables{y, x, var("z")};
  // a and b by (s, t), which are made of y and x
  const Matrix outer{{1, 2}, {0, 1}};
  const Matrix inner{{x + 2, y + 3 - 2 * cos(x)}, {-1, cos(x)}};
  const std::vector<KnownSlopes> known{{{a, b}, outer, inner, {y, x}}};
  const SparseMatrix plain = jacobian(functions, variables);
  const SparseMatrix by_parts = jacobian(functions, variables, known);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(evaluate(by_parts.at(i, j), {{x, 0.7}, {y, -0.4}}), evaluate(plain.at(i, j), {{x, 0.7}, {y, -0.4}}),
                  1e-14);
    }
  }
  // They are believed.
  const std::vector<KnownSlopes> twice{{{a, b}, 2.0 * outer, inner, {y, x}}};
  EXPECT_NEAR(evaluate(jacobian(functions, variables, twice).at(0, 1), {{x, 0.7}, {y, -0.4}}),
              2 * evaluate(plain.at(0, 1), {{x, 0.7}, {y, -0.4}}) - 1, 1e-14);
}

}  // namespace derivative_test
}  // namespace rattleback
