#include "series_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "derivation.hpp"
#include "elimination.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "recurrences.hpp"

namespace rattleback {
namespace {

using Symbols = std::vector<Expression>;

constexpr int parameter_level = 0;
constexpr int state_level = 1;
constexpr int unknown_level = 2;

class SeriesBuilder {
 public:
  SeriesBuilder(const SeriesSystem& system, int order) : system_(system) {
    program_.order = order;
    program_.state = static_cast<std::uint32_t>(system.state.size());
    lower();
    derive();
  }

  SeriesProgram take() {
    arrange();
    return std::move(program_);
  }

 private:
  /// f and r as instructions whose series are wanted, and ∂r/∂y.
  void lower() {
    bool is_linear = true;
    const SparseMatrix slopes = jacobian(system_.residuals, system_.unknowns);
    const std::unordered_set<Expression> unknowns(system_.unknowns.begin(), system_.unknowns.end());
    for (const auto& entry : slopes.entries) {
      for (const Expression& s : free_symbols(entry.value)) is_linear = is_linear && !unknowns.contains(s);
    }
    Bindings scope;
    for (const auto* symbols : {&system_.state, &system_.time, &system_.parameters}) {
      for (const Expression& s : *symbols) {
        const int level = symbols == &system_.parameters ? parameter_level : state_level;
        const std::uint32_t slot = program_.inputs++;
        const Builder::Sample sample = sample_of_data(system_.typical, slot);
        scope.bind(s, source_.input(slot, level, sample));
        inputs_.push_back({*scope.find(s), code_.input(slot, level, sample)});
      }
    }
    for (std::size_t k = 0; k < system_.unknowns.size(); ++k) {
      const auto slot = static_cast<std::uint32_t>(k);
      const Value v = source_.variable(slot, unknown_level, sample_of_data({}, slot));
      scope.bind(system_.unknowns[k], v);
      unknowns_.push_back(v);
      if (!is_linear) {
        given_.push_back(code_.input(program_.inputs, state_level, sample_of_data({}, program_.inputs)));
        ++program_.inputs;
      }
    }
    for (const Expression& r : system_.residuals) residuals_.push_back(source_.lower(r, scope));
    for (const Expression& f : system_.rates) rates_.push_back(source_.lower(f, scope));
    for (const auto& entry : slopes.entries) slopes_.push_back({entry.row, entry.column, source_.lower(entry.value, scope)});
  }

  void derive() {
    Recurrences series(source_, code_, program_.state);
    const auto end = static_cast<Value>(source_.code().size());
    const std::size_t with_time = system_.state.size() + system_.time.size();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      series.give_zeroth(inputs_[i].source, inputs_[i].code);
      series.give(inputs_[i].source, i < system_.state.size() ? series.state(static_cast<std::uint32_t>(i))
                                     : i < with_time          ? series.time()
                                                              : code_.constant(0.0));
    }
    // The values at t₀. Where r is linear, r = K y + r(0).
    if (given_.empty()) {
      for (const Value y : unknowns_) series.give_zeroth(y, code_.constant(0.0));
      series.find_zeroth(0, end);
      const EliminationResult solution = solve(series, [&](Value r) { return series[r].zeroth; });
      for (std::size_t k = 0; k < unknowns_.size(); ++k) series.give_zeroth(unknowns_[k], solution.solution[k]);
      series.find_zeroth(0, end);
      program_.solution = solution.solution;
      find_corrections(series, solution);
    } else {
      for (std::size_t k = 0; k < unknowns_.size(); ++k) series.give_zeroth(unknowns_[k], given_[k]);
      series.find_zeroth(0, end);
    }
    for (const Value f : rates_) program_.first.push_back(series[f].zeroth);
    // The coefficients of order j.
    for (const Value y : unknowns_) series.give(y, code_.constant(0.0));
    series.find_coefficients(0, end);
    if (!unknowns_.empty()) {
      const EliminationResult solution = solve(series, [&](Value r) { return series[r].coefficient; });
      for (std::size_t k = 0; k < unknowns_.size(); ++k) series.give(unknowns_[k], solution.solution[k]);
      series.find_coefficients(0, end, unknown_level);
    }
    for (const Value f : rates_) program_.next.push_back(code_.multiply(series.over_next(), series[f].coefficient));
    program_.left = series.left();
    program_.right = series.right();
  }

