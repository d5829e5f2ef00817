#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/expr/function.hpp"

namespace rattleback {

struct Node;
struct Term;

/// A request the expression language cannot represent: a constant that is not finite, an exponent
/// that is too large, a velocity of something that is not a symbol.
class ExpressionError : public RequestError {
 public:
  using RequestError::RequestError;
};

enum class Kind : unsigned char { constant, symbol, function, power, product, sum };

/// An immutable symbolic expression: a reference-counted handle on a hash-consed node.
///
/// Expressions with the same content are the same node, on every thread, so equality is identity
/// and costs nothing. Every constructor simplifies a little and cheaply: constants fold, zeros and
/// ones vanish, operands are ordered, like terms and like powers merge. Nested sums and products of
/// up to eight operands are merged into the outer one; longer ones stay shared operands.
///
/// No rewriting changes where an expression is defined, with two exceptions: a term whose
/// coefficient is exactly zero is dropped whatever it contains, and u^0 is 1.
///
/// A handle that was moved from may only be assigned to or destroyed.
///
///   sum      c₀ + Σ cᵢ·tᵢ   tᵢ carries no coefficient of its own; terms are unique and ordered
///   product  c · Π bᵢ^nᵢ    nᵢ is a nonzero integer; x/x keeps its pole as x·x⁻¹
///   power    b^e            every other exponent; b^(1/2), b^(−1/2), b^(−3/2)… are powers of sqrt(b)
class Expression {
 public:
  Expression();              ///< 0
  Expression(double value);  // implicit: 2*x is how mathematics is written
  Expression(int value) : Expression(static_cast<double>(value)) {}
  Expression(const Expression& other) noexcept;
  Expression(Expression&& other) noexcept;
  Expression& operator=(const Expression& other) noexcept;
  Expression& operator=(Expression&& other) noexcept;
  ~Expression();

  static Expression symbol(std::string_view name);

  Kind kind() const noexcept;
  /// Value of a constant, constant term of a sum, coefficient of a product.
  double value() const noexcept;
  /// Name of a symbol.
  const std::string& name() const noexcept;
  Function function() const noexcept;
  /// Terms of a sum (weight: coefficient), factors of a product (weight: integer exponent),
  /// arguments of a function, base and exponent of a power (weight: 1).
  std::span<const Term> operands() const noexcept;

  bool is_constant() const noexcept { return kind() == Kind::constant; }
  bool is_constant(double number) const noexcept { return is_constant() && value() == number; }
  bool is_symbol() const noexcept { return kind() == Kind::symbol; }

  /// Depends on the structure alone: the same in every run, on every machine.
  std::uint64_t hash() const noexcept;
  /// The node itself, as a key for maps.
  const Node* node() const noexcept { return node_; }

  friend bool operator==(const Expression& a, const Expression& b) noexcept { return a.node_ == b.node_; }

 private:
  friend struct Node;
  friend class NodeTable;
  explicit Expression(Node* adopted) noexcept : node_(adopted) {}

  Node* node_;
};

/// A weighted operand; see Expression::operands.
struct Term {
  Expression expression;
  double weight = 1.0;
};

/// A total order on expressions that depends on their structure alone (names in natural order: x2
/// before x10). Sums and products are kept in this order, so the floating-point result of an
/// expression does not depend on how it was built. Negative, zero or positive like strcmp.
int compare(const Expression& a, const Expression& b);

/// constant + Σ weight·expression.
Expression sum(std::span<const Term> terms, double constant = 0.0);
/// coefficient · Π expression^weight; the weights are integers.
Expression product(std::span<const Term> factors, double coefficient = 1.0);
Expression pow(const Expression& base, const Expression& exponent);
Expression call(Function function, std::span<const Expression> arguments);

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);
Expression operator-(const Expression& a);
inline Expression& operator+=(Expression& a, const Expression& b) { return a = a + b; }
inline Expression& operator-=(Expression& a, const Expression& b) { return a = a - b; }
inline Expression& operator*=(Expression& a, const Expression& b) { return a = a * b; }
inline Expression& operator/=(Expression& a, const Expression& b) { return a = a / b; }

Expression sin(const Expression& x);
Expression cos(const Expression& x);
Expression tan(const Expression& x);
Expression asin(const Expression& x);
Expression acos(const Expression& x);
Expression atan(const Expression& x);
Expression atan2(const Expression& y, const Expression& x);
Expression sinh(const Expression& x);
Expression cosh(const Expression& x);
Expression tanh(const Expression& x);
Expression asinh(const Expression& x);
Expression exp(const Expression& x);
Expression log(const Expression& x);
Expression sqrt(const Expression& x);
inline Expression sq(const Expression& x) { return x * x; }

/// Lists one after the other.
std::vector<Expression> joined(std::initializer_list<std::span<const Expression>> lists);

/// The velocity of a coordinate: dot(x) is the symbol written x'.
Expression dot(const Expression& coordinate);

}  // namespace rattleback

template <>
struct std::hash<rattleback::Expression> {
  std::size_t operator()(const rattleback::Expression& e) const noexcept { return e.hash(); }
};
