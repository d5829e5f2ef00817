// How the command tells what it can do: help, manual pages, and what shells offer when TAB is pressed.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "rattleback/base/version.hpp"

namespace help_test {

using namespace rattleback::test;

bool is_installed(const std::string& program) { return shell("command -v " + program + " >/dev/null").status == 0; }

struct Verb {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> options;
  std::vector<std::string> sections = {};  ///< of the manual page, besides those that every page has
};

std::ostream& operator<<(std::ostream& out, const Verb& verb) { return out << verb.name; }

const std::vector<Verb> verbs{
    {"models", {}, {"--json", "--quiet"}},
    {"show", {"MODEL"}, {"--set", "--input", "--latex", "--free", "--json", "--quiet"}},
    {"analyse",
     {"MODEL"},
     {"--set", "--input", "--latex", "--lagrangian", "--rule", "--associated", "--json", "--quiet"}},
    {"run",
     {"MODEL"},
     {"--set",
      "--input",
      "--time",
      "--step",
      "--steps",
      "--q0",
      "--v0",
      "--t0",
      "--q1",
      "--stop-when",
      "--project",
      "--method",
      "--newton-tolerance",
      "--newton-iterations",
      "--every",
      "--observe",
      "--output",
      "--report",
      "--resume",
      "--force",
      "--json",
      "--quiet"},
     {"METHODS", "OBSERVERS"}},
    {"compare",
     {"MODEL"},
     {"--set", "--input", "--time", "--step", "--steps", "--q0", "--v0", "--t0", "--q1", "--stop-when", "--project",
      "--methods", "--report", "--force", "--json", "--quiet"}},
    {"converge",
     {"MODEL"},
     {"--set", "--input", "--time", "--q0", "--v0", "--t0", "--stop-when", "--project", "--methods", "--from", "--to",
      "--count", "--check", "--report", "--force", "--json", "--quiet"}},
    {"modified", {"MODEL"}, {"--set",     "--input",     "--time", "--step",      "--steps",    "--q0",
                             "--v0",      "--t0",        "--q1",   "--stop-when", "--project",  "--method",
                             "--order",   "--tolerance", "--at",   "--energy",    "--formulas", "--equation",
                             "--numbers", "--latex",     "--json", "--quiet"}},
    {"measure", {"MODEL"}, {"--set",    "--input", "--time",   "--step",      "--steps",   "--q0",
                            "--v0",     "--t0",    "--q1",     "--stop-when", "--project", "--methods",
                            "--ell",    "--cloud", "--radius", "--weights",   "--every",   "--output",
                            "--points", "--force", "--json",   "--quiet"}},
    {"ensemble",
     {"SPEC.toml"},
     {"--output", "--lanes", "--threads", "--resume", "--force", "--dry-run", "--json", "--quiet"}},
    {"reproduce", {"PAPER..."}, {"--output", "--markdown", "--csv", "--force", "--list", "--json", "--quiet"}},
    {"demo", {}, {"--json", "--quiet"}},
    {"bench", {"TABLE..."}, {"--time", "--limit", "--heyoka", "--json", "--quiet"}},
    {"help", {"COMMAND"}, {}},
};

/// What a shell would offer; without descriptions.
std::vector<std::string> offered(const std::string& words) {
  std::istringstream lines(run("complete -- " + words).output);
  std::vector<std::string> texts;
  for (std::string line; std::getline(lines, line);) texts.push_back(line.substr(0, line.find('\t')));
  return texts;
}

class EachCommand : public testing::TestWithParam<Verb> {};

TEST_P(EachCommand, has_help_that_mentions_every_option) {
  const Verb& verb = GetParam();
  const Result help = run("help " + verb.name);
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(contains(help.output, "Usage: rattleback " + verb.name));
  EXPECT_TRUE(contains(help.output, "Example:\n  rattleback " + verb.name));
  for (const std::string& argument : verb.arguments) EXPECT_TRUE(contains(help.output, "\n  " + argument));
  for (const std::string& option : verb.options) EXPECT_TRUE(contains(help.output, " " + option));
  EXPECT_TRUE(contains(run("--help").output, "\n  " + verb.name + " "));
}

TEST_P(EachCommand, has_help_that_fits_into_a_terminal) {
  std::istringstream lines(run("help " + GetParam().name).output);
  for (std::string line; std::getline(lines, line) && line != "Example:";) EXPECT_LE(line.size(), 80U) << line;
}

TEST_P(EachCommand, answers_help_in_both_ways) {
  const std::string& name = GetParam().name;
  // The program behind bench may have been left out of the build.
  if (name == "bench" && run("bench --help").status != 0) GTEST_SKIP() << "rattleback-bench is not there";
  EXPECT_EQ(run(name + " --help").output, run("help " + name).output);
  EXPECT_EQ(run(name + " -h").output, run("help " + name).output);
}

TEST_P(EachCommand, has_a_manual_page_with_all_sections) {
  const Verb& verb = GetParam();
  const Workplace desk;
  ASSERT_EQ(desk("manual .").status, 0);
  const std::string page = content(desk / ("rattleback-" + verb.name + ".1"));
  std::vector<std::string> sections{"NAME",     "SYNOPSIS",        "DESCRIPTION", "OPTIONS",
                                    "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""};
  sections.insert(sections.end(), verb.sections.begin(), verb.sections.end());
  for (const std::string& section : sections) EXPECT_TRUE(contains(page, "\n.SH " + section + "\n"));
  EXPECT_TRUE(contains(page, "\n\\fBrattleback " + verb.name + "\\fR [\\fIOPTIONS\\fR]"));
  for (const std::string& option : verb.options) {
    std::string hyphens;
    for (const char c : option) hyphens += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_TRUE(contains(page, "\\fB" + hyphens + "\\fR"));
  }
  EXPECT_TRUE(contains(page, "rattleback\\fR(1)"));
}

TEST_P(EachCommand, has_a_manual_page_that_is_correct_roff) {
  const Workplace desk;
  setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  const Answer made = desk("manual .");
  unsetenv("SOURCE_DATE_EPOCH");
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string page = desk / ("rattleback-" + GetParam().name + ".1");
  if (!is_installed("mandoc") && !is_installed("man")) GTEST_SKIP() << "neither mandoc nor man is there";
  if (is_installed("mandoc")) {
    EXPECT_EQ(shell("mandoc -T lint '" + page + "' 2>&1").output, "");
  }
  if (is_installed("man")) {
    EXPECT_EQ(shell("man --warnings -l '" + page + "' 2>&1 >/dev/null").output, "");
  }
}

TEST_P(EachCommand, is_offered_with_its_options) {
  const Verb& verb = GetParam();
  std::vector<std::string> expected = verb.options;
  expected.emplace_back("--help");
  EXPECT_EQ(offered(verb.name + " --"), expected);
  EXPECT_EQ(offered(verb.name), std::vector{verb.name});
  EXPECT_EQ(offered("help " + verb.name), std::vector{verb.name});
}

INSTANTIATE_TEST_SUITE_P(Help, EachCommand, testing::ValuesIn(verbs),
                         [](const auto& tested) { return tested.param.name; });

TEST(Help, is_that_of_the_program_without_a_command) {
  const Result help = run("help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.output, run("--help").output);
  EXPECT_EQ(help.output, run("-h").output);
  for (const char* part : {"--version", "130", "interrupted", "'rattleback help COMMAND'"}) {
    EXPECT_TRUE(contains(help.output, part));
  }
  for (const char* hidden : {"manual", "complete"}) EXPECT_FALSE(contains(help.output, hidden));
}

TEST(Help, about_an_unknown_command_suggests_one) {
  const Result misspelt = run("help dmeo");
  EXPECT_EQ(misspelt.status, wrong_request);
  EXPECT_EQ(misspelt.output,
            "rattleback: there is no command 'dmeo'; did you mean 'demo'?\n"
            "Run 'rattleback --help' for what is possible.\n");
  EXPECT_EQ(run("help run twice").status, wrong_request);
}

TEST(Manual, of_the_program_lists_the_commands_and_what_it_depends_on) {
  const Workplace desk;
  ASSERT_EQ(desk("manual .").status, 0);
  const std::string page = content(desk / "rattleback.1");
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "\"EXIT STATUS\"",
                              "ENVIRONMENT", "FILES", "EXAMPLES", "\"SEE ALSO\""}) {
    EXPECT_TRUE(contains(page, std::string("\n.SH ") + section + "\n"));
  }
  for (const Verb& verb : verbs) {
    EXPECT_TRUE(contains(page, "\n\\fB" + verb.name + "\\fR\n"));
    EXPECT_TRUE(contains(page, "rattleback\\-" + verb.name + "\\fR(1)"));
  }
  EXPECT_TRUE(contains(page, "RATTLEBACK_JIT_CPU"));
  EXPECT_TRUE(contains(page, std::string("\"rattleback ") + RATTLEBACK_VERSION + "\""));
  if (is_installed("man")) {
    EXPECT_EQ(shell("man --warnings -l '" + (desk / "rattleback.1") + "' 2>&1 >/dev/null").output, "");
  }
}

TEST(Manual, has_no_date_of_its_own) {
  const Workplace desk;
  unsetenv("SOURCE_DATE_EPOCH");
  ASSERT_EQ(desk("manual .").status, 0);
  EXPECT_TRUE(contains(content(desk / "rattleback.1"), ".TH RATTLEBACK 1 \"\" "));
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  ASSERT_EQ(desk("manual .").status, 0);
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_TRUE(contains(content(desk / "rattleback.1"), ".TH RATTLEBACK 1 \"1970-01-02\" "));
}

TEST(Manual, shows_examples_as_they_are_typed) {
  if (!is_installed("man")) GTEST_SKIP() << "man is not there";
  const Workplace desk;
  ASSERT_EQ(desk("manual .").status, 0);
  const std::string text =
      shell("MANWIDTH=200 LC_ALL=C.UTF-8 man -l '" + (desk / "rattleback-analyse.1") + "' | col -b").output;
  const std::string help = run("help analyse").output;
  const std::string example = help.substr(help.find("rattleback analyse free-particle-x"));
  EXPECT_TRUE(contains(text, example.substr(0, example.find('\n'))));
}

TEST(Manual, needs_a_folder) {
  const Workplace desk;
  EXPECT_EQ(desk("manual").status, wrong_request);
  EXPECT_EQ(desk("manual nowhere").status, 4);
}

}  // namespace help_test
