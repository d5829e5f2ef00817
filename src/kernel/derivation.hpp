#pragma once

#include <vector>

#include "builder.hpp"
#include "elimination.hpp"
#include "step_program.hpp"

namespace rattleback {

/// A step program and what it was made of, by which one can tell whether other typical data lead to the same one: they
/// decide about pivots, and about nothing else.
struct Derivation {
  struct Solution {
    Value begin;  ///< of its code
    SymbolicLinearSystem linear;
    std::vector<AffineForm> forms;
    EliminationResult result;
  };
  struct Variable {
    Value guess;
    int unknown;
  };
  StepProgram program;
  Builder builder;
  std::vector<Solution> solutions;
  std::vector<Variable> variables;  ///< by their slots

  /// Whether the system, which differs in its typical data at most, has this program.
  bool is_that_of(const ImplicitSystem& system);
};

Derivation derive_step(const ImplicitSystem& system, Constants constants);

/// Sample values by which pivots are chosen: of the data i the typical ones, slightly varied, or numbers around 1 that
/// are unlikely to make anything vanish; of variables what is near the guess.
Builder::Sample sample_of_data(std::span<const double> typical, std::size_t i);
Builder::Sample sample_of_variable(Builder::Sample guess, int unknown);

}  // namespace rattleback
