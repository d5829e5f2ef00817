#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "../base/not_a_number.hpp"
#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {

namespace {

constexpr const char* step_name = "step";
/// Members have numbers that doubles and files can count.
constexpr double most_members = 1e15;
/// Steps of one trajectory up to which t = k·h counts exactly.
constexpr double most_steps = 9e15;

}  // namespace

std::vector<NamedExpression> node_quantities(const System& system) {
  std::vector<NamedExpression> all;
  const auto add = [&](const std::string& name, const Expression& meaning) {
    if (std::ranges::none_of(all, [&](const NamedExpression& e) { return e.name == name; })) {
      all.push_back({name, meaning});
    }
  };
  for (const Expression& s : state_and_parameters(system)) add(s.name(), s);
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    add(column_name(ColumnKind::momentum, system.freedoms()[i].name()), system.momenta()[i]);
  }
  add(column_name(ColumnKind::energy), system.energy());
  for (const NamedExpression& c : system.conserved()) add(c.name, c.expression);
  return all;
}

/// A member's numbers stand in one array: q, v, t if it matters, parameters, the step, other numbers of rotations that
/// are given, then the names of axes that mean nothing else.
struct Members::State {
  explicit State(const Ensemble& e) : ensemble(e) {
    names = e.system.position_names();
    for (const auto* list : {&e.system.velocities(), &e.system.time(), &e.system.parameters()}) {
      for (const Expression& s : *list) names.push_back(s.name());
    }
    names.push_back(step_name);
    base = e.system.space().shown(e.start.q);
    base.insert(base.end(), e.start.v.begin(), e.start.v.end());
    if (e.system.depends_on_time()) base.push_back(e.start.t);
    base.insert(base.end(), e.system.parameter_values().begin(), e.system.parameter_values().end());
    base.push_back(e.step);
    count_members();
    place_attitudes();
    place_axes();
    place_formulas();
    check_sizes();
  }

  void count_members() {
    if (ensemble.methods.empty()) throw EnsembleError("an ensemble needs a method");
    double total = static_cast<double>(ensemble.methods.size());
    for (const Axis& axis : ensemble.axes) {
      if (axis.count < 1) throw EnsembleError(fmt::format("'{}' has no values", fmt::join(axis.names, ", ")));
      total *= static_cast<double>(axis.count);
    }
    if (total > most_members) throw EnsembleError(fmt::format("{:.3g} members are too many", total));
    per_method = 1;
    for (const Axis& axis : ensemble.axes) per_method *= axis.count;
    count = per_method * static_cast<std::int64_t>(ensemble.methods.size());
  }

  std::size_t place_of(const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    base.push_back(0.0);
    return names.size() - 1;
  }

  /// Rotations that are given by other numbers than those of results.
  void place_attitudes() {
    std::vector<std::string> given;
    for (const Axis& axis : ensemble.axes) given.insert(given.end(), axis.names.begin(), axis.names.end());
    for (const NamedExpression& f : ensemble.formulas) given.push_back(f.name);
    std::map<std::size_t, AttitudeForm> forms;
    for (const std::string& name : given) {
      const auto number = attitude_number(ensemble.system, name);
      if (!number) continue;
      const std::string& rotation = ensemble.system.rotations()[number->rotation].name;
      if (number->form.kind == AttitudeForm::Kind::matrix) {
        throw EnsembleError(fmt::format(
            "'{0}' is an entry of a matrix, which would be no rotation; give {1}.turn1, … or Euler angles, {1}.zxy1, …",
            name, rotation));
      }
      const auto [known, is_new] = forms.emplace(number->rotation, number->form);
      if (known->second != number->form) {
        throw EnsembleError(fmt::format("the rotation {} is given in two ways, by {} and by '{}': give one", rotation,
                                        fmt::join(known->second.names(rotation), ", "), name));
      }
      if (!is_new || number->form.kind == AttitudeForm::Kind::quaternion) continue;
      const std::size_t matrix = ensemble.system.space().position_of(number->rotation);
      attitudes.push_back({number->rotation, number->form, names.size()});
      for (std::string& each : number->form.names(rotation)) names.push_back(std::move(each));
      std::ranges::copy(number->form.numbers_of(std::span(ensemble.start.q).subspan(matrix, Rotation::positions)),
                        std::back_inserter(base));
    }
    own = names.size();
  }

