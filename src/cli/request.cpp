#include "request.hpp"

#include <fmt/format.h>

namespace rattleback::cli {

void OutputOptions::add_to(Command& command) {
  command.add({.names = "--json", .help = "One JSON document on standard output instead of text", .target = &json});
  command.add({.names = "--quiet", .help = "No text: the exit status is the answer", .target = &quiet});
}

void OutputOptions::add_latex_to(Command& command, const std::string& help) {
  command.add({.names = "--latex", .help = help, .target = &latex});
}

void OutputOptions::check() const {
  if (latex && json) throw RequestError("--latex and --json are two answers: give one");
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
  command.add({.names = "--input",
               .value = "NAME=EXPR",
               .help = "Replaces an input, as in torque=0.5*sin(2*t) or torque=FILE.csv; may be repeated",
               .target = &input,
               .values = {Values::Kind::input},
               .field = "inputs"});
}

namespace {

/// NAME=VALUE.
std::pair<std::string, std::string> named_value(const std::string& entry, const char* option, const char* value) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == entry.size()) {
    throw RequestError(fmt::format("{} needs NAME={}, found '{}'", option, value, entry));
  }
  std::string name = entry.substr(0, equals);
  name.erase(name.find_last_not_of(' ') + 1);
  return {name, entry.substr(equals + 1)};
}

}  // namespace

Model ModelOptions::load() const {
  ParameterValues values;
  for (const std::string& entry : set) {
    const auto [name, text] = named_value(entry, "--set", "VALUE");
    values[name] = number_from_text(text, "--set " + name);
  }
  InputTexts inputs;
  for (const std::string& entry : input) {
    const auto [name, text] = named_value(entry, "--input", "EXPR");
    inputs[name] = text;
  }
  return load_model(model, values, inputs);
}

void ProblemOptions::add_to(Command& command, bool with_step) {
  model.add_to(command);
  command.add({.names = "--time", .value = "T", .help = "The time to integrate over", .target = &time});
  if (with_step) {
    command.add({.names = "--step", .value = "H", .help = "The step size h", .target = &step});
    command.add(
        {.names = "--steps", .value = "N", .help = "The number of steps", .target = &steps, .excludes = "--time"});
  }
  command.add({.names = "--q0",
               .value = "A,B,...",
               .help = "Initial positions, as in 1,0,pi/2; or some by name, as in z=0.1",
               .target = &q0,
               .values = {Values::Kind::coordinate}});
  command.add({.names = "--v0",
               .value = "A,B,...",
               .help = "Initial velocities; by name, as in psi=-5,phi=0: the others follow from the constraints",
               .target = &v0,
               .values = {Values::Kind::coordinate}});
  command.add({.names = "--t0", .value = "T", .help = "The time of the start, as in pi/2", .target = &t0});
  if (with_step) {
    command.add({.names = "--q1",
                 .value = "A,B,...",
                 .help = "Positions after the first step, for methods that can start from two positions",
                 .target = &q1});
  }
  command.add({.names = "--stop-when",
               .value = "EXPR",
               .help = "Stops where an expression of the motion passes zero, as in z-0.1",
               .target = &stop_when,
               .field = "stop_when"});
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
  const auto numbers_or_some = [&](const std::optional<std::string>& text, const char* option) {
    const bool named = text && text->find('=') != std::string::npos;
    return named ? answer::CoordinateNumbers(named_numbers_from_text(*text, option, values))
                 : answer::CoordinateNumbers(numbers(text, option));
  };
  answer::ProblemRequest request;
  request.q0 = numbers_or_some(q0, "--q0");
  request.v0 = numbers_or_some(v0, "--v0");
  request.q1 = numbers(q1, "--q1");
  if (t0) request.t0 = number_from_text(*t0, "--t0", values);
  request.step = step;
  request.steps = steps;
  request.time = time;
  request.stop_when = stop_when;
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

void add_report_option(Command& command, std::optional<std::string>& path) {
  command.add({.names = "--report",
               .value = "FILE",
               .help = "Also makes a page with figures: a file ending with .html",
               .target = &path,
               .values = {Values::Kind::file, {".html"}}});
}

void add_force_option(Command& command, bool& force) {
  command.add({.names = "--force", .help = "Replaces files even if they are not older results", .target = &force});
}

}  // namespace rattleback::cli
