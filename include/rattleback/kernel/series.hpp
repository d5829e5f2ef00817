#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback {

/// Equations of motion of which power series in the time are wanted,
///
///     q̇ = w(q, v, t),     d/dt p(q, v, t) = f(q, v, t) + B(q, v, t) λ,     c(q, v, t) = 0,
///
/// where c = 0 holds at first, and p and c determine v and λ: with M = ∂p/∂v and A = ∂c/∂v,
///
///     K = [ M  −B ]   is regular.
///         [ A   0 ]
struct SeriesSystem {
  std::vector<Expression> positions;       ///< symbols q
  std::vector<Expression> position_rates;  ///< w, one for each q
  std::vector<Expression> velocities;      ///< symbols v
  std::vector<Expression> momenta;         ///< p, one for each v
  std::vector<Expression> forces;          ///< f
  std::vector<Expression> multipliers;     ///< symbols λ
  std::vector<Expression> reactions;       ///< B λ
  std::vector<Expression> rows;            ///< c, one for each λ
  std::vector<Expression> time;            ///< the symbol t, or nothing
  std::vector<Expression> parameters;      ///< symbols
  /// Typical values of q, v, t and the parameters, which decide between pivots that cost the same; may be empty.
  std::vector<double> typical;
  /// How large velocities are in comparison with each other, by which the solution of K is tested.
  std::vector<double> scale;
};

/// The coefficients of x = (q, v), x(t₀ + τ) = Σ xⱼ τʲ, up to an order, from x₀ and t₀. Products, quotients and
/// functions of series have recurrences (Moore 1966; Jorba & Zou 2005, Experimental Mathematics 14). The coefficients j
/// of p and c are linear in vⱼ, so that
///
///     K (vⱼ, μⱼ/j) = ((f_{j−1} + (B μ)ⱼ)/j − pⱼ, −cⱼ) with 0 in the place of vⱼ and μⱼ on the right,     μⱼ = λ_{j−1}
///
/// and K, at t₀, is factorised once for all orders. Neither p nor c is differentiated.
///
/// Interpreted at first and compiled when there is enough to do, with the same bits; for any number of lanes, too.
class Series {
 public:
  Series(const SeriesSystem& system, int order, int lanes = 1, Backend backend = Backend::automatic);
  Series(Series&&) noexcept;
  Series& operator=(Series&&) noexcept;
  ~Series();

  int order() const;
  /// Data are q₀, v₀, t₀ where the system depends on it, and the parameters.
  std::size_t data_size() const;
  std::size_t state_size() const;

  /// Coefficient j of x_i of lane l is put at coefficients[(j * state_size + i) * lanes + l], for j = 0 … order.
  void expand(std::span<const double> data, std::span<double> coefficients);
  /// Of the last call: K z = K (scale, σ) solved for z, with some σ; the first part of z differs from the scale by what
  /// pivots cost that were chosen at the typical data. z_k of lane l is at [k * lanes + l].
  std::span<const double> trial() const;

  bool is_compiled() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rattleback
