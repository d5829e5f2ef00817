#include "sincos.hpp"

#include <llvm/IR/Constants.h>

#include <span>

namespace rattleback {
namespace {

/// Emits arithmetic on values of one type, scalar or vector.
class Arithmetic {
 public:
  Arithmetic(llvm::IRBuilder<>& ir, llvm::Type* type) : ir_(ir), type_(type) {}

  llvm::Value* number(double c) { return llvm::ConstantFP::get(type_, c); }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
  }

  /// c₀ + c₁z + … + c₅z⁵ by Estrin's scheme: a third of the latency of Horner's.
  llvm::Value* polynomial(llvm::Value* z, llvm::Value* z2, std::span<const double, 6> c) {
    llvm::Value* const z4 = ir_.CreateFMul(z2, z2);
    llvm::Value* const low = fma(z, number(c[1]), number(c[0]));
    llvm::Value* const middle = fma(z, number(c[3]), number(c[2]));
    llvm::Value* const high = fma(z, number(c[5]), number(c[4]));
    return fma(z4, high, fma(z2, middle, low));
  }

 private:
  llvm::IRBuilder<>& ir_;
  llvm::Type* type_;
};

// Minimax coefficients on [−π/4, π/4] of (sin r − r)/r³ and (cos r − 1 + r²/2)/r⁴ in r²: those of
// fdlibm (Sun Microsystems, 1993).
constexpr double sine_coefficients[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                        -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                        -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr double cosine_coefficients[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                          2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                          2.08757232129817482790e-09, -1.13596475577881948265e-11};

// π/2 = first + second + third. The first has 33 bits, so that k·first is exact for |k| < 2²⁰.
constexpr double half_pi_first = 0x1.921fb544p+0;
constexpr double half_pi_second = 0x1.0b4611a626331p-34;
constexpr double half_pi_third = 0x1.1701b839a2520p-88;
constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
/// Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
constexpr double rounding_shift = 0x1.8p+52;

}  // namespace

SinCos emit_inline_sincos(llvm::IRBuilder<>& ir, llvm::Value* x) {
  llvm::Type* const type = x->getType();
  llvm::Type* const bits =
      llvm::isa<llvm::VectorType>(type)
          ? llvm::VectorType::get(ir.getInt64Ty(), llvm::cast<llvm::VectorType>(type)->getElementCount())
          : static_cast<llvm::Type*>(ir.getInt64Ty());
  Arithmetic a(ir, type);
  const auto integer = [&](std::uint64_t c) { return llvm::ConstantInt::get(bits, c); };

  // x = k·π/2 + r with |r| ≤ π/4.
  llvm::Value* const shifted = a.fma(x, a.number(two_over_pi), a.number(rounding_shift));
  llvm::Value* const k = ir.CreateFSub(shifted, a.number(rounding_shift));
  llvm::Value* const minus_k = ir.CreateFNeg(k);
  llvm::Value* r = a.fma(minus_k, a.number(half_pi_first), x);
  r = a.fma(minus_k, a.number(half_pi_second), r);
  r = a.fma(minus_k, a.number(half_pi_third), r);

  llvm::Value* const z = ir.CreateFMul(r, r);
  llvm::Value* const z2 = ir.CreateFMul(z, z);
  llvm::Value* const sine = a.fma(ir.CreateFMul(r, z), a.polynomial(z, z2, sine_coefficients), r);
  // cos r = w + (e + z²Q) with w = 1 − z/2 rounded and e what the rounding lost.
  llvm::Value* const w = a.fma(z, a.number(-0.5), a.number(1.0));
  llvm::Value* const e = a.fma(z, a.number(-0.5), ir.CreateFSub(a.number(1.0), w));
  llvm::Value* const cosine = ir.CreateFAdd(w, a.fma(z2, a.polynomial(z, z2, cosine_coefficients), e));

  // k mod 4 says which is which, and with which sign.
  llvm::Value* const quadrant = ir.CreateBitCast(shifted, bits);
  llvm::Value* const odd = ir.CreateICmpNE(ir.CreateAnd(quadrant, integer(1)), integer(0));
  const auto with_sign = [&](llvm::Value* value, llvm::Value* quarter) {  // bit 1 of the quarter is the sign
    llvm::Value* const sign = ir.CreateShl(ir.CreateAnd(quarter, integer(2)), integer(62));
    return ir.CreateBitCast(ir.CreateXor(ir.CreateBitCast(value, bits), sign), type);
  };
  return {with_sign(ir.CreateSelect(odd, cosine, sine), quadrant),
          with_sign(ir.CreateSelect(odd, sine, cosine), ir.CreateAdd(quadrant, integer(1)))};
}

}  // namespace rattleback
