#pragma once

#include <memory>

#include "integrator.hpp"
#include "rattleback/mech/problem.hpp"

namespace rattleback {

/// Taylor series of the motion, of fixed order and variable step (Jorba & Zou 2005, Experimental Mathematics 14,
/// 99–117).
///
/// The error of a step of the series of order p is about (h/ρ)^p, where ρ, the radius of convergence, is seen from the
/// last two coefficients: for a tolerance ε, h = ρ ε^{1/p}. If a step costs p², p = 1 − ½ ln ε is best, as in that
/// paper; if it costs p, 1 − ln ε. Here it is something between,
///
///     p = 1 − ¾ ln ε,
///
/// so that no step is ever rejected. Accelerations and multipliers solve one linear system, whose matrix is factorised
/// once in a step (kernel/series.hpp). The sums over time and state are compensated.
///
/// Throws MethodError where there are no series (mech/motion_series.hpp).
std::unique_ptr<Integrator> make_taylor(const Problem& problem, const MotionEquations& equations, double tolerance,
                                        int order = 0);

/// p = 1 − ¾ ln ε
int taylor_order(double tolerance);

}  // namespace rattleback
