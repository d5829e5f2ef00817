#include <cmath>

#include "module.hpp"
#include "rattleback/expr/contact.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/matrix.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback::python {
namespace {

using Rows = std::vector<Vector>;

Expression needed(py::handle object) {
  if (auto e = expression_from(object)) return *e;
  throw py::type_error("expected an expression or a number, found " + std::string(py::repr(object)));
}

Rows rows_of(const Matrix& m) {
  Rows rows;
  for (std::size_t i = 0; i < m.rows; ++i) rows.push_back(m.row(i));
  return rows;
}
Matrix matrix_of(const Rows& rows) { return Matrix(std::span<const Vector>(rows)); }

template <class Operation>
auto binary(Operation operation) {
  return [operation](const Expression& a, const py::object& b) -> py::object {
    const auto other = expression_from(b);
    if (!other) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    return py::cast(operation(a, *other));
  };
}

Substitution substitution(const py::dict& values) {
  Substitution replaced;
  for (const auto& [name, value] : values) {
    replaced.emplace(py::isinstance<py::str>(name) ? parse(py::cast<std::string>(name)) : needed(name), needed(value));
  }
  return replaced;
}

double value_at(const Expression& e, const py::dict& values) {
  std::unordered_map<Expression, double> numbers;
  for (const auto& [name, value] : values) {
    numbers.emplace(py::isinstance<py::str>(name) ? parse(py::cast<std::string>(name)) : needed(name),
                    py::cast<double>(value));
  }
  for (const Expression& symbol : free_symbols(e)) {
    if (!numbers.contains(symbol)) throw RequestError("there is no value for " + symbol.name());
  }
  return evaluate(e, numbers);
}

/// What an expression is, for those who translate it: its kind, its number, its name, and operands with their weights.
py::tuple structure(const Expression& e) {
  static constexpr const char* kinds[] = {"constant", "symbol", "function", "power", "product", "sum"};
  py::list operands;
  for (const Term& t : e.operands()) operands.append(py::make_tuple(t.expression, t.weight));
  std::string name;
  if (e.is_symbol()) name = e.name();
  if (e.kind() == Kind::function) name = info(e.function()).name;
  const bool has_value = e.kind() == Kind::constant || e.kind() == Kind::sum || e.kind() == Kind::product;
  return py::make_tuple(kinds[static_cast<std::size_t>(e.kind())], has_value ? e.value() : 0.0, name, operands);
}

void bind_class(py::module_& m) {
  py::class_<Expression> c(m, "Expression");
  c.def(py::init([](const py::object& value) {
     return py::isinstance<py::str>(value) ? parse(py::cast<std::string>(value)) : needed(value);
   }))
      .def("__add__", binary([](const auto& a, const auto& b) { return a + b; }))
      .def("__radd__", binary([](const auto& a, const auto& b) { return b + a; }))
      .def("__sub__", binary([](const auto& a, const auto& b) { return a - b; }))
      .def("__rsub__", binary([](const auto& a, const auto& b) { return b - a; }))
      .def("__mul__", binary([](const auto& a, const auto& b) { return a * b; }))
      .def("__rmul__", binary([](const auto& a, const auto& b) { return b * a; }))
      .def("__truediv__", binary([](const auto& a, const auto& b) { return a / b; }))
      .def("__rtruediv__", binary([](const auto& a, const auto& b) { return b / a; }))
      .def("__pow__", binary([](const auto& a, const auto& b) { return pow(a, b); }))
      .def("__rpow__", binary([](const auto& a, const auto& b) { return pow(b, a); }))
      .def("__neg__", [](const Expression& e) { return -e; })
      .def("__pos__", [](const Expression& e) { return e; })
      .def("__eq__",
           [](const Expression& a, const py::object& b) {
             const auto other = expression_from(b);
             return other && a == *other;
           })
      .def("__hash__", [](const Expression& e) { return static_cast<py::ssize_t>(e.hash()); })
      .def("__str__", [](const Expression& e) { return to_text(e); })
      .def("__repr__", [](const Expression& e) { return shortened(e, 1000); })
      .def("_repr_latex_", [](const Expression& e) { return "$" + to_latex(e) + "$"; })
      .def(py::pickle([](const Expression& e) { return py::make_tuple(to_text(e)); },
                      [](const py::tuple& text) { return parse(py::cast<std::string>(text[0])); }))
      .def("__copy__", [](const Expression& e) { return e; })
      .def("__deepcopy__", [](const Expression& e, const py::dict&) { return e; })
      .def_property_readonly(
          "dot", [](const Expression& e) { return dot(e); }, "The velocity of a coordinate, written x'.")
      .def_property_readonly("symbols", [](const Expression& e) { return free_symbols(e); })
      .def_property_readonly("structure", &structure)
      .def("latex", [](const Expression& e) { return to_latex(e); })
      .def(
          "tidy", [](const Expression& e) { return tidy(e); }, "A shorter form, if one is found.")
      .def(
          "diff", [](const Expression& e, const Expression& x, int n) { return derivative(e, x, n); }, py::arg("x"),
          py::arg("n") = 1, "The n-th derivative by a symbol.")
      .def(
          "substitute", [](const Expression& e, const py::dict& values) { return substitute(e, substitution(values)); },
          "Replaces symbols, all at once.")
      .def("evaluate", &value_at, "The value at a point.");
  c.attr("__array_ufunc__") = py::none();  // numpy's numbers leave operations to us
}

}  // namespace

