#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// What one instruction computes from its operands a, b, c.
enum class Opcode : std::uint8_t {
  constant,  ///< Program::constants[a]
  input,     ///< input a
  variable,  ///< unknown a of an iteration (StepProgram only)
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  minimum,     ///< b if a is not a number
  sign,        ///< 1, −1, or a itself
  least,       ///< not a number if a or b is none
  largest,     ///< the same
  less,        ///< 1 if a < b, 0 if not, not a number if a or b is none
  less_equal,  ///< the same
  fma,         ///< a·b + c, rounded once: the same bits with any number of lanes, compiled or not
  select,      ///< b if a is 1, c if it is 0, a if it is not a number
  sqrt,
  sincos,     ///< the sine of a; the cosine is read by `cosine_of`
  cosine_of,  ///< the cosine that the sincos instruction a computed along; b is the angle
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  exp,
  log,
  pow,
  table,  ///< of a; b is where the NumberTable is in memory, as a number
};

/// Number of operands an instruction reads.
int operand_count(Opcode op);
/// Name for listings, and for the elementary functions the C name.
const char* opcode_name(Opcode op);

using Value = std::uint32_t;

struct Instruction {
  Opcode op;
  Value a = 0;
  Value b = 0;
  Value c = 0;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// The straight-line form of a list of expressions: instruction i computes value i, each common
/// subexpression once.
struct Program {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::uint32_t inputs = 0;
  std::vector<Value> outputs;

  friend bool operator==(const Program&, const Program&) = default;
};

/// Evaluates the outputs as functions of the inputs. Throws ExpressionError if an output depends on
/// a symbol that is not an input.
Program make_program(std::span<const Expression> inputs, std::span<const Expression> outputs);

/// The same, followed by a magnitude for each output: its value differs from the exact one by a few units of rounding
/// of its magnitude (first-order error analysis), whatever cancels. A value far below the rounding of its magnitude is
/// zero.
Program make_program_with_magnitudes(std::span<const Expression> inputs, std::span<const Expression> outputs);

/// A listing for people: one line for each instruction.
std::string listing(const Program& program);

}  // namespace rattleback
