// `rattleback models`: the catalogue.

#include "rattleback/answer/models.hpp"

#include <memory>

#include "answers.hpp"
#include "commands.hpp"

namespace rattleback::cli {

Command models_command() {
  Command command{"models", "Lists the catalogue of systems"};
  auto output = std::make_shared<OutputOptions>();
  output->add_to(command);
  command.examples = {"rattleback models"};
  command.action = [output] {
    print(answer::models(), *output);
    if (output->talks()) fmt::print("\n'rattleback show NAME' tells more about one.\n");
  };
  return command;
}

}  // namespace rattleback::cli
