#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rattleback {

/// Newton–Cotes rules for t = ∫ dτ/N over equal steps of τ (Fernandez, Bloch & Olver (34)).
enum class Quadrature : std::uint8_t { trapezoidal, simpson, boole };

/// The number of steps that a rule takes together: 1, 2, 4. Its order is 2, 4, 6.
int panel_size(Quadrature rule);
int quadrature_order(Quadrature rule);

/// Integrals from the first node to every node of f, given at equally spaced nodes. Panels of the rule one after the
/// other; inside a panel, and in a last one that is not complete, the integral of the interpolating polynomial.
std::vector<double> cumulative_integral(std::span<const double> f, double h, Quadrature rule);

}  // namespace rattleback
