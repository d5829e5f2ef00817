#include "step_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "block_structure.hpp"
#include "builder.hpp"
#include "check_system.hpp"
#include "derivation.hpp"
#include "elimination.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "schedule.hpp"
#include "slopes.hpp"

namespace rattleback {
namespace {

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void report_unmatched(const ImplicitSystem& system, const BlockStructure& structure) {
  std::string message = "the equations cannot determine the unknowns:";
  for (const int e : structure.unmatched_equations) {
    message += fmt::format("\n  equation {} has no unknown left to solve for: 0 = {}", e + 1,
                           shortened(system.residuals[idx(e)]));
  }
  for (const int u : structure.unmatched_unknowns) {
    message += fmt::format("\n  no equation is left for '{}'", system.unknowns[idx(u)].name());
  }
  throw StructureError(message);
}

/// Builds the blocks as values of one builder; schedule() then puts them into an order.
class StepBuilder {
 public:
  StepBuilder(const ImplicitSystem& system, Constants constants)
      : slopes_(system), system_(slopes_.system()), builder_(constants) {
    program_.inputs = static_cast<std::uint32_t>(system.data.size());
    program_.state = static_cast<std::uint32_t>(system.state);
    for (std::size_t i = 0; i < system.data.size(); ++i) {
      // Without a state every call brings new data, and nothing is known once for all.
      const int level = system.state == 0 || i < system.state ? 1 : 0;
      const Value v = builder_.input(static_cast<std::uint32_t>(i), level, sample_of_data(system.typical, i));
      scope_.bind(system.data[i], v);
      data_scope_.bind(system.data[i], v);
    }
    const BlockStructure structure = slopes_.structure();
    if (structure.blocks.empty() && !system.unknowns.empty()) report_unmatched(system, structure);
    const auto position = [&] { return static_cast<Value>(builder_.code().size()); };
    const Value start = position();
    prepare_outputs();
    find_partial_functions({start, position()});
    for (const EquationBlock& block : structure.blocks) {
      if (block.equations.size() == 1) single_unknown_[block.equations[0]] = block.unknowns[0];
    }
    for (const EquationBlock& block : structure.blocks) {
      if (!is_solved(block.unknowns[0])) add_block(block);
    }
    const Value solved = position();
    finish_outputs();
    find_partial_functions({solved, position()});
    excuse_branches();
  }

  Derivation take() {
    StepProgram program = schedule(std::move(program_), builder_);
    return {std::move(program), std::move(builder_), std::move(solutions_), std::move(variables_)};
  }

