#include "module.hpp"

#include "rattleback/base/version.hpp"

PYBIND11_MODULE(_core, m) {
  using namespace rattleback::python;
  m.doc() = "Rattleback's library; use the package around it.";
  m.attr("version") = rattleback::version;
  bind_end(m);
  bind_errors(m);
  bind_expressions(m);
  bind_models(m);
  bind_answers(m);
  bind_simulation(m);
}
