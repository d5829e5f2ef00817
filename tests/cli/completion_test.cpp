// What shells offer when TAB is pressed: the words come from the program, and small scripts hand them over.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "command.hpp"

namespace completion_test {

using namespace rattleback::test;
using Words = std::vector<std::string>;

bool is_installed(const std::string& program) { return shell("command -v " + program + " >/dev/null").status == 0; }

Words lines_of(const std::string& text) {
  std::istringstream stream(text);
  Words lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Without descriptions.
Words candidates(const std::string& text) {
  Words words = lines_of(text);
  for (std::string& word : words) word.erase(std::min(word.find('\t'), word.size()));
  return words;
}

bool has(const Words& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

/// A folder with files of several kinds.
class Desk : public Workplace {
 public:
  Desk() {
    for (const char* file :
         {"own.toml", "out.h5", "out.csv", "out.html", "out.txt", "has blank.toml", ".hidden.toml"}) {
      std::ofstream(folder_ / file) << "";
    }
    std::filesystem::create_directories(folder_ / "results/deep");
    std::ofstream(folder_ / "results/old.h5") << "";
    add("mine",
        "name = \"Mine\"\ncoordinates = [\"x\"]\nlagrangian = \"0.5*mass*x'^2 - k*x\"\n"
        "[parameters]\nmass = 2.5\nk = 1\n");
  }
};

struct Completed {
  std::string label;
  std::string typed;  ///< in a shell; '' is the word that was not begun
  Words offers;       ///< exactly these
};

std::ostream& operator<<(std::ostream& out, const Completed& c) { return out << c.typed; }

class Completion : public testing::TestWithParam<Completed> {};

TEST_P(Completion, offers) {
  const Desk desk;
  const Answer a = desk("complete -- " + GetParam().typed);
  EXPECT_EQ(a.status, 0);
  EXPECT_EQ(a.err, "");
  EXPECT_EQ(candidates(a.out), GetParam().offers) << GetParam().typed;
}

const Words orders{"dla:order=2", "dla:order=4", "dla:order=6", "dla:order=8", "dla:order=10"};

const std::vector<Completed> cases{
    {"verbs", "re", {"reproduce"}},
    {"verbs_with_the_same_start", "co", {"compare", "converge"}},
    {"options_of_the_program", "--", {"--help", "--version"}},
    {"models", "run qu", {"quadratic-particle", "quadratic-particle-x"}},
    {"model_of_the_catalogue", "run snake", {"snakeboard"}},
    {"models_in_files", "run o", {"own.toml"}},
    {"models_in_folders", "run re", {"results/"}},
    {"hidden_files", "run .h", {".hidden.toml"}},
    {"only_one_model", "run snakeboard sn", {}},
    {"methods", "run x -m d", {"dla", "del"}},
    {"method_that_has_options", "run x -m dl", {"dla", "dla:"}},
    {"method_with_one_option", "run x -m rk4-", {"rk4-index0", "rk4-index0:"}},
    {"only_option", "run x -m rk4:", {"rk4:project="}},
    {"nothing_to_project_in_a_composition",
     "run x -m gni:midpoint:order=4:start=zero:",
     {"gni:midpoint:order=4:start=zero:turn=", "gni:midpoint:order=4:start=zero:newton-tolerance=",
      "gni:midpoint:order=4:start=zero:newton-iterations="}},
    {"options_of_a_method",
     "run x -m dla:",
     {"dla:midpoint", "dla:trapezoidal", "dla:alpha=", "dla:sym=", "dla:exact", "dla:constraints=", "dla:turn=",
      "dla:project=", "dla:order=", "dla:stages=", "dla:start=", "dla:newton-tolerance=", "dla:newton-iterations="}},
    {"values_of_an_option", "run x -m dla:order=", orders},
    {"values_that_start_alike", "run x -m dla:order=1", {"dla:order=10", "dla:order=10:"}},
    {"default_of_an_option", "run x -m dla:alpha=", {"dla:alpha=0.5", "dla:alpha=0.5:"}},
    {"options_that_do_not_contradict",
     "run x -m dla:midpoint:",
     {"dla:midpoint:constraints=", "dla:midpoint:turn=", "dla:midpoint:project=", "dla:midpoint:order=",
      "dla:midpoint:stages=", "dla:midpoint:start=", "dla:midpoint:newton-tolerance=",
      "dla:midpoint:newton-iterations="}},
    {"rules_of_the_constraints",
     "run x -m rdla:constraints=",
     {"rdla:constraints=midpoint", "rdla:constraints=trapezoidal", "rdla:constraints=alpha=0.5",
      "rdla:constraints=sym=0"}},
    {"rules_of_an_analysis", "analyse x --rule t", {"trapezoidal"}},
    {"options_that_are_not_given_yet", "run x -m dla:order=4:st", {"dla:order=4:stages=", "dla:order=4:start="}},
    {"options_that_need_another", "run x -m hdel:order=", {"hdel:order=2", "hdel:order=4", "hdel:order=6"}},
    {"last_option_of_a_method",
     "run x -m gni:midpoint:order=4:newton-iterations=1:",
     {"gni:midpoint:order=4:newton-iterations=1:start=", "gni:midpoint:order=4:newton-iterations=1:turn="}},
    {"no_option_left", "run x -m reference:tolerance=1e-9:", {}},
    {"unknown_method", "run x -m newmark:", {}},
    {"methods_in_a_list", "compare x -m dla,gn", {"dla,gni", "dla,gni:", "dla,gni,"}},
    {"options_in_a_list", "compare x -m dla,gni:order=", {"dla,gni:order=2", "dla,gni:order=4"}},
    {"values_that_are_attached", "run x --method=gni:or", {"--method=gni:order="}},
    {"values_that_are_attached_to_a_letter", "run x -mgni:or", {"-mgni:order="}},
    {"methods_that_are_variational", "modified x -m ''", {"del", "hdel", "pthdel", "conformal", "free"}},
    {"observers", "run x --observe mom", {"momentum", "momentum-equation"}},
    {"observers_in_a_list",
     "run x --observe momentum,mom",
     {"momentum,momentum-equation", "momentum,momentum-equation,"}},
    {"parameters", "run chaplygin-sleigh --set ''", {"m=", "I=", "a=", "g="}},
    {"parameters_that_are_not_set_yet", "run chaplygin-sleigh --set m=2 --set ''", {"I=", "a=", "g="}},
    {"values_of_parameters", "run chaplygin-sleigh --set m=", {}},
    {"parameters_of_a_file", "show mine.toml --set m", {"mass="}},
    {"coordinates", "run chaplygin-sleigh --v0 ''", {"x=", "y=", "theta="}},
    {"more_coordinates", "run chaplygin-sleigh --v0 x=1,", {"x=1,y=", "x=1,theta="}},
    {"numbers_without_names", "run chaplygin-sleigh --q0 1,", {}},
    {"parameters_of_no_model", "run --set ''", {}},
    {"parameters_of_an_unknown_model", "run unknown --set ''", {}},
    {"parameters_of_a_broken_model", "run own.toml --set ''", {}},
    {"papers", "reproduce g", {"gv", "gv/"}},
    {"experiments", "reproduce fe/5.1-", {"fe/5.1-particle", "fe/5.1-time-error"}},
    {"experiments_that_are_not_named_yet", "reproduce fe/5.1-particle fe/5.1-", {"fe/5.1-time-error"}},
    {"tables", "bench s", {"step", "scaling"}},
    {"tables_that_are_not_named_yet", "bench step s", {"scaling"}},
    {"lanes", "ensemble own.toml --lanes ''", {"1", "4", "8", "16"}},
    {"ensembles", "ensemble o", {"own.toml"}},
    {"results", "run x -o o", {"out.csv", "out.h5"}},
    {"results_of_ensembles", "ensemble own.toml -o o", {"out.h5"}},
    {"results_in_folders", "run x -o results/", {"results/deep/", "results/old.h5"}},
    {"pages", "run x --report o", {"out.html"}},
    {"folders", "reproduce -o r", {"results/"}},
    {"folders_that_are_not_there", "run x -o nowhere/", {}},
    {"options", "run x --re", {"--report", "--resume"}},
    {"options_given_once", "run x --resume --re", {"--report"}},
    {"options_that_exclude_others", "run x --steps 5 --ti", {}},
    {"options_that_are_excluded", "run x --time 5 --st", {"--step", "--stop-when"}},
    {"values_of_any_kind", "run x --step ''", {}},
    {"help", "help co", {"compare", "converge"}},
    {"unknown_verb", "fly ''", {}},
    {"hidden_verb", "manua", {}},
    {"nothing", "", {}},
};

INSTANTIATE_TEST_SUITE_P(Shells, Completion, testing::ValuesIn(cases),
                         [](const auto& tested) { return tested.param.label; });

TEST(Candidates, tells_what_the_candidates_are) {
  const Desk desk;
  EXPECT_TRUE(contains(desk("complete -- run quadratic-particle").out,
                       "quadratic-particle\tNonholonomic particle in a quadratic potential\n"));
  EXPECT_EQ(desk("complete -- run mine.toml --set k").out, "k=\t1\n");
  EXPECT_EQ(desk("complete -- run mine.toml --set ma").out, "mass=\t2.5\n");
  EXPECT_EQ(desk("complete -- run x --pro").out,
            "--project\tMoves inconsistent initial data to the nearest consistent ones\n");
  EXPECT_EQ(desk("complete -- run x -m gni:ord").out, "gni:order=\t2|4\n");
}

TEST(Candidates, offers_options_where_no_argument_is_missing) {
  const Desk desk;
  const Words after_model = candidates(desk("complete -- run snakeboard ''").out);
  EXPECT_TRUE(has(after_model, "--method"));
  EXPECT_FALSE(has(after_model, "-m")) << "the long name is enough";
  EXPECT_FALSE(has(candidates(desk("complete -- run ''").out), "--method")) << "a model comes first";
  const Words dash = candidates(desk("complete -- run snakeboard -").out);
  EXPECT_TRUE(has(dash, "-m") && has(dash, "--method"));
}

TEST(Candidates, reads_the_home_folder) {
  const Desk desk;
  const std::string typed =
      "HOME='" + desk.path() + "' " + rattleback::test::rattleback_command() + " complete -- run '~/o'";
  EXPECT_EQ(shell(typed).output, "~/own.toml\n");
}

TEST(Candidates, never_complains) {
  const Desk desk;
  for (const char* words : {"--",
                            "''",
                            "-",
                            "run -m",
                            "run -m ''",
                            "run x -m :",
                            "run x -m ,",
                            "run x -m ::::=",
                            "run --=",
                            "run -- -m",
                            "run x --set =",
                            "run x --observe ,,",
                            "reproduce /",
                            "reproduce ''",
                            "run ''",
                            "complete ''",
                            "manual ''",
                            "run own.toml --set ''",
                            "run x $'\\x80\\xff'",
                            "run x -o /nowhere/",
                            "run x -- --x"}) {
    const Answer a = desk(std::string("complete -- ") + words);
    EXPECT_EQ(a.status, 0) << words;
    EXPECT_EQ(a.err, "") << words;
  }
  EXPECT_EQ(desk("complete").status, 0);
}

TEST(Candidates, does_not_load_the_compiler) {
  for (const char* words : {"run ''", "run chaplygin-sleigh --set ''", "run x -m dla:order=", "reproduce me/"}) {
    const std::string output = shell(std::string("LD_DEBUG=files ") + rattleback::test::rattleback_command() +
                                     " complete -- " + words + " 2>&1")
                                   .output;
    EXPECT_NE(output.find("libstdc++"), std::string::npos) << "the test sees what is loaded";
    EXPECT_EQ(output.find("libLLVM"), std::string::npos) << words;
  }
}

const std::string scripts = rattleback::test::source_file("completions/");

std::string folder_of_command() {
  return std::filesystem::path(rattleback::test::rattleback_command()).parent_path().string();
}

/// What bash would put in place of the piece of the line behind the last word break, for a line that ends at the
/// cursor. Bash cuts words at blanks, and puts the characters at which it breaks words into pieces of their own.
Words in_bash(const Desk& desk, const std::string& line, const std::string& breaks = ":=") {
  Words pieces;
  char before = ' ';
  for (const char c : line) {
    const auto kind = [&](char x) { return x == ' ' ? 0 : breaks.find(x) != std::string::npos ? 1 : 2; };
    if (c != ' ' && kind(c) != kind(before)) pieces.emplace_back();
    if (c != ' ') pieces.back() += c;
    before = c;
  }
  if (before == ' ') pieces.emplace_back();
  std::ofstream script(desk / "complete.bash");
  script << "PATH='" << folder_of_command() << "':$PATH\n. '" << scripts << "rattleback.bash'\n"
         << "COMP_WORDBREAKS=$' \\t\\n\"\\'><;|&(" << breaks << "'\nCOMP_LINE='" << line
         << "'\nCOMP_POINT=" << line.size() << "\nCOMP_WORDS=(";
  for (const std::string& piece : pieces) script << "'" << piece << "' ";
  script << ")\nCOMP_CWORD=" << pieces.size() - 1 << "\n_rattleback rattleback\n"
         << "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"\n";
  script.close();
  const Result r = shell("cd '" + desk.path() + "' && bash --norc --noprofile complete.bash 2>&1");
  EXPECT_EQ(r.status, 0) << r.output;
  return lines_of(r.output);
}

TEST(Bash, replaces_what_stands_behind_the_last_word_break) {
  if (!is_installed("bash")) GTEST_SKIP() << "bash is not there";
  const Desk desk;
  EXPECT_EQ(in_bash(desk, "rattleback run qu"), (Words{"quadratic-particle", "quadratic-particle-x"}));
  EXPECT_EQ(in_bash(desk, "rattleback run chaplygin-sleigh -m dla:order="), (Words{"2", "4", "6", "8", "10"}));
  EXPECT_EQ(in_bash(desk, "rattleback run chaplygin-sleigh -m dla:or"), (Words{"order="}));
  EXPECT_EQ(in_bash(desk, "rattleback run x -m dla:order=4:st"), (Words{"stages=", "start="}));
  EXPECT_EQ(in_bash(desk, "rattleback compare x -m dla,gni:order="), (Words{"2", "4"}));
  EXPECT_EQ(in_bash(desk, "rattleback compare  x  -m dla,gn"), (Words{"dla,gni", "dla,gni:", "dla,gni,"}));
  EXPECT_EQ(in_bash(desk, "rattleback run x --method=gni:or"), (Words{"order="}));
  EXPECT_EQ(in_bash(desk, "rattleback run chaplygin-sleigh --set "), (Words{"m=", "I=", "a=", "g="}));
  EXPECT_EQ(in_bash(desk, "rattleback run chaplygin-sleigh --set m=2 --set "), (Words{"I=", "a=", "g="}));
  EXPECT_EQ(in_bash(desk, "rattleback ru"), (Words{"run"}));
}

TEST(Bash, minds_other_word_breaks) {
  if (!is_installed("bash")) GTEST_SKIP() << "bash is not there";
  const Desk desk;
  EXPECT_EQ(in_bash(desk, "rattleback run x -m dla:or", "="), (Words{"dla:order="}));
  EXPECT_EQ(in_bash(desk, "rattleback run x -m dla:order=1", "="), (Words{"10", "10:"}));
  EXPECT_EQ(in_bash(desk, "rattleback run x -m dla:order=1", ""), (Words{"dla:order=10", "dla:order=10:"}));
}

TEST(Bash, quotes_what_is_not_plain) {
  if (!is_installed("bash")) GTEST_SKIP() << "bash is not there";
  EXPECT_EQ(in_bash(Desk(), "rattleback run has"), (Words{"has\\ blank.toml"}));
}

TEST(Bash, is_quiet_when_the_program_is_not_there) {
  if (!is_installed("bash")) GTEST_SKIP() << "bash is not there";
  EXPECT_EQ(in_bash(Desk(), "no-such-rattleback run qu"), Words());
}

TEST(Fish, offers_what_the_program_offers) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not there";
  const Desk desk;
  const auto in_fish = [&](const std::string& line) {
    return candidates(shell("cd '" + desk.path() + "' && HOME='" + desk.path() + "' PATH='" + folder_of_command() +
                            "':$PATH fish --no-config -c \"source '" + scripts + "rattleback.fish'; complete -C '" +
                            line + "'\" 2>&1")
                          .output);
  };
  EXPECT_EQ(in_fish("rattleback run qu"), (Words{"quadratic-particle", "quadratic-particle-x"}));
  EXPECT_EQ(in_fish("rattleback run x -m dla:order="), orders);
  EXPECT_EQ(in_fish("rattleback run chaplygin-sleigh --set "), (Words{"m=", "I=", "a=", "g="}));
}

TEST(Zsh, understands_its_script) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not there";
  const Result r = shell("zsh -f -n '" + scripts + "_rattleback' 2>&1");
  EXPECT_EQ(r.status, 0) << r.output;
}

}  // namespace completion_test
