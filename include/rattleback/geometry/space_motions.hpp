#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/chaplygin.hpp"

namespace rattleback {

/// The symmetries of a system with rotations that are rigid motions of space, as a group G that acts on Q from the
/// left:
///
///     R ↦ g R for the rotations it turns,     c ↦ ρ(g) c + d for the coordinates it moves.
///
/// Δ of a rotation is seen from the body and does not change, Δ of coordinates turns with ρ(g), and all that a rule
/// makes of q and Δ follows: L_d and D_d are invariant under G, and the discrete equations pass to Q/G (Cortés &
/// Martínez, Theorem 5.5, whose hypothesis this is). G acts freely where it turns a rotation, or nothing.
///
/// Each q is g·q̄ with one q̄ in a slice: R̄ = 1 for the first of the rotations if G turns space in every way, and if it
/// turns about an axis n, a rotation R̄(γ) of γ = Rᵀn with R̄ᵀn = γ; coordinates are measured from those that
/// translations may move to 0. With H = R R̄ᵀ, the frame, g is c ↦ ρ(H) c + d.
struct SpaceMotions {
  enum class Turns : std::uint8_t { none, about_axis, all };

  Turns turns = Turns::none;
  std::array<double, 3> axis{};                    ///< n, of length 1
  std::vector<std::size_t> turned;                 ///< rotations
  std::vector<std::array<std::size_t, 3>> points;  ///< of all turns: coordinates that are those of a vector
  std::vector<std::vector<double>> about_axis;     ///< of turns about n: δc = B c, B³ = −B
  std::vector<std::vector<double>> translations;   ///< δc = b
  std::vector<std::size_t> origin;                 ///< a coordinate for each: b is 1 there, and the others are 0
  SymmetryGroup group;                             ///< of the symmetries that are divided out
  std::vector<std::string> left_out;               ///< symmetries that are not, each with the reason

  bool empty() const { return group.generators.empty(); }
  /// The coordinates of Q/G: those that stay, and γ, for people.
  std::vector<std::string> reduced_positions(const System& system) const;

  /// H at these positions.
  Matrix frame(const System& system, std::span<const Expression> positions) const;
  /// ρ(H) applied to the entries that belong to coordinates, of vectors and covectors, and its inverse.
  std::vector<Expression> turned_by(const Matrix& frame, std::vector<Expression> vector) const;
  std::vector<Expression> turned_back(const Matrix& frame, std::vector<Expression> vector) const;
  /// q̄, by the coordinates of Q/G alone: R̄, not HᵀR.
  std::vector<Expression> slice(const System& system) const;
  /// Whether functions of q and of a displacement, as discrete constraints are, vanish at q for the displacements for
  /// which they vanish in the slice: they are combinations of each other, the same for random displacements.
  bool leave_alone(const System& system, const std::vector<Expression>& functions,
                   const std::vector<Expression>& displacement, std::span<const double> parameters,
                   const State& near) const;

 private:
  Matrix on_slice(const Vector& gamma) const;
  std::vector<Expression> applied(const Matrix& frame, std::vector<Expression> vector) const;
};

/// Known symmetries that are such motions. Those that declare a larger group than acts freely are left out, last first.
SpaceMotions find_space_motions(const System& system, const std::vector<Symmetry>& known,
                                std::span<const double> parameters, const State& near);

}  // namespace rattleback
