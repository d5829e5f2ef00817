#pragma once

#include <string>

namespace rattleback::test {

/// A file of the source tree. A function in a file of its own, because paths in the flags of every test would be all
/// that is different in a clone elsewhere.
std::string source_file(const std::string& name);

/// The command under test: the one of this build, or what the environment variable RATTLEBACK_COMMAND names.
std::string rattleback_command();

/// The library that makes files fail, tests/faults/shim.cpp.
std::string fault_library();

}  // namespace rattleback::test
