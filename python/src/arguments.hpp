#pragma once

#include <algorithm>
#include <set>

#include "module.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback::python {

/// Keyword arguments on their way into the fields of a request, under the names of the fields.
class Arguments {
 public:
  explicit Arguments(py::dict given) : given_(std::move(given)) {}

  /// Fills a field if its argument is there and not None.
  template <class T>
  void take(const char* name, T& field) {
    names_.emplace_back(name);
    if (!given_.contains(name)) return;
    const py::object value = given_[name];
    if (value.is_none()) return;
    try {
      read(value, field);
    } catch (const py::cast_error&) {
      throw py::type_error(std::string(name) + " cannot be " + std::string(py::repr(value)));
    }
  }

  /// Refuses what is left.
  void check() const {
    for (const auto& [key, value] : given_) {
      const std::string name = py::cast<std::string>(key);
      if (std::ranges::find(names_, name) != names_.end()) continue;
      const auto meant = closest_name(name, names_);
      std::string all;
      for (const std::string& known : names_) all += (all.empty() ? "" : ", ") + known;
      throw py::type_error("there is no argument '" + name + "'; " +
                           (meant ? "did you mean '" + *meant + "'?" : "there are " + all));
    }
  }

 private:
  template <class T>
  static void read(const py::object& value, T& field) {
    field = py::cast<T>(value);
  }
  template <class T>
  static void read(const py::object& value, std::optional<T>& field) {
    T read_value{};
    read(value, read_value);
    field = std::move(read_value);
  }
  static void read(const py::object& value, std::string& field) { field = py::str(value); }
  static void read(const py::object& value, std::vector<std::string>& field) {
    field.clear();
    if (py::isinstance<py::str>(value)) {
      field.push_back(py::cast<std::string>(value));
    } else {
      for (const py::handle item : value) field.push_back(py::str(item));
    }
  }
  static void read(const py::object& value, InputTexts& field) {
    for (const auto& [name, text] : py::cast<py::dict>(value)) {
      const auto expression = py::isinstance<py::str>(text) ? std::nullopt : expression_from(text);
      field[py::cast<std::string>(name)] = expression ? to_text(*expression) : py::cast<std::string>(text);
    }
  }
  static void read(const py::object& value, answer::CoordinateNumbers& field) {
    if (py::isinstance<py::dict>(value)) {
      for (const auto& [name, number] : py::cast<py::dict>(value)) {
        field.named[py::str(name)] = py::cast<double>(number);
      }
    } else {
      field.each = py::cast<std::vector<double>>(value);
    }
  }
  static void read(const py::object& value, ParameterValues& field) {
    for (const auto& [name, number] : py::cast<py::dict>(value)) field[py::str(name)] = py::cast<double>(number);
  }

  py::dict given_;
  std::vector<std::string> names_;
};

/// Which problem. A model with other values is read again from its source; `from_source` always does so.
answer::ProblemRequest problem_request(const ReadModel& model, Arguments& arguments, bool from_source = false);

}  // namespace rattleback::python
