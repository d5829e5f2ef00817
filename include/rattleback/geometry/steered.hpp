#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/second_order.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// The class of Mestdag, Bloch & Fernandez, section II, with several coordinates r₂, r₃, …: one coordinate r₁ steers,
/// and each of the others moves in one of a few directions that depend on it alone. The mass matrix M is constant, and
/// the constraints let the velocity be
///
///     q̇ = ṙ₁ Y + Σ_a u_a X_a(r₁),   Y constant, Y_{r₁} = 1, X_{r₁} = 0, ⟨X_a, M X_b⟩ = δ_ab, ⟨X_a, M Y⟩ = 0,
///
/// where no coordinate takes part in two directions and ⟨X_a, M X_b'⟩ = 0. With a potential V that Y does not change
/// the motion is r̈₁ = 0, u̇_a = −⟨X_a, ∂V⟩, since ⟨X_a, M X_a'⟩ = ⟨Y, M X_a'⟩ = 0. In the paper there is one direction,
/// Y = ∂/∂r₁, M is diagonal, and the coordinates other than r₁ are r₂ and s_α with
///
///     ṡ_α = −A_α(r₁) ṙ₂,   X = N (1, −A_α),   N = (I₂ + Σ I_α A_α²)^(−1/2).
///
/// N and A_α have poles where X_{r₂} = 0, as for a knife edge across its path; X has none.
struct SteeredSystem {
  std::size_t steering = 0;           ///< r₁
  std::vector<std::size_t> moved;     ///< r₂ and its s, r₃ and its s, …: all others
  std::vector<std::size_t> branch;    ///< the direction a that each of `moved` takes part in, ascending
  std::vector<Expression> direction;  ///< X_a, one entry for each of `moved`, in r₁ and parameters
  std::vector<Expression> shear;      ///< Y, likewise: q − Y r₁ is what moves in the directions X
  Expression inertia;                 ///< I₁ = ⟨Y, M Y⟩
  std::vector<Expression> masses;     ///< the diagonal of M, one for each of `moved`
  /// The constraints as covectors, by rows, without common factors and parameters that are zero.
  std::vector<std::vector<Expression>> rows;
  std::vector<std::size_t> row_branch;  ///< the direction whose coordinates each row ties together
  std::vector<double> orientation;      ///< X_a is this times the minors of the constraints: N_a > 0 at the start
  Expression potential;                 ///< V
  bool potential_is_constant = true;
  bool density_is_constant = false;  ///< N_a' = 0 for all directions

  std::size_t directions() const { return orientation.size(); }
  /// This one of `moved` is r₂, or r₃, …: the first of its direction.
  bool is_base(std::size_t i) const { return i == 0 || branch[i] != branch[i - 1]; }
  std::size_t base_of(std::size_t i) const;
  /// u_a as functions of (q, v): ⟨X_a, M v⟩.
  std::vector<Expression> speeds(const System& system) const;
  /// A_α of the paper, for one of `moved` that is an s.
  Expression slope(std::size_t i) const;
};

struct SteeredSearch {
  std::optional<SteeredSystem> found;
  std::string reason;  ///< why the system is not of this class
};

/// Parameters that are zero count as absent: an offset of zero couples nothing.
SteeredSearch find_steered(const System& system, std::span<const double> parameters, const State& near);

/// The directions X that constraints with another matrix leave to the coordinates `moved`, as those of the system under
/// a rule. Signs and normalisation are those of `direction`.
std::vector<Expression> steered_direction(const System& system, const SteeredSystem& steered,
                                          const std::vector<std::vector<Expression>>& constraint_matrix);

/// How a velocity s' is expressed where the accelerations of the constrained motion are continued to all velocities.
enum class Associated : std::uint8_t {
  by_base,  ///< by ṙ₂, or ṙ₃, …, of its direction: Mestdag, Bloch & Fernandez (4)
  by_each,  ///< by itself: (5), and (14) with a potential
};

/// A second-order system on all of TQ whose motions that satisfy the constraints are those of the constrained system.
SecondOrderSystem associated_system(const System& system, const SteeredSystem& steered, Associated which);

/// A Lagrangian without constraints for the system (5), with its Hamiltonian and the image of the constraints:
///
///     (6)  L̃ = ½ I₁ ṙ₁² + (1/2N) (C₂ ṙ₂²/ṙ₁ + Σ C_β ṡ_β²/(A_β ṙ₁))
///     (7)  L̃ = ½ I₁ ṙ₁² + ½ I₂ ṙ₂² + (1/2N) Σ C_β ṡ_β²/(A_β ṙ₁)      if N is constant
///
/// with constants C that are not zero (in (7) the paper calls them a_β); with several directions there is such a
/// bracket for each. A coordinate with X_β = 0 stands still: it has its kinetic energy instead.
struct FreeLagrangian {
  System system;                        ///< without constraints; the constants are further parameters, of value 1
  std::vector<Expression> constants;    ///< their symbols, one for each of `moved`; 0 where there is none
  std::vector<Expression> momenta;      ///< symbols p
  Expression hamiltonian;               ///< in coordinates and momenta
  std::vector<Expression> constraints;  ///< in coordinates and momenta: each vanishes
};

enum class FreeForm : std::uint8_t { both_scaled = 6, constant_density = 7 };

/// Needs a constant potential, and a constant density for (7).
FreeLagrangian free_lagrangian(const System& system, const SteeredSystem& steered, FreeForm form);

/// +1 for r₂, r₃, … and −1 for the s: C_β/(N A_β) = −C_β/X_β.
double free_sign(const SteeredSystem& steered, std::size_t moved);

/// The momentum of this coordinate is that of its kinetic energy, not C ẋ/(X ṙ₁).
bool keeps_kinetic_energy(const SteeredSystem& steered, FreeForm form, std::size_t moved);

}  // namespace rattleback