 private:
  /// J x = right-hand side for the unknowns of the block.
  SymbolicLinearSystem linear_system(const EquationBlock& block, std::vector<Value> right, bool is_iterated = false) {
    std::unordered_map<int, int> position;
    for (std::size_t k = 0; k < block.unknowns.size(); ++k) position[block.unknowns[k]] = static_cast<int>(k);
    SymbolicLinearSystem linear{
        std::vector<std::map<int, Value>>(block.equations.size()), std::move(right), {}, is_iterated};
    for (std::size_t i = 0; i < block.equations.size(); ++i) {
      for (const auto* entry : slopes_.row(block.equations[i])) {
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
      const auto begin = static_cast<Value>(builder_.code().size());
      EliminationResult result = eliminate(builder_, linear, forms);
      solutions_.push_back({begin, linear, std::move(forms), result});
      return result;
    } catch (const LinearlyDependent& error) {
      const int e = block.equations[idx(error.row())];
      throw StructureError(fmt::format("equation {} is a combination of the others, whatever the data are: 0 = {}",
                                       e + 1, shortened(system_.residuals[idx(e)])));
    }
  }

  /// Σ aⱼxⱼ − b of one row against Σ |aⱼxⱼ| + |b|: has the elimination been accurate?
  ResidualCheck check(const SymbolicLinearSystem& linear, int row, const std::vector<Value>& solution) {
    const Value b = linear.right_hand_side[idx(row)];
    std::vector<Value> terms{builder_.negate(b)};
    std::vector<Value> sizes{builder_.absolute(b)};
    for (const auto& [j, a] : linear.rows[idx(row)]) {
      terms.push_back(builder_.multiply(a, solution[idx(j)]));
      sizes.push_back(builder_.multiply(builder_.absolute(a), builder_.absolute(solution[idx(j)])));
    }
    return {builder_.sum(terms), builder_.sum(sizes)};
  }

  ResidualCheck check(int equation) {
    const Value r = builder_.lower(system_.residuals[idx(equation)], scope_);
    return {r, builder_.magnitude(r)};
  }

  /// Linear blocks that follow each other are computed as one: there is nothing to iterate between them.
  void add_block(const EquationBlock& block) {
    StepBlock step = slopes_.is_linear(block) ? linear_block(block) : iterative_block(block);
    if (step.iterative || program_.blocks.empty() || program_.blocks.back().iterative) {
      program_.blocks.push_back(std::move(step));
      return;
    }
    StepBlock& last = program_.blocks.back();
    last.residuals.insert(last.residuals.end(), step.residuals.begin(), step.residuals.end());
    last.must_be_finite.insert(last.must_be_finite.end(), step.must_be_finite.begin(), step.must_be_finite.end());
    last.growth.insert(last.growth.end(), step.growth.begin(), step.growth.end());
    last.implied.insert(last.implied.end(), step.implied.begin(), step.implied.end());
  }

  /// r(u) = J u + r(0) with J independent of u: u = −J⁻¹ r(0).
  StepBlock linear_block(const EquationBlock& block) {
    const auto start = static_cast<Value>(builder_.code().size());
    Bindings at_zero(&scope_);
    for (const int u : block.unknowns) at_zero.bind(system_.unknowns[idx(u)], builder_.constant(0.0));
    std::vector<Value> right_hand_side;
    for (const int e : block.equations) {
      right_hand_side.push_back(builder_.negate(builder_.lower(system_.residuals[idx(e)], at_zero)));
    }
    const SymbolicLinearSystem linear = linear_system(block, std::move(right_hand_side));
    const EliminationResult result = solve_with_outputs(block, linear);
    const std::vector<Value>& solution = result.solution;
    for (std::size_t k = 0; k < solution.size(); ++k) {
      scope_.bind(system_.unknowns[idx(block.unknowns[k])], solution[k]);
      builder_.take_as_given(solution[k]);  // to later blocks it is data
    }
    StepBlock step;
    for (const int row : result.updated_rows) step.residuals.push_back(check(linear, row, solution));
    step.growth = result.growth;
    if (!step.growth.empty()) {
      for (const int row : result.implied_rows) step.implied.push_back(check(linear, row, solution));
    }
    step.must_be_finite = result.late_reciprocals;
    // Without an updated row the solution is a substitution: accurate whenever everything in it is defined.
    const bool is_substitution = result.updated_rows.empty() && result.implied_rows.empty();
    if (is_substitution) {
      find_partial_functions({start, static_cast<Value>(builder_.code().size())}, step.must_be_finite);
    }
    // Divided by infinity, anything is zero. Residuals tell, but not those of substitutions.
    std::ranges::copy_if(result.pivots, std::back_inserter(step.must_be_finite), [&](Value pivot) {
      return !builder_.is_constant(pivot) && (is_substitution || builder_.level(pivot) == 0);
    });
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
    for (std::size_t i = 0; i < system_.outputs.size(); ++i) {
      if (is_affine[i] && hides_symbols(system_.outputs[i], unknowns)) is_affine[i] = false;
    }
    Bindings at_zero(&data_scope_);
    for (const Expression& u : system_.unknowns) at_zero.bind(u, builder_.constant(0.0));
    for (std::size_t i = 0; i < system_.outputs.size(); ++i) {
      if (is_affine[i]) affine_[i] = AffineForm{{}, builder_.lower(system_.outputs[i], at_zero)};
    }
    for (const auto& e : slopes.entries) {
      if (is_affine[idx(e.row)]) affine_[idx(e.row)]->coefficients[e.column] = builder_.lower(e.value, data_scope_);
    }
  }

  bool is_solved(int unknown) const { return scope_.find(system_.unknowns[idx(unknown)]) != nullptr; }

  /// An unknown that is defined by its equation, s = b + Σ aⱼuⱼ, where u are the unknowns of a block that is being
  /// solved and everything else is known: the state between two stages of a Runge–Kutta method.
  struct Definition {
    int unknown;
    AffineForm form;
  };

  std::vector<Definition> definitions_after(const EquationBlock& block) {
    std::vector<Definition> all;
    std::unordered_map<int, int> position;
    std::unordered_set<Expression> own;
    for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
      position[block.unknowns[k]] = static_cast<int>(k);
      own.insert(system_.unknowns[idx(block.unknowns[k])]);
    }
    std::unordered_set<int> looked_at(block.equations.begin(), block.equations.end());
    for (const int u : block.unknowns) {
      for (const int e : slopes_.equations_with(u)) {
        const auto single = single_unknown_.find(e);
        if (!looked_at.insert(e).second || single == single_unknown_.end() || is_solved(single->second)) continue;
        const auto defines = [&](const SparseMatrix::Entry* entry) {
          if (entry->column == single->second) return entry->value.is_constant(1.0);
          if (!position.contains(entry->column)) return is_solved(entry->column);
          return std::ranges::all_of(free_symbols(entry->value), [&](const Expression& s) { return is_known(s); });
        };
        std::unordered_set<Expression> unknown = own;
        unknown.insert(system_.unknowns[idx(single->second)]);
        if (!std::ranges::all_of(slopes_.row(e), defines) || hides_symbols(system_.residuals[idx(e)], unknown)) {
          continue;
        }
        Bindings at_zero(&scope_);
        for (const Expression& s : unknown) at_zero.bind(s, builder_.constant(0.0));
        Definition definition{single->second,
                              {{}, builder_.negate(builder_.lower(system_.residuals[idx(e)], at_zero))}};
        for (const auto* entry : slopes_.row(e)) {
          const auto column = position.find(entry->column);
          if (column == position.end()) continue;
          definition.form.coefficients[column->second] = builder_.negate(builder_.lower(entry->value, scope_));
        }
        all.push_back(std::move(definition));
      }
    }
    return all;
  }

