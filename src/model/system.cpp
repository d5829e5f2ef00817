#include "rattleback/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Part = SystemError::Part;

bool contains_any(const Expression& e, const std::unordered_set<Expression>& symbols) {
  const auto free = free_symbols(e);
  return std::any_of(free.begin(), free.end(), [&](const Expression& s) { return symbols.contains(s); });
}

bool is_affine_in(const Expression& e, const std::vector<Expression>& velocities,
                  const std::unordered_set<Expression>& velocity_set) {
  if (has_kinks_in(e, velocities)) return false;
  const auto slope = gradient(e, velocities);
  return std::none_of(slope.begin(), slope.end(), [&](const Expression& d) { return contains_any(d, velocity_set); });
}

bool is_multiplier(const Expression& symbol) { return symbol.name().starts_with("λ("); }

/// The degree in the velocities of those expressions under `root` that are homogeneous in them.
std::unordered_map<Expression, double> degrees_of(const Expression& root,
                                                  const std::unordered_set<Expression>& velocities) {
  const Graph graph({&root, 1});
  std::unordered_map<Expression, double> degrees;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    const auto operands = e.operands();
    if (std::ranges::any_of(operands, [&](const Term& t) { return !degrees.contains(t.expression); })) continue;
    const auto degree = [&](std::size_t k) { return degrees.at(operands[k].expression); };
    double own = velocities.contains(e) ? 1.0 : 0.0;
    bool is_homogeneous = true;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      switch (e.kind()) {
        case Kind::product: own += operands[k].weight * degree(k); break;
        case Kind::sum:
          own = degree(0);
          is_homogeneous = is_homogeneous && degree(k) == own && (own == 0.0 || e.value() == 0.0);
          break;
        default: is_homogeneous = is_homogeneous && degree(k) == 0.0; break;
      }
    }
    if (is_homogeneous) degrees.emplace(e, own);
  }
  return degrees;
}

}  // namespace

/// By Euler's theorem it is (d − 1) t for a term t of L that is homogeneous of degree d in the velocities:
/// kinetic energies are added up once, and not twice to be subtracted once.
Expression energy_of(const Expression& lagrangian, const std::vector<Expression>& velocities) {
  const auto degrees = degrees_of(lagrangian, {velocities.begin(), velocities.end()});
  std::vector<Term> energy;
  double constant = 0.0;
  std::vector<Term> terms{{lagrangian, 1.0}};
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto [term, weight] = terms[k];
    const auto degree = degrees.find(term);
    if (degree != degrees.end()) {
      energy.push_back({term, weight * (degree->second - 1.0)});
    } else if (term.kind() == Kind::sum) {
      for (const Term& t : term.operands()) terms.push_back({t.expression, weight * t.weight});
      constant -= weight * term.value();
    } else {
      const auto slopes = gradient(term, velocities);
      for (std::size_t i = 0; i < slopes.size(); ++i) energy.push_back({velocities[i] * slopes[i], weight});
      energy.push_back({term, -weight});
    }
  }
  return sum(energy, constant);
}

System::System(std::vector<Expression> coordinates, Expression lagrangian, std::vector<Expression> constraints,
               std::vector<Parameter> parameters)
    : System(SystemDefinition{std::move(coordinates),
                              std::move(lagrangian),
                              std::move(constraints),
                              {},
                              std::move(parameters),
                              {},
                              {},
                              {},
                              {},
                              {}}) {}

System::System(SystemDefinition definition) : definition_(std::move(definition)) {
  check_names();
  check_symbols();
  find_time();
  momenta_ = gradient(lagrangian(), velocities_);
  forces_ = slopes(lagrangian(), *this);
  energy_ = energy_of(lagrangian(), velocities_);
  derive_rows();
}