std::optional<Expression> expression_from(py::handle object) {
  if (py::isinstance<Expression>(object)) return py::cast<Expression>(object);
  if (py::isinstance<py::str>(object) || PySequence_Check(object.ptr()) != 0) return std::nullopt;
  const double value = PyFloat_AsDouble(object.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return Expression(value);
}

void bind_expressions(py::module_& m) {
  bind_class(m);
  m.def("parse", [](const std::string& text) { return parse(text); });
  m.def("symbol", [](const std::string& name) { return Expression::symbol(name); });
  m.def("functions", [] {
    py::dict all;
    for (const Function f : all_functions()) all[py::str(std::string(info(f).name))] = info(f).arity;
    return all;
  });
  m.def("call", [](const std::string& name, const py::args& arguments) {
    const auto function = find_function(name);
    if (!function) throw RequestError("there is no function " + name);
    std::vector<Expression> list;
    for (const py::handle a : arguments) list.push_back(needed(a));
    return call(*function, list);
  });
  m.def("dot", [](const Vector& a, const Vector& b) { return dot(a, b); });
  m.def("cross", [](const Vector& a, const Vector& b) { return cross(a, b); });
  m.def("gradient", [](const Expression& f, const Vector& x) { return gradient(f, x); });
  m.def("jacobian", [](const Vector& f, const Vector& x) {
    Rows rows(f.size(), Vector(x.size()));
    for (const auto& [row, column, value] : jacobian(f, x).entries) {
      rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = value;
    }
    return rows;
  });
  m.def("time_derivative", [](const Vector& f, const Vector& q) { return time_derivative(f, q); });
  m.def("product", [](const Rows& a, const Vector& b) { return matrix_of(a) * b; });
  m.def("matrix_product", [](const Rows& a, const Rows& b) { return rows_of(matrix_of(a) * matrix_of(b)); });
  m.def("rotx", [](const py::object& angle) { return rows_of(rotx(needed(angle))); });
  m.def("roty", [](const py::object& angle) { return rows_of(roty(needed(angle))); });
  m.def("rotz", [](const py::object& angle) { return rows_of(rotz(needed(angle))); });
  m.def("contact_ellipsoid", [](const Vector& u, const py::object& a, const py::object& b, const py::object& c) {
    return contact_ellipsoid(u, needed(a), needed(b), needed(c));
  });
  m.def("contact_disk", [](const Vector& u, const py::object& radius, const Vector& axis) {
    return contact_disk(u, needed(radius), axis);
  });
  m.def("contact_sphere", [](const Vector& u, const py::object& radius) { return contact_sphere(u, needed(radius)); });
  m.def("contact_torus", [](const Vector& u, const py::object& radius, const py::object& tube, const Vector& axis) {
    return contact_torus(u, needed(radius), needed(tube), axis);
  });
  m.def("contact_support",
        [](const Expression& h, const Vector& n, const Vector& u) { return contact_support(h, n, u); });
  m.def("angular", [](const Rows& q, const Vector& coordinates) { return angular(matrix_of(q), coordinates); });
}

}  // namespace rattleback::python
