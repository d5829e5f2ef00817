#include "places.hpp"

#include <cstdlib>

namespace rattleback::test {

std::string source_file(const std::string& name) { return RATTLEBACK_SOURCE_FOLDER "/" + name; }
std::string rattleback_command() {
  const char* given = std::getenv("RATTLEBACK_COMMAND");
  return given != nullptr ? given : RATTLEBACK_COMMAND;
}
std::string fault_library() { return RATTLEBACK_FAULTS_LIBRARY; }

}  // namespace rattleback::test
