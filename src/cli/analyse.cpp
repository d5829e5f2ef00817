// `rattleback analyse`: what a system is, with what the verdicts rest on.

#include "rattleback/answer/analyse.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "exit_status.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool latex = false;
  std::optional<std::string> lagrangian;
};

answer::AnalyseAnswer answer_to(const Options& o) {
  try {
    return answer::analyse({.model = o.model.load(), .lagrangian = o.lagrangian});
  } catch (const GeometryError& error) {
    throw GeometryError(fmt::format("{}: {}", o.model.model, error.what()));
  }
}

void analyse_model(const Options& o) {
  if (o.latex && o.output.json)
    throw Failure(ExitStatus::wrong_request, "--latex and --json are two answers: give one");
  if (o.latex && o.lagrangian)
    throw Failure(ExitStatus::wrong_request, "--latex writes down what was found, --lagrangian checks: give one");
  const auto answer = answer_to(o);
  if (!o.latex) return deliver(answer, o.output);
  const std::string formulas = to_latex(answer);
  if (!o.output.quiet) fmt::print("{}", formulas);
}

}  // namespace

Command analyse_command() {
  Command command{"analyse",
                  "Says what a system is: symmetry, Chaplygin reduction, measure, multiplier, free Lagrangians"};
  auto o = std::make_shared<Options>();
  o->model.add_to(command);
  command.add({.names = "--latex", .help = "The reduced system and the multiplier in LaTeX", .target = &o->latex});
  command.add({.names = "--lagrangian",
               .value = "TEXT",
               .help = "Checks a Lagrangian without constraints: do its equations describe the motion, is it regular",
               .target = &o->lagrangian});
  o->output.add_to(command);
  command.notes = {
      "Verdicts are judged at random points about the initial position and print the residuals they rest on."};
  command.examples = {
      "rattleback analyse knife-edge-incline",
      "rattleback analyse free-particle-x --lagrangian \"0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))\""};
  command.action = [o] { analyse_model(*o); };
  return command;
}

}  // namespace rattleback::cli
