// Trajectories as tables, and errors of trajectories with different steps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../base/not_a_number.hpp"
#include "../base/raise.hpp"
#include "kinds_of_data.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/exact.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace {

class TableOfRuns : Filling {
 public:
  using Filling::Filling;

  Data of(const auto& kind) {
    fill(kind);
    return std::move(data);
  }

 private:
  /// A run into a table. With `every` = steps that is its start and its end.
  RunResult run_into(Table& table, const DerivedMethod& method, const Problem& problem, std::int64_t steps,
                     std::int64_t every, const std::vector<std::string>& observe) const {
    std::vector<std::unique_ptr<Observer>> observers;
    std::vector<ObservedQuantity> observed;
    RunOptions options;
    for (const std::string& name : observe) {
      observers.push_back(make_observer(name, method, problem, *data.model));
      observed.push_back(observers.back()->quantity());
      options.observers.push_back(observers.back().get());
    }
    TableRecorder recorder(table, problem.system, observed);
    // "momentum of translation of x": formulas have names without spaces
    for (Table::Column& column : table.columns) std::ranges::replace(column.name, ' ', '_');
    options.steps = steps;
    options.every = every;
    options.recorder = &recorder;
    options.interrupt = making.interrupt;
    const auto stepper = make_stepper(method, problem);
    return run(*stepper, problem, options);
  }

