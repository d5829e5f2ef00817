#pragma once

// Numbers of 113 bits, and programs and steps in them. This header alone needs Boost.Multiprecision and libquadmath; a
// build without (RATTLEBACK_QUADRUPLE=OFF) has long double in its place.

#include "rattleback/base/error.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/step.hpp"

#if RATTLEBACK_QUADRUPLE
#include <boost/multiprecision/float128.hpp>
#else
#include <cmath>
#endif

#include <string_view>

namespace rattleback {

#if RATTLEBACK_QUADRUPLE
using float128 = boost::multiprecision::float128;

extern template class Interpreter<float128>;
extern template class InterpretedStep<float128>;
#else
using float128 = long double;
using std::abs, std::isfinite;
#endif

/// Something was asked for that long double has too few digits for.
class QuadrupleMissing : public SystemFailure {
 public:
  using SystemFailure::SystemFailure;
};

/// Throws QuadrupleMissing in a build without; `what` is the beginning of its message.
void require_quadruple(std::string_view what);

}  // namespace rattleback
