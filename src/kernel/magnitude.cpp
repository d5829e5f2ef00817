// How large the rounding error of a value may be: first-order running error analysis.

#include "builder.hpp"

namespace rattleback {
namespace {

constexpr double largest_tolerated_factor = 67108864.0;  // 2²⁶
constexpr double largest_tolerated_exponential = 1e300;

}  // namespace

/// At most 2²⁶: an iteration that ran away must not pass for one at its floor.
Value Builder::bounded(Value v) { return operation(Opcode::minimum, v, constant(largest_tolerated_factor)); }

/// Magnitude of v relative to |v|: how much of it cancels.
Value Builder::amplification(Value v) {
  const Value size = absolute(v);
  return magnitude_[v] == size ? constant(1.0) : bounded(divide(magnitude_[v], size));
}

Value Builder::magnitude(Value root) {
  const auto inner_operands = [](Opcode op) {
    switch (op) {
      case Opcode::add:
      case Opcode::subtract:
      case Opcode::multiply:
      case Opcode::divide: return 2;
      case Opcode::least:
      case Opcode::largest: return 2;
      case Opcode::select: return 3;
      case Opcode::absolute:
      case Opcode::negate: return 1;
      case Opcode::sin:
      case Opcode::cos:
      case Opcode::tan:
      case Opcode::exp:
      case Opcode::log:
      case Opcode::sqrt: return 1;
      default: return 0;
    }
  };
  std::vector<Value> stack{root};
  while (!stack.empty()) {
    const Value v = stack.back();
    const Instruction i = code_[v];
    const int inner = magnitude_.contains(v) ? 0 : inner_operands(i.op);
    const std::size_t before = stack.size();
    if (inner > 0 && !magnitude_.contains(i.a)) stack.push_back(i.a);
    if (inner > 1 && !magnitude_.contains(i.b)) stack.push_back(i.b);
    if (inner > 2 && !magnitude_.contains(i.c)) stack.push_back(i.c);
    if (stack.size() > before) continue;
    stack.pop_back();
    if (magnitude_.contains(v)) continue;
    Value result = 0;
    switch (i.op) {
      case Opcode::add:
      case Opcode::subtract: result = add(magnitude_[i.a], magnitude_[i.b]); break;
      case Opcode::multiply: {
        // |a| m(b) + (m(a) − |a|) |b|: errors of factors add up. m(a) m(b) would multiply them, and high powers of a
        // cosine near its zero would hide everything.
        const Value size_a = absolute(i.a);
        const Value size_b = absolute(i.b);
        result = multiply(size_a, magnitude_[i.b]);
        if (magnitude_[i.a] != size_a) result = add(result, multiply(subtract(magnitude_[i.a], size_a), size_b));
        break;
      }
      case Opcode::divide: result = multiply(divide(magnitude_[i.a], absolute(i.b)), amplification(i.b)); break;
      case Opcode::absolute:
      case Opcode::negate: result = magnitude_[i.a]; break;
      case Opcode::select: result = select(i.a, magnitude_[i.b], magnitude_[i.c]); break;
      case Opcode::least:
      case Opcode::largest:
        result = select(operation(Opcode::less_equal, i.a, i.b), magnitude_[i.op == Opcode::least ? i.a : i.b],
                        magnitude_[i.op == Opcode::least ? i.b : i.a]);
        break;
      // |f(x)| + |f′(x)| |x|: what the rounding of the argument does to the function.
      case Opcode::sin:
      case Opcode::cos: result = add(absolute(v), bounded(magnitude_[i.a])); break;
      case Opcode::tan:
        result = add(absolute(v), multiply(add(constant(1.0), multiply(v, v)), bounded(magnitude_[i.a])));
        break;
      case Opcode::log: result = add(absolute(v), amplification(i.a)); break;
      case Opcode::sqrt: result = multiply(v, add(constant(1.0), amplification(i.a))); break;
      case Opcode::exp: {
        // Bounded for the same reason: every residual is below an infinite magnitude.
        const Value amplified = multiply(v, magnitude_[i.a]);
        // In this order NaN (of 0·∞) stays NaN and passes for nothing.
        result = add(v, operation(Opcode::minimum, constant(largest_tolerated_exponential), amplified));
        break;
      }
      default: result = absolute(v); break;
    }
    magnitude_[v] = result;
  }
  return magnitude_[root];
}

}  // namespace rattleback
