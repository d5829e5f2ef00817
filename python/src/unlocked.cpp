#include "unlocked.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace rattleback::python {
namespace {

std::atomic<bool> ending = false;
std::atomic<int> away = 0;
constexpr auto patience = std::chrono::seconds(10);

/// Called while the interpreter is still alive.
void wait_for_all() {
  ending = true;
  const py::gil_scoped_release release;
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (away > 0 && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Away::Away() {
  if (ending) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  ++away;
}
Away::~Away() { --away; }

bool must_stop() {
  if (!ending) return PyErr_CheckSignals() != 0;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

void bind_end(py::module_& /*m*/) {
  py::module_::import("atexit").attr("register")(py::cpp_function(&wait_for_all));
  pthread_atfork(nullptr, nullptr, [] { away = 0; });  // a child has none of the other threads
}

}  // namespace rattleback::python
