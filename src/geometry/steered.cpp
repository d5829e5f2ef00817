// The class of Mestdag, Bloch & Fernandez: how a system of it is recognised.

#include "rattleback/geometry/steered.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/print.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "steered_parts.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// Parameters that are zero, as numbers.
Substitution absent(const System& system, std::span<const double> parameters) {
  Substitution zero;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == 0.0) zero.emplace(system.parameters()[i], Expression(0.0));
  }
  return zero;
}

ExpressionMatrix tidied(const SparseMatrix& matrix, const Substitution& absent) {
  ExpressionMatrix result = dense(matrix);
  for (Vector& row : result) {
    for (Expression& e : row) e = tidy(substitute(e, absent));
  }
  return result;
}

std::string why_not_mechanical(const System& system, const ExpressionMatrix& masses, const Substitution& zero) {
  if (system.constraints().empty()) return "there are no velocity constraints";
  if (!system.holonomic().empty()) return "there are holonomic constraints";
  if (system.is_affine()) return "the constraints are affine";
  if (!system.applied_forces().empty()) return "there are applied forces";
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto v = occurring(system.velocities(), masses[i]);
    if (!v.empty()) return fmt::format("the Lagrangian is not quadratic in the velocity {}", v[0].name());
    for (std::size_t j = 0; j < masses.size(); ++j) {
      const auto q = occurring(system.coordinates(), {&masses[i][j], 1});
      if (q.empty()) continue;
      return fmt::format("the mass matrix is not constant: M[{},{}] = {} depends on {}", system.coordinates()[i].name(),
                         system.coordinates()[j].name(), shortened(masses[i][j], 60), q[0].name());
    }
  }
  Substitution rest = zero;
  for (const Expression& v : system.velocities()) rest.emplace(v, Expression(0.0));
  // Terms linear in the velocities are a total derivative, or act like a magnetic field.
  const Vector potential = substitute(system.momenta(), rest);
  for (std::size_t i = 0; i < potential.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Expression field =
          derivative(potential[i], system.coordinates()[j]) - derivative(potential[j], system.coordinates()[i]);
      if (!tidy(field).is_constant(0.0)) return "the Lagrangian has terms that are linear in the velocities";
    }
  }
  return "";
}

std::string listed_columns(const System& system, const SteeredPiece& piece) {
  std::vector<std::string> names;
  for (const std::size_t i : piece.columns) names.push_back(system.coordinates()[i].name());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::size_t SteeredSystem::base_of(std::size_t i) const {
  while (!is_base(i)) --i;
  return i;
}

Vector SteeredSystem::speeds(const System& system) const {
  Vector result;
  for (std::size_t a = 0; a < directions(); ++a) {
    Vector along(system.dimension());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (branch[i] == a) along[moved[i]] = direction[i];
    }
    result.push_back(pairing(dense(system.mass_matrix()), along, system.velocities()));
  }
  return result;
}

Expression SteeredSystem::slope(std::size_t i) const { return tidy(-direction[i] / direction[base_of(i)]); }

Vector steered_direction(const System& system, const SteeredSystem& steered,
                         const ExpressionMatrix& constraint_matrix) {
  const ExpressionMatrix masses = dense(system.mass_matrix());
  Vector result(steered.moved.size());
  for (std::size_t a = 0; a < steered.directions(); ++a) {
    // The sign of minors depends on the order of the columns: X is what it is for ascending ones.
    SteeredPiece piece;
    for (std::size_t i = 0; i < steered.moved.size(); ++i) {
      if (steered.branch[i] == a) piece.columns.push_back(steered.moved[i]);
    }
    std::ranges::sort(piece.columns);
    for (std::size_t k = 0; k < steered.rows.size(); ++k) {
      if (steered.row_branch[k] == a) piece.rows.push_back(k);
    }
    const Vector unit = unit_kernel(masses, constraint_matrix, piece);
    for (std::size_t i = 0; i < steered.moved.size(); ++i) {
      if (steered.branch[i] != a) continue;
      const auto at = std::ranges::find(piece.columns, steered.moved[i]) - piece.columns.begin();
      result[i] = steered.orientation[a] * unit[static_cast<std::size_t>(at)];
    }
  }
  return result;
}