  /// Back substitution satisfies its own rows; the others tell what the elimination has lost.
  void find_corrections(const Recurrences& series, const EliminationResult& solution) {
    std::unordered_set<Value> looked_at;
    for (const auto* rows : {&solution.updated_rows, &solution.implied_rows}) {
      for (const int row : *rows) looked_at.insert(static_cast<Value>(row));
    }
    if (looked_at.empty()) return;
    Value row = 0;
    const std::vector<Value> corrections =
        solve(series, [&](Value r) { return looked_at.contains(row++) ? series[r].zeroth : code_.constant(0.0); })
            .solution;
    program_.solution.insert(program_.solution.end(), corrections.begin(), corrections.end());
  }

  /// K y = −r(0)
  template <class RightHandSide>
  EliminationResult solve(const Recurrences& series, RightHandSide&& residual) {
    SymbolicLinearSystem linear{std::vector<std::map<int, Value>>(residuals_.size()), {}};
    for (const Value r : residuals_) linear.right_hand_side.push_back(code_.negate(residual(r)));
    for (const Slope& s : slopes_) {
      const Value value = series[s.value].zeroth;
      if (!code_.is_constant(value, 0.0)) linear.rows[static_cast<std::size_t>(s.row)][s.column] = value;
    }
    try {
      return eliminate(code_, std::move(linear));
    } catch (const LinearlyDependent& error) {
      throw StructureError(fmt::format("equation {} is a combination of the others, whatever the data are: 0 = {}",
                                       error.row() + 1,
                                       shortened(system_.residuals[static_cast<std::size_t>(error.row())])));
    }
  }

  /// What does not depend on the order comes first.
  void arrange() {
    std::vector<Value> roots;
    const auto for_each_root = [&](auto&& visit) {
      for (auto* list : {&program_.first, &program_.next, &program_.left, &program_.right, &program_.solution})
        std::ranges::for_each(*list, visit);
    };
    for_each_root([&](Value& v) { roots.push_back(v); });
    FusedCode fused = fuse(code_, roots);
    std::vector<Value> place(fused.code.size());
    const auto count_head = std::ranges::count_if(fused.level, [](int level) { return level <= state_level; });
    Value head = 0;
    auto later = static_cast<Value>(count_head);
    for (std::size_t v = 0; v < fused.code.size(); ++v) place[v] = fused.level[v] <= state_level ? head++ : later++;
    program_.code.resize(fused.code.size());
    for (std::size_t v = 0; v < fused.code.size(); ++v) {
      Instruction i = fused.code[v];
      Value* const operands[] = {&i.a, &i.b, &i.c};
      for (int k = 0; k < operand_count(i.op); ++k) *operands[k] = place[*operands[k]];
      program_.code[place[v]] = i;
    }
    for_each_root([&](Value& v) { v = place[fused.renumbered[v]]; });
    program_.head = {0, static_cast<Value>(count_head)};
    program_.each_order = {static_cast<Value>(count_head), static_cast<Value>(program_.code.size())};
    program_.constants = code_.constants();
    program_.sines = count_sines(program_.code);
  }

  struct Input {
    Value source;
    Value code;
  };
  struct Slope {
    int row;
    int column;
    Value value;
  };
  const SeriesSystem& system_;
  SeriesProgram program_;
  Builder source_;
  Builder code_;
  std::vector<Input> inputs_;
  std::vector<Value> unknowns_;  ///< in the source
  std::vector<Value> given_;     ///< y₀, where r is not linear
  std::vector<Value> residuals_;
  std::vector<Value> rates_;
  std::vector<Slope> slopes_;
};

}  // namespace

SeriesProgram make_series_program(const SeriesSystem& system, int order) { return SeriesBuilder(system, order).take(); }

}  // namespace rattleback
