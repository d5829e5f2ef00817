#include "rattleback/kernel/quadruple.hpp"

#include <fmt/format.h>

#if RATTLEBACK_QUADRUPLE

#include "interpreted_step_of.hpp"
#include "interpreter_of.hpp"

namespace rattleback {

template class Interpreter<float128>;
template class InterpretedStep<float128>;
template std::vector<float128> interpret_step(const ImplicitSystem&, std::span<const float128>);

void require_quadruple(std::string_view) {}

}  // namespace rattleback

#else

namespace rattleback {

void require_quadruple(std::string_view what) {
  throw QuadrupleMissing(
      fmt::format("{} needs quadruple precision, which this build leaves out (RATTLEBACK_QUADRUPLE=OFF)", what));
}

}  // namespace rattleback

#endif
