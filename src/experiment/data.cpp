// How the tables of an experiment are made.

#include "data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "../base/not_a_number.hpp"
#include "../base/raise.hpp"
#include "ensemble_table.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/geometry/associated.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/exact.hpp"
#include "rattleback/method/modified_series.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/cloud.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace {

/// A file that a recipe names, if the name ends like that.
std::string place_of(const DataRecipe& recipe, const std::string& name, std::string_view ending) {
  return name.ends_with(ending) ? (std::filesystem::path(recipe.folder) / name).string() : name;
}

class Maker {
 public:
  Maker(const DataRecipe& recipe, const std::function<const Table&(const std::string&)>& find,
        const std::atomic<bool>* interrupt)
      : recipe_(recipe), find_(find), interrupt_(interrupt), data_{recipe, model_of(recipe), {}, {}},
        problem_(problem()) {}

  Data make() {
    std::visit([&](const auto& kind) { fill(kind); }, recipe_.kind);
    keep_working();
    return std::move(data_);
  }

 private:
  Problem problem() const {
    const System& system = data_.model->system;
    const auto& start = recipe_.start ? recipe_.start : data_.model->initial;
    if (!start) throw StartError(fmt::format("{} has no initial values; give q0 and v0", recipe_.model));
    Problem problem{system, system.parameter_values(), *start, recipe_.step, recipe_.second_position};
    if (recipe_.start) problem.start.q = from_quaternions(recipe_.start->q, "q0");
    if (recipe_.second_position) problem.second_position = from_quaternions(*recipe_.second_position, "q1");
    if (recipe_.t0) problem.start.t = *recipe_.t0;
    require_regular_start(system, problem.parameters, problem.start);
    return problem;
  }

  /// Positions as people give them.
  std::vector<double> from_quaternions(const std::vector<double>& shown, const char* what) const {
    const Space space = data_.model->system.space();
    if (space.rotations == 0) return shown;
    if (shown.size() != space.shown_positions()) {
      throw StartError(fmt::format("{} has {} numbers, expected {}: one for each of {}", what, shown.size(),
                                   space.shown_positions(), fmt::join(data_.model->system.position_names(), ", ")));
    }
    return space.from_shown(shown);
  }

  /// A run into a table. With `every` = steps that is its start and its end.
  RunResult run_into(Table& table, const DerivedMethod& method, const Problem& problem, std::int64_t steps,
                     std::int64_t every, const std::vector<std::string>& observe) const {
    std::vector<std::unique_ptr<Observer>> observers;
    std::vector<ObservedQuantity> observed;
    RunOptions options;
    for (const std::string& name : observe) {
      observers.push_back(make_observer(name, method, problem, *data_.model));
      observed.push_back(observers.back()->quantity());
      options.observers.push_back(observers.back().get());
    }
    TableRecorder recorder(table, problem.system, observed);
    // "momentum of translation of x": formulas have names without spaces
    for (Table::Column& column : table.columns) std::ranges::replace(column.name, ' ', '_');
    options.steps = steps;
    options.every = every;
    options.recorder = &recorder;
    options.interrupt = interrupt_;
    const auto stepper = make_stepper(method, problem);
    return run(*stepper, problem, options);
  }

