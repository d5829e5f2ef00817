// `rattleback analyse`: what a system is, with what the verdicts rest on.

#include "rattleback/answer/analyse.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct AnalyseOptions {
  ModelOptions model;
  OutputOptions output;
  std::optional<std::string> lagrangian;
  std::optional<std::string> rule;
  std::optional<std::int64_t> associated;
};

answer::AnalyseAnswer answer_to(const AnalyseOptions& o) {
  try {
    return answer::analyse(
        {.model = o.model.load(), .lagrangian = o.lagrangian, .rule = o.rule, .associated = o.associated},
        only_notes(o.output));
  } catch (const GeometryError& error) {
    throw GeometryError(fmt::format("{}: {}", o.model.model, error.what()));
  }
}

void analyse_model(const AnalyseOptions& o) {
  o.output.check();
  if (o.output.latex && o.lagrangian)
    throw RequestError("--latex writes down what was found, --lagrangian checks: give one");
  const auto answer = answer_to(o);
  if (!o.output.latex) return deliver(answer, o.output);
  const std::string formulas = to_latex(answer);  // there may be none
  if (!o.output.quiet) say(formulas);
}

}  // namespace

Command analyse_command() {
  Command command{"analyse",
                  "Says what a system is: symmetry, Chaplygin reduction, measure, multiplier, free Lagrangians"};
  auto o = std::make_shared<AnalyseOptions>();
  o->model.add_to(command);
  o->output.add_latex_to(command, "The reduced system and the multiplier in LaTeX");
  command.add({.names = "--lagrangian",
               .value = "TEXT",
               .help = "Checks a Lagrangian without constraints: do its equations describe the motion, is it regular",
               .target = &o->lagrangian});
  command.add({.names = "--rule",
               .value = "RULE",
               .help =
                   "Also the reduced discrete equations under midpoint, trapezoidal, alpha=A or sym=A: the discrete "
                   "Lagrangian Ld* and the discrete forces F-, F+",
               .target = &o->rule,
               .values = {Values::Kind::word, {"midpoint", "trapezoidal", "alpha=0.5", "sym=0"}}});
  command.add({.names = "--associated",
               .value = "N",
               .help = "Searches among the first N associated systems of a constrained one, each acceleration by other "
                       "velocities, for those with a regular Lagrangian; 100 are enough for most",
               .target = &o->associated});
  o->output.add_to(command);
  command.notes = {
      "Verdicts are judged at random points about the initial position and print the residuals they rest on."};
  command.examples = {
      "rattleback analyse knife-edge-incline", "rattleback analyse quadratic-particle --rule midpoint",
      "rattleback analyse mobile-robot --associated 100",
      "rattleback analyse free-particle-x --lagrangian \"0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))\""};
  command.action = [o] { analyse_model(*o); };
  return command;
}

}  // namespace rattleback::cli
