#include "request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "src/answer/check.hpp"

namespace rattleback::cli {

double positive(const std::string& text, const char* option) {
  const double value = number_from_text(text, option);
  if (value > 0.0) return value;
  throw RequestError(fmt::format("{} must be positive, found {}", option, text));
}

std::int64_t positive_integer(const std::string& text, const char* option) {
  const double value = positive(text, option);
  if (value != std::round(value) || value > static_cast<double>(answer::most_steps)) {
    throw RequestError(fmt::format("{} must be an integer{}, found {}", option,
                                   value > static_cast<double>(answer::most_steps) ? " of at most 2^53" : "", text));
  }
  return static_cast<std::int64_t>(value);
}

void OutputOptions::add_to(Command& command) {
  command.add({.names = "--json", .help = "One JSON document on standard output instead of text", .target = &json});
  command.add({.names = "--quiet", .help = "No text: the exit status is the answer", .target = &quiet});
}

void ModelOptions::add_to(Command& command) {
  command.add({.names = "model",
               .value = "MODEL",
               .help = "A name of the catalogue ('rattleback models'), or a file ending with .toml",
               .target = &model,
               .values = {Values::Kind::model},
               .required = true,
               .hint = "'rattleback models' lists those there are"});
  command.add({.names = "--set",
               .value = "NAME=VALUE",
               .help = "Replaces the value of a parameter; may be repeated",
               .target = &set,
               .values = {Values::Kind::parameter}});
}

Model ModelOptions::load() const {
  ParameterValues values;
  for (const std::string& entry : set) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
      throw RequestError(fmt::format("--set needs NAME=VALUE, found '{}'", entry));
    }
    std::string name = entry.substr(0, equals);
    name.erase(name.find_last_not_of(' ') + 1);
    values[name] = number_from_text(entry.substr(equals + 1), "--set " + name);
  }
  return load_model(model, values);
}

void ProblemOptions::add_to(Command& command, bool with_step) {
  model.add_to(command);
  command.add({.names = "--time", .value = "T", .help = "The time to integrate over", .target = &time});
  if (with_step) {
    command.add({.names = "--step", .value = "H", .help = "The step size h", .target = &step});
    command.add(
        {.names = "--steps", .value = "N", .help = "The number of steps", .target = &steps, .excludes = "--time"});
  }
  command.add({.names = "--q0", .value = "A,B,...", .help = "Initial positions, as in 1,0,pi/2", .target = &q0});
  command.add({.names = "--v0", .value = "A,B,...", .help = "Initial velocities", .target = &v0});
  if (with_step) {
    command.add({.names = "--q1",
                 .value = "A,B,...",
                 .help = "Positions after the first step, for methods that can start from two positions",
                 .target = &q1});
  }
  command.add({.names = "--project",
               .help = "Moves inconsistent initial data to the nearest consistent ones",
               .target = &project});
}

answer::ProblemRequest ProblemOptions::request() const {
  Model loaded = model.load();
  ParameterValues values;
  for (const Parameter& p : loaded.system.parameter_list()) values[p.name] = p.value;
  const auto numbers = [&](const std::optional<std::string>& text, const char* option) {
    return text ? numbers_from_text(*text, option, values) : std::vector<double>();
  };
  answer::ProblemRequest request;
  request.q0 = numbers(q0, "--q0");
  request.v0 = numbers(v0, "--v0");
  request.q1 = numbers(q1, "--q1");
  request.step = step;
  request.steps = steps;
  request.time = time;
  request.project = project;
  request.model = std::move(loaded);
  return request;
}

void add_methods_option(Command& command, std::vector<std::string>& methods) {
  command.add({.names = "-m,--methods",
               .value = "A,B,...",
               .help = "The integrators, separated by commas",
               .target = &methods,
               .values = {Values::Kind::method},
               .list = true});
}

Request make_request(const ProblemOptions& options) { return answer::prepare(options.request()); }

void check_methods(const std::vector<std::string>& methods) { answer::require_methods(methods); }

void print_notes(const std::vector<std::string>& notes, const OutputOptions& output) {
  if (!output.talks()) return;
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

}  // namespace rattleback::cli
