#pragma once

#include <cstdint>
#include <span>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

// The configuration space, a product of numbers and rotations. Everything that depends on how positions move, and on
// the difference between positions and velocities, is here; where there are no rotations, nothing happens.

/// Throws RequestError for a system with rotations: `what` needs coordinates that are numbers.
void require_numbers(const System& system, const char* what);

/// q̇ in q and v: v itself, and R Ω̂.
std::vector<Expression> position_rates(const System& system);
std::vector<Expression> position_rates(const System& system, const std::vector<Expression>& velocities);

/// The slopes of a function of the position in all directions of motion: ∂f/∂x, and of a rotation the vector s with
/// δf = s·η for δR = R η̂.
std::vector<Expression> slopes(const Expression& function, const System& system);

/// a × b of the parts of vectors, or of a covector and a vector, that belong to rotations; zero elsewhere: the bracket
/// of fields that are constant in the body.
std::vector<Expression> brackets(const System& system, const std::vector<Expression>& a,
                                 const std::vector<Expression>& b);

/// p × Ω of the momenta p in the body of rotations, zero for other coordinates: d/dt p = p × Ω + slopes of L + forces.
std::vector<Expression> gyroscopic(const System& system);

/// Covectors (momenta, forces, impulses) seen from space instead of from the body, at these positions, and back.
std::vector<Expression> in_space(const System& system, std::vector<Expression> covector,
                                 std::span<const Expression> positions);
std::vector<Expression> in_body(const System& system, std::vector<Expression> covector,
                                std::span<const Expression> positions);

/// The position on the way from q, by increments: q + α Δ, and with ζ = Δ/4, β = 2α − 1
///
///     R_α = R c(ζ) c(βζ),     c(ζ) the rotation of the quaternion (1, ζ)/√(1 + |ζ|²)
///
/// The half step R c(ζ) is the middle, exactly; seen from the other end, with −Δ and 1 − α, the way is the same. Its
/// velocity is h Ω = Δ.
std::vector<Expression> moved_by(const System& system, const std::vector<Expression>& increments, double fraction);

/// Which angular velocity a turn by the angle θ about the axis n has in a step: h Ω is 4 tan(θ/4) n, which is Δ;
/// 2 sin(θ/2) n, of matrices Rᵀ_m (R₁ − R₀), as Moser and Veselov have it; 2 tan(θ/2) n, of Cayley's formula; or
/// sin θ n, half of W − Wᵀ with W = R₀ᵀR₁. With x = |ζ|² these are s(x) Δ, s rational and s(0) = 1.
enum class TurnRate : std::uint8_t { quarter, chord, cayley, sine };

/// h v in a step, for numbers Δ; and ∂(h v)/∂Δ, which is symmetric, applied to a covector.
std::vector<Expression> rates_of_step(const System& system, std::vector<Expression> increments, TurnRate turn);
std::vector<Expression> by_increments(const System& system, const std::vector<Expression>& increments, TurnRate turn,
                                      std::vector<Expression> by_rates);

/// How the rotations of that position turn with the increments: δR_α = R_α η̂ with
///
///     η = ½ b (a − b ζ̂ + 2β ζζᵀ) δΔ / ((1 + |ζ|²)(1 + β²|ζ|²)),     a = 1 − β|ζ|², b = 2α
std::vector<KnownSlopes> turns_by(const System& system, const std::vector<Expression>& increments, double fraction);

/// A variation of the right end, δR₁ = R₁ η̂₁ with R₀ fixed, changes the increment by δΔ = N(Δ) η₁ and the position on
/// the way by η_α = K_α(Δ) η₁; one of the left end, with R₁ fixed, by −N(−Δ) η₀ and K_{1−α}(−Δ) η₀. For numbers these
/// are 1 and α. The transposes, applied to covectors, those of forces with a weight:
std::vector<Expression> of_right_end(const System& system, const std::vector<Expression>& increments,
                                     std::vector<Expression> by_increments);
std::vector<Expression> of_left_end(const System& system, const std::vector<Expression>& increments,
                                    std::vector<Expression> by_increments);
std::vector<Expression> to_right_end(const System& system, const std::vector<Expression>& increments, double weight,
                                     double fraction, std::vector<Expression> force);
std::vector<Expression> to_left_end(const System& system, const std::vector<Expression>& increments, double weight,
                                    double fraction, std::vector<Expression> force);

/// Rotations that rounding has made no rotations any more, corrected by one Newton step of the polar decomposition,
/// R (3 − RᵀR)/2.
std::vector<Expression> orthonormal(const System& system, std::vector<Expression> positions);

}  // namespace rattleback
