// `rattleback show`: a model and what follows from it.

#include "rattleback/answer/show.hpp"

#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "rattleback/answer/free_lagrangians.hpp"

namespace rattleback::cli {
namespace {

struct ShowOptions {
  ModelOptions model;
  OutputOptions output;
  bool free = false;
};

void show(const ShowOptions& o) {
  o.output.check();
  if (!o.free) return print(answer::show({.model = o.model.load()}, only_notes(o.output)), o.output);
  const auto free = answer::free_lagrangians({.model = o.model.load()}, only_notes(o.output));
  if (const auto no = complaint(free)) throw *no;
  print(free, o.output);
}

}  // namespace

Command show_command() {
  Command command{"show", "Shows a model, what follows from it, and what may be wrong with it"};
  auto o = std::make_shared<ShowOptions>();
  o->model.add_to(command);
  o->output.add_latex_to(command, "The formulas in LaTeX");
  command.add({.names = "--free",
               .help = "Free Lagrangians, their Hamiltonians and the constraints in T*Q instead",
               .target = &o->free});
  o->output.add_to(command);
  command.examples = {"rattleback show snakeboard", "rattleback show rolling-disk --free"};
  command.action = [o] { show(*o); };
  return command;
}

}  // namespace rattleback::cli
