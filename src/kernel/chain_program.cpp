#include "chain_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace rattleback {
namespace {

/// Inputs of the links are replaced by where they come from.
class ChainBuilder {
 public:
  ChainBuilder(const Chain& chain, std::vector<StepProgram> links) : chain_(chain), links_(std::move(links)) {
    whole_.inputs = static_cast<std::uint32_t>(chain.data);
    whole_.state = static_cast<std::uint32_t>(chain.state);
    for (const StepProgram& link : links_) {
      renumbered_.emplace_back(link.code.size());
      taken_.emplace_back(link.inputs);
      whole_.sines = std::max(whole_.sines, link.sines);
    }
    whole_.invariant = fill([&] {
      for (std::size_t k = 0; k < links_.size(); ++k) add_invariant(k);
    });
    for (std::size_t k = 0; k < links_.size(); ++k) add_link(k);
    whole_.after = fill([&] {
      finish();
      find_carried();
    });
  }

  StepProgram take() && {
    carry_over();
    settle();
    return std::move(whole_);
  }

 private:
  template <class F>
  CodeRange fill(F&& place) {
    CodeRange range{static_cast<Value>(whole_.code.size()), 0};
    place();
    range.end = static_cast<Value>(whole_.code.size());
    return range;
  }

  /// What an earlier map has computed from the same numbers is not computed again: the node and the functions watched
  /// there take the sines of the same angles. Only code that has run whenever this runs counts as earlier.
  Value append(Instruction i) {
    const auto [position, is_new] = numbering_.emplace(in_order(i), static_cast<Value>(whole_.code.size()));
    if (!is_new) return position->second;
    if (!is_always_run_) numbering_.erase(position);
    whole_.code.push_back(i);
    return static_cast<Value>(whole_.code.size() - 1);
  }

  /// With the operands of sums and products in one order: that does not change their bits.
  static Instruction in_order(Instruction i) {
    const bool commutes = i.op == Opcode::add || i.op == Opcode::multiply || i.op == Opcode::fma;
    if (commutes && i.b < i.a) std::swap(i.a, i.b);
    return i;
  }

  Value constant(double number) {
    const auto [position, is_new] =
        constants_.emplace(std::bit_cast<std::uint64_t>(number), static_cast<Value>(whole_.constants.size()));
    if (is_new) whole_.constants.push_back(number);
    return append({Opcode::constant, position->second});
  }

  /// The numbers that do not change from step to step, and what a link computes from them. A link without a state
  /// computes everything in every step.
  void add_invariant(std::size_t k) {
    const StepProgram& link = links_[k];
    if (link.state == 0) return;
    for (std::size_t i = link.state; i < link.inputs; ++i) {
      const ChainValue& from = chain_.links[k].takes[i];
      if (from.link != ChainValue::data || from.index < chain_.state) {
        throw std::invalid_argument(fmt::format("datum {} of link {} is not constant", i, k));
      }
      taken_[k][i] = value(from);
    }
    copy(k, link.invariant);
  }

  void add_link(std::size_t k) {
    const StepProgram& link = links_[k];
    StepBlock begin;
    begin.solution = StepBlock::not_counted;
    begin.before = fill([&] {
      for (std::size_t i = 0; i < (link.state == 0 ? link.inputs : link.state); ++i) {
        taken_[k][i] = value(chain_.links[k].takes[i]);
      }
      if (link.state == 0) copy(k, link.invariant);
    });
    whole_.blocks.push_back(std::move(begin));
    for (const StepBlock& block : link.blocks) {
      StepBlock own = block;
      own.solution = chain_.links[k].is_counted ? static_cast<int>(k) : StepBlock::not_counted;
      for (CodeRange* range : {&own.before, &own.check, &own.magnitudes, &own.solve}) {
        is_always_run_ = range == &own.before || range == &own.check;
        *range = fill([&] { copy(k, *range); });
      }
      is_always_run_ = true;
      for (std::uint32_t& v : own.variables) v += variables_before(k);
      for_each_root(own, [&](Value& v) { v = renumbered_[k][v]; });
      whole_.blocks.push_back(std::move(own));
    }
    StepBlock end;
    end.solution = StepBlock::not_counted;
    end.before = fill([&] { copy(k, link.after); });
    end.must_be_finite = link.must_be_finite;
    for_each_root(end, [&](Value& v) { v = renumbered_[k][v]; });
    whole_.blocks.push_back(std::move(end));
    whole_.variables += link.variables;
  }

