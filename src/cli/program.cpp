#include "command_line.hpp"
#include "commands.hpp"
#include "rattleback/base/version.hpp"

namespace rattleback::cli {

const Program& program() {
  static const Program the_program{
      "rattleback",
      version,
      "Simulates bodies that roll, skate and steer with integrators that preserve their structure.",
      commands(),
      {"rattleback run chaplygin-sleigh -o sleigh.h5"}};
  return the_program;
}

}  // namespace rattleback::cli
