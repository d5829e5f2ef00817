#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <map>
#include <optional>
#include "body.hpp"
namespace py = nanobind;
using namespace py::literals;
NB_MODULE(with_nanobind, m) {
  py::exception<Err>(m, "Err");
  py::class_<Sim>(m, "Sim")
      .def(py::init<>())
      .def("step", &Sim::step, "n"_a = 1)
      .def_rw("q", &Sim::q)
      .def_rw("v", &Sim::v)
      .def("a", [](py::object s) {
        auto& x = py::cast<Sim&>(s);
        return py::ndarray<py::numpy, double, py::ndim<1>>(x.a.data(), {x.a.size()}, s);
      });
  m.def("f", &f, "m"_a, "w"_a = std::vector<std::string>{}, "x"_a.none() = py::none());
#define R(i)                                                                                            \
  m.def(                                                                                                \
      "f" #i,                                                                                           \
      [](const std::map<std::string, double>& a, std::vector<std::string> w, std::optional<double> x) { \
        return f(a, w, x);                                                                              \
      },                                                                                                \
      "m"_a, "w"_a, "x"_a.none() = py::none());
  R(1) R(2) R(3) R(4) R(5) R(6) R(7) R(8) R(9) R(10)
}
