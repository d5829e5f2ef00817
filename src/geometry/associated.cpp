// Associated second-order systems: the accelerations of a constrained motion, continued to all velocities.

#include "rattleback/geometry/associated.hpp"

#include <algorithm>
#include <cmath>

#include "../expr/determinant.hpp"
#include "../mech/sampling.hpp"
#include "literals.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// Choices of velocities that are looked at.
constexpr std::size_t most_choices = 200;

/// All velocities by some of them, v = V(q, v_B), where the constraints can be solved for the others.
struct VelocitiesBy {
  std::vector<std::size_t> chosen;  ///< B
  Vector all;                       ///< V
};

/// Every choice of n − m velocities that tells the others.
std::vector<VelocitiesBy> choices_of_velocities(const System& system, const ExpressionMatrix& rows) {
  const std::size_t n = system.dimension();
  const std::size_t m = rows.size();
  std::vector<VelocitiesBy> list;
  std::vector<char> is_chosen(n, 0);
  std::fill_n(is_chosen.begin(), n - m, 1);
  do {
    VelocitiesBy by{{}, Vector(n)};
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < n; ++i) (is_chosen[i] != 0 ? by.chosen : others).push_back(i);
    const ExpressionMatrix square = columns(rows, others);
    if (determinant(square).is_constant(0.0)) continue;
    ExpressionMatrix right;  // −A_B v_B − b
    for (std::size_t k = 0; k < m; ++k) {
      Expression sum = -system.affine_part()[k];
      for (const std::size_t j : by.chosen) sum -= rows[k][j] * system.velocities()[j];
      right.push_back({sum});
    }
    const ExpressionMatrix solution = solved(square, right);
    for (const std::size_t j : by.chosen) by.all[j] = system.velocities()[j];
    for (std::size_t k = 0; k < m; ++k) by.all[others[k]] = solution[k][0];
    list.push_back(std::move(by));
  } while (list.size() < most_choices && std::ranges::prev_permutation(is_chosen).found);
  return list;
}

Substitution velocities_on(const System& system, const VelocitiesBy& by) {
  Substitution values;
  for (std::size_t i = 0; i < system.dimension(); ++i) values.emplace(system.velocities()[i], by.all[i]);
  return values;
}

// q̈ = E a_B + (∂V/∂q) V with E = ∂V/∂v_B, and Eᵀ(M q̈ − f) = 0: the constraints exert no force along E.
Vector constrained_accelerations(const System& system, const VelocitiesBy& by) {
  const std::size_t n = system.dimension();
  const std::size_t free = by.chosen.size();
  const Substitution on = velocities_on(system, by);
  Vector chosen;
  for (const std::size_t j : by.chosen) chosen.push_back(system.velocities()[j]);
  const ExpressionMatrix e = dense(jacobian(by.all, chosen));
  const Vector drift = directional_derivative(by.all, system.coordinates(), by.all);
  ExpressionMatrix masses = dense(system.mass_matrix());
  for (Vector& row : masses) row = substitute(row, on);
  const Vector momenta_drift =
      substitute(directional_derivative(system.momenta(), system.coordinates(), system.velocities()), on);
  const Vector forces = substitute(system.forces(), on);
  const Vector applied = substitute(system.applied_forces(), on);
  Vector missing(n);  // f − M (∂V/∂q) V
  for (std::size_t i = 0; i < n; ++i) {
    missing[i] = forces[i] - momenta_drift[i];
    if (!applied.empty()) missing[i] += applied[i];
    for (std::size_t j = 0; j < n; ++j) missing[i] -= masses[i][j] * drift[j];
  }
  ExpressionMatrix matrix(free, Vector(free));
  ExpressionMatrix right(free, Vector(1));
  for (std::size_t a = 0; a < free; ++a) {
    for (std::size_t i = 0; i < n; ++i) {
      right[a][0] += e[i][a] * missing[i];
      for (std::size_t b = 0; b < free; ++b) {
        for (std::size_t j = 0; j < n; ++j) matrix[a][b] += e[i][a] * masses[i][j] * e[j][b];
      }
    }
  }
  const ExpressionMatrix solution = solved(matrix, right);
  Vector accelerations = drift;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < free; ++a) accelerations[i] += e[i][a] * solution[a][0];
    accelerations[i] = tidy(accelerations[i]);
  }
  return accelerations;
}

/// The same by the choice with which they are shortest, out of those that tell the other velocities in a short way:
/// long ones may hide cancellations, which leave conditions in doubt.
Vector shortest_accelerations(const System& system, const std::vector<VelocitiesBy>& choices) {
  constexpr std::size_t most_tried = 8;
  std::vector<const VelocitiesBy*> sorted;
  for (const VelocitiesBy& by : choices) sorted.push_back(&by);
  std::ranges::stable_sort(sorted, {}, [](const VelocitiesBy* by) { return operation_count(by->all); });
  sorted.resize(std::min(sorted.size(), most_tried));
  std::vector<Vector> found;
  for (const VelocitiesBy* by : sorted) found.push_back(constrained_accelerations(system, *by));
  return std::ranges::min(found, {}, [](const Vector& a) { return operation_count(a); });
}

