#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback {

/// Differential equations with algebraic ones of index 1, of which power series in the time are wanted:
///
///     ẋ = f(x, y, t),     0 = r(x, y, t),     ∂r/∂y regular
struct SeriesSystem {
  std::vector<Expression> state;       ///< symbols x
  std::vector<Expression> rates;       ///< f, one for each x
  std::vector<Expression> unknowns;    ///< symbols y
  std::vector<Expression> residuals;   ///< r, one for each y
  std::vector<Expression> time;        ///< the symbol t, or nothing
  std::vector<Expression> parameters;  ///< symbols
  /// Typical values of x, t and the parameters, which decide between pivots that cost the same; may be empty.
  std::vector<double> typical;
};

/// The coefficients of x(t₀ + τ) = Σ xⱼ τʲ up to an order, from x₀ and t₀. Series have the recurrences of the elementary
/// operations; those of y follow from one matrix, ∂r/∂y at t₀, which is factorised once for all orders:
///
///     ∂r/∂y yⱼ = −(the coefficient j of r with 0 in the place of yⱼ)
///
/// (Moore 1966; Jorba & Zou 2005, Experimental Mathematics 14). Interpreted at first and compiled when there is enough to
/// do, with the same bits; for any number of lanes, too.
class Series {
 public:
  Series(const SeriesSystem& system, int order, int lanes = 1, Backend backend = Backend::automatic);
  Series(Series&&) noexcept;
  Series& operator=(Series&&) noexcept;
  ~Series();

  int order() const;
  /// Data are x₀, t₀ where the system depends on it, the parameters, and y₀ where r is not linear in it.
  std::size_t data_size() const;
  std::size_t state_size() const;

  /// Coefficient j of x_i of lane l is put at coefficients[(j * state_size + i) * lanes + l], for j = 0 … order.
  void expand(std::span<const double> data, std::span<double> coefficients);
  /// y₀ of the last call, y_k of lane l at [k * lanes + l]; empty if it was given.
  std::span<const double> solution() const;
  /// What one more solution for y₀ changed then: its error, as pivots are
  /// chosen at the typical data. Empty where its equations are mere substitutions, or y₀ was given.
  std::span<const double> corrections() const;

  bool is_compiled() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rattleback
