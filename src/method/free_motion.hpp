#pragma once

#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/steered.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// A free Lagrangian L̃ and its discretisation (see free.cpp), with symbols for momenta and increments.
struct FreeMotion {
  using Vector = std::vector<Expression>;

  const System& system;
  SteeredSystem steered;
  FreeForm form;
  Vector weights;     ///< ± C, one for each of `moved`; the mass where a coordinate keeps its kinetic energy
  Vector p;           ///< symbols, one for each coordinate
  Vector increments;  ///< likewise
  Vector admissible;  ///< the direction that the constraints under the rule leave
  Vector direction;   ///< X_d: the same, or the harmonic mean of X
  Vector constants;   ///< symbols of numbers that belong to the start, or none

  /// `method` is for messages. Throws MethodError where the form needs a constant N and there is none.
  static FreeMotion make(const System& system, const SteeredSystem& steered, const Rule& rule,
                         const FreeOptions& options, const char* method);

  const Expression& r1() const { return system.coordinates()[steered.steering]; }
  const Expression& r1_dot() const { return system.velocities()[steered.steering]; }
  const Expression& delta() const { return increments[steered.steering]; }
  const Expression& p1() const { return p[steered.steering]; }
  const Expression& momentum(std::size_t i) const { return p[steered.moved[i]]; }
  std::size_t moved() const { return steered.moved.size(); }
  bool kinetic(std::size_t i) const { return keeps_kinetic_energy(steered, form, i); }

  /// Σ ½ p²/(± C) X + Y p: what is added to p₁ to give I₁ ṙ₁. `x` is X, or X_d.
  Expression carried(const Vector& x) const;
  Expression routhian() const;
  Expression right() const;   ///< D₂R_d
  Expression change() const;  ///< ∂R_d/∂r₁

  /// Motions of (6) satisfy the discrete constraints.
  bool keeps_direction() const { return direction == admissible; }
  /// By how much the momentum of an interval on the discrete constraints differs from ± C κ.
  Expression lever(std::size_t i) const;

  /// Momenta of the moved coordinates for a motion in the directions X with the speeds u, κ = u/ṙ₁.
  Substitution momenta_at_node(const Vector& ratio, const Vector& speed) const;
  /// The same for an interval on the discrete constraints, Δx = κ δ · (the direction that they leave).
  Substitution momenta_of_interval(const Vector& ratio, const Vector& speed) const;
  /// As the paper starts, with an interval on the discrete constraints in which r₁ advances by h ṙ₁, or from the
  /// momenta of L̃. Where X_d is the direction that the constraints leave it is the same, for given κ.
  Substitution momenta_at_start(const Vector& ratio, const Vector& speed, const FreeOptions& options) const;
  /// Momenta of an interval between two positions: κ δ is the part of Δx that lies in the admissible direction, so that
  /// slips of the second position are not carried on, and zeros of the direction do not matter.
  Substitution momenta_between() const;

  /// 2T
  Expression vis_viva() const;
  /// What the constants are relative to, in (q, v) of the start.
  Expression constant_of_start() const;
  /// Which Lagrangian it is, with which constants.
  std::vector<StartRemark> remarks() const;
};

/// All of them multiplied by a factor.
std::vector<Expression> scaled(std::vector<Expression> list, const Expression& factor);

/// The constraints under the rule, by rows: without the factors and parameters that do not matter to them.
std::vector<std::vector<Expression>> discrete_rows(const System& system, const SteeredSystem& steered,
                                                   const Rule& rule);

}  // namespace rattleback
