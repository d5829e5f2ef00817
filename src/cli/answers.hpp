#pragma once

// Asking the library, and handing over what it answers.

#include <fmt/format.h>

#include <memory>

#include "printable.hpp"
#include "rattleback/answer/hooks.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {

/// Notes go to standard error.
inline void print_note(const std::string& note, const OutputOptions& output) {
  if (output.talks()) say(fmt::format("note: {}\n", note), stderr);
}

/// How long somebody waits depends on the machine: only who looks on is told.
inline void print_waiting(const std::string& what, const OutputOptions& output) {
  if (is_watched()) print_note(what, output);
}

/// While somebody waits: notes and a bar on standard error, and Ctrl-C ends the work instead of the program.
class Attendance {
 public:
  explicit Attendance(const OutputOptions& output) : output_(output) {}

  answer::Hooks hooks() {
    return {&guard_.flag(),
            [this](const std::string& what, const Progress& progress) {
              if (bar_ == nullptr || what != what_) bar_ = std::make_unique<ProgressBar>(what_ = what, output_.talks());
              (*bar_)(progress);
            },
            [this](const std::string& note) {
              remove_bar();
              print_note(note, output_);
            },
            [this](const std::string& what) {
              remove_bar();
              print_waiting(what, output_);
            }};
  }
  /// Before something is written where it stands.
  void remove_bar() { bar_.reset(); }

 private:
  InterruptGuard guard_;
  const OutputOptions& output_;
  std::string what_;
  std::unique_ptr<ProgressBar> bar_;
};

/// For work that leaves nothing behind: notes, and Ctrl-C ends the program.
inline answer::Hooks only_notes(const OutputOptions& output) {
  return {.note = [&output](const std::string& note) { print_note(note, output); },
          .waiting = [&output](const std::string& what) { print_waiting(what, output); }};
}

/// The answer of a function that is called with the hooks of somebody who waits.
template <class Ask>
auto attend(const OutputOptions& output, Ask&& ask) {
  Attendance attendance(output);
  return ask(attendance.hooks());
}

/// Prints an answer in the form that is wanted.
template <class Answer>
void print(const Answer& answer, const OutputOptions& output) {
  if constexpr (requires { to_latex(answer); }) {
    if (output.latex) return output.quiet ? void() : say(to_latex(answer));
  }
  if (output.json) say_json(to_json(answer));
  if (output.talks()) say(to_text(answer));
}

/// Prints an answer; what it complains of ends the command.
template <class Answer>
void deliver(const Answer& answer, const OutputOptions& output) {
  print(answer, output);
  if (const auto error = complaint(answer)) throw *error;
}

}  // namespace rattleback::cli