void System::check_names() {
  coordinates_ = definition_.coordinates;
  if (coordinates().empty() && definition_.rotations.empty())
    throw SystemError(Part::coordinates, 0, "a system needs at least one coordinate");
  std::unordered_set<Expression> seen;
  for (std::size_t i = 0; i < coordinates().size(); ++i) {
    const Expression& q = coordinates()[i];
    if (!q.is_symbol()) {
      throw SystemError(Part::coordinates, static_cast<int>(i),
                        fmt::format("a coordinate must be a name, found {}", shortened(q)));
    }
    if (q.name().back() == '\'') {
      throw SystemError(
          Part::coordinates, static_cast<int>(i),
          fmt::format("the coordinate {} has the name of a velocity; its name must not end with '", q.name()));
    }
    if (q == time_symbol() && !exact().empty()) {
      throw SystemError(Part::coordinates, static_cast<int>(i),
                        "with exact solutions no coordinate may be called t: it stands for time in them");
    }
    if (!seen.insert(q).second) {
      throw SystemError(Part::coordinates, static_cast<int>(i),
                        fmt::format("the coordinate {} occurs twice; rename or remove one", q.name()));
    }
    velocities_.push_back(dot(q));
  }
  freedoms_ = coordinates_;
  for (const std::string& name : definition_.rotations) {
    const Rotation& rotation = rotations_.emplace_back(name);
    coordinates_.insert(coordinates_.end(), rotation.matrix.entries.begin(), rotation.matrix.entries.end());
    velocities_.insert(velocities_.end(), rotation.omega.begin(), rotation.omega.end());
    freedoms_.insert(freedoms_.end(), rotation.freedoms.begin(), rotation.freedoms.end());
    Vector taken = rotation.freedoms;
    taken.push_back(Expression::symbol(name));
    for (const Expression& symbol : taken) {
      if (!seen.insert(symbol).second) {
        throw SystemError(
            Part::coordinates, 0,
            fmt::format("the name {} is needed for the rotation {}; rename the coordinate or the rotation",
                        symbol.name(), name));
      }
    }
  }
  for (std::size_t i = 0; i < definition_.parameters.size(); ++i) {
    const Parameter& parameter = definition_.parameters[i];
    const Expression symbol = Expression::symbol(parameter.name);
    if (!seen.insert(symbol).second) {
      throw SystemError(Part::parameters, static_cast<int>(i),
                        fmt::format("the parameter {} has the name of a coordinate or of another parameter; rename one",
                                    parameter.name));
    }
    if (!std::isfinite(parameter.value)) {
      throw SystemError(
          Part::parameters, static_cast<int>(i),
          fmt::format("the parameter {} is {}; it must be a finite number", parameter.name, parameter.value));
    }
    parameters_.push_back(symbol);
    parameter_values_.push_back(parameter.value);
  }
}

