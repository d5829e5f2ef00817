#include "interpreted_step_of.hpp"

namespace rattleback {

template class InterpretedStep<double>;
template class InterpretedStep<long double>;
template std::vector<double> interpret_step(const ImplicitSystem&, std::span<const double>);
template std::vector<long double> interpret_step(const ImplicitSystem&, std::span<const long double>);

}  // namespace rattleback
