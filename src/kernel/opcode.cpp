#include "rattleback/kernel/program.hpp"

namespace rattleback {

int operand_count(Opcode op) {
  switch (op) {
    case Opcode::constant:
    case Opcode::input:
    case Opcode::variable: return 0;
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::minimum:
    case Opcode::least:
    case Opcode::largest:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::table:
    case Opcode::cosine_of:
    case Opcode::atan2:
    case Opcode::pow: return 2;
    case Opcode::fma:
    case Opcode::select: return 3;
    default: return 1;
  }
}

const char* opcode_name(Opcode op) {
  constexpr const char* names[] = {"constant", "input", "variable", "add",        "subtract", "multiply", "divide",
                                   "negate",   "absolute", "minimum",  "sign",   "least",    "largest",  "less",
                                   "less_equal", "fma",  "select",   "sqrt",   "sincos",   "cosine_of", "sin",
                                   "cos",      "tan",    "asin",     "acos",   "atan",     "atan2",    "sinh",
                                   "cosh",     "tanh",   "asinh",    "exp",    "log",      "pow",      "table"};
  return names[static_cast<std::size_t>(op)];
}

}  // namespace rattleback