void System::check_symbols() const {
  std::unordered_set<Expression> positions(coordinates().begin(), coordinates().end());
  positions.insert(parameters_.begin(), parameters_.end());
  std::unordered_set<Expression> with_time = positions;
  with_time.insert(time_symbol());
  std::unordered_set<Expression> all = with_time;
  all.insert(velocities_.begin(), velocities_.end());

  const auto check = [&](const Expression& e, const std::unordered_set<Expression>& allowed, Part part,
                         std::size_t index, const std::string& what) {
    for (const Expression& symbol : free_symbols(e)) {
      if (allowed.contains(symbol)) continue;
      const bool velocity = std::find(velocities_.begin(), velocities_.end(), symbol) != velocities_.end();
      std::string reason = "which is neither a coordinate, a velocity of one, nor a parameter";
      if (symbol == time_symbol()) reason = "which is the time; symmetries may not depend on it";
      if (is_multiplier(symbol)) {
        reason = part == Part::forces ? fmt::format(
                                            "the multiplier of a row that does not exist: constraints and holonomic "
                                            "constraints have {} in all",
                                            row_count())
                                      : "the multiplier of a constraint, which may stand in applied forces only";
      }
      if (velocity && part == Part::holonomic) {
        reason = "a velocity; a condition on velocities belongs to the constraints";
      } else if (velocity) {
        reason = "a velocity, where only coordinates and parameters may stand";
      } else if (symbol.name().back() == '\'' && std::find(parameters_.begin(), parameters_.end(),
                                                           Expression::symbol(symbol.name().substr(
                                                               0, symbol.name().size() - 1))) != parameters_.end()) {
        reason = "the velocity of a parameter; parameters are constant";
      }
      throw SystemError(part, static_cast<int>(index), fmt::format("{} contains {}, {}", what, symbol.name(), reason));
    }
  };
  std::unordered_set<Expression> with_multipliers = all;
  for (std::size_t k = 0; k < row_count(); ++k) with_multipliers.insert(multiplier_symbol(k));
  check(lagrangian(), all, Part::lagrangian, 0, "the Lagrangian");
  for (std::size_t k = 0; k < constraints().size(); ++k) {
    check(constraints()[k], all, Part::constraints, k, row_name(k));
  }
  for (std::size_t k = 0; k < events().size(); ++k) {
    const Event& event = events()[k];
    check(event.when, all, Part::events, k, fmt::format("'when' of the event {}", event.name));
    for (const auto& v : event.velocities) {
      if (v) check(*v, all, Part::events, k, fmt::format("a velocity that the event {} sets", event.name));
    }
  }
  for (std::size_t k = 0; k < holonomic().size(); ++k) {
    check(holonomic()[k], with_time, Part::holonomic, k, row_name(constraints().size() + k));
  }
  for (std::size_t k = 0; k < symmetries().size(); ++k) {
    if (symmetries()[k].generator.size() != dimension()) {
      throw SystemError(Part::symmetry, static_cast<int>(k),
                        fmt::format("the generator of the symmetry {} has {} components, expected {}",
                                    symmetries()[k].name, symmetries()[k].generator.size(), dimension()));
    }
    for (const Expression& component : symmetries()[k].generator) {
      check(component, positions, Part::symmetry, k, fmt::format("the symmetry {}", symmetries()[k].name));
    }
  }
  for (std::size_t k = 0; k < sections().size(); ++k) {
    const auto& [name, coefficients] = sections()[k];
    if (coefficients.size() != symmetries().size()) {
      throw SystemError(Part::section, static_cast<int>(k),
                        fmt::format("the section {} has {} coefficients, expected {}, one for each symmetry", name,
                                    coefficients.size(), symmetries().size()));
    }
    for (const Expression& f : coefficients) check(f, positions, Part::section, k, "the section " + name);
  }
  for (std::size_t k = 0; k < conserved().size(); ++k) {
    check(conserved()[k].expression, all, Part::conserved, k,
          fmt::format("the conserved quantity {}", conserved()[k].name));
  }
  if (!applied_forces().empty() && applied_forces().size() != dimension()) {
    throw SystemError(Part::forces, 0,
                      fmt::format("{} applied forces for {} coordinates", applied_forces().size(), dimension()));
  }
  for (std::size_t k = 0; k < applied_forces().size(); ++k) {
    check(applied_forces()[k], with_multipliers, Part::forces, k,
          fmt::format("the applied force on {}", freedoms()[k].name()));
  }
  if (!exact().empty() && exact().size() != coordinates().size()) {
    throw SystemError(Part::exact, 0,
                      fmt::format("{} exact solutions for {} coordinates", exact().size(), coordinates().size()));
  }
  for (std::size_t k = 0; k < exact().size(); ++k) {
    if (exact()[k]) {
      check(*exact()[k], all, Part::exact, k, fmt::format("the exact solution of {}", coordinates()[k].name()));
    }
  }
}

