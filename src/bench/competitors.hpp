#pragma once

// Integrators that come with Debian, each with the best chance a competent user would give it.

#include <memory>
#include <string>
#include <vector>

#include "src/bench/contestant.hpp"

namespace rattleback::bench {

using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// Whether this processor has the instructions they were compiled for (processor.hpp).
bool odeint_runs_here();

/// Boost.odeint: explicit methods with constant steps and with step control.
Contestants odeint_particle();
Contestants odeint_sleigh();
Contestants odeint_oscillators();  ///< McLachlan and Perlmutter's, n = 6
Contestants odeint_rattleback();

/// SUNDIALS: CVODE on minimal coordinates (Adams with fixed-point iteration, BDF with the exact Jacobian), and IDA on
/// the index-1 form with the multiplier (exact Jacobian, the multiplier left out of the error test). Adams alone where
/// there is no Jacobian.
Contestants sundials_particle();
Contestants sundials_sleigh();
Contestants sundials_oscillators();
Contestants sundials_rattleback();

/// Both.
Contestants competitors_particle();
Contestants competitors_sleigh();
Contestants competitors_oscillators();
Contestants competitors_rattleback();

/// Steps of constant size of an explicit method on one of the problems of the table of steps.
struct ExplicitSteps {
  std::string method;                    ///< rk4, rkf78
  void (*run)(double step, long steps);  ///< from the problem's start
};
std::vector<ExplicitSteps> explicit_particle();
std::vector<ExplicitSteps> explicit_sleigh();
std::vector<ExplicitSteps> explicit_oscillators_6();
std::vector<ExplicitSteps> explicit_oscillators_100();

}  // namespace rattleback::bench
