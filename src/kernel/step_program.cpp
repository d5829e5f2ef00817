#include "step_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "block_structure.hpp"
#include "builder.hpp"
#include "elimination.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

std::string shortened(const Expression& e) {
  std::string text = to_text(e);
  if (text.size() > 120) text = text.substr(0, 117) + "...";
  return text;
}

void validate(const ImplicitSystem& s) {
  const std::size_t n = s.unknowns.size();
  if (s.residuals.size() != n) {
    throw StructureError(fmt::format("{} equations for {} unknowns", s.residuals.size(), n));
  }
  if (s.guess.size() != n) throw StructureError(fmt::format("{} guesses for {} unknowns", s.guess.size(), n));
  if (s.state > s.data.size() || s.state > s.outputs.size()) {
    throw StructureError("the state is larger than the data or the outputs");
  }
  if (!s.typical.empty() && s.typical.size() != s.data.size()) {
    throw StructureError(fmt::format("{} typical values for {} data", s.typical.size(), s.data.size()));
  }
  std::unordered_set<Expression> seen;
  for (const auto* list : {&s.data, &s.unknowns}) {
    for (const Expression& e : *list) {
      if (!e.is_symbol()) throw StructureError(fmt::format("data and unknowns must be symbols, found {}", to_text(e)));
      if (!seen.insert(e).second) throw StructureError(fmt::format("'{}' occurs twice among data and unknowns", e.name()));
    }
  }
}

[[noreturn]] void report_unmatched(const ImplicitSystem& system, const BlockStructure& structure) {
  std::string message = "the equations cannot determine the unknowns:";
  for (const int e : structure.unmatched_equations) {
    message += fmt::format("\n  equation {} has no unknown left to solve for: 0 = {}", e, shortened(system.residuals[idx(e)]));
  }
  for (const int u : structure.unmatched_unknowns) {
    message += fmt::format("\n  no equation is left for '{}'", system.unknowns[idx(u)].name());
  }
  throw StructureError(message);
}

/// Sample values of the data by which pivots are chosen: the typical ones, slightly varied, or
/// numbers around 1 that are unlikely to make anything vanish.
Builder::Sample data_sample(const ImplicitSystem& system, std::size_t i) {
  Builder::Sample sample;
  for (std::size_t s = 0; s < Builder::samples; ++s) {
    const double golden = std::fmod(0.6180339887498949 * static_cast<double>(1 + i + 7 * s), 1.0);
    sample[s] = system.typical.empty() ? 0.5 + golden
                                       : system.typical[i] + 0.1 * static_cast<double>(s) * (golden - 0.5) *
                                                                 std::max(1e-3, std::abs(system.typical[i]));
  }
  return sample;
}

/// Builds the blocks as values of one builder; a Scheduler then puts them into an order.
class StepBuilder {
 public:
  StepBuilder(const ImplicitSystem& system, Constants constants)
      : system_(system), jacobian_(jacobian(system.residuals, system.unknowns)), builder_(constants) {
    program_.inputs = static_cast<std::uint32_t>(system.data.size());
    program_.state = static_cast<std::uint32_t>(system.state);
    for (std::size_t i = 0; i < system.data.size(); ++i) {
      // Without a state every call brings new data, and nothing is known once for all.
      const int level = system.state == 0 || i < system.state ? 1 : 0;
      const Value v = builder_.input(static_cast<std::uint32_t>(i), level, data_sample(system, i));
      scope_.bind(system.data[i], v);
      data_scope_.bind(system.data[i], v);
    }
    entries_of_row_.resize(system.unknowns.size());
    for (const auto& e : jacobian_.entries) entries_of_row_[idx(e.row)].push_back(&e);

    Incidence incidence(system.unknowns.size());
    for (const auto& e : jacobian_.entries) incidence[idx(e.row)].push_back(e.column);
    const BlockStructure structure = block_triangular_form(incidence, static_cast<int>(system.unknowns.size()));
    if (structure.blocks.empty() && !system.unknowns.empty()) report_unmatched(system, structure);
    const auto position = [&] { return static_cast<Value>(builder_.code().size()); };
    const Value start = position();
    prepare_outputs();
    find_partial_functions({start, position()});
    for (const EquationBlock& block : structure.blocks) add_block(block);
    const Value solved = position();
    finish_outputs();
    find_partial_functions({solved, position()});
  }

