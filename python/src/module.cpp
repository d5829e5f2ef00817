#include "module.hpp"

#include "rattleback/base/version.hpp"

PYBIND11_MODULE(_core, m) {
  using namespace rattleback::python;
  m.doc() = "Rattleback's library; use the package around it.";
  m.attr("version") = rattleback::version;
  m.attr("newest_numpy") = PYBIND11_VERSION_HEX < 0x020C0000 ? 1 : 2;
  bind_end(m);
  bind_errors(m);
  bind_expressions(m);
  bind_models(m);
  bind_answers(m);
  bind_simulation(m);
}
