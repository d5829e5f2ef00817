#pragma once

#include "rattleback/expr/matrix.hpp"

namespace rattleback {

// Where a convex body touches the ground: the lowest point of its surface, from the centre of the figure, as a function
// of the vertical u, all seen from the body. With the support function h(n) = max n·p over the points p of the body it
// is r = ∇h(−u), and h(−u) = −u·r is the height of the centre above the ground. Then u·ṙ = 0: the point of contact
// moves along the ground, and of ẋ + R(Ω × r), its velocity in a body with the centre x, the vertical component is the
// rate of x₃ + u·r.

/// (x/a)² + (y/b)² + (z/c)² = 1: −D u/√(u·D u) with D = diag(a², b², c²).
Vector contact_ellipsoid(const Vector& u, const Expression& a, const Expression& b, const Expression& c);
/// A thin disk, or the edge of a wheel, about an axis of length 1. Where it lies flat it touches nowhere in particular:
/// 0/0.
Vector contact_disk(const Vector& u, const Expression& radius, const Vector& axis = {0, 1, 0});
Vector contact_sphere(const Vector& u, const Expression& radius);
/// A wheel with a round tyre: a disk, and a ball rolled along its edge.
Vector contact_torus(const Vector& u, const Expression& radius, const Expression& tube, const Vector& axis = {0, 1, 0});
/// Any body by its support function h, an expression of the symbols n. Throws ExpressionError if it is not homogeneous,
/// h(2n) = 2h(n).
Vector contact_support(const Expression& h, const Vector& n, const Vector& u);

}  // namespace rattleback