  bool is_known(const Expression& symbol) const { return scope_.find(symbol) != nullptr; }

  /// The part of the affine outputs that depends on the unknowns of a small linear block goes through
  /// its elimination, and so do unknowns that are defined by those of the block. (In a large block that would fill them
  /// up.)
  EliminationResult solve_with_outputs(const EquationBlock& block, const SymbolicLinearSystem& linear) {
    constexpr std::size_t small = 6;
    std::vector<AffineForm> forms;
    std::vector<Definition> definitions;
    if (block.unknowns.size() <= small) {
      const auto start = static_cast<Value>(builder_.code().size());
      definitions = definitions_after(block);
      find_partial_functions({start, static_cast<Value>(builder_.code().size())});
    }
    for (const Definition& d : definitions) forms.push_back(d.form);
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
    for (std::size_t k = 0; k < definitions.size(); ++k) {
      scope_.bind(system_.unknowns[idx(definitions[k].unknown)], result.forms[k]);
      builder_.take_as_given(result.forms[k]);
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k]->constant = result.forms[definitions.size() + k];
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

  /// What the outputs add to the equations may be undefined where the equations are fine.
  void find_partial_functions(CodeRange added) { find_partial_functions(added, program_.must_be_finite); }

  /// Quotients and functions that are not defined everywhere.
  void find_partial_functions(CodeRange added, std::vector<Value>& found) const {
    for (Value v = added.begin; v < added.end; ++v) {
      switch (builder_.code()[v].op) {
        case Opcode::divide:
        case Opcode::sqrt:
        case Opcode::tan:
        case Opcode::asin:
        case Opcode::acos:
        case Opcode::sinh:
        case Opcode::cosh:
        case Opcode::exp:
        case Opcode::log:
        case Opcode::select:
        case Opcode::pow: found.push_back(v); break;
        default: break;
      }
    }
  }

  /// What only branches of conditions are made of may be undefined: if one is chosen, the choice tells.
  void excuse_branches() {
    const std::vector<Instruction>& code = builder_.code();
    if (std::ranges::none_of(code, [](const Instruction& i) { return i.op == Opcode::select; })) return;
    std::vector<bool> is_needed(code.size(), false);
    const auto need = [&](Value v) { is_needed[v] = true; };
    for (StepBlock block : program_.blocks) {
      block.must_be_finite.clear();
      for_each_root(block, need);
    }
    std::ranges::for_each(program_.outputs, need);
    for (std::size_t v = code.size(); v-- > 0;) {
      if (!is_needed[v]) continue;
      const Value operands[] = {code[v].a, code[v].b, code[v].c};
      const int n = code[v].op == Opcode::select ? 1 : operand_count(code[v].op);
      for (int k = 0; k < n; ++k) need(operands[k]);
    }
    const auto is_excused = [&](Value v) { return !is_needed[v]; };
    for (StepBlock& block : program_.blocks) std::erase_if(block.must_be_finite, is_excused);
    std::erase_if(program_.must_be_finite, is_excused);
  }

  /// What rounding errors of rotations are relative to: their entries to 1. And errors of what does not change with the
  /// iterates are those of given numbers, which residuals can vanish for.
  void limit_magnitudes(const EquationBlock& block, int level) {
    for (const KnownSlopes& known : system_.known_slopes) {
      if (!std::ranges::all_of(known.variables, [&](const Expression& u) { return is_known(u); })) continue;
      for (const Expression& part : known.parts) builder_.set_magnitude(builder_.lower(part, scope_), 1.0);
    }
    for (const int e : block.equations) builder_.lower(system_.residuals[idx(e)], scope_);
    const auto end = static_cast<Value>(builder_.code().size());
    for (Value v = 0; v < end; ++v) {
      if (builder_.level(v) < level && !builder_.is_constant(v)) builder_.take_as_given(v);
    }
  }

  StepBlock iterative_block(const EquationBlock& block) {
    StepBlock step;
    step.iterative = true;
    step.end = system_.end;
    const int level = ++iterations_ + 1;
    for (const int u : block.unknowns) {
      const Value guess = builder_.lower(system_.guess[idx(u)], data_scope_);
      const Value v = builder_.variable(program_.variables, level, sample_of_variable(builder_.sample(guess), u));
      variables_.push_back({guess, u});
      step.variables.push_back(program_.variables++);
      step.guess.push_back(guess);
      scope_.bind(system_.unknowns[idx(u)], v);
    }
    if (!system_.known_slopes.empty()) limit_magnitudes(block, level);
    for (const int e : block.equations) step.residuals.push_back(check(e));
    std::vector<Value> right_hand_side;
    for (const ResidualCheck& c : step.residuals) right_hand_side.push_back(builder_.negate(c.residual));
    step.correction = solve(block, linear_system(block, std::move(right_hand_side), true)).solution;
    std::swap(step.residuals.front(), step.residuals[slopes_.sharpest(block)]);
    return step;
  }

  Slopes slopes_;
  const ImplicitSystem& system_;
  Builder builder_;
  Bindings scope_;       ///< data and the unknowns solved so far
  Bindings data_scope_;  ///< data only
  StepProgram program_;
  std::vector<Derivation::Solution> solutions_;
  std::vector<Derivation::Variable> variables_;
  std::unordered_map<int, int> single_unknown_;    ///< of equations that are a block of their own
  std::vector<std::optional<AffineForm>> affine_;  ///< outputs affine in the unknowns, what is left of them
  int iterations_ = 0;
};

}  // namespace

Derivation derive_step(const ImplicitSystem& system, Constants constants) {
  check_system(system);
  return StepBuilder(system, constants).take();
}

}  // namespace rattleback
