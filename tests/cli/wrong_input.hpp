#pragma once

// Wrong inputs as users type them. Each must end with the right exit status and a message that says where it is wrong,
// what was found, and what to do.

#include <sys/wait.h>

#include <cstdlib>
#include <ostream>
#include <vector>

#include "command.hpp"
#include "tests/places.hpp"

namespace rattleback::test {

/// Files or system; the other kinds of failure are in command.hpp.
inline constexpr int files_or_system = 4;

inline const std::string run_it = "rattleback run m.toml --step 0.1 --steps 10 --quiet";

struct WrongInput {
  std::string label;
  std::string model = "";        ///< what stands in m.toml, if anything
  std::string before = "";       ///< shell commands that prepare the directory
  std::string command = run_it;  ///< what the user types
  int status = wrong_request;
  std::vector<std::string> says = {};   ///< place, cause, remedy: what the message must contain
  std::vector<std::string> never = {};  ///< what would mislead
  std::string afterwards = "true";      ///< a shell command that must succeed at the end
};

inline void PrintTo(const WrongInput& wrong, std::ostream* out) { *out << wrong.label; }

/// A model that is right up to its third line, where the text goes on.
inline std::string particle(const std::string& rest) {
  return "coordinates = [\"x\", \"y\", \"z\"]\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - x^2\"\n" + rest;
}

/// A model in one coordinate.
inline std::string line(const std::string& lagrangian, const std::string& rest = "") {
  return "coordinates = [\"x\"]\nlagrangian = \"" + lagrangian + "\"\n" + rest;
}

/// A directory of its own for each test; the command is found on the path under the name that users type.
class WrongInputs : public testing::TestWithParam<WrongInput> {
 protected:
  void SetUp() override { ASSERT_EQ(std::filesystem::path(rattleback_command()).filename(), "rattleback"); }

  /// Runs shell commands in the directory; what never ends is ended.
  int shell(const std::string& commands, const std::string& name) const {
    std::ofstream(directory_ / (name + ".sh"))
        << "PATH='" << std::filesystem::path(rattleback_command()).parent_path().string() << "':$PATH\n"
        << commands << "\n";
    const std::string in_directory = "cd '" + directory_.string() + "' && LC_ALL=C timeout 10 sh " + name + ".sh >" +
                                     name + ".stdout 2>" + name + ".stderr";
    const int status = std::system(in_directory.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TemporaryFolder folder_;
  std::filesystem::path directory_ = folder_.path();
};

inline std::string label_of(const testing::TestParamInfo<WrongInput>& info) { return info.param.label; }

}  // namespace rattleback::test
