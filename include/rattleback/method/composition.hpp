#pragma once

#include <vector>

#include "rattleback/method/method.hpp"

namespace rattleback {

/// The fractions of h of a symmetric composition of order 2, 4, 6, 8 or 10; without a number of stages, the first of
/// the table in composition.cpp.
std::vector<double> composition_coefficients(int order, int stages = 0);

/// A method of higher order from a symmetric one of order 2.
Method composed(Method method, int order, int stages = 0);

}  // namespace rattleback
