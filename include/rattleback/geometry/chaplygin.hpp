#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// A declaration that is wrong: a symmetry that L or the constraints do not have, generators that do not form a group
/// or do not act freely. The message names the term that breaks it.
class GeometryError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// A group of transformations of Q by its infinitesimal generators.
struct SymmetryGroup {
  std::vector<Symmetry> generators;
  /// [ξ_a, ξ_b] = Σ_c C^c_ab ξ_c, computed from the generators; C^c_ab stands at [(a·k + b)·k + c].
  std::vector<double> structure_constants;

  std::size_t dimension() const { return generators.size(); }
  bool is_abelian() const;
};

/// A Chaplygin system: coordinates q = (r, s) of which the group moves s alone, and constraints that say how s follows
/// r,
///
///     ṡ^a = −Γ^a_α(r, s) ṙ^α
///
/// so that TQ = D ⊕ V with V the directions of the group. The motion of r is that of the reduced system
///
///     d/dt l_ṙ − l_r = F,   l(r, ṙ) = L on the constraints,   F_α = −p_b B^b_αβ ṙ^β,   p_b = ∂L/∂ṡ^b,
///     B^b_αβ = ∂_βΓ^b_α − ∂_αΓ^b_β + Γ^a_α ∂_aΓ^b_β − Γ^a_β ∂_aΓ^b_α,
///
/// B being the curvature of Γ as a connection on Q → Q/G (A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden and R. M.
/// Murray, Arch. Rational Mech. Anal. 136 (1996) 21–99, section 2). For an abelian group Γ does not depend on s; for
/// others the terms with ∂_a are the structure constants' part. l and F do not depend on s.
struct ChaplyginSystem {
  std::vector<std::size_t> shape;  ///< which coordinates are r
  std::vector<std::size_t> fibre;  ///< which are s; none for a system that is given in reduced form
  SymmetryGroup group;
  std::vector<std::vector<Expression>> connection;  ///< Γ[a][α], in all coordinates
  Expression transversality;                        ///< of the constraints and the fibre: where it is 0, TQ ≠ D ⊕ V
  System reduced;                                   ///< l, with F and reduced applied forces as applied forces

  /// s' of a node, in coordinates and velocities of the shape.
  std::vector<Expression> fibre_velocities(const System& system) const;
};

struct ChaplyginSearch {
  std::optional<ChaplyginSystem> found;
  std::vector<std::string> reasons;  ///< why there is none
  bool regular = true;               ///< there is inertia wherever the system can move
};

/// The symmetries a system is known to have: those declared, and translations of coordinates that occur in neither L
/// nor the constraints nor the applied forces. Throws GeometryError if a declared one is none.
std::vector<Symmetry> known_symmetries(const System& system, std::span<const double> parameters, const State& near);

/// Structure constants of generators, or nothing if their brackets are not combinations of them with constant
/// coefficients; `reason` then says which.
std::optional<SymmetryGroup> make_group(const System& system, std::vector<Symmetry> generators,
                                        std::span<const double> parameters, std::span<const double> near,
                                        std::string* reason = nullptr);

/// Looks for a group of known symmetries for which the system is a Chaplygin system. Declared ones come first; among
/// several, the fibre for which the constraints are best solved near the given state. Judged at random points near it.
ChaplyginSearch find_chaplygin(const System& system, std::span<const double> parameters, const State& near);

/// Reduced and full accelerations of r at random states, their largest difference relative to their size: zero up to
/// rounding, or the reduction is wrong.
double reduction_defect(const System& system, const ChaplyginSystem& chaplygin, std::span<const double> parameters,
                        const State& near);

}  // namespace rattleback
