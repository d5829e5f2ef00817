// What users read: values that do not exist are said not to, nothing of the program's inside shows, and nothing in a
// file reaches the terminal that it would obey.

#include <algorithm>
#include <regex>
#include <vector>

#include "command.hpp"

namespace wording_test {

using namespace rattleback::test;

std::string particle(const std::string& rest) {
  return "coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2\"\n[initial]\nq = [1]\nv = [-1]\n" + rest;
}

/// What a reader of a message must not meet.
std::string internal_words_in(const std::string& text) {
  static const std::regex internal(
      R"(std::|bad_alloc|exception|\bnan\b|-nan|\binf\b|CV_|\bH5|Eigen|json\.|filesystem error|\(\)|Qhull|defect of)");
  std::smatch found;
  return std::regex_search(text, found, internal) ? found.str() : "";
}

struct Failing {
  std::string label;
  std::string command;
  int status;
  std::string says;
};
void PrintTo(const Failing& failing, std::ostream* out) { *out << failing.label; }

class Messages : public testing::TestWithParam<Failing> {};

TEST_P(Messages, are_sentences) {
  const Workplace at;
  at.add("false-symmetry",
         "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*x'^2 + 0.5*y'^2 - 0.5*x^2\"\n[initial]\nq = [1, 0]\nv = [0, "
         "1]\n[symmetry]\nfibre = [\"x\"]\n");
  at.add("conserved", particle("[conserved]\nw = \"x'*exp(log(x))/x\"\n"));
  at.add("no-start", particle("[conserved]\nw = \"log(x - 1)\"\n"));
  at.add("still",
         "coordinates = [\"x\", \"y\", \"z\"]\nlagrangian = \"0.5*y'^2 + 0.5*z'^2 + 0.5*sin(y)\"\nconstraints = "
         "[\"z'\", \"z' + 1e12*y'\", \"1e12*x'\"]\n[initial]\nq = [0, 0, 1.2]\n");
  at.add("huge-row",
         "coordinates = [\"x\", \"y\", \"z\"]\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\nconstraints = [\"1e300*y' + "
         "sin(y)*x'\"]\n[initial]\nq = [1, 1, 0]\n");
  const auto& [label, command, status, says] = GetParam();
  const Answer a = at(command);
  EXPECT_EQ(a.status, status) << a.out << a.err;
  EXPECT_TRUE(contains(a.out + a.err, says));
  EXPECT_EQ(internal_words_in(a.out + a.err), "") << a.out << a.err;
}

const std::string long_name(300, 'a');

INSTANTIATE_TEST_SUITE_P(
    Wording, Messages,
    testing::Values(
        Failing{"measure_that_is_not_there", "run snakeboard -m dla --observe measure --steps 5", 2,
                "there is no invariant measure at the start"},
        Failing{"volume_that_is_not_there", "measure snakeboard -m dla,rk4 --steps 5", 2, "begin elsewhere (--q0)"},
        Failing{"declared_symmetry", "run false-symmetry.toml -m dla --observe measure --step 0.1 --steps 5", 2,
                "a declared symmetry is not one"},
        Failing{"conserved_quantity", "run conserved.toml -m dla --step 0.3 --steps 5", 0,
                "conserved   w = -1, not defined at step 4 (t = 1.2); largest error before"},
        Failing{"conserved_quantity_at_the_start", "run no-start.toml -m rk4 --step 0.3 --steps 5", 0,
                "conserved   w, not defined at step 0 (t = 0)"},
        Failing{"nothing_moves", "analyse still.toml", 0, "there are as many constraints as coordinates"},
        Failing{"rows_of_all_sizes", "run huge-row.toml -m dla --step 0.1 --steps 2", 0, "largest residual"},
        Failing{"flat_cloud", "measure harmonic-particle -m conformal --cloud 20 --radius 1e-30 --steps 2", 2,
                "another --radius may help"},
        Failing{"cloud_without_volume", "measure harmonic-particle -m conformal --cloud 20 --radius 1e-120 --steps 2",
                2, "another --radius may help"},
        Failing{"unknown_cloud", "measure harmonic-particle -m conformal --cloud x --steps 2", 2,
                "--cloud must be 600-cell, a file ending with .csv, or a number of points; found 'x'"},
        Failing{"unknown_weights", "measure harmonic-particle -m conformal --cloud 20 --weights x --steps 2", 2,
                "--weights must be simplices or ball, found 'x'"},
        Failing{"no_file_of_a_cloud", "measure harmonic-particle -m conformal --cloud nowhere.csv --steps 2", 4,
                "nowhere.csv"},
        Failing{"long_model", "show " + long_name + ".toml", 4, "aaa.toml"},
        Failing{"long_output", "run conserved.toml --step 0.1 --steps 1 -o " + long_name + ".csv", 4, "aaa.csv"},
        Failing{"long_folder", "run conserved.toml --step 0.1 --steps 1 --report " + long_name + "/a.html", 4,
                "does not exist"},
        Failing{"long_experiment", "reproduce " + long_name + ".toml", 4, "aaa.toml"},
        Failing{"long_ensemble", "ensemble " + long_name + ".toml", 4, "aaa.toml"}),
    [](const auto& test) { return test.param.label; });

/// JSON has null for what does not exist, and says where that begins.
TEST(Undefined, values_are_null_with_their_place) {
  const Workplace at;
  at.add("m", particle("[conserved]\nw = \"x'*exp(log(x))/x\"\n"));
  const nlohmann::json w = at.document("run m.toml -m dla --step 0.3 --steps 5").at("conserved").at("w");
  EXPECT_TRUE(w.at("max_error").is_null());
  EXPECT_EQ(w.at("undefined").at("step"), 4);
  EXPECT_DOUBLE_EQ(w.at("undefined").at("time"), 1.2);
  EXPECT_EQ(w.at("undefined").at("max_error_before"), 0.0);
  EXPECT_EQ(w.at("scale"), 1.0);
}

/// A run that is interrupted after a while, in two parts.
Answer interrupted_and_resumed(const Workplace& at, const std::string& run) {
  const std::string command = "cd '" + at.path() + "' && timeout --preserve-status -s INT 1.5 " + rattleback_command() +
                              " " + run + " --steps 2000000000000 --every 1000000000";
  EXPECT_EQ(shell(command + " --quiet 2>/dev/null").status, 130);
  const int status = shell(command + " --resume --json >out.txt 2>err.txt").status;
  return {status, content(at / "out.txt"), content(at / "err.txt")};
}

/// Of what ceased to exist before the interruption.
TEST(Undefined, values_stay_undefined_in_a_resumed_run) {
  const Workplace at;
  at.add("m", particle("[conserved]\nw = \"x'*exp(log(x))/x\"\n"));
  const Answer a = interrupted_and_resumed(at, "run m.toml -m dla --step 0.3 -o a.csv");
  EXPECT_EQ(a.status, 130) << a.err;
  ASSERT_TRUE(nlohmann::json::accept(a.out)) << a.out;
  const nlohmann::json w = nlohmann::json::parse(a.out).at("conserved").at("w");
  EXPECT_EQ(w.at("undefined").at("step"), 4);
  EXPECT_EQ(w.at("undefined").at("max_error_before"), 0.0);
}

/// Titles and names are text, whatever they contain.
TEST(Terminal, gets_nothing_that_it_would_obey) {
  const Workplace at;
  at.add("m", "name = \"\\u009b31mred \\u202e\\u2066\\u200f\\u061c evil \\u00e9\"\n" + particle(""));
  for (const std::string command : {"show m.toml", "run m.toml --step 0.1 --steps 2", "analyse m.toml",
                                    "compare m.toml -m dla,rk4 --step 0.1 --steps 2", "show m.toml --latex"}) {
    const Answer a = at(command);
    EXPECT_EQ(a.status, 0) << a.err;
    for (const char* code : {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c"}) {
      EXPECT_EQ((a.out + a.err).find(code), std::string::npos) << command;
    }
  }
  EXPECT_TRUE(contains(at("show m.toml").out, "?31mred ???? evil \xc3\xa9"));
  const Answer json = at("show m.toml --json");
  EXPECT_TRUE(contains(json.out, "\\u009b31mred \\u202e\\u2066\\u200f\\u061c evil \xc3\xa9"));
  EXPECT_EQ(nlohmann::json::parse(json.out).at("title"),
            "\xc2\x9b"
            "31mred \xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c evil \xc3\xa9");
}

/// Names of files are bytes. Every form of answer takes them, and so does a run that is resumed.
TEST(Names, need_not_be_utf8) {
  const Workplace at;
  const std::string model = "'caf\xe9.toml'";
  at.add("caf\xe9", particle(""));
  const std::string run = "run " + model + " -m rk4 --step 0.1 --steps 10";
  for (const std::string& command :
       {run, run + " -o '\xe9.csv'", run + " -o '\xe9.h5'", run + " --report '\xe9.html'", "show " + model,
        "analyse " + model, "compare " + model + " -m rk4,dla --step 0.1 --steps 3"}) {
    const Answer a = at(command + " --json");
    EXPECT_EQ(a.status, 0) << command << a.err;
    EXPECT_TRUE(nlohmann::json::accept(a.out)) << command << a.out;
    const Answer b = at(command);
    EXPECT_EQ(b.status, 0) << command << b.err;
    EXPECT_EQ((b.out + b.err).find('\xe9'), std::string::npos) << command;
  }
  const Answer resumed = interrupted_and_resumed(at, "run " + model + " -m rk4 --step 0.1 -o 'r\xe9.csv'");
  EXPECT_EQ(resumed.status, 130) << resumed.err;
  EXPECT_TRUE(contains(resumed.out, "resumed at step"));
}

}  // namespace wording_test
