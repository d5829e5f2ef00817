#include <algorithm>
#include <cmath>
#include <span>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/model/system.hpp"
#include "rattleback/model/view.hpp"

namespace rattleback {
namespace {

using Coordinate = std::optional<Expression>;

/// What multiplies ½v² in the Lagrangian at the origin, at rest.
class Inertia {
 public:
  explicit Inertia(const System& system) : system_(system) {
    for (std::size_t k = 0; k < system.parameters().size(); ++k)
      values_[system.parameters()[k]] = system.parameter_values()[k];
    const std::vector<double> origin = system.space().origin();
    for (std::size_t i = 0; i < origin.size(); ++i) values_[system.coordinates()[i]] = origin[i];
    for (const Expression& v : system.velocities()) values_[v] = 0.0;
    values_.emplace(time_symbol(), 0.0);
  }

  double of(const Expression& velocity) const {
    const auto& all = system_.velocities();
    const auto index = static_cast<std::size_t>(std::ranges::find(all, velocity) - all.begin());
    return evaluate(derivative(system_.momenta()[index], velocity), values_);
  }

 private:
  const System& system_;
  std::unordered_map<Expression, double> values_;
};

/// Half the axes of the homogeneous ellipsoid that has these moments, a² = 5(I₂ + I₃ − I₁)/2m; without a mass the
/// longest is 1.
std::vector<double> radii_of(const Rotation& rotation, const Inertia& inertia, const Coordinate& x) {
  std::vector<double> radii(3), moments(3);
  for (std::size_t i = 0; i < 3; ++i) moments[i] = inertia.of(rotation.omega[i]);
  const double sum = moments[0] + moments[1] + moments[2];
  const double mass = x ? inertia.of(Expression::symbol(x->name() + "'")) : 0.0;
  for (std::size_t i = 0; i < 3; ++i) radii[i] = std::sqrt(std::max(2.5 * (sum - 2.0 * moments[i]), 0.0));
  const double longest = std::ranges::max(radii);
  if (!(longest > 0.0 && std::isfinite(longest))) return {1.0, 1.0, 1.0};
  constexpr double thinnest = 0.08;  // of the longest, so that there is something to see
  for (double& radius : radii) radius = std::max(radius, thinnest * longest) / (mass > 0.0 ? std::sqrt(mass) : longest);
  return radii;
}

}  // namespace

std::optional<View> automatic_view(const System& system) {
  const auto numbers = std::span(system.coordinates()).first(system.space().numbers);
  const auto coordinate = [&](const char* name) -> Coordinate {
    const Expression symbol = Expression::symbol(name);
    return std::ranges::find(numbers, symbol) == numbers.end() ? std::nullopt : Coordinate(symbol);
  };
  const Coordinate x = coordinate("x"), y = coordinate("y"), z = coordinate("z");
  const bool has_place = x && y;
  if (!has_place && system.rotations().empty()) return std::nullopt;
  View view;
  const Vector place = has_place ? Vector{*x, *y, z.value_or(0.0)} : Vector{0.0, 0.0, 0.0};
  if (has_place) view.traces.push_back({"path", place});
  if (system.rotations().empty()) {
    view.bodies.push_back({.name = "particle", .sizes = {{"radius", {0.0}}}, .position = place});
    return view;
  }
  const Inertia inertia(system);
  for (const Rotation& rotation : system.rotations()) {
    const std::vector<double> radii = radii_of(rotation, inertia, has_place ? x : std::nullopt);
    // Bodies of which only the rotation is known stand side by side.
    const double aside = has_place ? 0.0 : 2.4 * static_cast<double>(view.bodies.size());
    const Vector centre = place + Vector{aside, 0.0, 0.0};
    if (!has_place)
      view.traces.push_back({"axis of " + rotation.name, centre + rotation.matrix * Vector{0, 0, radii[2]}});
    if (has_place && !z) view.ground.centre[2] = -std::ranges::max(radii);
    view.bodies.push_back({.name = rotation.name,
                           .shape = Shape::ellipsoid,
                           .sizes = {{"radii", radii}},
                           .marks = Marks::octants,
                           .position = centre,
                           .rotation = rotation.matrix.entries});
  }
  if (!has_place) view.ground.kind = GroundKind::none;
  return view;
}

}  // namespace rattleback
