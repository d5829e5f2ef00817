#include "sincos.hpp"

#include <llvm/IR/Constants.h>

#include "../sincos_steps.hpp"

namespace rattleback {
namespace {

/// Emits arithmetic on values of one type, scalar or vector.
class Arithmetic {
 public:
  Arithmetic(llvm::IRBuilder<>& ir, llvm::Type* type)
      : ir_(ir), type_(type),
        bits_(llvm::isa<llvm::VectorType>(type)
                  ? llvm::VectorType::get(ir.getInt64Ty(), llvm::cast<llvm::VectorType>(type)->getElementCount())
                  : static_cast<llvm::Type*>(ir.getInt64Ty())) {}

  llvm::Value* number(double c) { return llvm::ConstantFP::get(type_, c); }
  llvm::Value* add(llvm::Value* a, llvm::Value* b) { return ir_.CreateFAdd(a, b); }
  llvm::Value* subtract(llvm::Value* a, llvm::Value* b) { return ir_.CreateFSub(a, b); }
  llvm::Value* multiply(llvm::Value* a, llvm::Value* b) { return ir_.CreateFMul(a, b); }
  llvm::Value* negate(llvm::Value* a) { return ir_.CreateFNeg(a); }
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
  }

  /// k mod 4 says which is which, and with which sign.
  std::pair<llvm::Value*, llvm::Value*> in_quadrant(llvm::Value* shifted, llvm::Value* sine, llvm::Value* cosine) {
    llvm::Value* const quadrant = ir_.CreateBitCast(shifted, bits_);
    llvm::Value* const odd = ir_.CreateICmpNE(ir_.CreateAnd(quadrant, integer(1)), integer(0));
    return {with_sign(ir_.CreateSelect(odd, cosine, sine), quadrant),
            with_sign(ir_.CreateSelect(odd, sine, cosine), ir_.CreateAdd(quadrant, integer(1)))};
  }

 private:
  llvm::Value* integer(std::uint64_t c) { return llvm::ConstantInt::get(bits_, c); }
  /// Bit 1 of the quarter is the sign.
  llvm::Value* with_sign(llvm::Value* value, llvm::Value* quarter) {
    llvm::Value* const sign = ir_.CreateShl(ir_.CreateAnd(quarter, integer(2)), integer(62));
    return ir_.CreateBitCast(ir_.CreateXor(ir_.CreateBitCast(value, bits_), sign), type_);
  }

  llvm::IRBuilder<>& ir_;
  llvm::Type* type_;
  llvm::Type* bits_;
};

}  // namespace

SinCos emit_inline_sincos(llvm::IRBuilder<>& ir, llvm::Value* x) {
  Arithmetic arithmetic(ir, x->getType());
  const auto [sine, cosine] = sincos_steps(arithmetic, x);
  return {sine, cosine};
}

}  // namespace rattleback
