#include "as_compiled.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "sincos_steps.hpp"
#include "step_program.hpp"

#if defined(__x86_64__)
#define RATTLEBACK_WITH_FMA __attribute__((target("avx2,fma")))
#else
#define RATTLEBACK_WITH_FMA
#endif

namespace rattleback {
namespace {

bool has_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}

struct Arithmetic {
  RATTLEBACK_WITH_FMA static double number(double c) { return c; }
  RATTLEBACK_WITH_FMA static double add(double a, double b) { return a + b; }
  RATTLEBACK_WITH_FMA static double subtract(double a, double b) { return a - b; }
  RATTLEBACK_WITH_FMA static double multiply(double a, double b) { return a * b; }
  RATTLEBACK_WITH_FMA static double negate(double a) { return -a; }
  RATTLEBACK_WITH_FMA static double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  RATTLEBACK_WITH_FMA static std::pair<double, double> in_quadrant(double shifted, double sine, double cosine) {
    const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
    const bool odd = (quadrant & 1U) != 0;
    const auto with_sign = [](double value, std::uint64_t quarter) {
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ ((quarter & 2U) << 62U));
    };
    return {with_sign(odd ? cosine : sine, quadrant), with_sign(odd ? sine : cosine, quadrant + 1)};
  }
};

}  // namespace

bool& left_range() {
  thread_local bool left = false;
  return left;
}

RATTLEBACK_WITH_FMA double sine_as_compiled(double x) {
  Arithmetic arithmetic;
  if (std::abs(x) <= inline_sincos_range) return sincos_steps(arithmetic, x).first;
  left_range() = true;
  return std::sin(x);
}

RATTLEBACK_WITH_FMA double cosine_as_compiled(double x) {
  Arithmetic arithmetic;
  if (std::abs(x) <= inline_sincos_range) return sincos_steps(arithmetic, x).second;
  left_range() = true;
  return std::cos(x);
}

bool can_be_interpreted_as_compiled(const std::vector<Instruction>& code, std::size_t sines) {
  if (!has_fma() || std::getenv("RATTLEBACK_JIT_CPU") != nullptr || sines > max_inline_sines) return false;
  return std::ranges::all_of(code, [](const Instruction& i) {
    switch (i.op) {
      case Opcode::tan:
      case Opcode::asin:
      case Opcode::acos:
      case Opcode::atan:
      case Opcode::atan2:
      case Opcode::sinh:
      case Opcode::cosh:
      case Opcode::tanh:
      case Opcode::asinh:
      case Opcode::exp:
      case Opcode::log:
      case Opcode::pow: return false;
      default: return true;
    }
  });
}

}  // namespace rattleback