namespace {

SteeredSearch search_steered(const System& system, std::span<const double> parameters, const State& near) {
  const std::size_t n = system.dimension();
  const Substitution zero = absent(system, parameters);
  SteeredParts parts{tidied(system.mass_matrix(), zero), {}, {}, 0};
  SteeredSearch search;
  search.reason = why_not_mechanical(system, parts.masses, zero);
  if (!search.reason.empty()) return search;
  if (system.constraints().size() + 2 > n) {
    search.reason = "the constraints leave at most one direction in which the system can move";
    return search;
  }
  parts.rows = simple_rows(system, zero);
  Vector entries;
  for (const Vector& row : parts.rows) entries = joined({entries, row});
  const Vector steering = occurring(system.coordinates(), entries);
  if (steering.size() != 1) {
    std::vector<std::string> names;
    for (const Expression& q : steering) names.push_back(q.name());
    search.reason = names.empty() ? "the constraints depend on no coordinate: they are integrable"
                                  : fmt::format("the constraints depend on several coordinates, {}, not on one alone",
                                                fmt::join(names, ", "));
    return search;
  }
  const Expression& r1 = steering[0];
  parts.steering = static_cast<std::size_t>(std::ranges::find(system.coordinates(), r1) - system.coordinates().begin());
  parts.pieces = steered_pieces(parts.rows, parts.steering);
  for (const SteeredPiece& piece : parts.pieces) {
    if (piece.freedom() == 1) continue;
    search.reason = fmt::format("{} move in {} directions that share coordinates, besides {}",
                                listed_columns(system, piece), piece.freedom(), r1.name());
    return search;
  }
  const AlongSteering along(system, parameters, near, parts.steering);
  std::vector<Vector> directions;
  for (const SteeredPiece& piece : parts.pieces) {
    Vector& direction = directions.emplace_back(unit_kernel(dense(system.mass_matrix()), parts.rows, piece));
    for (Expression& x : direction) x = along.constant_or_same(substitute(x, zero));
  }
  const auto is_undefined = [&](const Vector& direction) {
    return std::ranges::any_of(along.sizes(direction), [](double x) { return std::isnan(x); });
  };
  if (directions.empty() || std::ranges::any_of(directions, is_undefined)) {
    search.reason =
        fmt::format("the constraints do not say in which direction the coordinates other than {} move", r1.name());
    return search;
  }
  const auto is_continuous = [&](const Vector& direction) { return along.is_continuous(direction); };
  if (directions.size() > 1 && !std::ranges::all_of(directions, is_continuous)) {
    search.reason =
        "its directions are not found without common factors; write each constraint for coordinates that "
        "move together";
    return search;
  }
  if (!is_orthogonal(parts, directions, r1, along)) {
    search.reason = fmt::format("the mass matrix couples directions that turn with {}", r1.name());
    return search;
  }

  SteeredSystem s;
  s.steering = parts.steering;
  s.rows = parts.rows;
  s.row_branch.resize(s.rows.size());
  s.density_is_constant = true;
  Vector carried(n);  // Y
  carried[s.steering] = Expression(1.0);
  for (std::size_t a = 0; a < directions.size(); ++a) {
    const SteeredPiece& piece = parts.pieces[a];
    const std::optional<Vector> shear = find_shear(parts, piece, directions[a], along);
    if (!shear) {
      search.reason = fmt::format(
          "{} does not move uniformly: no constant direction Y that the constraints allow is orthogonal to X({})",
          r1.name(), r1.name());
      return search;
    }
    const auto [base, varies] = choose_base(directions[a], r1, along);
    s.density_is_constant = s.density_is_constant && !varies;
    const bool reversed = along.at_start(directions[a][base]) < 0.0;
    s.orientation.push_back(reversed ? -1.0 : 1.0);
    const auto put = [&](std::size_t at) {
      s.moved.push_back(piece.columns[at]);
      s.branch.push_back(a);
      s.direction.push_back(reversed ? tidy(-directions[a][at]) : directions[a][at]);
      s.shear.push_back((*shear)[at]);
      s.masses.push_back(parts.masses[piece.columns[at]][piece.columns[at]]);
      carried[piece.columns[at]] = (*shear)[at];
    };
    put(base);
    for (std::size_t at = 0; at < piece.columns.size(); ++at) {
      if (at != base) put(at);
    }
    for (const std::size_t k : piece.rows) s.row_branch[k] = a;
  }
  s.inertia = tidy(pairing(parts.masses, carried, carried));
  if (!(along.at_start(s.inertia) > 0.0)) {
    search.reason = fmt::format("{} has no inertia", r1.name());
    return search;
  }
  for (std::size_t a = 0; a < directions.size() && directions.size() > 1; ++a) {  // Y may move other pieces
    Expression across;
    Vector terms;
    for (std::size_t i = 0; i < directions[a].size(); ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        terms.push_back(directions[a][i] * parts.masses[parts.pieces[a].columns[i]][j] * carried[j]);
        across += terms.back();
      }
    }
    if (along.vanishes(across, terms)) continue;
    search.reason = fmt::format("the mass matrix couples {} with what {} carries along",
                                listed_columns(system, parts.pieces[a]), r1.name());
    return search;
  }
  Substitution rest = zero;
  for (const Expression& v : system.velocities()) rest.emplace(v, Expression(0.0));
  s.potential = tidy(-substitute(system.lagrangian(), rest));
  s.potential_is_constant = occurring(system.coordinates(), {&s.potential, 1}).empty();
  search.found = std::move(s);
  return search;
}

}  // namespace

SteeredSearch find_steered(const System& system, std::span<const double> parameters, const State& near) {
  if (!system.rotations().empty())
    return {std::nullopt, fmt::format("{} is a rotation, and the class has coordinates that are numbers",
                                      system.rotations()[0].name)};
  if (system.depends_on_time()) return {std::nullopt, "it depends on time explicitly"};
  try {
    return search_steered(system, parameters, near);
  } catch (const ExpressionError&) {  // divided by zero
    return {std::nullopt, "it has no inertia in some direction, or its constraints lose their rank everywhere"};
  }
}

}  // namespace rattleback
