// `rattleback modified`: backward error analysis at a point.

#include "rattleback/answer/modified.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct ModifiedOptions {
  ProblemOptions problem;
  OutputOptions output;
  answer::ModifiedRequest request;
  std::optional<std::string> at;
  bool formulas = false;
};

/// "R;P"
answer::ModifiedRequest::Point point(const std::string& text) {
  const std::size_t semicolon = text.find(';');
  if (semicolon == std::string::npos) {
    throw RequestError(fmt::format("--at must be positions, a semicolon, momenta, as in '0,0;1,1'; found '{}'", text));
  }
  return {numbers_from_text(text.substr(0, semicolon), "--at"), numbers_from_text(text.substr(semicolon + 1), "--at")};
}

void analyse_backwards(const ModifiedOptions& o) {
  o.output.check();
  answer::ModifiedRequest request = o.request;
  request.problem = o.problem.request();
  if (o.at) request.at = point(*o.at);
  using Formulas = answer::ModifiedRequest::Formulas;
  request.formulas = o.output.latex ? Formulas::only : o.formulas ? Formulas::also : Formulas::none;
  answer::Hooks hooks;
  hooks.note = [&](const std::string& note) { print_note(note, o.output); };
  print(answer::modified(request, hooks), o.output);
}

}  // namespace

Command modified_command() {
  Command command{"modified", "Modified Hamiltonian of a variational method: backward error analysis"};
  auto o = std::make_shared<ModifiedOptions>();
  o->problem.add_to(command);
  command.add({.names = "-m,--method",
               .value = "METHOD",
               .help = "A variational method: del, hdel, pthdel, conformal or free",
               .target = &o->request.method,
               .values = {Values::Kind::method, {"del", "hdel", "pthdel", "conformal", "free"}}});
  command.add({.names = "--order",
               .value = "L",
               .help = "The power of h up to which the series is shown",
               .target = &o->request.order});
  command.add({.names = "--tolerance",
               .value = "X",
               .help = "How small the change by further points must be for them to be left away",
               .target = &o->request.tolerance});
  command.add({.names = "--at",
               .value = "R;P",
               .help = "Where: positions and momenta of the shape, as in '0,0;1,1'; else at the start",
               .target = &o->at});
  command.add({.names = "--energy",
               .value = "E",
               .help = "The parameter E of altered Lagrangians; else the energy at the point",
               .target = &o->request.energy});
  command.add(
      {.names = "--formulas", .help = "Also the coefficients of the series as formulas", .target = &o->formulas});
  command.add({.names = "--equation",
               .help = "With the formulas: the modified Lagrangian and the modified equation too",
               .target = &o->request.equation});
  command.add(
      {.names = "--numbers",
       .help = "In the formulas: the numbers of the parameters instead of their names, which makes them shorter",
       .target = &o->request.numbers});
  o->output.add_latex_to(command, "Only the formulas, in LaTeX");
  o->output.add_to(command);
  command.notes = {
      "Steps of a variational method follow, up to any power of h, the motion of a modified Hamiltonian K. For pthdel "
      "and conformal, K depends on E and vanishes where E is the modified energy; the modified factor N = -dK/dE there "
      "is the inverse density of the measure that the method preserves.",
      "--equation shows L, the Legendre transform of K with E fixed, in positions and velocities, and the equation of "
      "motion of K, or of the modified energy and factor, in positions and momenta; x'_2 is what belongs to h^2."};
  command.examples = {
      "rattleback modified harmonic-particle -m conformal:TT --step 0.25 --at '0,0;1,1' --formulas --order 2",
      "rattleback modified free-particle -m conformal:M --order 2 --formulas --equation",
      "rattleback modified veselova --order 2 --formulas --numbers"};
  command.action = [o] { analyse_backwards(*o); };
  return command;
}

}  // namespace rattleback::cli
