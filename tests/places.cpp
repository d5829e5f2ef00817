#include "places.hpp"

namespace rattleback::test {

std::string source_file(const std::string& name) { return RATTLEBACK_SOURCE_FOLDER "/" + name; }
std::string rattleback_command() { return RATTLEBACK_COMMAND; }

}  // namespace rattleback::test
