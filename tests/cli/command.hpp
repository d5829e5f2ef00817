#pragma once

// The command as its users meet it: run in a shell, in a folder of its own.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/temporary_folder.hpp"

namespace rattleback::test {

struct Result {
  int status;
  std::string output;
};

/// Runs a shell command and collects what it prints.
inline Result shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  Result result{-1, ""};
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), n);
  }
  result.status = WEXITSTATUS(pclose(pipe));
  return result;
}

/// Runs rattleback with arguments.
inline Result run(const std::string& arguments, bool errors_too = true) {
  return shell(std::string(RATTLEBACK_COMMAND) + " " + arguments + (errors_too ? " 2>&1" : " 2>/dev/null"));
}

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

}  // namespace rattleback::test
