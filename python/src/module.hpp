#pragma once

// The Python door: requests out of arguments, answers as objects. What is known is known by the library.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "rattleback/answer/problem.hpp"
#include "rattleback/experiment/table.hpp"
#include "rattleback/expr/expression.hpp"

namespace rattleback::python {

namespace py = pybind11;

void bind_end(py::module_& m);
void bind_errors(py::module_& m);
void bind_expressions(py::module_& m);
void bind_models(py::module_& m);
void bind_answers(py::module_& m);
void bind_simulation(py::module_& m);

/// A model with the source it can be read from again.
struct ReadModel {
  std::string text;
  std::string file;  ///< named in errors
  ParameterValues parameters;
  InputTexts inputs;
  Model model;
};

/// An expression, or a number.
std::optional<Expression> expression_from(py::handle object);

/// Numbers as a read-only array that keeps `owner` alive; nothing is copied.
py::array view_of(std::span<const double> numbers, const py::object& owner);

/// Name, group and numbers of each column.
py::list columns_of(const Table& table, const py::object& owner);

}  // namespace rattleback::python
