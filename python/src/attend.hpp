#pragma once

#include "module.hpp"
#include "rattleback/answer/hooks.hpp"

namespace rattleback::python {

/// What came of a question besides its answer: notes, and the exception that a signal or a callback has raised
/// meanwhile.
struct Attendance {
  std::vector<std::string> notes = {};
  py::object stop = py::none();

  /// The exception, if there is one.
  void raise() const;
};

/// Asks the library in a thread of its own, without the lock of the interpreter. Meanwhile this one handles signals, as
/// Python would, and calls `progress(what, step, steps, seconds)`. An exception on the way stops the work.
Attendance attend(const py::object& progress, const std::function<void(const answer::Hooks&)>& ask);

/// The same with an answer, in which is what was finished before an exception; empty if there is none.
template <class Ask>
auto attended_answer(const py::object& progress, Ask&& ask) {
  std::optional<decltype(ask(answer::Hooks{}))> answer;
  Attendance attendance = attend(progress, [&](const answer::Hooks& hooks) { answer.emplace(ask(hooks)); });
  return std::pair(std::move(answer), std::move(attendance));
}

}  // namespace rattleback::python
