#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/model/model.hpp"

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
  std::optional<std::string> step;
  std::optional<std::string> steps;
  std::optional<std::string> time;
  std::optional<std::string> q0;
  std::optional<std::string> v0;
  std::optional<std::string> q1;
  bool project = false;
  void add_to(Command& command, bool with_step = true);
};

struct Request {
  Model model;
  Problem problem;
  std::int64_t steps;
  std::vector<std::string> notes;  ///< what the user should know before the run
};

/// Reads the model, completes the request from it, and refuses what cannot be run.
/// With `one_step` the whole time is one step: for commands that choose steps themselves.
Request make_request(const ProblemOptions& options, bool one_step = false);

/// -m of the commands that take several methods.
void add_methods_option(Command& command, std::vector<std::string>& methods);
void check_methods(const std::vector<std::string>& methods);

/// An option's text as a positive number, and as a positive integer up to which t = k·h counts exactly.
double positive(const std::string& text, const char* option);
std::int64_t positive_integer(const std::string& text, const char* option);

/// Notes go to standard error.
void print_notes(const std::vector<std::string>& notes, const OutputOptions& output);

/// The numbers of a run with the keys that are promised to stay.
nlohmann::json to_json(const RunResult& result, const Request& request, const std::string& method);

/// Largest difference between the node of a result and the exact solution, over the coordinates for which the
/// model has one.
std::optional<double> exact_error(const RunResult& result, const Request& request);

/// (x, y, z) with so many digits; long lists are cut.
std::string tuple(const std::vector<double>& values, int digits = 10);
std::string names(const std::vector<Expression>& symbols);
/// A list of texts.
nlohmann::json texts(const std::vector<Expression>& expressions);

}  // namespace rattleback::cli
