// Power series as one native function (series_program.hpp). The convolutions of one order are computed together, as
// vectors of several of them, or of the lanes. In small programs all orders are written out: their factors then stay in
// registers.

#include <algorithm>

#include "../jit.hpp"
#include "../series_program.hpp"
#include "emitter.hpp"

namespace rattleback {
namespace {

using Column = Emitter::Column;

/// Instructions up to which all orders are written out; beyond, their factors do not fit into registers any more, and
/// compiling takes longer for nothing.
constexpr std::size_t largest_unrolled = 1500;
/// Vectors of convolutions that are summed up at the same time: sums wait for themselves.
constexpr std::size_t vectors_at_once = 4;

class SeriesEmitter {
 public:
  SeriesEmitter(Emitter& emitter, const SeriesProgram& program, const std::string& name)
      : e_(emitter), ir_(emitter.ir()), program_(program), lanes_(static_cast<std::size_t>(e_.lanes())),
        width_(lanes_ == 1 ? static_cast<std::size_t>(e_.members_in_register()) : lanes_),
        columns_(program.history_columns(e_.lanes())), row_(program.history_row(e_.lanes())),
        vectors_(columns_ * lanes_ / width_),
        vector_(width_ == 1 ? static_cast<llvm::Type*>(ir_.getDoubleTy())
                            : llvm::FixedVectorType::get(ir_.getDoubleTy(), static_cast<unsigned>(width_))) {
    llvm::Type* const parameters[] = {ir_.getPtrTy(), ir_.getPtrTy(), ir_.getPtrTy(), ir_.getPtrTy(), ir_.getPtrTy()};
    function_ = e_.begin_function(name, ir_.getVoidTy(), parameters);
    data_ = function_->getArg(0);
    coefficients_ = function_->getArg(1);
    trial_ = function_->getArg(2);
    history_ = function_->getArg(3);
  }

  void emit() {
    e_.inputs = e_.make_slots(program_.inputs);
    e_.variables = e_.make_slots(program_.variables() + columns_ - program_.convolutions());
    e_.copy(Emitter::range_of(Column::Kind::inputs, program_.inputs),
            Emitter::range_of(Column::Kind::array, program_.inputs), data_);
    const CodeRange ranges[] = {program_.head, program_.each_order};
    e_.begin_program(program_.code, program_.constants, ranges, {roots(), {}}, program_.inputs, program_.sines);
    e_.emit(program_.head);
    store_at(trial_, program_.trial);
    if (is_small()) {
      for (int j = 1; j <= program_.order; ++j) emit_order(j);
    } else {
      store_at(history_, program_.first);
      emit_loop();
    }
    ir_.CreateRetVoid();
    e_.end_function();
  }

 private:
  std::vector<Value> roots() const {
    std::vector<Value> all;
    for (const auto* list :
         {&program_.first, &program_.next, &program_.velocity, &program_.left, &program_.right, &program_.trial})
      all.insert(all.end(), list->begin(), list->end());
    return all;
  }

  bool is_small() const {
    if (e_.is_chunked()) return false;
    const auto order = static_cast<std::size_t>(program_.order);
    const std::size_t each = program_.each_order.end - program_.each_order.begin + 3 * program_.convolutions();
    return order * (each + vectors_ * order / 2) <= largest_unrolled;
  }

  llvm::Value* row(llvm::Value* array, llvm::Value* number, std::size_t size) {
    return ir_.CreateInBoundsGEP(ir_.getDoubleTy(), array, ir_.CreateMul(number, ir_.getInt64(size * lanes_)));
  }
  void store_at(llvm::Value* place, const std::vector<Value>& values) {
    e_.copy(Emitter::range_of(Column::Kind::array, values.size()), Emitter::values_of(values), place);
  }

  // All orders written out.