std::vector<std::string> System::position_names() const {
  std::vector<std::string> names;
  for (const Expression& q : definition_.coordinates) names.push_back(q.name());
  for (const Rotation& rotation : rotations_) {
    for (std::string& name : quaternion_names(rotation.name)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<Expression> System::field_of(const SymmetrySection& section) const {
  std::vector<Expression> field(dimension());
  for (std::size_t a = 0; a < symmetries().size(); ++a) {
    for (std::size_t i = 0; i < dimension(); ++i) field[i] += section.coefficients[a] * symmetries()[a].generator[i];
  }
  return field;
}

/// Where it is no coordinate and no parameter: exact solutions alone make no system that depends on time.
System System::with_events(std::vector<Event> events) const {
  SystemDefinition definition = definition_;
  definition.events = std::move(events);
  return System(std::move(definition));
}

void System::find_time() {
  const Expression t = time_symbol();
  for (const std::vector<Expression>* names : {&coordinates(), &std::as_const(parameters_)}) {
    if (std::find(names->begin(), names->end(), t) != names->end()) return;
  }
  std::vector<Expression> all{lagrangian()};
  for (const auto* list : {&constraints(), &holonomic(), &applied_forces()}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  for (const NamedExpression& c : conserved()) all.push_back(c.expression);
  for (const Event& event : events()) {
    all.push_back(event.when);
    for (const auto& v : event.velocities) {
      if (v) all.push_back(*v);
    }
  }
  const auto symbols = free_symbols(all);
  if (std::find(symbols.begin(), symbols.end(), t) != symbols.end()) time_.push_back(t);
}

void System::derive_rows() {
  const std::unordered_set<Expression> velocity_set(velocities_.begin(), velocities_.end());
  for (std::size_t k = 0; k < constraints().size(); ++k) {
    const Expression& c = constraints()[k];
    if (!contains_any(c, velocity_set)) {
      throw SystemError(Part::constraints, static_cast<int>(k),
                        fmt::format("{} contains no velocity: {}; a condition on positions belongs to the holonomic "
                                    "constraints",
                                    row_name(k), shortened(c)));
    }
    if (is_affine_in(c, velocities_, velocity_set)) continue;
    Expression culprit = c;
    if (c.kind() == Kind::sum) {
      for (const Term& term : c.operands()) {
        if (!is_affine_in(term.expression, velocities_, velocity_set)) {
          culprit = term.weight * term.expression;
          break;
        }
      }
    }
    throw SystemError(Part::constraints, static_cast<int>(k),
                      fmt::format("{} is not linear in the velocities: its term {}; only constraints A(q) v + b(q) = "
                                  "0 can be treated",
                                  row_name(k), shortened(culprit)));
  }
  rows_ = constraints();
  const auto rates = rates_of_change(holonomic(), *this);
  const auto slopes = directional_derivative(holonomic(), coordinates(), position_rates(*this));
  for (std::size_t k = 0; k < rates.size(); ++k) {
    if (slopes[k].is_constant()) {
      throw SystemError(
          Part::holonomic, static_cast<int>(k),
          fmt::format("{} contains no coordinate: {}", row_name(constraints().size() + k), shortened(holonomic()[k])));
    }
  }
  rows_.insert(rows_.end(), rates.begin(), rates.end());
  matrix_ = jacobian(rows_, velocities_);
  Substitution at_rest;
  for (const Expression& v : velocities_) at_rest.emplace(v, Expression(0.0));
  affine_ = substitute(rows_, at_rest);
}

SparseMatrix System::mass_matrix() const { return hessian(lagrangian(), velocities_); }

bool System::is_affine() const {
  return std::any_of(affine_.begin(), affine_.end(), [](const Expression& b) { return !b.is_constant(0.0); });
}

bool System::has_kinks() const {
  return rattleback::has_kinks(joined({{&lagrangian(), 1}, constraints(), holonomic(), applied_forces()}));
}

Expression System::power() const {
  Expression power;
  for (std::size_t i = 0; i < applied_forces().size(); ++i) power += applied_forces()[i] * velocities_[i];
  if (depends_on_time()) power -= gradient(lagrangian(), time_)[0];
  return power;
}

bool System::forces_contain_multipliers() const {
  return std::ranges::any_of(free_symbols(applied_forces()), is_multiplier);
}

bool System::conserves_energy() const { return !is_affine() && tidy(power()).is_constant(0.0); }

Expression time_symbol() { return Expression::symbol("t"); }

/// No model can contain it otherwise, because the notation has no such names.
Expression multiplier_symbol(std::size_t row) { return Expression::symbol(fmt::format("λ({})", row + 1)); }

std::vector<Expression> rates_of_change(std::span<const Expression> functions, const System& system,
                                        const std::vector<Expression>& accelerations) {
  std::vector<Expression> place = system.coordinates();
  std::vector<Expression> rates = position_rates(system);
  if (!accelerations.empty()) {
    place.insert(place.end(), system.velocities().begin(), system.velocities().end());
    rates.insert(rates.end(), accelerations.begin(), accelerations.end());
  }
  place.insert(place.end(), system.time().begin(), system.time().end());
  rates.resize(place.size(), Expression(1.0));
  return directional_derivative(functions, place, rates);
}

}  // namespace rattleback
