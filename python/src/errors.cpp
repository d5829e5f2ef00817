// Each class of errors is an exception of the same name; their kinds are bases.

#include <filesystem>

#include "module.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/geometry/chaplygin.hpp"
#include "rattleback/io/result_file.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/flow.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback::python {
namespace {

struct Exception {
  PyObject* type;
  bool (*fits)(const Error&);
};

/// The most special ones first.
std::vector<Exception>& exceptions() {
  static auto& list = *new std::vector<Exception>;
  return list;
}

/// The library calls the values of parameters `parameters`; here they are given as `set`.
std::string in_our_words(std::string message) {
  constexpr std::string_view field = "`parameters";
  for (auto at = message.find(field); at != std::string::npos; at = message.find(field, at + 1)) {
    const char next = at + field.size() < message.size() ? message[at + field.size()] : ' ';
    if (next == '`' || next == '=') message.replace(at, field.size(), "`set");
  }
  return message;
}

py::object make(py::module_& m, const char* name, const char* doc, const py::tuple& bases) {
  auto type = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc((std::string("rattleback.") + name).c_str(), doc, bases.ptr(), nullptr));
  m.attr(name) = type;
  return type;
}

template <class E>
void translate(const py::object& type) {
  const auto fits = [](const Error& e) {
    if constexpr (std::is_same_v<E, Error>)
      return true;
    else
      return dynamic_cast<const E*>(&e) != nullptr;
  };
  exceptions().insert(exceptions().begin(), {type.inc_ref().ptr(), fits});
}

void raise(const Error& error) {
  if (error.kind() == Error::Kind::interrupted) return PyErr_SetNone(PyExc_KeyboardInterrupt);
  for (const Exception& e : exceptions()) {
    if (e.fits(error)) return PyErr_SetString(e.type, in_our_words(error.what()).c_str());
  }
}

}  // namespace

void bind_errors(py::module_& m) {
  const auto builtin = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  const auto error =
      make(m, "Error", "Whatever Rattleback has to complain of.", py::make_tuple(builtin(PyExc_Exception)));
  translate<Error>(error);
  const auto request =
      make(m, "RequestError", "The request or the model is wrong.", py::make_tuple(error, builtin(PyExc_ValueError)));
  translate<RequestError>(request);
  const auto numerical = make(m, "NumericalError", "The numbers: no solution, not finite, a singularity.",
                              py::make_tuple(error, builtin(PyExc_ArithmeticError)));
  translate<NumericalError>(numerical);
  const auto failure = make(m, "SystemFailure", "Files, memory, a part that is not installed.",
                            py::make_tuple(error, builtin(PyExc_RuntimeError)));
  translate<SystemFailure>(failure);
  translate<FileError>(make(m, "FileError", "A file that cannot be read or written, or is not where it should be.",
                            py::make_tuple(failure, builtin(PyExc_OSError))));
  translate<MemoryError>(make(m, "OutOfMemory", "More memory is needed than there may be.", py::make_tuple(failure)));
  translate<CompilerError>(make(m, "CompilerError", "The compiler cannot be used.", py::make_tuple(failure)));
  const auto derive = [&](const char* name, const char* doc, const py::object& base) {
    return make(m, name, doc, py::make_tuple(base));
  };
  translate<ModelError>(derive("ModelError", "A model that cannot be used.", request));
  translate<SystemError>(derive("SystemError", "Something that is no mechanical system.", request));
  translate<ExpressionError>(derive("ExpressionError", "What expressions cannot represent.", request));
  translate<ParseError>(derive("ParseError", "A text that is not an expression.", request));
  translate<MethodError>(derive("MethodError", "A method that does not exist, or cannot treat the system.", request));
  const auto start = derive("StartError", "A state in which no motion can start.", request);
  translate<StartError>(start);
  translate<InconsistentStart>(derive("InconsistentStart", "A start that violates the constraints.", start));
  translate<GeometryError>(derive("GeometryError", "A symmetry that is none, or nothing to reduce.", request));
  translate<EnsembleError>(derive("EnsembleError", "An ensemble that cannot be.", request));
  translate<ResumeError>(derive("ResumeError", "Nothing to resume, or another run.", request));
  translate<FlowError>(derive("FlowError", "The integration cannot go on.", numerical));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& e) {
      raise(e);
    } catch (const std::filesystem::filesystem_error& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
}

}  // namespace rattleback::python
