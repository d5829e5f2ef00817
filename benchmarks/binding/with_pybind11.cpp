#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <map>
#include <optional>
#include "body.hpp"
namespace py = pybind11;
using namespace py::literals;
PYBIND11_MODULE(with_pybind11, m) {
  py::register_exception<Err>(m, "Err");
  py::class_<Sim>(m, "Sim")
      .def(py::init<>())
      .def("step", &Sim::step, "n"_a = 1)
      .def_readwrite("q", &Sim::q)
      .def_readwrite("v", &Sim::v)
      .def("a", [](py::object s) {
        auto& x = s.cast<Sim&>();
        return py::array_t<double>({x.a.size()}, {8}, x.a.data(), s);
      });
  m.def("f", &f, "m"_a, "w"_a = std::vector<std::string>{}, "x"_a = py::none());
#define R(i)                                                                                            \
  m.def(                                                                                                \
      "f" #i,                                                                                           \
      [](const std::map<std::string, double>& a, std::vector<std::string> w, std::optional<double> x) { \
        return f(a, w, x);                                                                              \
      },                                                                                                \
      "m"_a, "w"_a, "x"_a = py::none());
  R(1) R(2) R(3) R(4) R(5) R(6) R(7) R(8) R(9) R(10)
}