  void place_axes() {
    for (const Axis& axis : ensemble.axes) {
      std::vector<std::size_t> entries;
      for (const std::string& name : axis.names) {
        if (std::ranges::find(varied, name) != varied.end()) {
          throw EnsembleError(fmt::format("'{}' is varied twice", name));
        }
        varied.push_back(name);
        entries.push_back(place_of(name));
      }
      places.push_back(std::move(entries));
    }
    formula_inputs = names.size();
  }

  /// Formulas may use each other, and give values to names of their own: each is written in what is not given by one.
  std::vector<NamedExpression> resolved_formulas() const {
    std::vector<NamedExpression> all = ensemble.formulas;
    Substitution given;
    for (const NamedExpression& f : all) given.emplace(Expression::symbol(f.name), f.expression);
    const auto uses_another = [&](const NamedExpression& f) {
      return std::ranges::any_of(free_symbols(f.expression), [&](const Expression& s) { return given.contains(s); });
    };
    for (NamedExpression& f : all) {
      for (std::size_t depth = 0; uses_another(f); ++depth) {
        if (depth > given.size()) {
          throw EnsembleError(fmt::format("the formula of {} in the start leads back to itself", f.name));
        }
        f.expression = substitute(f.expression, given);
      }
    }
    return all;
  }

