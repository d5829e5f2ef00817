// Ensembles that are wrong, as users write them. Each must end with the right exit status and a message that says where
// it is wrong, what was found, and what to do; nothing is written, and nothing is left behind.

#include <ostream>
#include <vector>

#include "command.hpp"
#include "tests/places.hpp"

namespace ensemble_wrong_input_test {

using namespace rattleback::test;
namespace fs = std::filesystem;

/// A spec that is wrong, and what the message must contain.
struct WrongEnsemble {
  std::string label;
  std::string spec;
  std::vector<std::string> says;
  std::vector<std::string> never = {};
  std::string options = "";
  int status = wrong_request;
};

void PrintTo(const WrongEnsemble& wrong, std::ostream* out) { *out << wrong.label; }
std::string label_of(const testing::TestParamInfo<WrongEnsemble>& which) { return which.param.label; }

/// Four lines that are right: the text goes on in the fifth.
std::string particle(const std::string& rest) {
  return "model = \"quadratic-particle\"\nmethod = \"dla:midpoint\"\nstep = 0.1\ntime = 1.0\n" + rest;
}
std::string sleigh(const std::string& rest) {
  return "model = \"chaplygin-sleigh\"\nmethod = \"rk4\"\nstep = 0.1\ntime = 1.0\n" + rest;
}

/// A section [[vary]] in line 5; `of` is in line 6.
std::string vary(const std::string& of, const std::string& rest) {
  return particle("[[vary]]\nof = " + of + "\n" + rest + "\n");
}
const std::string x = "\"x\"";
const std::string three = "[\"x\", \"y\", \"z\"]";

class WrongEnsembles : public testing::TestWithParam<WrongEnsemble> {};

TEST_P(WrongEnsembles, get_a_message_with_place_cause_and_remedy) {
  const WrongEnsemble& wrong = GetParam();
  const Workplace desk;
  desk.add("s", wrong.spec);
  const Answer a = [&] {  // what never ends is ended
    const int status =
        shell("cd '" + desk.path() + "' && LC_ALL=C timeout 10 " + rattleback::test::rattleback_command() +
              " ensemble s.toml " + wrong.options + " >out.txt 2>err.txt")
            .status;
    return Answer{status, content(desk / "out.txt"), content(desk / "err.txt")};
  }();
  SCOPED_TRACE(wrong.spec + "\n" + a.err);
  EXPECT_EQ(a.status, wrong.status) << (a.status == 124 ? "it did not end" : "");
  for (const std::string& part : wrong.says) EXPECT_TRUE(contains(a.err, part));
  for (const std::string& part : wrong.never) EXPECT_FALSE(contains(a.err, part)) << "misleading";
  EXPECT_TRUE(a.err.starts_with("rattleback: "));
  EXPECT_FALSE(contains(a.err, "\nrattleback: "));
  EXPECT_FALSE(contains(a.err, "std::"));
  EXPECT_FALSE(contains(a.err, "-nan"));
  EXPECT_EQ(a.out, "") << "standard output is for answers";
  EXPECT_FALSE(fs::exists(desk / "s.h5"));
  EXPECT_FALSE(fs::exists(desk / "s.h5.parts")) << "the next attempt would be refused";
}

// ---------------------------------------------------------------------------------------------------------------------

const std::vector<WrongEnsemble> whole{
    {"unknown_key", particle("stepp = 1\n"), {"s.toml:5:1", "unknown key 'stepp'", "did you mean 'step'?", "^"}},
    {"unknown_table", particle("[kep]\ntimes = [0]\n"), {"s.toml:5:", "'kep'", "did you mean 'keep'?"}},
    {"no_toml", particle("[[vary]\nof = 3\n"), {"s.toml:5:", "[[vary]"}},
    {"empty", "", {"s.toml", "needs the key model"}},
    {"no_model", "method = \"rk4\"\nstep = 0.1\n", {"s.toml", "needs the key model"}},
    {"no_method", "model = \"quadratic-particle\"\nstep = 0.1\n", {"s.toml", "needs the key method"}},
    {"unknown_model",
     "model = \"quadratic-partcile\"\nmethod = \"rk4\"\n",
     {"s.toml:1:9", "'quadratic-partcile'", "did you mean 'quadratic-particle'?"}},
    {"no_such_file",
     "model = \"nowhere.toml\"\nmethod = \"rk4\"\n",
     {"s.toml:1:9", "there is no file", "nowhere.toml"}},
    {"model_is_a_number", "model = 3\nmethod = \"rk4\"\n", {"s.toml:1:9", "model", "found a number"}},
    {"unknown_method",
     "model = \"quadratic-particle\"\nmethod = \"dal:midpoint\"\n",
     {"s.toml:2:10", "there is no method 'dal'", "did you mean 'dla'?"}},
    {"unknown_method_in_a_list",
     "model = \"quadratic-particle\"\nmethod = [\"rk4\", \"rk5\"]\n",
     {"s.toml:2:", "there is no method 'rk5'"}},
    {"unknown_option_of_a_method",
     "model = \"quadratic-particle\"\nmethod = \"dla:midpiont\"\n",
     {"s.toml:2:10", "'midpiont'", "did you mean 'midpoint'?"}},
    {"method_twice", "model = \"quadratic-particle\"\nmethod = [\"rk4\", \"rk4\"]\n", {"s.toml:2:", "rk4", "twice"}},
    {"no_method_in_the_list", "model = \"quadratic-particle\"\nmethod = []\n", {"s.toml:2:10", "method is empty"}},
    {"method_is_a_number",
     "model = \"quadratic-particle\"\nmethod = 3\n",
     {"s.toml:2:10", "method must be", "text", "found a number"}},
    {"method_that_does_not_suit_the_model",
     "model = \"quadratic-particle\"\nmethod = \"del\"\nstep = 0.1\ntime = 1\n",
     {"s.toml:2:10", "del is for systems without constraints", "dla"}},
    {"free_lagrangian_that_does_not_exist",
     "model = \"quadratic-particle\"\nmethod = [\"rk4\", \"free\"]\nstep = 0.1\ntime = 1\n",
     {"free needs a free Lagrangian", "rattleback analyse"}},
    {"step_negative",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = -0.1\ntime = 1\n",
     {"s.toml:3:8", "step must be positive", "found -0.1"}},
    {"step_zero",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0\ntime = 1\n",
     {"s.toml:3:8", "step must be positive", "found 0"}},
    {"step_is_no_number",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = [0.1]\ntime = 1\n",
     {"s.toml:3:8", "step must be a number", "found a list"}},
    {"time_nan",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\ntime = nan\n",
     {"s.toml:4:8", "time", "nan", "finite"}},
    {"time_negative",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\ntime = -1\n",
     {"s.toml:4:8", "time must be positive", "found -1"}},
    {"time_shorter_than_a_step",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\ntime = 0.01\n",
     {"s.toml", "0.1", "at least one"}},
    {"steps_without_end",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 1e-300\ntime = 1e10\n",
     {"s.toml", "1e-300", "fewer than"}},
    {"steps_and_time", particle("steps = 3\n"), {"s.toml:5:9", "steps and time", "give one"}},
    {"steps_fraction",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = 2.5\n",
     {"s.toml:4:9", "steps must be an integer", "found 2.5"}},
    {"steps_zero",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = 0\n",
     {"s.toml:4:9", "steps must be", "found 0"}},
    {"project_is_a_text", particle("project = \"yes\"\n"), {"s.toml:5:11", "project must be true or false"}},
    {"seed_fraction", particle("seed = 1.5\n"), {"s.toml:5:8", "seed must be an integer", "found 1.5"}},
    {"seed_negative", particle("seed = -1\n"), {"s.toml:5:8", "seed must be an integer", "found -1"}},
    {"set_of_an_unknown_parameter", sleigh("[set]\naa = 2\n"), {"s.toml:6:6", "'aa'", "did you mean 'a'?"}},
    {"set_where_there_are_no_parameters", particle("[set]\nm = 2\n"), {"s.toml:6:5", "'m'"}},
    {"an_input_that_there_is_not",
     "model = \"rotor-sleigh\"\nmethod = \"rk4\"\n[inputs]\ntorke = \"1\"\n",
     {"s.toml:4:9", "no input 'torke'", "did you mean 'torque'?"}},
    {"an_input_with_an_unknown_name",
     "model = \"rotor-sleigh\"\nmethod = \"rk4\"\n[inputs]\ntorque = \"sin(tt)\"\n",
     {"s.toml:4:10", "unknown name 'tt'"}},
    {"set_and_varied",
     sleigh("[set]\na = 2\n[[vary]]\nof = \"a\"\nvalues = [1, 2]\n"),
     {"s.toml", "'a' is varied", "[set]"}},
    {"start_of_an_unknown_name", particle("[start]\nu = 1\n"), {"s.toml:6:1", "unknown key 'u'", "x'"}},
    {"start_with_an_unknown_name", particle("[start]\n\"x'\" = \"2*w\"\n"), {"s.toml:6:11", "unknown name 'w'", "2*w"}},
    {"start_that_is_no_formula",
     particle("[start]\nx = \"1 +* 2\"\n"),
     {"s.toml:6:", "expected a number", "found '*'"}},
};
INSTANTIATE_TEST_SUITE_P(Whole, WrongEnsembles, testing::ValuesIn(whole), label_of);

const std::vector<WrongEnsemble> varied{
    {"unknown_name", vary("\"xx\"", "values = [1]"), {"s.toml:6:6", "'xx'", "did you mean 'x'?"}},
    {"misspelt_name",
     sleigh("[[vary]]\nof = \"tehta\"\nvalues = [1]\n"),
     {"s.toml:6:6", "'tehta'", "did you mean 'theta'?"}},
    {"misspelt_velocity",
     sleigh("[[vary]]\nof = \"tehta'\"\nvalues = [1]\n"),
     {"s.toml:6:6", "\"tehta'\"", "did you mean"}},
    {"own_name_that_nothing_uses",
     vary("\"E\"", "values = [1, 2]"),
     {"s.toml:6:6", "'E'", "no formula in [start] uses it"}},
    {"unknown_name_in_a_list", vary("[\"x\", \"q\"]", "values = [[1, 2]]"), {"s.toml:6:", "'q'"}},
    {"nothing_varied", particle("[[vary]]\nvalues = [1]\n"), {"s.toml:5:1", "needs the key of"}},
    {"empty_list_of_names", vary("[]", "values = [1]"), {"s.toml:6:6", "empty"}},
    {"no_points",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\n[[vary]]\nof = \"x\"\n",
     {"s.toml:3:1", "values", "from", "random", "polytope"}},
    {"table_instead_of_sections", particle("[vary]\nof = \"x\"\nvalues = [1]\n"), {"s.toml:5:1", "[[vary]]"}},
    {"varied_twice",
     particle("[[vary]]\nof = \"x\"\nvalues = [1]\n[[vary]]\nof = \"x\"\nvalues = [2]\n"),
     {"s.toml:9:6", "'x' is varied twice"}},
    {"varied_twice_together", vary("[\"x\", \"x\"]", "values = [[1, 2]]"), {"s.toml:", "'x' is varied twice"}},
    {"varied_and_in_start",
     particle("[[vary]]\nof = \"x\"\nvalues = [1]\n[start]\nx = 1\n"),
     {"s.toml:6:6", "'x' is varied", "[start]"}},
    {"count_zero", vary(x, "from = 0\nto = 1\ncount = 0"), {"s.toml:9:9", "count must be an integer", "found 0"}},
    {"count_fraction",
     vary(x, "from = 0\nto = 1\ncount = 1.5"),
     {"s.toml:9:9", "count must be an integer", "found 1.5"}},
    {"count_negative", vary(x, "from = 0\nto = 1\ncount = -3"), {"s.toml:9:9", "count must be an integer", "found -3"}},
    {"count_text", vary(x, "from = 0\nto = 1\ncount = \"many\""), {"s.toml:9:", "many"}},
    {"from_without_to", vary(x, "from = 0\ncount = 3"), {"s.toml:5:1", "needs the key to"}},
    {"from_without_count", vary(x, "from = 0\nto = 3"), {"s.toml:5:1", "needs the key count"}},
    {"from_misspelt", vary(x, "form = 0\nto = 3\ncount = 3"), {"s.toml:7:1", "'form'"}},
    {"logarithmic_from_zero",
     vary(x, "from = 0\nto = 1\ncount = 3\nspacing = \"logarithmic\""),
     {"s.toml:", "logarithmic", "zero"}},
    {"logarithmic_through_zero",
     vary(x, "from = -1\nto = 1\ncount = 3\nspacing = \"logarithmic\""),
     {"s.toml:", "logarithmic", "sign"}},
    {"spacing_unknown",
     vary(x, "from = 0\nto = 1\ncount = 3\nspacing = \"logaritmic\""),
     {"s.toml:10:11", "linear", "logarithmic", "found 'logaritmic'"}},
    {"ends_of_the_wrong_length",
     vary("[\"x\", \"y\"]", "from = [0, 1, 2]\nto = 1\ncount = 3"),
     {"s.toml:7:8", "from has 3", "expected 2"}},
    {"end_infinite", vary(x, "from = 0\nto = inf\ncount = 3"), {"s.toml:8:6", "to is inf", "finite"}},
    {"end_with_an_unknown_name", vary(x, "from = 0\nto = \"2*pie\"\ncount = 3"), {"s.toml:8:", "unknown name 'pie'"}},
    {"values_empty", vary(x, "values = []"), {"s.toml:7:10", "values is empty"}},
    {"values_of_the_wrong_length",
     vary("[\"x\", \"y\"]", "values = [[0, 1], [2]]"),
     {"s.toml:7:19", "1 number", "expected 2"}},
    {"values_of_the_wrong_kind",
     vary(x, "values = [1, true]"),
     {"s.toml:7:14", "must be a number", "found true or false"}},
    {"values_no_list", vary(x, "values = 1"), {"s.toml:7:10", "list", "found a number"}},
    {"values_with_an_unknown_name", vary(x, "values = [\"1 + qq\"]"), {"s.toml:7:16", "unknown name 'qq'"}},
    {"values_undefined", vary(x, "values = [\"sqrt(-1)\"]"), {"s.toml:7:", "sqrt(-1)"}, {"-nan"}},
    {"values_and_from", vary(x, "values = [1]\nfrom = 0"), {"s.toml:8:1", "'from'", "values"}},
    {"step_negative_among_values",
     particle("[[vary]]\nof = \"step\"\nvalues = [0.1, -0.1]\n"),
     {"s.toml", "step must be positive", "found -0.1"}},
    {"random_unknown",
     vary(x, "random = \"unifrom\"\nfrom = 0\nto = 1\ncount = 3"),
     {"s.toml:7:10", "uniform, normal, sphere or ball", "found 'unifrom'"}},
    {"random_without_count", vary(x, "random = \"uniform\"\nfrom = 0\nto = 1"), {"s.toml:5:1", "needs the key count"}},
    {"random_without_radius", vary(three, "random = \"ball\"\ncount = 3"), {"s.toml:5:1", "needs the key radius"}},
    {"random_in_an_infinite_ball",
     vary(three, "random = \"ball\"\nradius = inf\ncount = 3"),
     {"s.toml:8:10", "radius is inf", "finite"}},
    {"random_without_deviation",
     vary(x, "random = \"normal\"\nmean = 0\ncount = 3"),
     {"s.toml:5:1", "needs the key deviation"}},
    {"deviation_negative",
     vary(x, "random = \"normal\"\nmean = 0\ndeviation = -1\ncount = 3"),
     {"s.toml:", "deviation", "negative"}},
    {"key_of_other_random_points",
     vary(x, "random = \"normal\"\nfrom = 0\ndeviation = 1\ncount = 3"),
     {"s.toml:8:1", "unknown key 'from'", "mean"}},
    {"seed_in_a_section",
     vary(x, "random = \"uniform\"\nfrom = 0\nto = 1\ncount = 3\nseed = 1"),
     {"s.toml:11:1", "unknown key 'seed'"}},
    {"polytope_unknown",
     vary(three, "polytope = \"cubes\"\nradius = 1"),
     {"s.toml:", "'cubes'", "simplex, cube, cross and 600-cell"}},
    {"polytope_of_another_dimension",
     vary(three, "polytope = \"600-cell\"\nradius = 1"),
     {"s.toml:", "600-cell", "4", "found 3"}},
    {"polytope_without_radius", vary(three, "polytope = \"cube\""), {"s.toml:5:1", "needs the key radius"}},
    {"polytope_radius_negative",
     vary(three, "polytope = \"cube\"\nradius = -1"),
     {"s.toml:8:10", "radius must be positive", "found -1"}},
    {"more_members_than_numbers",
     particle("[[vary]]\nof = \"x\"\nfrom = 0\nto = 1\ncount = 1000000000\n"
              "[[vary]]\nof = \"y\"\nfrom = 0\nto = 1\ncount = 1000000000\n"
              "[[vary]]\nof = \"z\"\nfrom = 0\nto = 1\ncount = 1000000000\n"),
     {"s.toml", "1e+27 members", "too many"}},
    {"more_members_than_memory",
     vary(x, "from = 0\nto = 1\ncount = 100000000000000"),
     {"100000000000000 members are too many", "memory"}},
};
INSTANTIATE_TEST_SUITE_P(Varied, WrongEnsembles, testing::ValuesIn(varied), label_of);

const std::vector<WrongEnsemble> kept{
    {"unknown_key", particle("[keep]\ntime = [0]\n"), {"s.toml:6:1", "unknown key 'time'", "did you mean 'times'?"}},
    {"times_decreasing", particle("[keep]\ntimes = [0, 0.5, 0.2]\n"), {"s.toml:6:", "times must not decrease"}},
    {"times_negative", particle("[keep]\ntimes = [-1, 0.5]\n"), {"s.toml:6:", "negative"}},
    {"times_after_the_end", particle("[keep]\ntimes = [0, 0.5, 2]\n"), {"s.toml:6:", "2", "after the end", "1"}},
    {"times_after_the_last_step",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = 5\n[keep]\ntimes = [0, 1e6]\n",
     {"s.toml:6:9", "the time 1000000", "after the end", "0.5"}},
    {"times_after_the_last_of_small_steps",
     "model = \"quadratic-particle\"\nmethod = \"rk4\"\nsteps = 5\n[keep]\ntimes = [0, 1]\n"
     "[[vary]]\nof = \"step\"\nvalues = [0.4, 0.1]\n",
     {"s.toml:5:9", "the time 1 is", "after the end", "0.5"}},
    {"times_text", particle("[keep]\ntimes = \"all\"\n"), {"s.toml:6:9", "times must be a list", "found a text"}},
    {"times_table_without_count",
     particle("[keep]\ntimes = {from = 0, to = 1}\n"),
     {"s.toml:6:9", "needs the key count"}},
    {"observer_unknown",
     particle("[keep]\nobservers = [\"midpoint-enrgy\"]\n"),
     {"s.toml:6:14", "'midpoint-enrgy'", "did you mean 'midpoint-energy'?"}},
    {"observer_that_cannot_be",
     sleigh("[keep]\nobservers = [\"symplectic\"]\n"),
     {"symplectic cannot be observed here", "not (q, p)"}},
    {"statistics_unknown",
     particle("[keep]\nstatistics = [\"enrgy\"]\n"),
     {"s.toml:6:16", "unknown name 'enrgy'", "did you mean 'energy'?"}},
    {"statistics_unknown_in_the_middle",
     particle("[keep]\nstatistics = [\"energy\", \"x^2 + yy\"]\n"),
     {"s.toml:6:32", "unknown name 'yy'", "did you mean 'y'?"}},
    {"statistics_no_formula", particle("[keep]\nstatistics = [\"x^2 + \"]\n"), {"s.toml:6:", "found the end"}},
    {"section_direction",
     particle("[[section]]\nname = \"s\"\nof = \"x\"\ndirection = \"upp\"\n"),
     {"s.toml:8:13", "up, down or both", "found 'upp'"}},
    {"section_twice",
     particle("[[section]]\nname = \"s\"\nof = \"x\"\n[[section]]\nname = \"s\"\nof = \"y\"\n"),
     {"s.toml:8:", "two sections", "s"}},
    {"section_of_nothing", particle("[[section]]\nname = \"s\"\n"), {"s.toml:5:1", "needs the key of"}},
    {"section_of_an_unknown_name",
     particle("[[section]]\nname = \"s\"\nof = \"x + qq\"\n"),
     {"s.toml:7:11", "unknown name 'qq'"}},
    {"section_with_a_slash", particle("[[section]]\nname = \"a/b\"\nof = \"x\"\n"), {"s.toml:6:8", "'a/b'", "slash"}},
    {"section_with_a_dot", particle("[[section]]\nname = \".\"\nof = \"x\"\n"), {"s.toml:6:8", "'.'"}},
    {"section_without_a_name", particle("[[section]]\nname = \"\"\nof = \"x\"\n"), {"s.toml:6:8", "name"}},
    {"section_called_last",  // at = "last" would mean two things
     particle("[[section]]\nname = \"last\"\nof = \"x\"\n"),
     {"s.toml:6:8", "last"}},
    {"section_most_zero",
     particle("[[section]]\nname = \"s\"\nof = \"x\"\nmost = 0\n"),
     {"s.toml:8:8", "most must be an integer", "found 0"}},
    {"histogram_nowhere",
     particle("[[section]]\nname = \"upwards\"\nof = \"x\"\n"
              "[[histogram]]\nof = \"x\"\nat = \"upward\"\nbins = 3\nfrom = 0\nto = 1\n"),
     {"s.toml:10:6", "last, times", "section", "found 'upward'", "upwards"}},
    {"histogram_at_times_that_are_not_kept",
     particle("[[histogram]]\nof = \"x\"\nat = \"times\"\nbins = 3\nfrom = 0\nto = 1\n"),
     {"s.toml:7:6", "no times are kept", "[keep]"}},
    {"histogram_without_bins",
     particle("[[histogram]]\nof = \"x\"\nat = \"last\"\nbins = 0\nfrom = 0\nto = 1\n"),
     {"s.toml:8:8", "bins must be an integer", "found 0"}},
    {"histogram_empty",
     particle("[[histogram]]\nof = \"x\"\nat = \"last\"\nbins = 3\nfrom = 1\nto = 0\n"),
     {"s.toml:5:1", "from 1 to 0", "empty"}},
    {"histogram_of_an_unknown_name",
     particle("[[histogram]]\nof = \"xq\"\nat = \"last\"\nbins = 3\nfrom = 0\nto = 1\n"),
     {"s.toml:6:7", "unknown name 'xq'", "did you mean 'x'?"}},
    {"histogram_unknown_key",
     particle("[[histogram]]\nof = \"x\"\nbin = 3\nfrom = 0\nto = 1\n"),
     {"s.toml:7:1", "unknown key 'bin'", "did you mean 'bins'?"}},
    {"histograms_of_one_name",
     particle("[[histogram]]\nof = \"x\"\nat = \"last\"\nbins = 3\nfrom = 0\nto = 1\n"
              "[[histogram]]\nof = \"x\"\nat = \"last\"\nbins = 4\nfrom = 0\nto = 1\n"),
     {"s.toml:", "two histograms", "x"}},
    {"volume_at_a_section",
     particle("[[section]]\nname = \"s\"\nof = \"x\"\n[[volume]]\nof = [\"x\", \"y\"]\nat = \"s\"\n"),
     {"s.toml:", "last", "times"}},
    {"volume_of_an_unknown_name",
     particle("[[volume]]\nof = [\"x\", \"p_q\"]\nat = \"last\"\n"),
     {"s.toml:6:13", "unknown name 'p_q'", "did you mean 'p_x'?"}},
};
INSTANTIATE_TEST_SUITE_P(Kept, WrongEnsembles, testing::ValuesIn(kept), label_of);

const std::vector<WrongEnsemble> command_line{
    {"lanes", particle(""), {"--lanes is 1, 4, 8 or 16", "found 3"}, {}, "--lanes 3"},
    {"lanes_no_number", particle(""), {"--lanes", "many"}, {}, "--lanes many"},
    {"threads", particle(""), {"--threads must be positive", "found 0"}, {}, "--threads 0"},
    {"another_ending", particle(""), {"HDF5", ".h5", "found a.csv"}, {}, "-o a.csv"},
    {"nothing_to_resume", particle(""), {"nothing to resume", "s.h5"}, {}, "--resume"},
    {"resume_and_force", particle(""), {"--resume", "--force", "give one"}, {}, "--resume --force"},
    {"unknown_option", particle(""), {"--thread", "did you mean '--threads'?"}, {}, "--thread 2"},
    {"folder_that_is_not_there", particle(""), {"nowhere/s.h5"}, {}, "-o nowhere/s.h5", 4},
};
INSTANTIATE_TEST_SUITE_P(CommandLine, WrongEnsembles, testing::ValuesIn(command_line), label_of);

TEST(WrongEnsemble, file_that_is_not_there) {
  const Workplace desk;
  const Answer missing = desk("ensemble nowhere.toml");
  EXPECT_NE(missing.status, 0);
  EXPECT_TRUE(contains(missing.err, "nowhere.toml"));
  const Answer none = desk("ensemble");
  EXPECT_EQ(none.status, wrong_request);
  EXPECT_TRUE(contains(none.err, "spec"));
}

TEST(WrongEnsemble, after_a_mistake_is_corrected_nothing_is_in_the_way) {
  const Workplace desk;
  desk.add("s", "model = \"quadratic-particle\"\nmethod = \"free\"\nstep = 0.1\ntime = 1\n");
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, wrong_request);
  desk.add("s", "model = \"quadratic-particle\"\nmethod = \"rk4\"\nstep = 0.1\ntime = 1\n");
  const Answer a = desk("ensemble s.toml --quiet");
  EXPECT_EQ(a.status, 0) << a.err;
}

