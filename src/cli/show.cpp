// `rattleback show`: a model and what follows from it.

#include "rattleback/answer/show.hpp"

#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "rattleback/answer/free_lagrangians.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool latex = false;
  bool free = false;
};

template <class Answer>
void print_formulas(const Answer& answer, const Options& o) {
  if (!o.latex) return print(answer, o.output);
  if (!o.output.quiet) fmt::print("{}", to_latex(answer));
}

void show(const Options& o) {
  if (o.latex && o.output.json) throw RequestError("--latex and --json are two answers: give one");
  if (!o.free) return print_formulas(answer::show({.model = o.model.load()}), o);
  const auto free = answer::free_lagrangians({.model = o.model.load()});
  if (const auto no = complaint(free)) throw *no;
  print_formulas(free, o);
}

}  // namespace

Command show_command() {
  Command command{"show", "Shows a model, what follows from it, and what may be wrong with it"};
  auto o = std::make_shared<Options>();
  o->model.add_to(command);
  command.add({.names = "--latex", .help = "The formulas in LaTeX", .target = &o->latex});
  command.add({.names = "--free",
               .help = "Free Lagrangians, their Hamiltonians and the constraints in T*Q instead",
               .target = &o->free});
  o->output.add_to(command);
  command.examples = {"rattleback show snakeboard", "rattleback show rolling-disk --free"};
  command.action = [o] { show(*o); };
  return command;
}

}  // namespace rattleback::cli
