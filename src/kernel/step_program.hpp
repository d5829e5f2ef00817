#pragma once

#include <algorithm>
#include <vector>

#include "builder.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/kernel/program.hpp"

namespace rattleback {

/// Consecutive instructions.
struct CodeRange {
  Value begin = 0;
  Value end = 0;
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// |residual| against the magnitude of its terms: what rounding lets us ask for.
struct ResidualCheck {
  Value residual;
  Value magnitude;
  friend bool operator==(const ResidualCheck&, const ResidualCheck&) = default;
};

/// One block of the block-triangular order.
///
/// A linear block is solved by `before` and then checked; nothing is iterated. In an iterative block
///
///     u ← guess
///     repeat   evaluate `check`; if the first residual is at its round-off floor,
///                 evaluate `magnitudes`; stop if every residual is at its floor
///              evaluate `solve`; u ← u + correction
///
/// so that at the end the values of `check` belong to the solution and later code may use them. The first residual is
/// that of a small nonlinear equation: while it is large, nobody has to know the magnitudes of the others.
struct StepBlock {
  static constexpr int not_counted = -1;
  bool iterative = false;
  int solution = 0;  ///< iterations of blocks that solve equations together are counted together
  CodeRange before;
  CodeRange check;
  CodeRange magnitudes;
  CodeRange solve;
  std::vector<std::uint32_t> variables;  ///< slots of Opcode::variable
  std::vector<Value> guess;
  std::vector<Value> correction;
  std::vector<ResidualCheck> residuals;
  /// Solutions of linear blocks that are mere substitutions: accurate whenever they are finite.
  std::vector<Value> must_be_finite;

  friend bool operator==(const StepBlock&, const StepBlock&) = default;
};

/// Code that solves an implicit system: inputs are the data, outputs are the outputs.
struct StepProgram {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::uint32_t inputs = 0;
  std::uint32_t state = 0;      ///< the first outputs replace the first inputs from step to step
  std::uint32_t variables = 0;  ///< unknowns that are iterated
  CodeRange invariant;          ///< depends on parameters only: once for many steps
  std::vector<StepBlock> blocks;
  CodeRange after;
  std::vector<Value> must_be_finite;  ///< parts of outputs that may be undefined though the solution is not
  std::vector<Value> outputs;
  std::size_t sines = 0;  ///< by which it is decided whether they are computed inline

  friend bool operator==(const StepProgram&, const StepProgram&) = default;
};

/// Programs with more sines than this call them: inline code would make compiling slow.
inline constexpr std::size_t max_inline_sines = 64;
inline std::size_t count_sines(const std::vector<Instruction>& code) {
  return static_cast<std::size_t>(std::ranges::count_if(
      code, [](const Instruction& i) { return i.op == Opcode::sincos || i.op == Opcode::sin || i.op == Opcode::cos; }));
}

/// Iterations the fast path may use before a step is handed to the pivoted solver.
inline constexpr int max_fast_iterations = 12;
/// An iteration ends when every residual is below this many ulps of its magnitude …
inline constexpr double tight_floor = 4.0;
/// … or has been below this many twice in a row: it stalls at its floor.
inline constexpr double stalled_floor = 64.0;
/// A linear block whose residual exceeds this many ulps of its magnitude has lost accuracy.
inline constexpr double linear_floor = 1024.0;

/// Where numbers underflow, rounding errors are not relative to anything: residuals below this many smallest normal
/// numbers are none.
inline constexpr double underflow_floor = 64.0;

/// Throws StructureError if the equations cannot determine the unknowns, or contain symbols that are
/// neither data nor unknowns.
StepProgram make_step_program(const ImplicitSystem& system, Constants constants = Constants::folded);

/// Where an equation does not depend on an unknown although it contains it, as a(x + y) − a(x − y) contains x, any
/// value of the unknown will do: equations are ordered by what they depend on. `slopes` is the Jacobian of the
/// residuals, and again that of the result.
ImplicitSystem without_idle_unknowns(ImplicitSystem system, SparseMatrix& slopes);

}  // namespace rattleback
