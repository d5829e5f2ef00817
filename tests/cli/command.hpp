#pragma once

// The command as its users meet it: run in a shell, in a folder of its own.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/places.hpp"
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
  return shell(rattleback::test::rattleback_command() + " " + arguments + (errors_too ? " 2>&1" : " 2>/dev/null"));
}

inline constexpr int answer_is_no = 1;
inline constexpr int wrong_request = 2;
inline constexpr int numerics_failed = 3;

struct Answer {
  int status = -1;
  std::string out = "";
  std::string err = "";
};

/// A folder in which the command runs, with models and results.
class Workplace {
 public:
  void add(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / (name + ".toml")) << text;
  }
  Answer operator()(const std::string& arguments) const {
    const int status = shell("cd '" + path() + "' && " + rattleback::test::rattleback_command() + " " + arguments +
                             " >out.txt 2>err.txt")
                           .status;
    return {status, content(folder_ / "out.txt"), content(folder_ / "err.txt")};
  }
  /// What --json prints: one document and nothing else.
  nlohmann::json document(const std::string& arguments) const {
    const Answer a = (*this)(arguments + " --json");
    EXPECT_EQ(a.status, 0) << arguments << "\n" << a.err;
    nlohmann::json d = nlohmann::json::parse(a.out, nullptr, false);
    EXPECT_TRUE(d.is_object()) << a.out;
    return d;
  }
  std::string path() const { return folder_.path().string(); }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 protected:
  TemporaryFolder folder_;
};

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

}  // namespace rattleback::test
