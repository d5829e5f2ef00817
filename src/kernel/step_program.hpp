#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "builder.hpp"
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

/// |deviation| ≤ limit: an entry of a matrix has not changed much by elimination.
struct GrowthCheck {
  Value deviation;
  Value limit;
  friend bool operator==(const GrowthCheck&, const GrowthCheck&) = default;
};

/// One block of the block-triangular order.
///
/// A linear block is solved by `before` and then checked; nothing is iterated. If what has to grow little did, the
/// residuals in `implied` are small (elimination.hpp says why); only otherwise `magnitudes` computes them, and they are
/// checked. In an iterative block
///
///     u ← guess
///     repeat   evaluate `check`; if the first residual is at its round-off floor,
///                 evaluate `magnitudes`; stop if every residual is at its floor
///              evaluate `solve`; u ← u + correction
///
/// so that at the end the values of `check` belong to the solution and later code may use them. The first residual is
/// that of a nonlinear equation in which many unknowns meet: while it is large, nobody has to know the magnitudes of
/// the others. With a tolerance, floors are higher by it; with a number of iterations, nothing is compared.
struct StepBlock {
  static constexpr int not_counted = -1;
  bool iterative = false;
  IterationEnd end;
  int solution = 0;  ///< iterations of blocks that solve equations together are counted together
  CodeRange before;
  CodeRange check;
  CodeRange magnitudes;
  CodeRange solve;
  std::vector<std::uint32_t> variables;  ///< slots of Opcode::variable
  std::vector<Value> guess;
  std::vector<Value> correction;
  std::vector<ResidualCheck> residuals;
  std::vector<GrowthCheck> growth;
  std::vector<ResidualCheck> implied;
  /// Solutions of linear blocks that are mere substitutions: accurate whenever they are finite.
  std::vector<Value> must_be_finite;

  friend bool operator==(const StepBlock&, const StepBlock&) = default;
};

/// A variable that one step leaves to the next: it begins with `initial`, which the invariant code computes.
struct CarriedValue {
  std::uint32_t variable;
  Value initial;
  Value next;
  friend bool operator==(const CarriedValue&, const CarriedValue&) = default;
};

/// Code that solves an implicit system: inputs are the data, outputs are the outputs.
struct StepProgram {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::uint32_t inputs = 0;
  std::uint32_t state = 0;      ///< the first outputs replace the first inputs from step to step
  std::uint32_t variables = 0;  ///< unknowns that are iterated, and what is carried from step to step
  std::vector<CarriedValue> carried;
  CodeRange invariant;  ///< depends on parameters only, or on where the first step begins: once for many steps
  std::vector<StepBlock> blocks;
  CodeRange after;
  std::vector<Value> must_be_finite;  ///< parts of outputs that may be undefined though the solution is not
  std::vector<Value> outputs;
  std::size_t sines = 0;  ///< by which it is decided whether they are computed inline

  friend bool operator==(const StepProgram&, const StepProgram&) = default;
};

/// Visits the values of a block, or of a program, that are not operands of its code.
template <class F>
void for_each_root(StepBlock& block, F&& visit) {
  for (auto* list : {&block.guess, &block.correction, &block.must_be_finite}) std::ranges::for_each(*list, visit);
  for (auto* list : {&block.residuals, &block.implied}) {
    for (ResidualCheck& c : *list) visit(c.residual), visit(c.magnitude);
  }
  for (GrowthCheck& g : block.growth) visit(g.deviation), visit(g.limit);
}
template <class F>
void for_each_root(StepProgram& program, F&& visit) {
  for (StepBlock& block : program.blocks) for_each_root(block, visit);
  for (auto* list : {&program.must_be_finite, &program.outputs}) std::ranges::for_each(*list, visit);
  for (CarriedValue& c : program.carried) visit(c.initial), visit(c.next);
}

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

/// What residuals of an iteration may be besides rounding errors of their terms.
template <class T>
T allowed_residual(const IterationEnd& end) {
  return std::max(T(end.tolerance), T(underflow_floor) * std::numeric_limits<T>::min());
}

/// Throws StructureError if the equations cannot determine the unknowns, or contain symbols that are
/// neither data nor unknowns.
/// What was derived from the same system lately is not derived again, nor what differs in its typical data only, if
/// they would lead to the same.
StepProgram make_step_program(const ImplicitSystem& system, Constants constants = Constants::folded);

}  // namespace rattleback
