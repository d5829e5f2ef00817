#pragma once

// Asking the library, and handing over what it answers.

#include <fmt/format.h>

#include <memory>

#include "rattleback/answer/hooks.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {

/// While somebody waits: notes and a bar on standard error, and Ctrl-C ends the work instead of the program.
class Attendance {
 public:
  explicit Attendance(const OutputOptions& output) : talks_(output.talks()) {}

  answer::Hooks hooks() {
    return {&guard_.flag(),
            [this](const std::string& what, const Progress& progress) {
              if (bar_ == nullptr || what != what_) bar_ = std::make_unique<ProgressBar>(what_ = what, talks_);
              (*bar_)(progress);
            },
            [this](const std::string& note) {
              remove_bar();
              if (talks_) fmt::print(stderr, "note: {}\n", note);
            }};
  }
  /// Before something is written where it stands.
  void remove_bar() { bar_.reset(); }

 private:
  InterruptGuard guard_;
  bool talks_;
  std::string what_;
  std::unique_ptr<ProgressBar> bar_;
};

/// The answer of a function that is called with the hooks of somebody who waits.
template <class Ask>
auto attend(const OutputOptions& output, Ask&& ask) {
  Attendance attendance(output);
  return ask(attendance.hooks());
}

/// Prints an answer in the form that is wanted.
template <class Answer>
void print(const Answer& answer, const OutputOptions& output) {
  if (output.json) fmt::print("{}\n", to_json(answer));
  if (output.talks()) fmt::print("{}", to_text(answer));
}

/// Prints an answer; what it complains of ends the command.
template <class Answer>
void deliver(const Answer& answer, const OutputOptions& output) {
  print(answer, output);
  if (const auto error = complaint(answer)) throw *error;
}

}  // namespace rattleback::cli