TEST(WrongEnsemble, journals_that_are_none_are_refused) {
  const Workplace desk;
  desk.add("s", particle(""));
  fs::create_directory(desk / "s.h5.parts");
  const std::string mine = "this is not a journal, and long enough to be one of them ........";
  std::ofstream(desk / "s.h5.parts/part-000-00000") << mine;
  const Answer a = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(a.status, wrong_request) << a.err;
  EXPECT_TRUE(contains(a.err, "s.h5.parts"));
  // It is in nobody's way, and nobody takes it away.
  for (const char* options : {"", "--force"}) {
    const Answer b = desk("ensemble s.toml " + std::string(options));
    EXPECT_EQ(b.status, 0) << b.err;
    EXPECT_TRUE(contains(b.err, "s.h5.parts has files that are not ours, and was left with them: part-000-00000"));
    EXPECT_EQ(content(desk / "s.h5.parts/part-000-00000"), mine);
  }
  const Answer finished = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(finished.status, wrong_request);
  EXPECT_TRUE(contains(finished.err, "s.h5 is finished"));
}

TEST(WrongEnsemble, files_of_others_are_not_replaced) {
  const Workplace desk;
  desk.add("s", particle(""));
  const auto refused = [&](const std::string& what, const std::string& options, int status) {
    const Answer a = desk("ensemble s.toml --quiet " + options);
    EXPECT_EQ(a.status, status) << options << a.err;
    EXPECT_TRUE(contains(a.err, what)) << options;
    EXPECT_FALSE(fs::exists(desk / "x.h5.parts")) << "it was computed before it was refused";
  };
  std::ofstream(desk / "x.h5") << "mine";
  refused("x.h5 exists and is not a result of an ensemble", "-o x.h5", wrong_request);
  EXPECT_EQ(content(desk / "x.h5"), "mine");
  EXPECT_EQ(desk("ensemble s.toml --quiet -o x.h5 --force").status, 0);
  EXPECT_EQ(desk("ensemble s.toml --quiet -o x.h5").status, 0);  // an older result
  EXPECT_EQ(desk("run quadratic-particle -m rk4 --step 0.1 --steps 3 --quiet -o run.h5").status, 0);
  const std::string run = content(desk / "run.h5");
  refused("run.h5 exists and is not a result of an ensemble", "-o run.h5", wrong_request);
  EXPECT_TRUE(content(desk / "run.h5") == run);
  fs::remove(desk / "x.h5");
  fs::create_directory(desk / "x.h5");
  refused("x.h5 is a directory", "-o x.h5", 4);
  refused("x.h5 is a directory", "-o x.h5 --force", 4);
  fs::remove(desk / "x.h5");
  EXPECT_EQ(shell("mkfifo '" + (desk / "x.h5") + "'").status, 0);
  refused("x.h5 is a device or a pipe", "-o x.h5 --force", 4);
}

}  // namespace ensemble_wrong_input_test