  void emit_order(int j) {
    const auto order = static_cast<std::size_t>(j);
    std::vector<llvm::Value*> carried;
    for (const Value v : j == 1 ? program_.first : program_.next) carried.push_back(e_[v]);
    for (std::uint32_t i = 0; i < carried.size(); ++i) e_.write(e_.variables, i, carried[i]);
    llvm::Value* const place = row(coefficients_, ir_.getInt64(order), program_.state());
    for (std::uint32_t i = 0; i < program_.positions; ++i) e_.store(place, i, carried[i]);
    e_.write(e_.variables, program_.number(), e_.splat(j));
    e_.write(e_.variables, program_.over_number(), e_.splat(1.0 / j));
    e_.write(e_.variables, program_.over_next(), e_.splat(1.0 / (j + 1)));
    e_.write(e_.variables, program_.time(), e_.splat(j == 1 ? 1.0 : 0.0));
    const std::vector<llvm::Value*> sums = older_sums(j);
    for (std::size_t k = 0; k < program_.convolutions(); ++k) {
      llvm::Value* sum = sums[k];
      if (j >= 2) sum = fma(left_[1][k], right_[order - 1][k], sum);
      if (j >= 3) sum = fma(left_[order - 1][k], right_[1][k], sum);
      e_.write(e_.variables, program_.convolution(k), sum);
    }
    e_.emit(program_.each_order);
    left_.resize(order + 1);
    right_.resize(order + 1);
    for (const Value v : program_.left) left_[order].push_back(e_[v]);
    for (const Value v : program_.right) right_[order].push_back(e_[v]);
    pack(left_[order], left_vectors_);
    pack(right_[order], right_vectors_);
    for (std::uint32_t i = 0; i < program_.velocities; ++i) {
      e_.store(place, program_.positions + i, e_[program_.velocity[i]]);
    }
  }

  /// Several convolutions as vectors, those of one lane.
  void pack(const std::vector<llvm::Value*>& scalars, std::vector<std::vector<llvm::Value*>>& vectors) {
    vectors.resize(left_.size());
    if (lanes_ > 1) {
      vectors.back() = scalars;
      return;
    }
    for (std::size_t c = 0; c < vectors_; ++c) {
      llvm::Value* packed = llvm::Constant::getNullValue(vector_);
      for (std::size_t k = c * width_; k < std::min((c + 1) * width_, scalars.size()); ++k) {
        packed = width_ == 1 ? scalars[k] : ir_.CreateInsertElement(packed, scalars[k], k - c * width_);
      }
      vectors.back().push_back(packed);
    }
  }

  /// The terms i = 2 … j−2, which are known since the order before the last one.
  std::vector<llvm::Value*> older_sums(int j) {
    std::vector<llvm::Value*> all;
    for (std::size_t c = 0; c < vectors_; ++c) {
      llvm::Value* const zero = llvm::Constant::getNullValue(vector_);
      llvm::Value* sums[2] = {zero, zero};
      for (int i = 2; i <= j - 2; ++i) {
        llvm::Value*& sum = sums[i % 2];
        sum =
            fma(left_vectors_[static_cast<std::size_t>(i)][c], right_vectors_[static_cast<std::size_t>(j - i)][c], sum);
      }
      llvm::Value* const sum = ir_.CreateFAdd(sums[0], sums[1]);
      if (lanes_ > 1 || width_ == 1) {
        all.push_back(sum);
        continue;
      }
      for (std::size_t k = 0; k < width_; ++k) all.push_back(ir_.CreateExtractElement(sum, k));
    }
    return all;
  }

  // One loop for all orders.

  llvm::BasicBlock* block(const char* label) { return llvm::BasicBlock::Create(ir_.getContext(), label, function_); }

  /// for (i = from; i < to; i += step) body(i)
  template <class Body>
  void emit_for(const char* label, llvm::Value* from, llvm::Value* to, std::uint64_t step,
                std::vector<llvm::Value*>& sums, Body&& body) {
    llvm::BasicBlock* const before = ir_.GetInsertBlock();
    llvm::BasicBlock* const head = block(label);
    llvm::BasicBlock* const inside = block(label);
    llvm::BasicBlock* const after = block(label);
    ir_.CreateBr(head);
    ir_.SetInsertPoint(head);
    llvm::PHINode* const i = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    i->addIncoming(from, before);
    std::vector<llvm::PHINode*> carried;
    for (llvm::Value*& sum : sums) {
      carried.push_back(ir_.CreatePHI(vector_, 2));
      carried.back()->addIncoming(sum, before);
      sum = carried.back();
    }
    ir_.CreateCondBr(ir_.CreateICmpSLT(i, to), inside, after);
    ir_.SetInsertPoint(inside);
    std::vector<llvm::Value*> next = sums;
    body(i, next);
    llvm::BasicBlock* const end = ir_.GetInsertBlock();
    i->addIncoming(ir_.CreateAdd(i, ir_.getInt64(step)), end);
    for (std::size_t s = 0; s < carried.size(); ++s) carried[s]->addIncoming(next[s], end);
    ir_.CreateBr(head);
    ir_.SetInsertPoint(after);
  }

