// `rattleback compare`: several methods on one problem.

#include "rattleback/answer/compare.hpp"

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct CompareOptions {
  ProblemOptions problem;
  answer::CompareRequest request;
  OutputOptions output;
};

void compare_methods(CompareOptions& o) {
  o.request.problem = o.problem.request();
  o.request.command = command_line();
  deliver(attend(o.output, [&](const answer::Hooks& hooks) { return answer::compare(o.request, hooks); }), o.output);
}

}  // namespace

Command compare_command() {
  Command command{"compare", "Runs several methods on one problem: one table"};
  auto o = std::make_shared<CompareOptions>();
  o->problem.add_to(command);
  add_methods_option(command, o->request.methods);
  add_report_option(command, o->request.report);
  add_force_option(command, o->request.force);
  o->output.add_to(command);
  command.examples = {"rattleback compare quadratic-particle -m reference,dla,dla:order=6,rk4 --step 0.2 --time 250"};
  command.notes = {"A method that does not apply is a row with the reason; the command fails if none applies."};
  command.action = [o] { compare_methods(*o); };
  return command;
}

}  // namespace rattleback::cli
