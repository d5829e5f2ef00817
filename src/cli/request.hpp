#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "rattleback/answer/problem.hpp"
#include "src/answer/json.hpp"
#include "src/answer/text.hpp"

namespace rattleback::cli {

/// How a command answers.
struct OutputOptions {
  bool json = false;
  bool quiet = false;
  void add_to(Command& command);
  bool talks() const { return !json && !quiet; }
};

/// Which model, with which parameters.
struct ModelOptions {
  std::string model;
  std::vector<std::string> set;
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
  std::optional<std::string> q1;
  bool project = false;
  void add_to(Command& command, bool with_step = true);
  /// Reads the model, and the texts.
  answer::ProblemRequest request() const;
};

/// -m of the commands that take several methods.
void add_methods_option(Command& command, std::vector<std::string>& methods);

using Request = answer::PreparedProblem;
using answer::names;
using answer::texts;
using answer::tuple;
Request make_request(const ProblemOptions& options);
void check_methods(const std::vector<std::string>& methods);

/// An option's text as a positive number, and as a positive integer up to which t = k·h counts exactly.
double positive(const std::string& text, const char* option);
std::int64_t positive_integer(const std::string& text, const char* option);

/// Notes go to standard error.
void print_notes(const std::vector<std::string>& notes, const OutputOptions& output);

}  // namespace rattleback::cli