  void emit_loop() {
    std::vector<llvm::Value*> none;
    emit_for("order", ir_.getInt64(1), ir_.getInt64(static_cast<std::uint64_t>(program_.order) + 1), 1, none,
             [&](llvm::Value* j, auto&) {
               e_.copy(Emitter::range_of(Column::Kind::variables, program_.state()),
                       Emitter::range_of(Column::Kind::array, program_.state()), history_);
               write_numbers(j);
               emit_sums(j);
               e_.emit(program_.each_order);
               llvm::Value* const factors = row(history_, j, row_);
               store_at(factors, program_.left);
               store_at(row(factors, ir_.getInt64(1), columns_), program_.right);
               llvm::Value* const x = row(coefficients_, j, program_.state());
               ir_.CreateMemCpy(x, llvm::Align(8), history_, llvm::Align(8),
                                program_.positions * lanes_ * sizeof(double));
               store_at(row(x, ir_.getInt64(1), program_.positions), program_.velocity);
               store_at(history_, program_.next);
             });
  }

  void write_numbers(llvm::Value* j) {
    llvm::Value* const one = llvm::ConstantFP::get(ir_.getDoubleTy(), 1.0);
    llvm::Value* const number = ir_.CreateSIToFP(j, ir_.getDoubleTy());
    const auto write = [&](std::uint32_t slot, llvm::Value* x) {
      e_.write(e_.variables, slot, lanes_ == 1 ? x : ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), x));
    };
    write(program_.number(), number);
    write(program_.over_number(), ir_.CreateFDiv(one, number));
    write(program_.over_next(), ir_.CreateFDiv(one, ir_.CreateFAdd(number, one)));
    write(program_.time(),
          ir_.CreateSelect(ir_.CreateICmpEQ(j, ir_.getInt64(1)), one, llvm::ConstantFP::get(ir_.getDoubleTy(), 0.0)));
  }

  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {c->getType()}, {a, b, c});
  }

  /// The vector c of the factors of order i, left or right.
  llvm::Value* factor(llvm::Value* i, int side, llvm::Value* offset, std::size_t c) {
    llvm::Value* const place = row(row(history_, i, row_), ir_.getInt64(static_cast<std::uint64_t>(side)), columns_);
    llvm::Value* const at = ir_.CreateAdd(offset, ir_.getInt64(c * width_));
    return ir_.CreateAlignedLoad(vector_, ir_.CreateInBoundsGEP(ir_.getDoubleTy(), place, at), llvm::Align(8));
  }

  /// The sums of `count` vectors from an offset on, in doubles.
  std::vector<llvm::Value*> sums_from(llvm::Value* j, llvm::Value* offset, std::size_t count) {
    const auto number = [&](std::uint64_t x) { return ir_.getInt64(x); };
    llvm::Value* const end = ir_.CreateSub(j, number(2));  // i = 2 … j−2: pairs while i + 1 ≤ j − 2
    std::vector<llvm::Value*> sums(2 * count, llvm::Constant::getNullValue(vector_));
    const auto add = [&](llvm::Value*& sum, llvm::Value* i, std::size_t c) {
      sum = fma(factor(i, 0, offset, c), factor(ir_.CreateSub(j, i), 1, offset, c), sum);
    };
    emit_for("pairs", number(2), end, 2, sums, [&](llvm::Value* i, std::vector<llvm::Value*>& next) {
      for (std::size_t c = 0; c < count; ++c) add(next[2 * c], i, c);
      llvm::Value* const odd = ir_.CreateAdd(i, number(1));
      for (std::size_t c = 0; c < count; ++c) add(next[2 * c + 1], odd, c);
    });
    // The last one, if j is even: i = j − 2.
    llvm::Value* const is_left =
        ir_.CreateAnd(ir_.CreateICmpSGE(j, number(4)), ir_.CreateICmpEQ(ir_.CreateAnd(j, number(1)), number(0)));
    llvm::Value* const from = ir_.CreateSelect(is_left, end, ir_.CreateAdd(end, number(1)));
    emit_for("last", from, ir_.CreateAdd(end, number(1)), 1, sums,
             [&](llvm::Value* i, std::vector<llvm::Value*>& next) {
               for (std::size_t c = 0; c < count; ++c) add(next[2 * c], i, c);
             });
    std::vector<llvm::Value*> total;
    for (std::size_t c = 0; c < count; ++c) total.push_back(ir_.CreateFAdd(sums[2 * c], sums[2 * c + 1]));
    // The newest, i = 1 and i = j − 1, as far as they are there and differ.
    emit_for("newest", number(1), ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, j, number(3)), 1, total,
             [&](llvm::Value* k, std::vector<llvm::Value*>& next) {
               llvm::Value* const i =
                   ir_.CreateSelect(ir_.CreateICmpEQ(k, number(1)), number(1), ir_.CreateSub(j, number(1)));
               for (std::size_t c = 0; c < count; ++c) add(next[c], i, c);
             });
    return total;
  }

  void emit_sums(llvm::Value* j) {
    const std::size_t groups = vectors_ / vectors_at_once;
    const std::size_t rest = vectors_ % vectors_at_once;
    if (!e_.is_chunked()) {
      for (std::size_t c = 0; c < vectors_; c += vectors_at_once) {
        const std::size_t count = std::min(vectors_at_once, vectors_ - c);
        const auto sums = sums_from(j, ir_.getInt64(c * width_), count);
        for (std::size_t s = 0; s < count; ++s) write_sum((c + s) * width_ / lanes_, sums[s]);
      }
      return;
    }
    const auto store_sums = [&](llvm::Value* offset, std::size_t count) {
      const auto sums = sums_from(j, offset, count);
      for (std::size_t s = 0; s < count; ++s) {
        llvm::Value* const at = ir_.CreateAdd(offset, ir_.getInt64(s * width_));
        llvm::Value* const place = e_.address_of(e_.variables, program_.convolution(0));
        ir_.CreateAlignedStore(sums[s], ir_.CreateInBoundsGEP(ir_.getDoubleTy(), place, at), llvm::Align(8));
      }
    };
    std::vector<llvm::Value*> none;
    if (groups > 0) {
      emit_for("sums", ir_.getInt64(0), ir_.getInt64(groups * vectors_at_once * width_), vectors_at_once * width_, none,
               [&](llvm::Value* offset, auto&) { store_sums(offset, vectors_at_once); });
    }
    if (rest > 0) store_sums(ir_.getInt64(groups * vectors_at_once * width_), rest);
  }

  /// Convolutions from number `first` on.
  void write_sum(std::size_t first, llvm::Value* sum) {
    if (lanes_ > 1 || width_ == 1) {
      e_.write(e_.variables, program_.convolution(first), sum);
      return;
    }
    for (std::size_t k = 0; k < width_ && first + k < program_.convolutions(); ++k) {
      e_.write(e_.variables, program_.convolution(first + k), ir_.CreateExtractElement(sum, k));
    }
  }

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const SeriesProgram& program_;
  std::size_t lanes_;
  std::size_t width_;    ///< doubles in a vector: convolutions of one lane, or lanes
  std::size_t columns_;  ///< convolutions, filled up to whole vectors
  std::size_t row_;      ///< of the history
  std::size_t vectors_;
  llvm::Type* vector_;
  llvm::Function* function_;
  llvm::Value* data_;
  llvm::Value* coefficients_;
  llvm::Value* trial_;
  llvm::Value* history_;
  std::vector<std::vector<llvm::Value*>> left_{1};  ///< by orders, where all are written out
  std::vector<std::vector<llvm::Value*>> right_{1};
  std::vector<std::vector<llvm::Value*>> left_vectors_{1};
  std::vector<std::vector<llvm::Value*>> right_vectors_{1};
};

}  // namespace

void emit_series_function(Emitter& emitter, const SeriesProgram& program, const std::string& name) {
  SeriesEmitter(emitter, program, name).emit();
}

}  // namespace rattleback
