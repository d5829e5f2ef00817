#pragma once

#include <cstddef>

namespace rattleback {

/// changes[i] = Σ_{j ≥ 1} c_{ji} hʲ for coefficients c[j * size + i]. Even and odd powers are summed up separately:
/// half as many operations wait for each other. The bits are the same on all processors.
void evaluate_polynomials(const double* coefficients, std::size_t size, int order, double h, double* changes);

}  // namespace rattleback