  void finish() {
    for (const ChainValue& output : chain_.outputs) whole_.outputs.push_back(value(output));
    for (const Chain::Extremes& e : chain_.extremes) {
      Value least = value({ChainValue::data, e.least});
      Value minus_largest = append({Opcode::negate, value({ChainValue::data, e.largest})});
      for (const ChainValue& of : e.of) {
        const Value x = value(of);
        least = append({Opcode::minimum, x, least});
        minus_largest = append({Opcode::minimum, append({Opcode::negate, x}), minus_largest});
        whole_.must_be_finite.push_back(x);
      }
      whole_.outputs[e.least] = least;
      whole_.outputs[e.largest] = append({Opcode::negate, minus_largest});
    }
  }

  /// What is dear enough to be carried from step to step instead of being computed again.
  static bool is_function(Opcode op) { return op == Opcode::divide || (op >= Opcode::sqrt && op != Opcode::cosine_of); }

  /// A function of the old state at the beginning of a step is one of the new state at the end of the step before. The
  /// nodes that are watched have computed many of them: sines of the new angles, for instance.
  void find_carried() {
    constexpr Value not_computed = ~Value{0};
    std::vector<Value> at_end;                        // the same function of the new state
    for (Value v = 0; v < whole_.code.size(); ++v) {  // while cosines are appended
      Instruction i = whole_.code[v];
      at_end.push_back(not_computed);
      bool is_known = i.op != Opcode::variable;
      for_each_operand(i, [&](Value& operand) {
        operand = at_end[operand];
        is_known = is_known && operand != not_computed;
      });
      if (!is_known) continue;
      if (i.op == Opcode::input && i.a < whole_.state) {
        at_end[v] = whole_.outputs[i.a];
      } else if (i.op == Opcode::cosine_of) {
        at_end[v] = append(i);  // it is there with the sine
      } else if (const auto found = numbering_.find(in_order(i)); found != numbering_.end()) {
        at_end[v] = found->second;
      } else {
        continue;
      }
      const Opcode op = i.op == Opcode::cosine_of ? Opcode::sincos : i.op;
      if (at_end[v] != v && is_function(op)) carried_.emplace_back(v, at_end[v]);
    }
  }

  /// A carried value becomes a variable. Where it starts from is computed before the first step, by a copy of the code
  /// that computed it in every step; these copies stand behind all other code.
  void carry_over() {
    const std::vector<Instruction> source = whole_.code;
    first_copy_ = static_cast<Value>(source.size());
    std::unordered_map<Value, Value> copies;
    for (const auto& [root, next] : carried_) {
      std::vector<Value> stack{root};
      while (!stack.empty()) {
        const Value v = stack.back();
        Instruction i = source[v];
        const std::size_t before = stack.size();
        for_each_operand(i, [&](Value& operand) {
          const auto copy = copies.find(operand);
          if (copy == copies.end()) {
            stack.push_back(operand);
          } else {
            operand = copy->second;
          }
        });
        if (stack.size() > before) continue;
        stack.pop_back();
        if (copies.contains(v)) continue;
        copies.emplace(v, static_cast<Value>(whole_.code.size()));
        whole_.code.push_back(i);
      }
      whole_.carried.push_back({whole_.variables, copies.at(root), next});
      whole_.code[root] = {Opcode::variable, whole_.variables++};
    }
  }

  template <class I, class F>
  static void for_each_operand(I& i, F&& visit) {
    const int n = operand_count(i.op);
    if (n > 0) visit(i.a);
    if (n > 1) visit(i.b);
    if (n > 2) visit(i.c);
  }

