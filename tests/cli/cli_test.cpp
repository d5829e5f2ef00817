// The command as its users meet it: output, messages, exit status.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "rattleback/base/version.hpp"
#include "tests/places.hpp"

namespace cli_test {

using namespace rattleback::test;

TEST(Command, prints_its_version) {
  const Result r = run("--version");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.output, std::string("rattleback ") + RATTLEBACK_VERSION + "\n");
}

TEST(Command, help_names_the_commands_and_gives_an_example) {
  const Result r = run("--help");
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.output.find("demo"), std::string::npos);
  EXPECT_NE(r.output.find("Example:"), std::string::npos);
}

TEST(Command, every_command_has_help_with_an_example) {
  for (const char* command : {"models", "show", "run", "compare", "demo"}) {
    const Result r = run(std::string(command) + " --help");
    EXPECT_EQ(r.status, 0);
    EXPECT_TRUE(contains(r.output, "Example:\n  rattleback " + std::string(command)));
  }
}

TEST(Command, a_wrong_request_ends_with_status_2_and_says_what_to_do) {
  EXPECT_NE(run("--nonsense").output.find("there is no option '--nonsense'"), std::string::npos);
  for (const char* arguments : {"", "fly", "demo --fast", "--nonsense"}) {
    const Result r = run(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_TRUE(contains(r.output, "\nRun 'rattleback "));
    EXPECT_TRUE(contains(r.output, "--help' for what is possible."));
  }
}

TEST(Command, a_misspelt_command_gets_a_suggestion) {
  const Result r = run("dmeo");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.output,
            "rattleback: there is no command 'dmeo'; did you mean 'demo'?\n"
            "Run 'rattleback --help' for what is possible.\n");
}

TEST(Command, quiet_is_quiet) {
  const Result r = run("demo --quiet");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.output, "");
}

TEST(Command, does_not_load_the_compiler_for_help) {
  // The dynamic linker reports every library it loads.
  const std::string output =
      shell(std::string("LD_DEBUG=files ") + rattleback::test::rattleback_command() + " --help 2>&1").output;
  EXPECT_NE(output.find("libstdc++"), std::string::npos) << "the test sees what is loaded";
  EXPECT_EQ(output.find("libLLVM"), std::string::npos);
}

TEST(Command, finds_compiler_and_catalogue_when_it_is_found_on_the_path) {
  const std::string folder = std::filesystem::path(rattleback::test::rattleback_command()).parent_path().string();
  const std::string prefix = "cd / && PATH='" + folder + "':$PATH rattleback ";
  EXPECT_EQ(nlohmann::json::parse(shell(prefix + "demo --json").output).at("compiled"), true);
  EXPECT_EQ(shell(prefix + "show snakeboard").status, 0);
}

TEST(Demo, solves_the_sleigh) {
  const Result r = run("demo");
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.output.find("(x, y, theta)(30) = (-1.322"), std::string::npos) << r.output;
}

TEST(Demo, prints_one_json_document) {
  const Result r = run("demo --json", false);
  EXPECT_EQ(r.status, 0);
  const auto document = nlohmann::json::parse(r.output);
  // The continuous motion ends at y = −38.49751; the method's error there is 1e-3.
  EXPECT_NEAR(document.at("q").at(1).get<double>(), -38.49751, 2e-3);
  EXPECT_EQ(document.at("steps"), 250);
}

TEST(Demo, refuses_an_unknown_processor) {
  setenv("RATTLEBACK_JIT_CPU", "abacus", 1);
  const Result r = run("demo");
  unsetenv("RATTLEBACK_JIT_CPU");
  EXPECT_EQ(r.status, 4);
  EXPECT_NE(r.output.find("RATTLEBACK_JIT_CPU=abacus is not a processor that LLVM knows"), std::string::npos)
      << r.output;
}

TEST(Demo, gives_the_same_bits_on_another_processor) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;  // it would not run here
  const auto native = nlohmann::json::parse(run("demo --json", false).output);
  setenv("RATTLEBACK_JIT_CPU", "haswell", 1);
  const auto haswell = nlohmann::json::parse(run("demo --json", false).output);
  unsetenv("RATTLEBACK_JIT_CPU");
  EXPECT_EQ(native.at("q"), haswell.at("q"));
}

}  // namespace cli_test
