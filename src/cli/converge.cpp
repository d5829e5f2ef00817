// `rattleback converge`: errors and costs of methods over a range of step sizes.

#include "rattleback/answer/converge.hpp"

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {
namespace {

struct ConvergeOptions {
  ProblemOptions problem;
  answer::ConvergeRequest request;
  OutputOptions output;
};

void converge(ConvergeOptions& o) {
  o.request.problem = o.problem.request();
  o.request.command = command_line();
  deliver(attend(o.output, [&](const answer::Hooks& hooks) { return answer::converge(o.request, hooks); }), o.output);
}

}  // namespace

Command converge_command() {
  Command command{"converge", "Errors, costs and measured orders over a range of steps"};
  auto o = std::make_shared<ConvergeOptions>();
  o->problem.add_to(command, /*with_step=*/false);
  add_methods_option(command, o->request.methods);
  command.add({.names = "--from",
               .value = "N",
               .help = "The fewest points in time: one more than steps",
               .target = &o->request.fewest,
               .field = "fewest"});
  command.add(
      {.names = "--to", .value = "N", .help = "The most points in time", .target = &o->request.most, .field = "most"});
  command.add(
      {.names = "--count", .value = "K", .help = "How many step sizes between them", .target = &o->request.count});
  command.add({.names = "--check",
               .help = "Exit status 1 unless every method has the order it promises",
               .target = &o->request.check});
  add_report_option(command, o->request.report);
  add_force_option(command, o->request.force);
  o->output.add_to(command);
  command.notes = {
      "The order is the slope of log(error) over log(h), over the finer half of the errors above round-off."};
  command.examples = {"rattleback converge quadratic-particle -m dla:midpoint,dla:midpoint:order=6,rk4 --time 5"};
  command.action = [o] { converge(*o); };
  return command;
}

}  // namespace rattleback::cli