  /// Drops outputs of links that nobody takes, and computes once for many steps what does not change from step to step:
  /// a link without a state cannot know what that is.
  void settle() {
    const std::vector<Instruction> source = std::move(whole_.code);
    std::vector<bool> needed(source.size(), false);
    std::vector<bool> constant(source.size(), true);
    for_each_root(whole_, [&](Value v) { needed[v] = true; });
    for (std::size_t v = source.size(); v-- > 0;) {
      if (needed[v]) for_each_operand(source[v], [&](Value operand) { needed[operand] = true; });
    }
    for (std::size_t v = 0; v < first_copy_; ++v) {
      const Instruction& i = source[v];
      constant[v] = i.op != Opcode::variable && !(i.op == Opcode::input && i.a < whole_.state);
      for_each_operand(i, [&](Value operand) { constant[v] = constant[v] && constant[operand]; });
    }
    whole_.code.clear();
    std::vector<Value> place(source.size() + 1);
    std::vector<Value> changing_before(source.size() + 1);  // the place of what comes at or after, if it changes
    for (const bool changes : {false, true}) {
      for (std::size_t v = 0; v < source.size(); ++v) {
        if (changes) changing_before[v] = static_cast<Value>(whole_.code.size());
        if (!needed[v] || constant[v] == changes) continue;
        Instruction i = source[v];
        for_each_operand(i, [&](Value& operand) { operand = place[operand]; });
        place[v] = static_cast<Value>(whole_.code.size());
        whole_.code.push_back(i);
      }
      if (!changes) whole_.invariant = {0, static_cast<Value>(whole_.code.size())};
    }
    changing_before.back() = static_cast<Value>(whole_.code.size());
    for_each_root(whole_, [&](Value& v) { v = place[v]; });
    const auto move = [&](CodeRange& range) { range = {changing_before[range.begin], changing_before[range.end]}; };
    for (StepBlock& block : whole_.blocks) {
      for (CodeRange* range : {&block.before, &block.check, &block.magnitudes, &block.solve}) move(*range);
    }
    move(whole_.after);
  }

  void copy(std::size_t k, const CodeRange& range) {
    const StepProgram& link = links_[k];
    std::vector<Value>& renumbered = renumbered_[k];
    for (Value v = range.begin; v < range.end; ++v) {
      Instruction i = link.code[v];
      switch (i.op) {
        case Opcode::input: renumbered[v] = taken_[k][i.a]; continue;
        case Opcode::constant: renumbered[v] = constant(link.constants[i.a]); continue;
        case Opcode::variable: i.a += variables_before(k); break;
        default: {
          const int n = operand_count(i.op);
          if (n > 0) i.a = renumbered[i.a];
          if (n > 1) i.b = renumbered[i.b];
          if (n > 2) i.c = renumbered[i.c];
        }
      }
      renumbered[v] = append(i);
    }
  }

  std::uint32_t variables_before(std::size_t k) const {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < k; ++i) count += links_[i].variables;
    return count;
  }

  Value value(const ChainValue& from) {
    const Value v = from.link == ChainValue::data ? append({Opcode::input, from.index})
                                                  : renumbered_[from.link][links_[from.link].outputs[from.index]];
    return from.factor == 1.0 ? v : append({Opcode::multiply, constant(from.factor), v});
  }

  const Chain& chain_;
  std::vector<StepProgram> links_;
  StepProgram whole_;
  std::unordered_map<Instruction, Value, InstructionHash> numbering_;
  bool is_always_run_ = true;
  std::vector<std::pair<Value, Value>> carried_;  ///< values, and the same of the new state
  Value first_copy_ = 0;
  std::unordered_map<std::uint64_t, Value> constants_;
  std::vector<std::vector<Value>> renumbered_;  ///< of each link
  std::vector<std::vector<Value>> taken_;       ///< by each link
};

}  // namespace

StepProgram make_chain_program(const Chain& chain, std::vector<StepProgram> links) {
  return ChainBuilder(chain, std::move(links)).take();
}

}  // namespace rattleback