  /// The definitions of the model, the components of vectors as W1, W2, ..., which is what W[1] stands for.
  void name_definitions() {
    const System& system = data_.model->system;
    Substitution parameters;
    for (const Parameter& p : system.parameter_list()) parameters.emplace(Expression::symbol(p.name), p.value);
    for (const Expression& t : system.time()) parameters.emplace(t, Expression::symbol("time"));
    for (const Rotation& rotation : system.rotations()) {
      const Matrix entries = rotation.by_quaternion();
      for (std::size_t k = 0; k < entries.entries.size(); ++k) {
        parameters.emplace(rotation.matrix.entries[k], entries.entries[k]);
        data_.table.formulas.emplace(rotation.matrix.entries[k].name(), entries.entries[k]);
      }
    }
    for (const Definition& d : data_.model->definitions.list()) {
      if (d.is_function() || std::holds_alternative<Matrix>(d.value)) continue;
      const auto entries = entries_of(d.value);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const bool scalar = std::holds_alternative<Expression>(d.value);
        data_.table.formulas.emplace(scalar ? d.name : d.name + std::to_string(k + 1),
                                     substitute(entries[k], parameters));
      }
    }
  }

  void fill(const TrajectoryRecipe& t) {
    name_definitions();
    const RunResult result = run_into(data_.table, {*recipe_.method, problem_}, problem_, t.steps, t.every, t.observe);
    data_.failure = result.failure;
    auto& scalars = data_.table.scalars;
    scalars["finished"] = result.outcome == RunOutcome::finished ? 1.0 : 0.0;
    scalars["own_time"] = result.own_time ? 1.0 : 0.0;
    scalars["h"] = recipe_.step;
    scalars["every"] = static_cast<double>(t.every);
    scalars["steps"] = static_cast<double>(result.steps);
    scalars["time"] = result.time;
    scalars["newton"] = result.newton.mean();
    for (const Remark& remark : result.remarks) scalars[remark.name] = remark.value;
    if (t.against == "exact") {
      add_errors([&](std::size_t row, std::vector<double>& q) { return exact(row, q); });
    } else if (!t.against.empty()) {
      const Table& other = find_(t.against);
      add_errors([&](std::size_t row, std::vector<double>& q) { return same_node(other, t.against, row, q); });
    }
  }

  /// Columns with the difference of q from what `true_position` says, and with the largest one.
  void add_errors(auto&& true_position) {
    Table& table = data_.table;
    const std::vector<std::string> coordinates = problem_.system.position_names();
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
    const Space space = problem_.system.space();
    const std::vector<std::string> names = problem_.system.position_names();
    for (std::size_t first = space.numbers; first < names.size(); first += 4) {
      double side = 0.0;
      for (std::size_t i = first; i < first + 4; ++i) side += (*table.find(names[i]))[row] * position[i];
      for (std::size_t i = first; side < 0.0 && i < first + 4; ++i) position[i] = -position[i];
    }
  }

  /// Where the other trajectory is at the same time; if both have times of their own, after as many steps.
  bool same_node(const Table& other, const std::string& name, std::size_t row, std::vector<double>& q) const {
    const auto mine = [&](const char* scalar) { return data_.table.scalars.at(scalar); };
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
      const double time = (*data_.table.find("time"))[row];
      const std::vector<double>& times = *other.find("time");
      const double tolerance = 1e-9 * std::max(1.0, std::abs(time));
      const auto at = std::lower_bound(times.begin(), times.end(), time - tolerance);
      if (at != times.end() && *at > time + tolerance) {
        throw MethodError(fmt::format("'{}' has no node at t = {} to compare with", name, time));
      }
      other_row = static_cast<std::size_t>(at - times.begin());
    }
    if (other_row >= other.rows()) return false;
    const std::vector<std::string> names = problem_.system.position_names();
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string& coordinate = names[i];
      const auto* column = other.find(coordinate);
      if (column == nullptr) throw MethodError(fmt::format("'{}' has no coordinate {}", name, coordinate));
      q[i] = (*column)[other_row];
    }
    return true;
  }

  bool exact(std::size_t row, std::vector<double>& q) const {
    const System& system = problem_.system;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (system.exact().empty() || !system.exact()[i]) {
        throw MethodError(
            fmt::format("the exact {} of {} is not known", system.coordinates()[i].name(), recipe_.model));
      }
    }
    q = exact_position(system, problem_.parameters, problem_.start, (*data_.table.find("time"))[row]);
    return true;
  }

  void fill(const ConvergenceRecipe& c) {
    Problem whole = problem_;
    whole.step = c.time;
    Table reference;
    const RunResult exact = run_into(reference, {"reference", whole}, whole, 1, 1, {});
    if (exact.outcome == RunOutcome::failed) {
      throw MethodError(fmt::format("the reference does not reach t = {}: {}", c.time, exact.failure));
    }
    Table& table = data_.table;
    for (const char* name : {"step", "steps", "odd", "error"}) table.columns.push_back({name, {}});
    for (std::size_t k = 1; k < reference.columns.size(); ++k)
      table.columns.push_back({column_name(ColumnKind::error, reference.columns[k].name), {}});
    const DerivedMethod method(*recipe_.method, problem_);
    for (const std::int64_t steps : c.counts) {
      Problem problem = problem_;
      problem.step = c.time / static_cast<double>(steps);
      Table nodes;
      const RunResult result = run_into(nodes, method, problem, steps, steps, {});
      if (result.own_time) {
        throw MethodError(fmt::format("{0} has nodes at times of its own and not at the end: {0}:resample has",
                                      recipe_.method->text()));
      }
      const bool finished = result.outcome == RunOutcome::finished;
      if (!finished) data_.failure = result.failure;
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

  void fill(const EnsembleRecipe&) {}  // see ensemble_table.cpp

  void fill(const CloudRecipe& c) {
    CloudOptions options;
    const std::vector<std::string> names = phase_coordinates(problem_);
    options.directions = cloud_points({c.shape.count, place_of(recipe_, c.shape.file, ".csv")}, names);
    options.radius = c.radius;
    options.weights = c.weights;
    options.steps = c.steps;
    options.every = c.every;
    options.keep_points = c.keep_points;
    options.ells = c.ells;
    options.interrupt = interrupt_;
    const CloudResult cloud = follow_cloud(*recipe_.method, problem_, options);
    data_.failure = cloud.failure;
    if (c.keep_points) {
      fill_points(cloud, names);
    } else {
      fill_volumes(cloud, c.ells);
    }
  }

  void fill_points(const CloudResult& cloud, const std::vector<std::string>& names) {
    Table& table = data_.table;
    table.columns.push_back({"time", {}});
    for (const std::string& name : names) table.columns.push_back({name, {}});
    for (const CloudSample& sample : cloud.samples) {
      for (const auto& point : sample.points) {
        table.columns[0].values.push_back(sample.time);
        for (std::size_t k = 0; k < point.size(); ++k) table.columns[k + 1].values.push_back(point[k]);
      }
    }
  }

  /// Relative changes since the start.
  void fill_volumes(const CloudResult& cloud, const std::vector<int>& ells) {
    Table& table = data_.table;
    for (const char* name : {"time", "volume", "mu"}) table.columns.push_back({name, {}});
    for (const int ell : ells) table.columns.push_back({fmt::format("mu_{}", ell), {}});
    table.columns.push_back({"inside", {}});
    const CloudSample& first = cloud.samples.front();
    for (const CloudSample& s : cloud.samples) {
      table.columns[0].values.push_back(s.time);
      table.columns[1].values.push_back(s.volume / first.volume - 1.0);
      table.columns[2].values.push_back(s.mass / first.mass - 1.0);
      for (std::size_t k = 0; k < s.modified.size(); ++k) {
        table.columns[k + 3].values.push_back(s.modified[k] / first.modified[k] - 1.0);
      }
      table.columns.back().values.push_back(static_cast<double>(s.inside));
    }
  }

  void fill(const ModifiedRecipe& m) {
    Problem unit = problem_;
    if (unit.step == 0.0) unit.step = 1.0;
    const ModifiedSeries series = modified_series(make_method(*recipe_.method, unit), m.order);
    std::vector<Expression> variables = series.coordinates;
    variables.insert(variables.end(), series.momenta.begin(), series.momenta.end());
    if (series.energy_symbol) variables.push_back(*series.energy_symbol);
    Table& table = data_.table;
    for (const Expression& v : variables) {
      table.columns.push_back({series.energy_symbol && v == *series.energy_symbol ? "E" : v.name(), {}});
    }
    std::vector<Expression> coefficients;
    const auto add = [&](const char* letter, const std::vector<Expression>& list) {
      for (std::size_t k = 0; k < list.size(); ++k) {
        coefficients.push_back(list[k]);
        table.columns.push_back({fmt::format("{}_{}", letter, k), {}});
      }
    };
    add("K", series.hamiltonian);
    add("E", series.energy);
    add("N", series.factor);
    for (const auto& point : m.at) {
      if (point.size() != variables.size()) {
        throw MethodError(fmt::format("a point of 'at' has {} numbers, expected {}", point.size(), variables.size()));
      }
      std::unordered_map<Expression, double> values;
      for (std::size_t i = 0; i < unit.parameters.size(); ++i) values[unit.system.parameters()[i]] = unit.parameters[i];
      for (std::size_t i = 0; i < variables.size(); ++i) {
        values[variables[i]] = point[i];
        table.columns[i].values.push_back(point[i]);
      }
      for (std::size_t k = 0; k < coefficients.size(); ++k)
        table.columns[variables.size() + k].values.push_back(evaluate(coefficients[k], values));
    }
  }

  void fill(const InverseRecipe& recipe) {
    const InverseProblem problem = analyse(problem_.system, problem_.parameters, problem_.start).inverse_problem;
    Table& table = data_.table;
    for (const char* name : {"unknowns", "dimension", "regular", "regularity"}) table.columns.push_back({name, {}});
    for (const Variationality& v : problem.systems) {
      const HelmholtzReport& r = v.report;
      table.columns[0].values.push_back(static_cast<double>(r.unknowns));
      table.columns[1].values.push_back(r.decided ? static_cast<double>(r.dimension) : not_a_number);
      table.columns[2].values.push_back(r.decided ? (r.regular ? 1.0 : 0.0) : not_a_number);
      table.columns[3].values.push_back(r.decided ? r.regularity : not_a_number);
    }
    table.scalars["free_lagrangians"] =
        static_cast<double>(std::ranges::count_if(problem.free, [](const FreeVerdict& v) { return v.holds(); }));
    if (recipe.associated == 0) return;
    const AssociatedSearch search =
        search_associated(problem_.system, problem_.parameters, problem_.start, recipe.associated);
    table.scalars["associated_systems"] = static_cast<double>(search.systems);
    table.scalars["associated_excluded"] = static_cast<double>(search.excluded);
    table.scalars["associated_open"] = static_cast<double>(search.open.size());
    table.scalars["associated_undecided"] = static_cast<double>(search.undecided);
  }

  const DataRecipe& recipe_;
  const std::function<const Table&(const std::string&)>& find_;
  const std::atomic<bool>* interrupt_;
  Data data_;
  Problem problem_;
};

}  // namespace

Model model_of(const DataRecipe& recipe) {
  if (std::holds_alternative<EnsembleRecipe>(recipe.kind)) return ensemble_of(recipe).model;
  return load_model(place_of(recipe, recipe.model, ".toml"), recipe.parameters, recipe.inputs);
}

Data make_data(const DataRecipe& recipe, const std::function<const Table&(const std::string&)>& find,
               const std::atomic<bool>* interrupt) {
  if (std::holds_alternative<EnsembleRecipe>(recipe.kind)) return make_ensemble(recipe, interrupt);
  return Maker(recipe, find, interrupt).make();
}

}  // namespace rattleback
