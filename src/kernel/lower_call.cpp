#include "builder.hpp"
#include "rattleback/expr/number_table.hpp"

namespace rattleback {
namespace {

Opcode opcode_of(Function f) {
  switch (f) {
    case Function::sin: return Opcode::sin;
    case Function::cos: return Opcode::cos;
    case Function::tan: return Opcode::tan;
    case Function::asin: return Opcode::asin;
    case Function::acos: return Opcode::acos;
    case Function::atan: return Opcode::atan;
    case Function::atan2: return Opcode::atan2;
    case Function::sinh: return Opcode::sinh;
    case Function::cosh: return Opcode::cosh;
    case Function::tanh: return Opcode::tanh;
    case Function::asinh: return Opcode::asinh;
    case Function::exp: return Opcode::exp;
    case Function::log: return Opcode::log;
    case Function::sqrt: return Opcode::sqrt;
    case Function::abs: return Opcode::absolute;
    case Function::sign: return Opcode::sign;
    case Function::min:
    case Function::both: return Opcode::least;
    case Function::max:
    case Function::either: return Opcode::largest;
    case Function::less: return Opcode::less;
    case Function::less_equal: return Opcode::less_equal;
    case Function::if_else: return Opcode::select;
    case Function::table: return Opcode::table;
  }
  throw ExpressionError("a function without an opcode");
}

}  // namespace

Value Builder::lower_call(const Expression& e, Bindings& scope) {
  const auto operand = [&](std::size_t k) { return *scope.find(e.operands()[k].expression); };
  switch (e.function()) {
    case Function::abs: return absolute(operand(0));
    case Function::if_else: return select(operand(0), operand(1), operand(2));
    case Function::table: {
      const CallableNumbers* const place = &number_table(e.operands()[1].expression.value());
      return call(Opcode::table, operand(0), constant(static_cast<double>(reinterpret_cast<std::uintptr_t>(place))));
    }
    default: return call(opcode_of(e.function()), operand(0), e.operands().size() > 1 ? operand(1) : 0);
  }
}

}  // namespace rattleback
