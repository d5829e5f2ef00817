#pragma once

#include <atomic>
#include <string>

#include "rattleback/flow/run.hpp"

namespace rattleback::cli {

/// Standard error is a terminal.
bool is_watched();

/// A bar on standard error with rate and remaining time: only on a terminal, and only after a second.
class ProgressBar {
 public:
  ProgressBar(const std::string& label, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void operator()(const Progress& progress);

 private:
  std::string label_;
  bool wanted_;
  bool shown_ = false;
};

/// While it lives, Ctrl-C (and a polite kill) sets a flag instead of ending the program; the second one ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& flag() const;
};

/// The command line as it was typed, quoted for a shell.
void remember_command_line(int argc, char** argv);
const std::string& command_line();

}  // namespace rattleback::cli
