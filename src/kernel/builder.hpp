#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/expression.hpp"
#include "rattleback/kernel/program.hpp"

namespace rattleback {

/// Values of symbols, and of the expressions already lowered with them. An inner scope sees what its
/// outer one knows and keeps what it learns to itself.
class Bindings {
 public:
  explicit Bindings(const Bindings* outer = nullptr) : outer_(outer) {}

  void bind(const Expression& symbol, Value value) { values_[symbol] = value; }
  const Value* find(const Expression& e) const {
    const auto found = values_.find(e);
    if (found != values_.end()) return &found->second;
    return outer_ == nullptr ? nullptr : outer_->find(e);
  }

 private:
  friend class Builder;
  const Bindings* outer_;
  std::unordered_map<Expression, Value> values_;
};

struct InstructionHash {
  std::size_t operator()(const Instruction& i) const;
};

/// Which operations on constants are done in double precision when a program is built: all, or only
/// those that are exact, for programs that run with more digits.
enum class Constants : std::uint8_t { folded, folded_if_exact };

/// Builds straight-line code by value numbering: the same operation on the same operands is one
/// value, whether it came from an expression or from an elimination. Values carry
///
///   level   how late in a step they are known: 0 once for all, 1 at the start of a step, then one
///           level for each iteration. Products and sums take their operands in this order, so that
///           what can be computed early is.
///   sample  their numerical values at a few points, by which an elimination chooses its pivots.
class Builder {
 public:
  static constexpr std::size_t samples = 3;
  using Sample = std::array<double, samples>;

  explicit Builder(Constants constants = Constants::folded) : folding_(constants) {}

  Value constant(double value);
  /// In long sums, inputs of one family are alike.
  Value input(std::uint32_t index, int level, const Sample& sample, std::size_t family = 0);
  Value variable(std::uint32_t index, int level, const Sample& sample);

  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value divide(Value a, Value b);
  Value negate(Value a);
  Value absolute(Value a);
  Value call(Opcode op, Value a, Value b = 0);
  Value select(Value condition, Value a, Value b);
  Value power(Value base, std::uint64_t exponent);
  /// A sum of many terms: those that are computed in the same way are added up in a vector of sums, which the code
  /// generator keeps in a register; short chains of dependent additions make small errors, too.
  Value sum(const std::vector<Value>& terms);
  /// 1/a.
  Value reciprocal(Value a) { return divide(constant(1.0), a); }

  /// The value of an expression; symbols must be bound in the scope, which remembers everything
  /// that was lowered.
  Value lower(const Expression& e, Bindings& scope);

  /// The same formula with every sum replaced by the sum of absolute values, and with what rounded
  /// arguments do to functions: the scale of the rounding error that evaluating v makes.
  Value magnitude(Value v);
  /// From now on the magnitude of v is |v|: v counts as given, however it was computed.
  void take_as_given(Value v);
  /// From now on the magnitude of v is this, whatever terms v is the sum of.
  void set_magnitude(Value v, double magnitude) { magnitude_[v] = constant(magnitude); }

  /// Other samples of inputs and variables, and what follows for all values.
  template <class Leaf>
  void resample(Leaf&& leaf) {
    for (Value v = 0; v < code_.size(); ++v) {
      const Instruction& i = code_[v];
      if (i.op == Opcode::constant) continue;
      sample_[v] = i.op == Opcode::input || i.op == Opcode::variable ? leaf(i) : sample_of(i);
    }
  }
  /// From now on nothing is emitted: who asks for what was emitted from `begin` on, in the same order, gets it again,
  /// and who asks for anything else gets an exception.
  void replay(Value begin) { replayed_ = begin; }
  class Different : public std::exception {};

  const std::vector<Instruction>& code() const { return code_; }
  const std::vector<double>& constants() const { return constants_; }
  int level(Value v) const { return level_[v]; }
  const Sample& sample(Value v) const { return sample_[v]; }
  bool is_constant(Value v) const { return code_[v].op == Opcode::constant; }
  bool is_constant(Value v, double number) const { return is_constant(v) && constant_of(v) == number; }
  double constant_of(Value v) const { return constants_[code_[v].a]; }

 private:
  Value emit(Instruction instruction, int level, const Sample& sample);
  Sample sample_of(const Instruction& instruction) const;
  /// What has been emitted, as far as one has come.
  Value end() const { return replayed_ ? *replayed_ : static_cast<Value>(code_.size()); }
  Value operation(Opcode op, Value a, Value b = 0, Value c = 0);
  Value lower_call(const Expression& e, Bindings& scope);
  Value lower_node(const Expression& e, Bindings& scope);
  Value lower_sum(const Expression& e, Bindings& scope);
  Value lower_product(const Expression& e, Bindings& scope);
  Value scale(double c, Value v);
  Value bounded(Value v);
  Value amplification(Value v);
  Value add_in_order(std::vector<std::pair<Value, double>> terms);
  Value add_pairwise(std::vector<Value> partial);
  std::uint64_t kind_of(Value v, int depth) const;
  Value multiply_in_order(std::vector<Value> factors);

  Constants folding_;
  std::optional<Value> replayed_;
  std::vector<Instruction> code_;
  std::vector<double> constants_;
  std::vector<int> level_;
  std::vector<Sample> sample_;
  std::unordered_map<Instruction, Value, InstructionHash> numbering_;
  std::unordered_map<std::uint64_t, std::uint32_t> constant_index_;
  std::unordered_map<Value, Value> magnitude_;
  std::unordered_map<Value, std::size_t> family_;  ///< of inputs
  std::unordered_map<Expression, int> divisor_uses_;
  std::unordered_map<Expression, int> new_sums_;  ///< uses in the expression that is being lowered
};

/// The code a builder's values need and nothing else, in the builder's order, with multiplications
/// fused into the additions that use them (if both are computed at the same level) and sines paired
/// with cosines.
struct FusedCode {
  std::vector<Instruction> code;
  std::vector<int> level;
  std::vector<Value> renumbered;  ///< new number of each of the builder's values that is needed
};
FusedCode fuse(const Builder& builder, std::span<const Value> roots);

/// A program of the builder's values.
Program to_program(const Builder& builder, std::size_t inputs, std::vector<Value> outputs);

}  // namespace rattleback
