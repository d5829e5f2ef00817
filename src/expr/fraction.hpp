#pragma once

// Rational functions in a normal form: a polynomial over powers of a few others, which are the same for all fractions
// that are made together. sin² is 1 − cos² everywhere, and the square of a root is what stands under it, so that what
// cancels does cancel.

#include <optional>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/expression.hpp"
#include "ring.hpp"

namespace rattleback {

/// numerator / Π denominator^exponent
struct Fraction {
  RingPolynomial numerator;
  std::vector<int> exponents = {};  ///< of the denominators, none of them negative
};

class Fractions {
 public:
  using Numbers = std::unordered_map<Expression, double>;

  /// Of expressions in which some symbols are numbers. Throws TooLarge if a polynomial has more terms than that, or if
  /// it takes a thousand times as many products.
  explicit Fractions(std::size_t most_terms, const Numbers& numbers = {})
      : most_terms_(most_terms), numbers_(numbers) {}

  Fraction of(const Expression& root);

  /// A product of a number, powers, and a sum with what its terms have in common taken out; squares of sines or of
  /// cosines, whichever is shorter.
  Expression expression(const Fraction& f) const;

 private:
  const Fraction& visit(const Expression& e);
  Fraction of_sum(const Expression& e);
  Fraction of_product(const Expression& e);
  Fraction of_power(const Expression& e);
  Fraction of_function(const Expression& e);
  Fraction of_root(const Expression& e);
  Fraction variable(const Expression& e);
  /// What stands inside a function.
  Expression inside(const Expression& e) { return expression(visit(e)); }

  Fraction times(const Fraction& a, const Fraction& b);
  Fraction power(const Fraction& f, int exponent);
  Fraction inverse(const Fraction& f);
  /// Over a denominator; polynomials that are known as denominators are found in it.
  void divide(Fraction& f, RingPolynomial divisor);
  /// Without what numerator and denominators have in common.
  void cancel(Fraction& f);
  RingPolynomial product(const RingPolynomial& a, const RingPolynomial& b);
  RingPolynomial reduced(RingPolynomial p);
  RingPolynomial multiplied(RingPolynomial p, const std::vector<int>& exponents);
  void count_work(std::size_t products);
  std::size_t number_of(const Expression& e);
  std::size_t denominator(RingPolynomial p);
  RingPolynomial shortened(RingPolynomial p) const;
  Expression expression(const RingPolynomial& p) const;

  std::size_t most_terms_;
  std::size_t work_ = 0;  ///< products of terms up to now
  Numbers numbers_;
  std::vector<Expression> variables_;
  std::unordered_map<const Node*, std::size_t> numbers_of_variables_;
  /// Of variables that are roots of something: their squares. They occur in no power but the first.
  std::vector<std::optional<RingPolynomial>> squares_;
  std::vector<RingPolynomial> denominators_;
  std::vector<Expression> kept_;  ///< what was visited, so that no other expression has its node
  std::unordered_map<const Node*, Fraction> fractions_;
};

}  // namespace rattleback
