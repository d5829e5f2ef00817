// `rattleback show`: a model and what follows from it.

#include "rattleback/answer/show.hpp"

#include <memory>
#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "inverse.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool latex = false;
  bool free = false;
};

void show_free(const Model& model, const Options& o) {
  if (o.output.json) {
    fmt::print("{}\n", free_lagrangians_json(model).dump(2));
  } else if (o.latex && !o.output.quiet) {
    print_free_lagrangians_as_latex(model);
  } else if (o.output.talks()) {
    print_free_lagrangians(model);
  }
}

void show(const Options& o) {
  if (o.latex && o.output.json)
    throw Failure(ExitStatus::wrong_request, "--latex and --json are two answers: give one");
  if (o.free) return show_free(o.model.load(), o);
  const answer::ShowAnswer answer = answer::show({.model = o.model.load()});
  if (o.latex && !o.output.quiet) {
    fmt::print("{}", to_latex(answer));
  } else {
    print(answer, o.output);
  }
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
