#include "rattleback/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

using Part = SystemError::Part;

bool contains_any(const Expression& e, const std::unordered_set<Expression>& symbols) {
  const auto free = free_symbols(e);
  return std::any_of(free.begin(), free.end(), [&](const Expression& s) { return symbols.contains(s); });
}

bool is_affine_in(const Expression& e, const std::vector<Expression>& velocities,
                  const std::unordered_set<Expression>& velocity_set) {
  const auto slope = gradient(e, velocities);
  return std::none_of(slope.begin(), slope.end(), [&](const Expression& d) { return contains_any(d, velocity_set); });
}

}  // namespace

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
                              {}}) {}

System::System(SystemDefinition definition) : definition_(std::move(definition)) {
  check_names();
  check_symbols();
  momenta_ = gradient(lagrangian(), velocities_);
  forces_ = gradient(lagrangian(), coordinates());
  std::vector<Term> terms{{lagrangian(), -1.0}};
  for (std::size_t i = 0; i < dimension(); ++i) terms.push_back({velocities_[i] * momenta_[i], 1.0});
  energy_ = sum(terms);
  derive_rows();
}

void System::check_names() {
  if (coordinates().empty()) throw SystemError(Part::coordinates, 0, "a system needs at least one coordinate");
  std::unordered_set<Expression> seen;
  for (std::size_t i = 0; i < dimension(); ++i) {
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
  std::unordered_set<Expression> all = positions;
  all.insert(velocities_.begin(), velocities_.end());
  std::unordered_set<Expression> with_time = all;
  with_time.insert(time_symbol());

  const auto check = [&](const Expression& e, const std::unordered_set<Expression>& allowed, Part part,
                         std::size_t index, const std::string& what) {
    for (const Expression& symbol : free_symbols(e)) {
      if (allowed.contains(symbol)) continue;
      const bool velocity = std::find(velocities_.begin(), velocities_.end(), symbol) != velocities_.end();
      std::string reason = "which is neither a coordinate, a velocity of one, nor a parameter";
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
  check(lagrangian(), all, Part::lagrangian, 0, "the Lagrangian");
  for (std::size_t k = 0; k < constraints().size(); ++k) {
    check(constraints()[k], all, Part::constraints, k, fmt::format("constraint {}", k + 1));
  }
  for (std::size_t k = 0; k < holonomic().size(); ++k) {
    check(holonomic()[k], positions, Part::holonomic, k, fmt::format("holonomic constraint {}", k + 1));
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
  for (std::size_t k = 0; k < conserved().size(); ++k) {
    check(conserved()[k].expression, all, Part::conserved, k,
          fmt::format("the conserved quantity {}", conserved()[k].name));
  }
  if (!applied_forces().empty() && applied_forces().size() != dimension()) {
    throw SystemError(Part::forces, 0,
                      fmt::format("{} applied forces for {} coordinates", applied_forces().size(), dimension()));
  }
  for (std::size_t k = 0; k < applied_forces().size(); ++k) {
    check(applied_forces()[k], all, Part::forces, k, fmt::format("the applied force on {}", coordinates()[k].name()));
  }
  if (!exact().empty() && exact().size() != dimension()) {
    throw SystemError(Part::exact, 0,
                      fmt::format("{} exact solutions for {} coordinates", exact().size(), dimension()));
  }
  for (std::size_t k = 0; k < exact().size(); ++k) {
    if (exact()[k]) {
      check(*exact()[k], with_time, Part::exact, k, fmt::format("the exact solution of {}", coordinates()[k].name()));
    }
  }
}

void System::derive_rows() {
  const std::unordered_set<Expression> velocity_set(velocities_.begin(), velocities_.end());
  for (std::size_t k = 0; k < constraints().size(); ++k) {
    const Expression& c = constraints()[k];
    if (!contains_any(c, velocity_set)) {
      throw SystemError(Part::constraints, static_cast<int>(k),
                        fmt::format("constraint {} contains no velocity: {}; a condition on positions belongs to the "
                                    "holonomic constraints",
                                    k + 1, shortened(c)));
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
                      fmt::format("constraint {} is not linear in the velocities: its term {}; only constraints "
                                  "A(q) v + b(q) = 0 can be treated",
                                  k + 1, shortened(culprit)));
  }
  rows_ = constraints();
  const auto rates = directional_derivative(holonomic(), coordinates(), velocities_);
  for (std::size_t k = 0; k < rates.size(); ++k) {
    if (rates[k].is_constant()) {
      throw SystemError(
          Part::holonomic, static_cast<int>(k),
          fmt::format("holonomic constraint {} contains no coordinate: {}", k + 1, shortened(holonomic()[k])));
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

std::string System::row_name(std::size_t row) const {
  return row < constraints().size() ? fmt::format("constraint {}", row + 1)
                                    : fmt::format("holonomic constraint {}", row - constraints().size() + 1);
}

std::string System::row_name_with_text(std::size_t row) const {
  const std::size_t k = row - constraints().size();
  return fmt::format("{} (0 = {})", row_name(row),
                     shortened(row < constraints().size() ? constraints()[row] : holonomic()[k], 70));
}

Expression time_symbol() { return Expression::symbol("t"); }

}  // namespace rattleback
