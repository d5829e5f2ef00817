#include "series_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "derivation.hpp"
#include "elimination.hpp"
#include "rattleback/expr/derivative.hpp"
#include "recurrences.hpp"

namespace rattleback {
namespace {

using Symbols = std::vector<Expression>;

constexpr int parameter_level = 0;
constexpr int position_level = 1;
constexpr int velocity_level = 2;
/// Of the code: what is known before the orders.
constexpr int head_level = 1;

class SeriesBuilder {
 public:
  SeriesBuilder(const SeriesSystem& system, int order) : system_(system) {
    program_.order = order;
    program_.positions = static_cast<std::uint32_t>(system.positions.size());
    program_.velocities = static_cast<std::uint32_t>(system.velocities.size());
    lower();
    derive();
  }

  SeriesProgram take() {
    arrange();
    return std::move(program_);
  }

 private:
  /// The functions as instructions whose series are wanted, and K.
  void lower() {
    Bindings scope;
    for (const auto* symbols : {&system_.positions, &system_.velocities, &system_.time, &system_.parameters}) {
      for (const Expression& s : *symbols) {
        const int level = symbols == &system_.parameters   ? parameter_level
                          : symbols == &system_.velocities ? velocity_level
                                                           : position_level;
        const std::uint32_t slot = program_.inputs++;
        const Builder::Sample sample = sample_at(slot);
        const int code_level = level == parameter_level ? parameter_level : head_level;
        scope.bind(s, source_.input(slot, level, sample));
        inputs_.push_back({*scope.find(s), code_.input(slot, code_level, sample)});
      }
    }
    for (std::size_t k = 0; k < system_.multipliers.size(); ++k) {
      const auto slot = static_cast<std::uint32_t>(k);
      multipliers_.push_back(source_.variable(slot, velocity_level, sample_of_data({}, slot)));
      scope.bind(system_.multipliers[k], multipliers_.back());
    }
    const auto lowered = [&](const Symbols& expressions) {
      std::vector<Value> values;
      for (const Expression& e : expressions) values.push_back(source_.lower(e, scope));
      return values;
    };
    rates_ = lowered(system_.position_rates);
    momenta_ = lowered(system_.momenta);
    forces_ = lowered(system_.forces);
    reactions_ = lowered(system_.reactions);
    rows_ = lowered(system_.rows);
    const auto n = static_cast<int>(system_.velocities.size());
    const auto add_block = [&](const Symbols& functions, const Symbols& symbols, int row, int column, bool negative) {
      for (const auto& entry : jacobian(functions, symbols).entries) {
        slopes_.push_back({row + entry.row, column + entry.column, source_.lower(entry.value, scope), negative});
      }
    };
    add_block(system_.momenta, system_.velocities, 0, 0, false);
    add_block(system_.reactions, system_.multipliers, 0, n, true);
    add_block(system_.rows, system_.velocities, n, 0, false);
  }

  /// The typical data, and others that have the same units: pivots are chosen anew where the motion has come far away.
  Builder::Sample sample_at(std::uint32_t slot) const {
    constexpr double small = 1e-3;
    Builder::Sample sample = sample_of_data({}, slot);
    if (system_.typical.empty()) return sample;
    for (double& x : sample) x = system_.typical[slot] * (&x == sample.data() ? 1.0 : 1.0 + small * (x - 1.0));
    return sample;
  }

  /// Operands come before what is made of them.
  std::vector<bool> needed() const {
    std::vector<bool> all(source_.code().size(), false);
    for (const auto* roots : {&rates_, &momenta_, &forces_, &reactions_, &rows_}) {
      for (const Value v : *roots) all[v] = true;
    }
    for (std::size_t v = all.size(); v-- > 0;) {
      const Instruction& i = source_.code()[v];
      const Value operands[] = {i.a, i.b, i.c};
      for (int k = 0; all[v] && k < operand_count(i.op); ++k) all[operands[k]] = true;
    }
    return all;
  }