  void place_formulas() {
    std::vector<Expression> inputs;
    for (const std::string& name : names) inputs.push_back(Expression::symbol(name));
    std::vector<Expression> outputs;
    std::vector<std::string> used;
    for (const NamedExpression& f : ensemble.formulas) {
      for (const Expression& s : free_symbols(f.expression)) used.push_back(s.name());
    }
    const auto require_use = [&](const std::string& name, const char* what) {
      if (std::ranges::find(used, name) != used.end()) return;
      const auto meant =
          closest_name(name, std::vector(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(own)));
      throw EnsembleError(
          fmt::format("'{}' is {}, but it is no coordinate, velocity, parameter or step, and no formula of the "
                      "start uses it{}",
                      name, what, meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
    };
    // Formulas that contain a rotation are evaluated when it is known.
    std::vector<std::string> of_rotations;
    std::vector<Expression> late_outputs;
    const System& system = ensemble.system;
    for (std::size_t i = system.space().numbers; i < system.coordinates().size(); ++i)
      of_rotations.push_back(system.coordinates()[i].name());
    for (const NamedExpression& f : resolved_formulas()) {
      if (std::ranges::find(varied, f.name) != varied.end()) {
        throw EnsembleError(fmt::format("'{}' is varied and has a formula", f.name));
      }
      bool is_late = false;
      for (const Expression& s : free_symbols(f.expression)) {
        if (std::ranges::find(names, s.name()) != names.end()) continue;
        if (std::ranges::find(of_rotations, s.name()) != of_rotations.end()) {
          if (attitude_number(system, f.name)) {
            throw EnsembleError(fmt::format(
                "the formula of {} contains '{}', a rotation: rotations are given by numbers alone", f.name, s.name()));
          }
          is_late = true;
          continue;
        }
        const auto meant = closest_name(s.name(), names);
        throw EnsembleError(
            fmt::format("a formula of the start contains '{}', which is neither varied nor a part of the model{}",
                        s.name(), meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
      }
      const auto target = std::ranges::find(names, f.name);
      if (target == names.end()) {
        require_use(f.name, "given a formula");
        continue;
      }
      (is_late ? late_places : formula_places).push_back(static_cast<std::size_t>(target - names.begin()));
      (is_late ? late_outputs : outputs).push_back(f.expression);
    }
    for (std::size_t k = own; k < names.size(); ++k) require_use(names[k], "varied");
    if (!outputs.empty()) formulas.emplace(make_program(inputs, outputs));
    for (const std::string& name : of_rotations) inputs.push_back(Expression::symbol(name));
    if (!late_outputs.empty()) late_formulas.emplace(make_program(inputs, late_outputs));
  }

  /// Steps and their number do not depend on the start: they are checked, and counted, without running through all
  /// members.
  void check_sizes() {
    const std::size_t place = step_place();
    if (std::ranges::find(formula_places, place) != formula_places.end() ||
        std::ranges::find(late_places, place) != late_places.end()) {
      throw EnsembleError("the step can be varied, but not given by a formula");
    }
    if (ensemble.steps.has_value() == ensemble.time.has_value()) {
      throw EnsembleError("an ensemble needs a number of steps or a time: one of both");
    }
    total_steps = 0.0;
    early_end.reset();
    for (std::size_t a = 0; a < ensemble.axes.size(); ++a) {
      const auto entry = std::ranges::find(places[a], place);
      if (entry == places[a].end()) continue;
      std::vector<double> point(places[a].size());
      for (std::int64_t k = 0; k < ensemble.axes[a].count; ++k) {
        ensemble.axes[a].point(k, point);
        total_steps += count_steps(point[static_cast<std::size_t>(entry - places[a].begin())]);
      }
      total_steps *= static_cast<double>(count / ensemble.axes[a].count);
      return;
    }
    total_steps = static_cast<double>(count) * count_steps(ensemble.step);
  }

  double count_steps(double step) {
    const auto steps = static_cast<double>(steps_for(step));
    if (!early_end && !ensemble.times.empty() && std::round(ensemble.times.back() / step) > steps) {
      early_end = steps * step;
    }
    return steps;
  }

  std::int64_t steps_for(double step) const {
    if (!(step > 0.0) || !std::isfinite(step))
      throw EnsembleError(fmt::format("the step must be positive, found {}", step));
    const double steps = ensemble.steps ? static_cast<double>(*ensemble.steps) : std::round(*ensemble.time / step);
    if (!(steps >= 1.0) || steps > most_steps) {
      throw EnsembleError(fmt::format("{} steps of {} cannot be: there must be at least one, and fewer than {:.1g}",
                                      steps, step, most_steps));
    }
    return static_cast<std::int64_t>(steps);
  }

  /// Rotations that are not varied keep their bits.
  void set_position(std::span<const double> numbers, std::vector<double>& q) const {
    const Space space = ensemble.system.space();
    const auto shown = numbers.first(space.shown_positions());
    if (space.rotations == 0) return q.assign(shown.begin(), shown.end());
    q = space.from_shown(shown);
    for (std::size_t k = 0; k < space.rotations; ++k) {
      const std::size_t first = space.numbers + 4 * k;
      if (!std::ranges::equal(shown.subspan(first, 4), std::span(base).subspan(first, 4))) continue;
      std::copy_n(ensemble.start.q.begin() + static_cast<std::ptrdiff_t>(space.position_of(k)), Rotation::positions,
                  q.begin() + static_cast<std::ptrdiff_t>(space.position_of(k)));
    }
    for (const auto& [rotation, form, place] : attitudes) {
      const std::size_t size = form.names("").size();
      const auto given = numbers.subspan(place, size);
      if (std::ranges::equal(given, std::span(base).subspan(place, size))) continue;
      const bool is_finite = std::ranges::all_of(given, [](double x) { return std::isfinite(x); });
      std::ranges::copy(is_finite ? form.matrix_of(given) : undefined_rotation(),
                        q.begin() + static_cast<std::ptrdiff_t>(space.position_of(rotation)));
    }
  }

  static RotationMatrix undefined_rotation() {
    RotationMatrix matrix;
    matrix.fill(not_a_number);
    return matrix;
  }

  std::size_t step_place() const {
    const System& system = ensemble.system;
    return system.space().shown_positions() + system.dimension() + system.time().size() + system.parameters().size();
  }

  /// Numbers from `place` on that give a rotation.
  struct Attitude {
    std::size_t rotation;
    AttitudeForm form;
    std::size_t place;
  };

  const Ensemble& ensemble;
  std::vector<std::string> names;
  std::vector<double> base;
  std::vector<Attitude> attitudes;
  std::size_t own = 0;  ///< the names of the model
  std::vector<std::string> varied;
  std::vector<std::vector<std::size_t>> places;  ///< of the axes' values
  std::vector<std::size_t> formula_places;
  std::size_t formula_inputs = 0;
  std::optional<Kernel> formulas;
  std::vector<std::size_t> late_places;
  std::optional<Kernel> late_formulas;  ///< of the numbers and of the entries of rotations
  std::int64_t count = 0;
  std::int64_t per_method = 0;
  double total_steps = 0.0;
  std::optional<double> early_end;
};

Members::Members(const Ensemble& ensemble) : state_(std::make_unique<State>(ensemble)) {}
Members::Members(Members&&) noexcept = default;
Members::~Members() = default;

std::int64_t Members::count() const { return state_->count; }
double Members::total_steps() const { return state_->total_steps; }
std::optional<double> Members::early_end() const { return state_->early_end; }
const std::vector<std::string>& Members::varied() const { return state_->varied; }

Member Members::at(std::int64_t index) const {
  Member member;
  read(index, member);
  return member;
}

void Members::read(std::int64_t index, Member& member) const {
  const State& s = *state_;
  thread_local std::vector<double> numbers;
  thread_local std::vector<double> point;
  numbers = s.base;
  member.index = index;
  member.method = static_cast<std::size_t>(index / s.per_method);
  std::int64_t rest = index % s.per_method;
  for (std::size_t a = s.places.size(); a-- > 0;) {
    const Axis& axis = s.ensemble.axes[a];
    point.resize(axis.names.size());
    axis.point(rest % axis.count, point);
    rest /= axis.count;
    for (std::size_t i = 0; i < point.size(); ++i) numbers[s.places[a][i]] = point[i];
  }
  member.varied.clear();
  for (const auto& entries : s.places) {
    for (const std::size_t entry : entries) member.varied.push_back(numbers[entry]);
  }
  if (s.formulas) {
    point.resize(s.formula_places.size());
    (*s.formulas)(numbers, point);
    for (std::size_t i = 0; i < point.size(); ++i) numbers[s.formula_places[i]] = point[i];
  }
  const System& system = s.ensemble.system;
  if (s.late_formulas) {
    s.set_position(numbers, member.start.q);
    const std::size_t known = numbers.size();
    numbers.insert(numbers.end(), member.start.q.begin() + static_cast<std::ptrdiff_t>(system.space().numbers),
                   member.start.q.end());
    point.resize(s.late_places.size());
    (*s.late_formulas)(numbers, point);
    numbers.resize(known);
    for (std::size_t i = 0; i < point.size(); ++i) numbers[s.late_places[i]] = point[i];
  }
  const auto positions = static_cast<std::ptrdiff_t>(system.space().shown_positions());
  const auto end_of_node = positions + static_cast<std::ptrdiff_t>(system.dimension());
  const auto begin = numbers.begin();
  const auto step = begin + static_cast<std::ptrdiff_t>(s.step_place());
  s.set_position(numbers, member.start.q);
  member.start.v.assign(begin + positions, begin + end_of_node);
  member.start.t = system.depends_on_time() ? *(begin + end_of_node) : s.ensemble.start.t;
  member.parameters.assign(step - static_cast<std::ptrdiff_t>(system.parameters().size()), step);
  member.step = *step;
  member.steps = s.steps_for(member.step);
}

Problem Members::nominal() const {
  const auto is_finite = [](const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  };
  constexpr std::int64_t enough = 100;
  for (std::int64_t k = 0; k < std::min(count(), enough); ++k) {
    const Member member = at(k);
    if (!is_finite(member.start.q) || !is_finite(member.start.v) || !is_finite(member.parameters)) continue;
    return {state_->ensemble.system, member.parameters, member.start, member.step};
  }
  // Formulas leave the first starts undefined.
  return {state_->ensemble.system, state_->ensemble.system.parameter_values(), state_->ensemble.start, at(0).step};
}

}  // namespace rattleback
