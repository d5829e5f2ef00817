#pragma once

#include "module.hpp"

namespace rattleback::python {

/// A scope in which a thread may be without the lock of the interpreter. An interpreter that ends kills threads that
/// come back for the lock, where they stand; ours asks those that are in such scopes to stop, and waits for them.
class Away {
 public:
  /// Throws KeyboardInterrupt if the interpreter is ending.
  Away();
  ~Away();
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
};

/// Whether a signal handler has raised an exception, or the interpreter ends, for which KeyboardInterrupt is raised:
/// nobody waits for an answer any more.
bool must_stop();

/// Works without the lock.
class Unlocked {
  const Away away_;
  const py::gil_scoped_release release_;
};

}  // namespace rattleback::python