  void derive() {
    Recurrences series(source_, code_, needed(), program_.state());
    const Value zero = code_.constant(0.0);
    const std::size_t n = system_.velocities.size();
    for (const Input& input : inputs_) series.give_zeroth(input.source, input.code);
    for (const Value mu : multipliers_) series.give_zeroth(mu, zero);
    series.find_zeroth();
    for (const Value w : rates_) program_.first.push_back(series[w].zeroth);
    for (const Value f : forces_) program_.first.push_back(series[f].zeroth);
    find_units(series);
    try_out(series);

    const auto give = [&](std::size_t from, const auto& values) {
      for (std::size_t i = 0; i < values.size(); ++i) series.give(inputs_[from + i].source, values[i]);
    };
    const std::size_t positions = system_.positions.size();
    for (const Input& input : inputs_) series.give(input.source, zero);
    for (std::size_t i = 0; i < positions; ++i) {
      series.give(inputs_[i].source, series.carried(static_cast<std::uint32_t>(i)));
    }
    if (!system_.time.empty()) series.give(inputs_[positions + n].source, series.time());
    for (const Value mu : multipliers_) series.give(mu, zero);
    series.find_coefficients();
    std::vector<Value> right;
    for (std::size_t i = 0; i < n; ++i) {
      const Value pushed =
          code_.add(series.carried(static_cast<std::uint32_t>(positions + i)), series[reactions_[i]].coefficient);
      right.push_back(code_.subtract(code_.multiply(series.over_number(), pushed), series[momenta_[i]].coefficient));
    }
    for (const Value c : rows_) right.push_back(code_.negate(series[c].coefficient));
    const std::vector<Value> solution = solve(series, std::move(right));
    program_.velocity.assign(solution.begin(), solution.begin() + static_cast<std::ptrdiff_t>(n));
    give(positions, program_.velocity);
    for (std::size_t k = 0; k < multipliers_.size(); ++k) {
      series.give(multipliers_[k], code_.multiply(series.number(), solution[n + k]));
    }
    series.find_coefficients(velocity_level);
    for (const Value w : rates_) program_.next.push_back(code_.multiply(series.over_next(), series[w].coefficient));
    for (const Value f : forces_) program_.next.push_back(series[f].coefficient);
    program_.left = series.left();
    program_.right = series.right();
  }

  /// Scale and σ: multipliers whose forces are as large as what velocities of this scale need.
  void find_units(const Recurrences& series) {
    units_ = system_.scale;
    units_.resize(system_.velocities.size() + system_.multipliers.size(), 0.0);
    const auto size_of = [&](const Slope& s) { return std::abs(code_.sample(series[s.value].zeroth).front()); };
    std::vector<double> needed(system_.velocities.size(), 0.0);
    for (const Slope& s : slopes_) {
      const auto row = static_cast<std::size_t>(s.row);
      const auto column = static_cast<std::size_t>(s.column);
      if (row < needed.size() && column < needed.size()) needed[row] += size_of(s) * units_[column];
    }
    for (const Slope& s : slopes_) {
      if (!s.is_negative) continue;
      const double force = needed[static_cast<std::size_t>(s.row)] / size_of(s);
      double& unit = units_[static_cast<std::size_t>(s.column)];
      if (std::isfinite(force) && force > 0.0 && (unit == 0.0 || force < unit)) unit = force;
    }
    for (double& unit : units_) unit = unit > 0.0 ? unit : 1.0;
  }

  /// K z = K (scale, σ)
  void try_out(const Recurrences& series) {
    std::vector<Value> right(units_.size(), code_.constant(0.0));
    for (const Slope& s : slopes_) {
      const double x = units_[static_cast<std::size_t>(s.column)];
      Value& sum = right[static_cast<std::size_t>(s.row)];
      sum = code_.add(sum, code_.multiply(series[s.value].zeroth, code_.constant(s.is_negative ? -x : x)));
    }
    program_.trial = solve(series, std::move(right));
  }

  std::vector<Value> solve(const Recurrences& series, std::vector<Value> right) {
    SymbolicLinearSystem linear{std::vector<std::map<int, Value>>(right.size()), std::move(right), units_};
    for (const Slope& s : slopes_) {
      const Value value = series[s.value].zeroth;
      if (code_.is_constant(value, 0.0)) continue;
      linear.rows[static_cast<std::size_t>(s.row)][s.column] = s.is_negative ? code_.negate(value) : value;
    }
    try {
      return eliminate(code_, std::move(linear)).solution;
    } catch (const LinearlyDependent& error) {
      throw StructureError(fmt::format(
          "equation {} of those for velocities and multipliers is a combination of the others, whatever the data are",
          error.row() + 1));
    }
  }

  /// What does not depend on the order comes first.
  void arrange() {
    std::vector<Value> roots;
    const auto for_each_root = [&](auto&& visit) {
      for (auto* list :
           {&program_.first, &program_.next, &program_.velocity, &program_.left, &program_.right, &program_.trial})
        std::ranges::for_each(*list, visit);
    };
    for_each_root([&](Value& v) { roots.push_back(v); });
    FusedCode fused = fuse(code_, roots);
    std::vector<Value> place(fused.code.size());
    const auto count_head = std::ranges::count_if(fused.level, [](int level) { return level <= head_level; });
    Value head = 0;
    auto later = static_cast<Value>(count_head);
    for (std::size_t v = 0; v < fused.code.size(); ++v) place[v] = fused.level[v] <= head_level ? head++ : later++;
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
    bool is_negative;
  };
  const SeriesSystem& system_;
  SeriesProgram program_;
  Builder source_;
  Builder code_;
  std::vector<Input> inputs_;
  std::vector<Value> multipliers_;  ///< in the source, as all that follow
  std::vector<Value> rates_;
  std::vector<Value> momenta_;
  std::vector<Value> forces_;
  std::vector<Value> reactions_;
  std::vector<Value> rows_;
  std::vector<Slope> slopes_;
  std::vector<double> units_;  ///< of velocities and multipliers
};

}  // namespace

SeriesProgram make_series_program(const SeriesSystem& system, int order) { return SeriesBuilder(system, order).take(); }

}  // namespace rattleback
