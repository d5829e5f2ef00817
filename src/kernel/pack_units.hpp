#pragma once

#include <array>
#include <unordered_map>

#include "packing.hpp"

namespace rattleback {

/// Operands that are read when the code runs: cosine_of has its angle for interpreters only.
inline std::size_t read_count(const Instruction& i) {
  return i.op == Opcode::cosine_of ? 1 : static_cast<std::size_t>(operand_count(i.op));
}
inline Value operand(const Instruction& i, std::size_t k) { return k == 0 ? i.a : k == 1 ? i.b : i.c; }
inline bool can_accumulate(Opcode op) {
  return op == Opcode::add || op == Opcode::subtract || op == Opcode::multiply || op == Opcode::fma ||
         op == Opcode::minimum;
}
inline bool is_leaf(Opcode op) { return op == Opcode::constant || op == Opcode::input || op == Opcode::variable; }

/// Operations that become one line of a loop, a long sum, or one that stays alone.
struct Unit {
  enum class Kind : std::uint8_t { single, group, chain };
  Kind kind = Kind::single;
  std::uint32_t depth = 0;
  std::vector<Value> members;
  std::size_t carried = 0;  ///< of a chain: the operand that is the last result
  bool together = false;    ///< of a group: a vector is made of them wherever their operands are
};

/// Finds instructions of a range that do the same to different numbers.
class UnitFinder {
 public:
  explicit UnitFinder(const PackingTask& task);

  /// The units of a range in an order in which they can be executed.
  std::vector<Unit> find(std::size_t range);
  /// Results that stand next to each other tell later ranges what is alike.
  void set_packed(Value v, std::size_t entry) { packed_entry_[v] = entry; }

  /// Inputs and variables are read where they are; they are copied only for readers outside.
  bool is_active(Value v) const { return code_[v].op != Opcode::constant && (is_root(v) || !is_read_in_place(v)); }
  /// An input, a constant or a variable, or the sign or absolute value of what is in memory anyway.
  bool is_read_in_place(Value v) const { return is_leaf(code_[v].op) || taken(v) != Taken::itself; }
  Taken taken(Value v) const {
    const Opcode op = code_[v].op;
    if ((op != Opcode::negate && op != Opcode::absolute) || !task_.takes_signs || is_root(v)) return Taken::itself;
    const Value of = code_[v].a;
    const bool is_in_memory = is_leaf(code_[of].op) || (range_of_[of] != range_of_[v] && taken(of) == Taken::itself);
    if (!is_in_memory) return Taken::itself;
    return op == Opcode::negate ? Taken::negative : Taken::magnitude;
  }
  /// Computed in the range that was asked for last.
  bool is_here(Value v) const { return range_of_[v] == range_ && !is_read_in_place(v); }
  /// No other range reads it, nor anybody outside.
  bool is_local(Value v) const { return is_local_[v] != 0; }
  bool is_root(Value v) const { return is_root_[v] != 0; }
  std::uint32_t range_of(Value v) const { return range_of_[v]; }

 private:
  struct ShapeHash {
    std::size_t operator()(const std::array<std::uint64_t, 4>& key) const;
  };

  std::uint64_t shape_of_operand(Value v) const;
  std::size_t position_of_operand(Value v) const;
  void find_shapes(const CodeRange& range);
  bool has_common_shape(Value v) const { return members_of_shape_[shape_[v]] >= task_.shortest_loop; }
  std::vector<std::uint64_t> find_uses(const CodeRange& range, std::vector<Value> common) const;
  bool continues(Value v, Value u) const;
  std::vector<Value> sum_up_to(Value v) const;
  std::vector<Unit> find_vector_sums(const CodeRange& range, std::vector<char>& is_taken) const;
  void add_with_terms(const CodeRange& range, Unit unit, std::vector<char>& is_taken, std::vector<Unit>& units) const;
  std::vector<Unit> find_groups(const CodeRange& range, const std::vector<char>& is_taken,
                                std::vector<Value>& singles) const;
  std::vector<Unit> find_chains(const CodeRange& range, std::vector<Value>& singles) const;
  std::vector<Unit> in_order(const CodeRange& range, std::vector<Unit> units) const;

  const PackingTask& task_;
  std::span<const Instruction> code_;
  std::vector<char> is_root_;
  std::vector<char> is_local_;
  std::vector<std::uint32_t> readers_;
  std::vector<std::uint32_t> range_of_;
  std::vector<std::size_t> packed_entry_;
  // Values of one shape are computed by the same operations from values of one kind.
  std::vector<std::uint32_t> shape_;
  std::vector<std::uint32_t> depth_;   ///< operations of the range that come one after the other
  std::vector<std::size_t> position_;  ///< of the data that the value comes from
  std::vector<std::size_t> members_of_shape_;
  std::unordered_map<std::array<std::uint64_t, 4>, std::uint32_t, ShapeHash> shapes_;
  std::uint32_t range_ = 0;
};

}  // namespace rattleback