  /// The definitions of the model, the components of vectors as W1, W2, ..., which is what W[1] stands for.
  void name_definitions() {
    const System& system = data.model->system;
    Substitution parameters;
    for (const Parameter& p : system.parameter_list()) parameters.emplace(Expression::symbol(p.name), p.value);
    for (const Expression& t : system.time()) parameters.emplace(t, Expression::symbol("time"));
    for (const Rotation& rotation : system.rotations()) {
      const Matrix entries = rotation.by_quaternion();
      for (std::size_t k = 0; k < entries.entries.size(); ++k) {
        parameters.emplace(rotation.matrix.entries[k], entries.entries[k]);
        data.table.formulas.emplace(rotation.matrix.entries[k].name(), entries.entries[k]);
      }
    }
    for (const Definition& d : data.model->definitions.list()) {
      if (d.is_function() || std::holds_alternative<Matrix>(d.value)) continue;
      const auto entries = entries_of(d.value);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const bool scalar = std::holds_alternative<Expression>(d.value);
        data.table.formulas.emplace(scalar ? d.name : d.name + std::to_string(k + 1),
                                    substitute(entries[k], parameters));
      }
    }
  }

  void fill(const TrajectoryRecipe& t) {
    name_definitions();
    const DerivedMethod method(*making.recipe.method, nominal);
    const RunResult result = run_into(data.table, method, nominal, t.steps, t.every, t.observe);
    data.failure = result.failure;
    auto& scalars = data.table.scalars;
    scalars["finished"] = result.outcome == RunOutcome::finished ? 1.0 : 0.0;
    scalars["own_time"] = result.own_time ? 1.0 : 0.0;
    scalars["h"] = making.recipe.step;
    scalars["every"] = static_cast<double>(t.every);
    scalars["steps"] = static_cast<double>(result.steps);
    scalars["time"] = result.time;
    scalars["newton"] = result.newton.mean();
    for (const Remark& remark : result.remarks) scalars[remark.name] = remark.value;
    if (t.against == "exact") {
      add_errors([&](std::size_t row, std::vector<double>& q) { return exact(row, q); });
    } else if (!t.against.empty()) {
      const Table& other = making.find(t.against);
      add_errors([&](std::size_t row, std::vector<double>& q) { return same_node(other, t.against, row, q); });
    }
  }

  /// Columns with the difference of q from what `true_position` says, and with the largest one.
  void add_errors(auto&& true_position) {
    Table& table = data.table;
    const std::vector<std::string> coordinates = nominal.system.position_names();
    const std::size_t rows = table.rows();
    std::vector<Table::Column> columns{{"error", std::vector<double>(rows, not_a_number)}};
    for (const std::string& q : coordinates)
      columns.push_back({column_name(ColumnKind::error, q), std::vector<double>(rows, not_a_number)});
    std::vector<double> position(coordinates.size());
    for (std::size_t row = 0; row < rows; ++row) {
      if (!true_position(row, position)) continue;
      turn_to_side(table, row, position);
      double largest = 0.0;
      for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const double error = std::abs((*table.find(coordinates[i]))[row] - position[i]);
        columns[i + 1].values[row] = error;
        raise(largest, error);
      }
      columns[0].values[row] = largest;
    }
    for (Table::Column& c : columns) table.columns.push_back(std::move(c));
  }

  /// A quaternion and its opposite are the same rotation: those of the position on the side of the table's.
  void turn_to_side(const Table& table, std::size_t row, std::vector<double>& position) const {
    const Space space = nominal.system.space();
    const std::vector<std::string> names = nominal.system.position_names();
    for (std::size_t first = space.numbers; first < names.size(); first += 4) {
      double side = 0.0;
      for (std::size_t i = first; i < first + 4; ++i) side += (*table.find(names[i]))[row] * position[i];
      for (std::size_t i = first; side < 0.0 && i < first + 4; ++i) position[i] = -position[i];
    }
  }

  /// Where the other trajectory is at the same time; if both have times of their own, after as many steps.
  bool same_node(const Table& other, const std::string& name, std::size_t row, std::vector<double>& q) const {
    const auto mine = [&](const char* scalar) { return data.table.scalars.at(scalar); };
    const auto theirs = [&](const char* scalar) { return other.scalars.at(scalar); };
    std::size_t other_row = row;
    if (mine("own_time") != 0.0 && theirs("own_time") != 0.0) {
      if (mine("h") != theirs("h") || mine("every") != theirs("every")) {
        throw MethodError(
            fmt::format("nodes with times of their own are compared one by one: '{}' must have the same "
                        "step and the same every",
                        name));
      }
    } else {
      const double time = (*data.table.find("time"))[row];
      const std::vector<double>& times = *other.find("time");
      const double tolerance = 1e-9 * std::max(1.0, std::abs(time));
      const auto at = std::lower_bound(times.begin(), times.end(), time - tolerance);
      if (at != times.end() && *at > time + tolerance) {
        throw MethodError(fmt::format("'{}' has no node at t = {} to compare with", name, time));
      }
      other_row = static_cast<std::size_t>(at - times.begin());
    }
    if (other_row >= other.rows()) return false;
    const std::vector<std::string> names = nominal.system.position_names();
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string& coordinate = names[i];
      const auto* column = other.find(coordinate);
      if (column == nullptr) throw MethodError(fmt::format("'{}' has no coordinate {}", name, coordinate));
      q[i] = (*column)[other_row];
    }
    return true;
  }

  bool exact(std::size_t row, std::vector<double>& q) const {
    const System& system = nominal.system;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (system.exact().empty() || !system.exact()[i]) {
        throw MethodError(
            fmt::format("the exact {} of {} is not known", system.coordinates()[i].name(), making.recipe.model));
      }
    }
    q = exact_position(system, nominal.parameters, nominal.start, (*data.table.find("time"))[row]);
    return true;
  }

  void fill(const ConvergenceRecipe& c) {
    Problem whole = nominal;
    whole.step = c.time;
    Table reference;
    const RunResult exact = run_into(reference, {"reference", whole}, whole, 1, 1, {});
    if (exact.outcome == RunOutcome::failed) {
      throw MethodError(fmt::format("the reference does not reach t = {}: {}", c.time, exact.failure));
    }
    Table& table = data.table;
    for (const char* name : {"step", "steps", "odd", "error"}) table.columns.push_back({name, {}});
    for (std::size_t k = 1; k < reference.columns.size(); ++k)
      table.columns.push_back({column_name(ColumnKind::error, reference.columns[k].name), {}});
    const DerivedMethod method(*making.recipe.method, nominal);
    for (const std::int64_t steps : c.counts) {
      Problem problem = nominal;
      problem.step = c.time / static_cast<double>(steps);
      Table nodes;
      const RunResult result = run_into(nodes, method, problem, steps, steps, {});
      if (result.own_time) {
        throw MethodError(fmt::format("{0} has nodes at times of its own and not at the end: {0}:resample has",
                                      making.recipe.method->text()));
      }
      const bool finished = result.outcome == RunOutcome::finished;
      if (!finished) data.failure = result.failure;
      std::size_t column = 0;
      const auto add = [&](double value) { table.columns[column++].values.push_back(value); };
      add(problem.step);
      add(static_cast<double>(steps));
      add(static_cast<double>(steps % 2));
      std::vector<double> errors;
      for (std::size_t k = 1; k < reference.columns.size(); ++k) {
        errors.push_back(finished ? std::abs(nodes.columns[k].values.back() - reference.columns[k].values.back())
                                  : not_a_number);
      }
      double largest = 0.0;  // of the positions, which come first
      for (std::size_t i = 0; i < problem.system.space().shown_positions(); ++i) raise(largest, errors[i]);
      add(largest);
      std::ranges::for_each(errors, add);
    }
  }
};

}  // namespace

Data make_trajectory(const Making& making, const TrajectoryRecipe& t) { return TableOfRuns(making).of(t); }
Data make_convergence(const Making& making, const ConvergenceRecipe& c) { return TableOfRuns(making).of(c); }

}  // namespace rattleback