  StepProgram take() && { return std::move(program_); }
  const Builder& builder() const { return builder_; }

 private:
  bool is_linear(const EquationBlock& block) const {
    const std::unordered_set<int> own(block.unknowns.begin(), block.unknowns.end());
    std::unordered_set<Expression> own_symbols;
    for (const int u : block.unknowns) own_symbols.insert(system_.unknowns[idx(u)]);
    for (const int e : block.equations) {
      for (const auto* entry : entries_of_row_[idx(e)]) {
        if (!own.contains(entry->column)) continue;
        for (const Expression& s : free_symbols(entry->value)) {
          if (own_symbols.contains(s)) return false;
        }
      }
    }
    return true;
  }

  /// J x = right-hand side for the unknowns of the block.
  SymbolicLinearSystem linear_system(const EquationBlock& block, std::vector<Value> right_hand_side) {
    std::unordered_map<int, int> position;
    for (std::size_t k = 0; k < block.unknowns.size(); ++k) position[block.unknowns[k]] = static_cast<int>(k);
    SymbolicLinearSystem linear{std::vector<std::map<int, Value>>(block.equations.size()), std::move(right_hand_side)};
    for (std::size_t i = 0; i < block.equations.size(); ++i) {
      for (const auto* entry : entries_of_row_[idx(block.equations[i])]) {
        const auto column = position.find(entry->column);
        if (column == position.end()) continue;
        const Value value = builder_.lower(entry->value, scope_);
        if (!builder_.is_constant(value, 0.0)) linear.rows[i][column->second] = value;
      }
    }
    return linear;
  }

  EliminationResult solve(const EquationBlock& block, const SymbolicLinearSystem& linear,
                          std::vector<AffineForm> forms = {}) {
    try {
      return eliminate(builder_, linear, std::move(forms));
    } catch (const LinearlyDependent& error) {
      const int e = block.equations[idx(error.row())];
      throw StructureError(fmt::format("equation {} is a combination of the others, whatever the data are: 0 = {}", e,
                                       shortened(system_.residuals[idx(e)])));
    }
  }

  /// Σ aⱼxⱼ − b of one row against Σ |aⱼxⱼ| + |b|: has the elimination been accurate?
  ResidualCheck check(const SymbolicLinearSystem& linear, int row, const std::vector<Value>& solution) {
    const Value b = linear.right_hand_side[idx(row)];
    ResidualCheck result{builder_.negate(b), builder_.absolute(b)};
    for (const auto& [j, a] : linear.rows[idx(row)]) {
      result.residual = builder_.add(result.residual, builder_.multiply(a, solution[idx(j)]));
      result.magnitude = builder_.add(result.magnitude,
                                      builder_.multiply(builder_.absolute(a), builder_.absolute(solution[idx(j)])));
    }
    return result;
  }

  ResidualCheck check(int equation) {
    const Value r = builder_.lower(system_.residuals[idx(equation)], scope_);
    return {r, builder_.magnitude(r)};
  }

  void add_block(const EquationBlock& block) {
    program_.blocks.push_back(is_linear(block) ? linear_block(block) : iterative_block(block));
  }

  /// r(u) = J u + r(0) with J independent of u: u = −J⁻¹ r(0).
  StepBlock linear_block(const EquationBlock& block) {
    Scope at_zero(&scope_);
    for (const int u : block.unknowns) at_zero.bind(system_.unknowns[idx(u)], builder_.constant(0.0));
    std::vector<Value> right_hand_side;
    for (const int e : block.equations) {
      right_hand_side.push_back(builder_.negate(builder_.lower(system_.residuals[idx(e)], at_zero)));
    }
    const SymbolicLinearSystem linear = linear_system(block, std::move(right_hand_side));
    const auto [solution, updated_rows, forms] = solve_with_outputs(block, linear);
    for (std::size_t k = 0; k < solution.size(); ++k) {
      scope_.bind(system_.unknowns[idx(block.unknowns[k])], solution[k]);
      builder_.take_as_given(solution[k]);  // to later blocks it is data
    }
    StepBlock step;
    for (const int row : updated_rows) step.residuals.push_back(check(linear, row, solution));
    // Without an updated row the solution is a substitution: accurate whenever it is finite.
    if (updated_rows.empty()) step.must_be_finite = solution;
    return step;
  }

