#include "rattleback/expr/contact.hpp"

#include <fmt/format.h>

#include <cmath>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

void require_three(const Vector& a, const char* what) {
  if (a.size() != 3) throw ExpressionError(fmt::format("{} has 3 components, found {}", what, shape_of(a)));
}

/// Euler's identity n·∇h = h, at points where h has a value.
void require_homogeneous(const Expression& h, const Vector& n, const Vector& slope) {
  const Vector symbols = free_symbols(h);
  for (int point = 0; point < 3; ++point) {
    std::unordered_map<Expression, double> at;
    double number = 0.37 + 0.21 * point;
    for (const Expression& s : symbols) at.emplace(s, number = std::fmod(number + 0.618, 1.0) + 0.1);
    for (const Expression& s : n) at.emplace(s, number = std::fmod(number + 0.618, 1.0) + 0.1);
    const double value = evaluate(h, at);
    const double expected = evaluate(dot(n, slope), at);
    if (std::isfinite(value) && std::isfinite(expected) &&
        !(std::abs(value - expected) <= 1e-9 * std::max(std::abs(value), 1.0))) {
      throw ExpressionError(
          "a support function is homogeneous, h(2n) = 2h(n), as sqrt(a^2*n[1]^2 + b^2*n[2]^2 + c^2*n[3]^2) is for an "
          "ellipsoid; this one is not");
    }
  }
}

}  // namespace

Vector contact_ellipsoid(const Vector& u, const Expression& a, const Expression& b, const Expression& c) {
  require_three(u, "the vertical");
  const Vector along{a * a * u[0], b * b * u[1], c * c * u[2]};
  return (-1.0 / sqrt(dot(u, along))) * along;
}

Vector contact_disk(const Vector& u, const Expression& radius, const Vector& axis) {
  require_three(u, "the vertical");
  require_three(axis, "the axis");
  const Vector across = u - dot(u, axis) * axis;
  return (-radius / norm(across)) * across;
}

Vector contact_sphere(const Vector& u, const Expression& radius) {
  require_three(u, "the vertical");
  return -radius * u;
}

Vector contact_torus(const Vector& u, const Expression& radius, const Expression& tube, const Vector& axis) {
  return contact_disk(u, radius, axis) + contact_sphere(u, tube);
}

Vector contact_support(const Expression& h, const Vector& n, const Vector& u) {
  require_three(u, "the vertical");
  require_three(n, "the argument of a support function");
  const Vector slope = gradient(h, n);
  require_homogeneous(h, n, slope);
  Substitution down;
  const Vector opposite = -u;
  for (std::size_t i = 0; i < n.size(); ++i) down.emplace(n[i], opposite[i]);
  return substitute(slope, down);
}

}  // namespace rattleback