/// Those of some functions that are defined at random points and differ there from the ones before them.
std::vector<Expression> different(const Vector& functions, const Vector& inputs,
                                  const std::vector<std::vector<double>>& points) {
  Interpreter<double> program(make_program(inputs, functions));
  std::vector<std::vector<double>> values;
  for (const std::vector<double>& point : points) values.push_back(program(point));
  const auto agree = [&](std::size_t a, std::size_t b) {
    return std::ranges::all_of(values, [&](const std::vector<double>& v) {
      return !(std::abs(v[a] - v[b]) > sampling_error * std::max(std::abs(v[a]), std::abs(v[b])));
    });
  };
  const auto is_defined = [&](std::size_t a) {
    return std::ranges::any_of(values, [&](const std::vector<double>& v) { return std::isfinite(v[a]); });
  };
  Vector result;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    if (!is_defined(k) || std::ranges::any_of(kept, [&](std::size_t other) { return agree(k, other); })) continue;
    kept.push_back(k);
    result.push_back(functions[k]);
  }
  return result;
}

AssociatedForms find_forms(const System& system, std::span<const double> parameters, const State& near) {
  if (system.constraints().empty()) return {"there are no velocity constraints", {}};
  if (system.depends_on_time()) return {"it depends on time explicitly", {}};
  if (!system.holonomic().empty()) return {"there are holonomic constraints", {}};
  if (system.forces_contain_multipliers()) return {"applied forces contain multipliers of constraints", {}};
  const std::size_t n = system.dimension();
  if (system.constraints().size() >= n) return {"the constraints leave no direction to move in", {}};
  const std::vector<VelocitiesBy> choices = choices_of_velocities(system, dense(system.constraint_matrix()));
  if (choices.empty()) return {"the constraints depend on each other", {}};
  const Vector motion = shortest_accelerations(system, choices);
  std::vector<Vector> all(n);
  for (const VelocitiesBy& by : choices) {
    const Vector forms = substitute(motion, velocities_on(system, by));
    for (std::size_t i = 0; i < n; ++i) all[i].push_back(tidy(forms[i]));
  }
  RandomPoints random;
  std::vector<std::vector<double>> points;
  for (int k = 0; k < generic_samples; ++k)
    points.push_back(joined_data({random.near(near.q, 1.0), random.near(near.v, 1.0)}, parameters));
  AssociatedForms result;
  const Vector inputs = joined({system.coordinates(), system.velocities(), system.parameters()});
  for (const Vector& forms : all) result.forms.push_back(different(forms, inputs, points));
  if (std::ranges::any_of(result.forms, &Vector::empty))
    return {"its accelerations are defined at none of the random points about the start", {}};
  return result;
}

/// The free Lagrangian that is known to have these equations.
std::optional<FreeForm> known_lagrangian(const System& system, const std::optional<SteeredSystem>& steered,
                                         SecondOrderSystem equations, const State& near) {
  if (!steered || !steered->potential_is_constant) return {};
  for (const FreeForm form : {FreeForm::both_scaled, FreeForm::constant_density}) {
    if (form == FreeForm::constant_density && !steered->density_is_constant) continue;
    const System free = free_lagrangian(system, *steered, form).system;
    equations.parameters = free.parameters();
    if (compare_equations(free.lagrangian(), equations, free.parameter_values(), near).holds) return form;
  }
  return {};
}

}  // namespace

std::size_t AssociatedForms::systems() const {
  std::size_t count = forms.empty() ? 0 : 1;
  for (const Vector& list : forms) {
    if (__builtin_mul_overflow(count, list.size(), &count)) return ~std::size_t{0};
  }
  return count;
}

Vector AssociatedForms::accelerations(std::size_t number) const {
  Vector result(forms.size());
  for (std::size_t i = forms.size(); i-- > 0;) {
    result[i] = forms[i][number % forms[i].size()];
    number /= forms[i].size();
  }
  return result;
}

AssociatedForms associated_forms(const System& system, std::span<const double> parameters, const State& near) {
  try {
    return find_forms(system, parameters, near);
  } catch (const ExpressionError& error) {
    return {error.what(), {}};
  }
}

AssociatedSearch search_associated(const System& given, std::span<const double> parameters, const State& near,
                                   std::size_t most) {
  require_numbers(given, "the search among associated systems");
  // Numbers of the model are parameters, so that they cancel by algebra; what is shown has them as numbers.
  const System system = with_literals_as_parameters(with_values(given, parameters));
  Substitution literals;
  for (std::size_t i = given.parameters().size(); i < system.parameters().size(); ++i)
    literals.emplace(system.parameters()[i], Expression(system.parameter_values()[i]));
  const std::vector<double>& values = system.parameter_values();
  const AssociatedForms forms = associated_forms(system, values, near);
  AssociatedSearch search;
  search.reason = forms.reason;
  for (const Vector& list : forms.forms) search.forms.push_back(list.size());
  search.systems = forms.systems();
  const std::optional<SteeredSystem> steered = find_steered(given, parameters, near).found;
  for (; search.tried < std::min(search.systems, most); ++search.tried) {
    SecondOrderSystem equations{system.coordinates(), system.velocities(), system.parameters(),
                                forms.accelerations(search.tried)};
    HelmholtzReport report = examine_helmholtz(equations, values, near);
    if (!report.decided) {
      ++search.undecided;
    } else if (!report.regular) {
      ++search.excluded;
    } else {
      equations.parameters = given.parameters();
      for (Expression& f : equations.accelerations) f = tidy(substitute(f, literals));
      const auto known = known_lagrangian(with_values(given, parameters), steered, equations, near);
      search.open.push_back({std::move(equations), std::move(report), known});
    }
  }
  return search;
}

}  // namespace rattleback