  /// An output that is affine in the unknowns is computed as o(0) + Σ cⱼuⱼ: its coefficients are known
  /// before the unknowns, so it is finished soon after them.
  void prepare_outputs() {
    const SparseMatrix slopes = jacobian(system_.outputs, system_.unknowns);
    const std::unordered_set<Expression> unknowns(system_.unknowns.begin(), system_.unknowns.end());
    affine_.resize(system_.outputs.size());
    std::vector<bool> is_affine(system_.outputs.size(), true);
    for (const auto& e : slopes.entries) {
      for (const Expression& s : free_symbols(e.value)) {
        if (unknowns.contains(s)) is_affine[idx(e.row)] = false;
      }
    }
    Scope at_zero(&data_scope_);
    for (const Expression& u : system_.unknowns) at_zero.bind(u, builder_.constant(0.0));
    for (std::size_t i = 0; i < system_.outputs.size(); ++i) {
      if (is_affine[i]) affine_[i] = AffineForm{{}, builder_.lower(system_.outputs[i], at_zero)};
    }
    for (const auto& e : slopes.entries) {
      if (is_affine[idx(e.row)]) affine_[idx(e.row)]->coefficients[e.column] = builder_.lower(e.value, data_scope_);
    }
  }

  /// The part of the affine outputs that depends on the unknowns of a small linear block goes through
  /// its elimination. (In a large block that would fill them up.)
  EliminationResult solve_with_outputs(const EquationBlock& block, const SymbolicLinearSystem& linear) {
    constexpr std::size_t small = 6;
    std::vector<AffineForm> forms;
    std::vector<AffineForm*> outputs;
    for (auto& output : affine_) {
      if (!output || block.unknowns.size() > small) continue;
      AffineForm form{{}, output->constant};
      for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
        const auto entry = output->coefficients.find(block.unknowns[k]);
        if (entry == output->coefficients.end()) continue;
        form.coefficients[static_cast<int>(k)] = entry->second;
        output->coefficients.erase(entry);
      }
      if (form.coefficients.empty()) continue;
      forms.push_back(std::move(form));
      outputs.push_back(&*output);
    }
    EliminationResult result = solve(block, linear, std::move(forms));
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k]->constant = result.forms[k];
    return result;
  }

  void finish_outputs() {
    for (std::size_t i = 0; i < system_.outputs.size(); ++i) {
      if (!affine_[i]) {
        program_.outputs.push_back(builder_.lower(system_.outputs[i], scope_));
        continue;
      }
      Value value = affine_[i]->constant;
      for (const auto& [j, c] : affine_[i]->coefficients) {
        value = builder_.add(value, builder_.multiply(c, *scope_.find(system_.unknowns[idx(j)])));
      }
      program_.outputs.push_back(value);
    }
  }

  /// What the outputs add to the equations may be undefined where the equations are fine: quotients
  /// and functions that are not defined everywhere.
  void find_partial_functions(CodeRange added) {
    for (Value v = added.begin; v < added.end; ++v) {
      switch (builder_.code()[v].op) {
        case Opcode::divide: case Opcode::sqrt: case Opcode::tan: case Opcode::asin: case Opcode::acos:
        case Opcode::sinh: case Opcode::cosh: case Opcode::exp: case Opcode::log: case Opcode::pow:
          program_.must_be_finite.push_back(v);
          break;
        default:
          break;
      }
    }
  }

  StepBlock iterative_block(const EquationBlock& block) {
    StepBlock step;
    step.iterative = true;
    const int level = ++iterations_ + 1;
    for (const int u : block.unknowns) {
      const Value guess = builder_.lower(system_.guess[idx(u)], data_scope_);
      Builder::Sample sample = builder_.sample(guess);
      for (std::size_t s = 0; s < sample.size(); ++s) {  // away from where the guess makes terms vanish
        sample[s] += 1e-2 * std::cos(static_cast<double>(1 + u) + 2.0 * static_cast<double>(s));
      }
      const Value v = builder_.variable(program_.variables, level, sample);
      step.variables.push_back(program_.variables++);
      step.guess.push_back(guess);
      scope_.bind(system_.unknowns[idx(u)], v);
    }
    for (const int e : block.equations) step.residuals.push_back(check(e));
    std::vector<Value> right_hand_side;
    for (const ResidualCheck& c : step.residuals) right_hand_side.push_back(builder_.negate(c.residual));
    step.correction = solve(block, linear_system(block, std::move(right_hand_side))).solution;
    return step;
  }

  const ImplicitSystem& system_;
  SparseMatrix jacobian_;
  std::vector<std::vector<const SparseMatrix::Entry*>> entries_of_row_;
  Builder builder_;
  Scope scope_;       ///< data and the unknowns solved so far
  Scope data_scope_;  ///< data only
  StepProgram program_;
  std::vector<std::optional<AffineForm>> affine_;  ///< outputs affine in the unknowns, what is left of them
  int iterations_ = 0;
};

