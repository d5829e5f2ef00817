// The commands of `rattleback`.

#include "commands.hpp"

namespace rattleback::cli {

std::vector<Command> commands() {
  return {models_command(),   show_command(),     analyse_command(), run_command(),      compare_command(),
          converge_command(), modified_command(), measure_command(), ensemble_command(), reproduce_command(),
          demo_command(),     bench_command(),    help_command(),    manual_command(),   complete_command()};
}

}  // namespace rattleback::cli
