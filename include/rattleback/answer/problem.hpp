#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rattleback/method/stepper.hpp"
#include "rattleback/model/model.hpp"

/// Questions and answers: each function takes a request, a struct whose fields say what is wanted and have the defaults
/// of Rattleback, and gives an answer, a struct with all numbers, notes and verdicts. Beside each answer stand its
/// renderings: to_text for people, to_json with keys that are promised to stay.
///
/// A wrong request throws an Error of kind `request`. What went wrong later is part of the answer; complaint(answer)
/// says so in words, with the kind that an error of this sort has.
///
/// Messages name fields of requests between backticks, `step` or `output=FILE`, as C++ and Python write them. Who calls
/// them differently replaces them: the command line says --step and -o FILE.
namespace rattleback::answer {

/// Which model a request is about.
class ModelSource {
 public:
  /// A name of the catalogue, or a file.
  ModelSource(std::string name_or_file) : source_(std::move(name_or_file)) {}
  ModelSource(const char* name_or_file = "") : source_(std::string(name_or_file)) {}
  /// One that has been read, with the values its parameters have.
  ModelSource(Model model) : source_(std::move(model)) {}
  ModelSource(System system);
  /// The text of a model file; `file` is named in errors.
  static ModelSource text(std::string text, std::string file = "model.toml");

  /// Reads it, with other values for some of its parameters and other expressions for some of its inputs. Throws
  /// ModelError, FileError; a model that has been read takes neither.
  Model load(const ParameterValues& parameters = {}, const InputTexts& inputs = {}) const;

 private:
  struct Text {
    std::string text;
    std::string file;
  };
  explicit ModelSource(Text text) : source_(std::move(text)) {}

  std::variant<std::string, Text, Model> source_;
};

/// Numbers for the coordinates: one for each in their order, or some by name.
struct CoordinateNumbers {
  std::vector<double> each = {};
  std::map<std::string, double> named = {};

  CoordinateNumbers() = default;
  CoordinateNumbers(std::vector<double> numbers) : each(std::move(numbers)) {}
  CoordinateNumbers(std::initializer_list<double> numbers) : each(numbers) {}
  CoordinateNumbers(std::map<std::string, double> numbers) : named(std::move(numbers)) {}
  bool empty() const { return each.empty() && named.empty(); }
};

/// Which problem: a model, a start, steps. What is not given is taken from the model.
struct ProblemRequest {
  ModelSource model = {};
  ParameterValues parameters = {};  ///< values that replace those of the model
  InputTexts inputs = {};           ///< expressions that replace those of the model
  std::optional<double> step = {};
  std::optional<std::int64_t> steps = {};  ///< else as many as there are in `time`
  std::optional<double> time = {};
  /// Positions that are not named are those of the model, as far as holonomic constraints allow.
  CoordinateNumbers q0 = {};
  /// Velocities that are not named follow from the constraints, with the least kinetic energy.
  CoordinateNumbers v0 = {};
  std::optional<double> t0 = {};  ///< time of the start
  std::vector<double> q1 = {};    ///< positions after the first step, for methods that can start from two positions
  /// The motion stops where this expression of it passes zero, in either direction.
  std::string stop_when = {};
  bool project = false;  ///< inconsistent initial data are moved to the nearest consistent ones
};

/// A problem that can be run.
struct PreparedProblem {
  Model model;
  Problem problem;
  std::int64_t steps;
  std::vector<std::string> notes;  ///< what one should know before the run
};

/// One of several methods that cannot be had for a problem, and why.
struct InapplicableMethod {
  std::string method;
  std::string reason;
};

/// Reads the model, completes the request from it, and refuses what cannot be run: throws ModelError, StartError and
/// other errors of kind `request`.
PreparedProblem prepare(const ProblemRequest& request);
/// The whole time is one step: for those who choose steps themselves. A request with steps is refused.
PreparedProblem prepare_time(const ProblemRequest& request);

}  // namespace rattleback::answer