/// Puts the values of a step into the order of its segments, each as early as its operands allow
/// and as late as its users do.
class Scheduler {
 public:
  Scheduler(StepProgram program, const Builder& builder) : program_(std::move(program)) {
    std::vector<Value> roots;
    for_each_root([&](Value& v) { roots.push_back(v); });
    source_ = fuse(builder, roots);
    for_each_root([&](Value& v) { v = source_.renumbered[v]; });
    placed_.assign(source_.code.size(), unplaced);
    visited_in_.assign(source_.code.size(), 0);
  }

  StepProgram run() && {
    mark_latest_use();
    const auto all = segments();
    std::vector<Value> everything;
    for (const auto& roots : all) everything.insert(everything.end(), roots.begin(), roots.end());
    program_.invariant = fill([&] { place(everything, 0); });
    int iteration = 0;
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      StepBlock& block = program_.blocks[b];
      const auto& before = all[3 * b];
      const auto& check = all[3 * b + 1];
      const auto& solve = all[3 * b + 2];
      if (!block.iterative) {
        block.before = fill([&] { place(before, any_level); });
        continue;
      }
      const int level = ++iteration + 1;
      block.before = fill([&] {
        place(before, any_level);
        place(check, level - 1);
        place(solve, level - 1);
      });
      block.check = fill([&] {
        place(check, any_level);
        place_used_later(solve, static_cast<int>(3 * b + 2));
      });
      block.solve = fill([&] { place(solve, any_level); });
    }
    program_.after = fill([&] { place(all.back(), any_level); });
    for_each_root([&](Value& v) { v = placed_[v]; });
    return std::move(program_);
  }

 private:
  static constexpr Value unplaced = ~Value{0};
  static constexpr int any_level = 1 << 30;

  template <class F>
  void for_each_root(F&& visit) {
    for (StepBlock& block : program_.blocks) {
      for (auto* list : {&block.guess, &block.correction, &block.must_be_finite}) {
        for (Value& v : *list) visit(v);
      }
      for (ResidualCheck& c : block.residuals) {
        visit(c.residual);
        visit(c.magnitude);
      }
    }
    for (auto* list : {&program_.must_be_finite, &program_.outputs}) {
      for (Value& v : *list) visit(v);
    }
  }

  /// Roots of before, check, solve of each block, then of the end.
  std::vector<std::vector<Value>> segments() const {
    std::vector<std::vector<Value>> all;
    for (const StepBlock& block : program_.blocks) {
      std::vector<Value> before = block.iterative ? block.guess : block.must_be_finite;
      std::vector<Value> check;
      for (const ResidualCheck& c : block.residuals) {
        auto& target = block.iterative ? check : before;
        target.push_back(c.residual);
        target.push_back(c.magnitude);
      }
      all.push_back(std::move(before));
      all.push_back(std::move(check));
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

  /// Values of the solve segment that something after the iteration reads must belong to the
  /// solution, so they are computed with the check.
  void place_used_later(const std::vector<Value>& roots, int solve_segment) {
    std::vector<Value> used_later;
    visit_unplaced(roots, [&](Value v) {
      if (latest_[v] > solve_segment) used_later.push_back(v);
    });
    place(used_later, any_level);
  }

  template <class F>
  void visit_unplaced(const std::vector<Value>& roots, F&& visit) {
    ++epoch_;
    for (const Value root : roots) {
      walk(root, [&](Value v) { return placed_[v] == unplaced && visited_in_[v] != epoch_; },
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

StepProgram make_step_program(const ImplicitSystem& system, Constants constants) {
  validate(system);
  StepBuilder steps(system, constants);
  const Builder builder = steps.builder();
  StepProgram program = Scheduler(std::move(steps).take(), builder).run();
  program.constants = builder.constants();
  return program;
}

}  // namespace rattleback
