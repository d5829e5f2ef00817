#include "interpreter_of.hpp"

namespace rattleback {

template class Interpreter<double>;
template class Interpreter<long double>;
template class Interpreter<std::complex<double>>;

}  // namespace rattleback
