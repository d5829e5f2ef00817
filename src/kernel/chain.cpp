#include "rattleback/kernel/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "../base/signed_size.hpp"
#include "step_runner.hpp"

namespace rattleback {
namespace {

StepProgram as_step(const Program& program) {
  StepProgram step;
  step.code = program.code;
  step.constants = program.constants;
  step.inputs = program.inputs;
  step.after = {0, static_cast<Value>(program.code.size())};
  step.outputs = program.outputs;
  step.sines = count_sines(program.code);
  return step;
}

/// The code of the links one after the other, each as it stands, with its inputs replaced by where they come from.
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
    whole_.after = fill([&] { finish(); });
  }

  StepProgram take() {
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
      for (auto* list : {&own.guess, &own.correction, &own.must_be_finite}) renumber(k, *list);
      for (ResidualCheck& c : own.residuals) {
        c = {renumbered_[k][c.residual], renumbered_[k][c.magnitude]};
      }
      whole_.blocks.push_back(std::move(own));
    }
    StepBlock end;
    end.solution = StepBlock::not_counted;
    end.before = fill([&] { copy(k, link.after); });
    end.must_be_finite = link.must_be_finite;
    renumber(k, end.must_be_finite);
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

  template <class F>
  void for_each_root(F&& visit) {
    for (StepBlock& block : whole_.blocks) {
      for (auto* list : {&block.guess, &block.correction, &block.must_be_finite}) std::ranges::for_each(*list, visit);
      for (ResidualCheck& c : block.residuals) visit(c.residual), visit(c.magnitude);
    }
    for (auto* list : {&whole_.must_be_finite, &whole_.outputs}) std::ranges::for_each(*list, visit);
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
    for_each_root([&](Value v) { needed[v] = true; });
    for (std::size_t v = source.size(); v-- > 0;) {
      if (needed[v]) for_each_operand(source[v], [&](Value operand) { needed[operand] = true; });
    }
    for (std::size_t v = 0; v < source.size(); ++v) {
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
    for_each_root([&](Value& v) { v = place[v]; });
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

  void renumber(std::size_t k, std::vector<Value>& values) const {
    for (Value& v : values) v = renumbered_[k][v];
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
  std::unordered_map<std::uint64_t, Value> constants_;
  std::vector<std::vector<Value>> renumbered_;  ///< of each link
  std::vector<std::vector<Value>> taken_;       ///< by each link
};

void check(const Chain& chain) {
  const auto exists = [&](const ChainValue& v, std::size_t before) {
    if (v.link == ChainValue::data) return v.index < chain.data;
    if (v.link >= before) return false;
    const Chain::Link& link = chain.links[v.link];
    return v.index < (link.map.outputs.empty() ? link.program.outputs.size() : link.map.outputs.size());
  };
  for (std::size_t k = 0; k < chain.links.size(); ++k) {
    const Chain::Link& link = chain.links[k];
    const std::size_t size = link.map.outputs.empty() ? link.program.inputs : link.map.data.size();
    if (link.takes.size() != size) {
      throw std::invalid_argument(fmt::format("link {} has {} data, and takes {}", k, size, link.takes.size()));
    }
    for (const ChainValue& v : link.takes) {
      if (!exists(v, k)) throw std::invalid_argument(fmt::format("link {} takes what is not there", k));
    }
  }
  if (chain.state > chain.data || chain.state > chain.outputs.size()) {
    throw std::invalid_argument("the state of a chain is larger than its data or its outputs");
  }
  for (const ChainValue& v : chain.outputs) {
    if (!exists(v, chain.links.size())) throw std::invalid_argument("a chain has an output that is not there");
  }
  for (const Chain::Extremes& e : chain.extremes) {
    const auto is_there = [&](const ChainValue& v) { return exists(v, chain.links.size()); };
    if (e.least >= chain.state || e.largest >= chain.state || !std::ranges::all_of(e.of, is_there)) {
      throw std::invalid_argument("a chain has extremes of what is not there, or outside its state");
    }
  }
}

}  // namespace

std::uint32_t Chain::add(ImplicitSystem map, std::vector<ChainValue> takes, bool is_counted) {
  links.push_back({std::move(map), {}, std::move(takes), is_counted});
  return static_cast<std::uint32_t>(links.size() - 1);
}

std::uint32_t Chain::add(Program program, std::vector<ChainValue> takes) {
  links.push_back({{}, std::move(program), std::move(takes), false});
  return static_cast<std::uint32_t>(links.size() - 1);
}

std::optional<ChainStep> ChainStep::make(const Chain& chain, int lanes, Backend backend) {
  check_lanes(lanes);
  check(chain);
  std::vector<StepProgram> links;
  bool any_inline = false;
  bool any_called = false;
  for (const Chain::Link& link : chain.links) {
    // Stages of a composition are the same map: it is derived once.
    const auto same = std::ranges::find_if(chain.links.begin(), chain.links.begin() + signed_size(links.size()),
                                           [&](const Chain::Link& other) {
                                             return !link.map.outputs.empty() &&
                                                    other.map.outputs == link.map.outputs &&
                                                    other.map.residuals == link.map.residuals;
                                           }) -
                      chain.links.begin();
    if (same < signed_size(links.size())) {
      links.push_back(links[static_cast<std::size_t>(same)]);
    } else {
      links.push_back(link.map.outputs.empty() ? as_step(link.program) : make_step_program(link.map));
    }
    if (links.back().sines == 0) continue;
    (links.back().sines > max_inline_sines ? any_called : any_inline) = true;
  }
  if (any_inline && any_called) return std::nullopt;
  return ChainStep(std::make_unique<StepRunner>(ChainBuilder(chain, std::move(links)).take(), lanes, backend));
}

ChainStep::ChainStep(std::unique_ptr<StepRunner> runner) : runner_(std::move(runner)) {}
ChainStep::ChainStep(ChainStep&&) noexcept = default;
ChainStep& ChainStep::operator=(ChainStep&&) noexcept = default;
ChainStep::~ChainStep() = default;

std::int64_t ChainStep::run(std::span<double> data, std::span<double> outputs, std::int64_t steps) {
  const auto width = static_cast<std::size_t>(runner_->lanes());
  if (data.size() != data_size() * width || outputs.size() != outputs_size() * width || steps < 0) {
    throw std::invalid_argument(fmt::format("a chain of {} lanes needs {} data and {} outputs, found {} and {}", width,
                                            data_size() * width, outputs_size() * width, data.size(), outputs.size()));
  }
  return steps == 0 ? 0 : runner_->run(data.data(), outputs.data(), steps);
}

bool ChainStep::has_failed(int lane) const { return runner_->counters().failed[lane] != 0; }
std::int64_t ChainStep::iterations(int lane) const { return runner_->counters().iterations[lane]; }
int ChainStep::max_iterations(int lane) const { return static_cast<int>(runner_->counters().max_iterations[lane]); }
int ChainStep::lanes() const { return runner_->lanes(); }
std::size_t ChainStep::data_size() const { return runner_->data_size(); }
std::size_t ChainStep::outputs_size() const { return runner_->outputs_size(); }

}  // namespace rattleback
