#include "schedule.hpp"
#include "rattleback/base/work.hpp"

#include <utility>
#include <vector>

namespace rattleback {
namespace {

class Scheduler {
 public:
  Scheduler(StepProgram program, const Builder& builder) : program_(std::move(program)) {
    std::vector<Value> roots;
    for_each_root(program_, [&](Value& v) { roots.push_back(v); });
    source_ = fuse(builder, roots);
    for_each_root(program_, [&](Value& v) { v = source_.renumbered[v]; });
    placed_.assign(source_.code.size(), unplaced);
    visited_in_.assign(source_.code.size(), 0);
  }

  StepProgram run() && {
    mark_latest_use();
    const auto all = segments();
    std::vector<Value> everything;
    for (const auto& roots : all) everything.insert(everything.end(), roots.begin(), roots.end());
    program_.invariant = fill([&] { place(everything, 0); });
    // Their results are waited for long, and what they need is known before the last step is finished.
    std::vector<Value> tables;
    for (Value v = 0; v < source_.code.size(); ++v) {
      if (source_.code[v].op == Opcode::table) tables.push_back(v);
    }
    int iteration = 0;
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      StepBlock& block = program_.blocks[b];
      const auto& before = all[4 * b];
      const auto& check = all[4 * b + 1];
      const auto& magnitudes = all[4 * b + 2];
      const auto& solve = all[4 * b + 3];
      if (!block.iterative) {
        block.before = fill([&] {
          if (b == 0) place(tables, 1);
          place(before, any_level);
          place_used_later(magnitudes, static_cast<int>(4 * b + 2));
        });
        block.magnitudes = fill([&] { place(magnitudes, any_level); });
        continue;
      }
      const int level = ++iteration + 1;
      block.before = fill([&] {
        if (b == 0) place(tables, 1);
        place(before, any_level);
        place(check, level - 1);
        place(magnitudes, level - 1);
        place(solve, level - 1);
      });
      block.check = fill([&] {
        place(check, any_level);
        place_used_later(magnitudes, static_cast<int>(4 * b + 2));
        place_used_later(solve, static_cast<int>(4 * b + 3));
      });
      block.magnitudes = fill([&] { place(magnitudes, any_level); });
      block.solve = fill([&] { place(solve, any_level); });
    }
    program_.after = fill([&] { place(all.back(), any_level); });
    for_each_root(program_, [&](Value& v) { v = placed_[v]; });
    program_.sines = count_sines(program_.code);
    return std::move(program_);
  }

 private:
  static constexpr Value unplaced = ~Value{0};
  static constexpr int any_level = 1 << 30;

  /// Roots of before, check, magnitudes, solve of each block, then of the end.
  std::vector<std::vector<Value>> segments() const {
    std::vector<std::vector<Value>> all;
    for (const StepBlock& block : program_.blocks) {
      std::vector<Value> before = block.iterative ? block.guess : block.must_be_finite;
      std::vector<Value> check;
      std::vector<Value> magnitudes;
      for (const ResidualCheck& c : block.residuals) {
        (block.iterative ? check : before).push_back(c.residual);
        (!block.iterative ? before : c == block.residuals.front() ? check : magnitudes).push_back(c.magnitude);
      }
      for (const GrowthCheck& g : block.growth) before.insert(before.end(), {g.deviation, g.limit});
      for (const ResidualCheck& c : block.implied) magnitudes.insert(magnitudes.end(), {c.residual, c.magnitude});
      all.push_back(std::move(before));
      all.push_back(std::move(check));
      all.push_back(std::move(magnitudes));
      all.push_back(block.correction);
    }
    all.push_back(program_.outputs);
    all.back().insert(all.back().end(), program_.must_be_finite.begin(), program_.must_be_finite.end());
    return all;
  }

  /// The last segment that needs each value.
  void mark_latest_use() {
    latest_.assign(source_.code.size(), -1);
    const auto all = segments();
    for (std::size_t s = all.size(); s-- > 0;) {
      for (const Value root : all[s]) {
        walk(root, [&](Value v) { return latest_[v] < 0; }, [&](Value v) { latest_[v] = static_cast<int>(s); });
      }
    }
  }

  /// Depth-first, operands first, through values for which enter() holds.
  template <class Enter, class Leave>
  void walk(Value root, Enter&& enter, Leave&& leave) const {
    std::vector<std::pair<Value, int>> stack;
    if (enter(root)) stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [v, next] = stack.back();
      const Instruction& i = source_.code[v];
      if (next < operand_count(i.op)) {
        const Value operand = next == 0 ? i.a : next == 1 ? i.b : i.c;
        ++next;
        if (enter(operand)) stack.emplace_back(operand, 0);
        continue;
      }
      const Value done = v;
      stack.pop_back();
      if (enter(done)) leave(done);
    }
  }

  /// Appends what the roots need and is known at the level; of a value known later, the parts that
  /// are known in time.
  void place(const std::vector<Value>& roots, int level) {
    visit_unplaced(roots, [&](Value v) {
      if (source_.level[v] <= level) append(v);
    });
  }

  /// Values of a segment that something after it reads must belong to the solution, so they are computed with the
  /// check.
  void place_used_later(const std::vector<Value>& roots, int segment) {
    std::vector<Value> used_later;
    visit_unplaced(roots, [&](Value v) {
      if (latest_[v] > segment) used_later.push_back(v);
    });
    place(used_later, any_level);
  }

  template <class F>
  void visit_unplaced(const std::vector<Value>& roots, F&& visit) {
    ++epoch_;
    for (const Value root : roots) {
      keep_working();
      walk(
          root, [&](Value v) { return placed_[v] == unplaced && visited_in_[v] != epoch_; },
          [&](Value v) {
            visited_in_[v] = epoch_;
            visit(v);
          });
    }
  }

  void append(Value v) {
    Instruction i = source_.code[v];
    const int n = operand_count(i.op);
    if (n > 0) i.a = placed_[i.a];
    if (n > 1) i.b = placed_[i.b];
    if (n > 2) i.c = placed_[i.c];
    placed_[v] = static_cast<Value>(program_.code.size());
    program_.code.push_back(i);
  }

  template <class F>
  CodeRange fill(F&& place_values) {
    CodeRange range{static_cast<Value>(program_.code.size()), 0};
    place_values();
    range.end = static_cast<Value>(program_.code.size());
    return range;
  }

  StepProgram program_;
  FusedCode source_;
  std::vector<Value> placed_;  ///< new number of each value
  std::vector<int> latest_;
  std::vector<int> visited_in_;
  int epoch_ = 0;
};

}  // namespace

StepProgram schedule(StepProgram program, const Builder& builder) {
  program.constants = builder.constants();
  return Scheduler(std::move(program), builder).run();
}

}  // namespace rattleback
