#pragma once

// Functions found from their differentials.

#include <span>
#include <vector>

#include "rattleback/geometry/multiplier.hpp"

namespace rattleback {

/// A closed one-form on the space of `coordinates` that is to be integrated.
struct ClosedForm {
  std::vector<Expression> coordinates;
  std::vector<Expression> parameters;
  std::vector<Expression> components;
  std::vector<double> parameter_values;
  std::vector<double> near;
  double radius = 1.0;  ///< of the box about `near` in which it is looked at
  /// The components as they are for other values of the parameters, for which those that vanish here may not.
  std::vector<Expression> for_any_parameters;
};

/// φ with dφ = form. Looks for e^φ = Π g^c with one, two or three of the candidates g, the exponents c found by least
/// squares at random points and verified at others; else writes φ down as a line integral from `near`.
Potential integrate_form(const ClosedForm& form, const std::vector<Expression>& candidates);

/// The functions of the coordinates alone that occur in the expressions, the small ones first.
std::vector<Expression> functions_in(std::span<const Expression> expressions, std::span<const Expression> coordinates,
                                     std::span<const Expression> parameters);

}  // namespace rattleback
