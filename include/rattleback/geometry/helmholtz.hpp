#pragma once

#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/certificate.hpp"
#include "rattleback/geometry/second_order.hpp"

namespace rattleback {

/// The inverse problem of the calculus of variations: is q̈ = f(q, v) equivalent to the Euler–Lagrange equations of a
/// regular Lagrangian? If so its Hessian g = L_vv satisfies the Helmholtz conditions (J. Douglas, Trans. AMS 50 (1941)
/// 71–128; Mestdag, Bloch & Fernandez, section II), from which follow conditions without derivatives of g: for
///
///     ∇^i_j = −½ ∂f^i/∂v^j,   Φ^i_j = Γ(∂f^i/∂v^j) − 2 ∂f^i/∂q^j − ½ ∂f^l/∂v^j ∂f^i/∂v^l,
///     (∇T)^i_j = Γ(T^i_j) + ∇^i_m T^m_j − T^i_m ∇^m_j
///
/// g T is symmetric for T = Φ, ∇Φ, ∇∇Φ, …, and g_ij R^j_kl + cyclic = 0 for R^j_kl = ∂T^j_k/∂v^l − ∂T^j_l/∂v^k. (The
/// paper prints ∂f/∂v in the second term of Φ and a minus before the second term of ∇T.)
///
/// At a point these are linear equations for the n(n+1)/2 numbers g. If all solutions are singular there is no regular
/// Lagrangian. The converse is not true: what remains must still satisfy partial differential equations.
struct HelmholtzReport {
  bool decided = false;
  std::string reason;         ///< why not
  std::size_t unknowns = 0;   ///< n(n+1)/2
  std::size_t dimension = 0;  ///< of the multipliers that remain
  /// How many remain after the conditions of Φ; of Φ and ∇Φ; … The last two agree, unless the expressions became too
  /// large.
  std::vector<std::size_t> dimensions;
  bool exhausted = false;  ///< the last two agree: further ∇ add nothing
  /// Of the conditions' matrix with rows of length 1: the smallest singular value that counts and the largest that does
  /// not, over all points.
  double smallest_counted = 0.0;
  double largest_dropped = 0.0;
  bool regular = false;  ///< some of what remains is not singular
  /// The smallest singular value of g relative to the largest, in units in which rows have similar sizes, for the best
  /// of random combinations of what remains at a point: the largest over the points if all are singular, the smallest
  /// if not.
  double regularity = 0.0;
  std::vector<std::string> idle;  ///< coordinates i with g_ij = 0 for all j in everything that remains
  int points = 0;
  std::vector<double> where;  ///< (q, v) of the first point: anyone can check the verdict there

  bool excludes_lagrangian() const { return decided && !regular; }
};

/// Numbers in the equations are known to double precision. Where many of them cancel the answer may be "undecided":
/// examine_inverse_problem makes them parameters first, so that they cancel by algebra.
HelmholtzReport examine_helmholtz(const SecondOrderSystem& equations, std::span<const double> parameters,
                                  const State& near);

/// What a Lagrangian without constraints has to do with a system.
struct LagrangianReport {
  /// The Euler–Lagrange expressions vanish for the accelerations of the system, at states that satisfy its constraints.
  Certificate motion;
  bool regular = false;     ///< its Hessian there
  double regularity = 0.0;  ///< the smallest singular value of the Hessian relative to the largest, the least found
  /// Functions of the state at whose zeros the Hessian's determinant vanishes, or is infinite. Where it could not be
  /// written as a product there are none and `determinant` is all there is to see.
  std::vector<Expression> zeros;
  std::vector<Expression> poles;
  Expression determinant;

  bool is_free_lagrangian() const { return motion.holds && regular; }
};

/// Whether motions of the system are motions of the Lagrangian, and whether it is regular there, without the places
/// where its Hessian is singular or infinite. Throws ExpressionError if the Lagrangian contains symbols that are not
/// the system's.
LagrangianReport compare_motions(const System& system, const Expression& lagrangian, std::span<const double> parameters,
                                 const State& near);
/// The same with these places.
LagrangianReport examine_lagrangian(const System& system, const Expression& lagrangian,
                                    std::span<const double> parameters, const State& near);

/// The Euler–Lagrange equations against second-order equations, for all velocities.
Certificate compare_equations(const Expression& lagrangian, const SecondOrderSystem& equations,
                              std::span<const double> parameters, const State& near);

}  // namespace rattleback
