#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "rattleback/answer/problem.hpp"

namespace rattleback::cli {

/// How a command answers.
struct OutputOptions {
  bool json = false;
  bool quiet = false;
  bool latex = false;
  void add_to(Command& command);
  void add_latex_to(Command& command, const std::string& help);
  /// Refuses what would be two answers.
  void check() const;
  bool talks() const { return !json && !quiet; }
};

/// Which model, with which parameters.
struct ModelOptions {
  std::string model;
  std::vector<std::string> set;
  std::vector<std::string> input;
  void add_to(Command& command);
  Model load() const;
};

/// Which problem: a model, a start, steps.
struct ProblemOptions {
  ModelOptions model;
  std::optional<double> step;
  std::optional<std::int64_t> steps;
  std::optional<double> time;
  std::optional<std::string> q0;  ///< texts: they may contain parameters of the model
  std::optional<std::string> v0;
  std::optional<std::string> t0;
  std::optional<std::string> q1;
  std::string stop_when;
  bool project = false;
  void add_to(Command& command, bool with_step = true);
  /// Reads the model, and the texts.
  answer::ProblemRequest request() const;
};

/// -m of the commands that take several methods.
void add_methods_option(Command& command, std::vector<std::string>& methods);

/// --report of the commands that make pages.
void add_report_option(Command& command, std::optional<std::string>& path);
/// --force of the commands whose results replace only older ones without it.
void add_force_option(Command& command, bool& force);

}  // namespace rattleback::cli
