// The language of models as users of the command meet it: definitions everywhere, rows with names, starts by name, and
// what is said to those who write another language.

#include <cmath>
#include <sstream>
#include <vector>

#include "command.hpp"

namespace language_test {

using namespace rattleback::test;

const std::string disk = R"toml(coordinates = ["x", "y", "phi", "theta"]
lagrangian = "0.5*m*dot(r', r') + 0.5*phi'^2 + 0.25*theta'^2"
constraints = [{ roll = "r' - theta'*n" }]
[definitions]
r = "[x, y]"
n = "[cos(phi), sin(phi)]"
speed = "norm(r')"
"half(u)" = "u/2"
[parameters]
m = 1
[initial]
q = { phi = 0.5 }
v = { theta = 2, phi = 1 }
[run]
step = 0.1
time = 1
)toml";

std::vector<std::string> header(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<std::string> names;
  std::stringstream cells(line);
  for (std::string name; std::getline(cells, name, ',');) names.push_back(name);
  return names;
}

TEST(Language, rows_have_names_in_results) {
  const Workplace at;
  at.add("disk", disk);
  const Answer a = at("run disk.toml -m dla -o disk.csv --quiet");
  ASSERT_EQ(a.status, 0) << a.err;
  const auto names = header(at / "disk.csv");
  for (const char* name : {"multiplier_roll1", "multiplier_roll2", "constraint_roll1", "constraint_roll2"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  const Answer again = at("run disk.toml -m dla -o disk.csv --quiet");
  EXPECT_EQ(again.status, 0) << "an older result is recognised: " << again.err;
}

TEST(Language, show_lists_definitions_and_names) {
  const Workplace at;
  at.add("disk", disk);
  const Answer text = at("show disk.toml");
  EXPECT_TRUE(contains(text.out, "Definitions\n  r = [x, y]\n  n = [cos(phi), sin(phi)]\n"));
  EXPECT_TRUE(contains(text.out, "  half(u) = u/2\n"));
  EXPECT_TRUE(contains(text.out, "  roll: 0 = "));
  const auto document = at.document("show disk.toml");
  EXPECT_EQ(document.at("definitions").at(0),
            (nlohmann::json{{"name", "r"}, {"text", "[x, y]"}, {"value", {"x", "y"}}}));
  EXPECT_EQ(document.at("definitions").at(3).at("arguments"), (nlohmann::json{"u"}));
  EXPECT_EQ(document.at("rows"), (nlohmann::json{"roll1", "roll2"}));
}

// x' = theta' cos(phi), y' = theta' sin(phi)
TEST(Language, starts_by_name) {
  const Workplace at;
  at.add("disk", disk);
  const auto velocities = [&](const std::string& arguments) {
    return at.document("run disk.toml -m rk4 --step 1e-9 --steps 1 " + arguments).at("v").get<std::vector<double>>();
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-7) << i;
  };
  expect(velocities(""), {2 * std::cos(0.5), 2 * std::sin(0.5), 1, 2});
  expect(velocities("--v0 x=1,phi=3"), {1, std::tan(0.5), 3, 1 / std::cos(0.5)});
  expect(velocities("--q0 phi=0.2"), {2 * std::cos(0.2), 2 * std::sin(0.2), 1, 2});
  expect(velocities("--q0 0,0,0.2,0"), {2 * std::cos(0.2), 2 * std::sin(0.2), 1, 2});
  expect(velocities("--q0 phi=m/5 --v0 theta=2*m"), {2 * std::cos(0.2), 2 * std::sin(0.2), 0, 2});
}

TEST(Language, formulas_of_ensembles_and_lagrangians_use_definitions) {
  const Workplace at;
  at.add("disk", disk);
  const std::string ensemble =
      "model = \"disk.toml\"\nmethod = \"dla\"\n[start]\n\"theta'\" = \"half(w)\"\n\"x'\" = \"theta'*n[1]\"\n\"y'\" = "
      "\"theta'*n[2]\"\n[[vary]]\nof = \"w\"\nvalues = [1, 2]\n[keep]\nstatistics = [\"speed\", \"half(theta)\", "
      "\"n[2]\"]\n";
  at.add("many", ensemble);
  const Answer a = at("ensemble many.toml -o many.h5");
  EXPECT_EQ(a.status, 0) << a.err;
  at.add("taken", "model = \"disk.toml\"\nmethod = \"dla\"\n[start]\nspeed = 1\n");
  const Answer taken = at("ensemble taken.toml -o taken.h5");
  EXPECT_EQ(taken.status, wrong_request);
  EXPECT_TRUE(contains(taken.err, "taken.toml:4:9: 'speed' is a definition of the model"));
  const Answer other = at("analyse disk.toml --lagrangian \"half(dot(r', r'))\"");
  EXPECT_NE(other.status, wrong_request) << other.err;
}

struct Hint {
  std::string label;
  std::string lagrangian;
  std::string says;
};
void PrintTo(const Hint& hint, std::ostream* out) { *out << hint.label; }

class Hints : public testing::TestWithParam<Hint> {};

TEST_P(Hints, tell_what_to_write) {
  const Workplace at;
  at.add("m", "coordinates = [\"x\", \"theta\"]\nlagrangian = \"" + GetParam().lagrangian +
                  "\"\n[parameters]\nMass = 1\n[initial]\nq = [0, 0]\n");
  const Answer a = at("show m.toml");
  EXPECT_EQ(a.status, wrong_request) << a.out;
  EXPECT_TRUE(contains(a.err, "m.toml:2:"));
  EXPECT_TRUE(contains(a.err, GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Language, Hints,
    testing::Values(
        Hint{"xdot", "0.5*xdot^2", "unknown name 'xdot'; the velocity of x is written x'"},
        Hint{"theta_dot", "theta_dot^2", "unknown name 'theta_dot'; the velocity of theta is written theta'"},
        Hint{"dotx", "dot_x^2", "the velocity of x is written x'"},
        Hint{"dx", "dx^2", "the velocity of x is written x'"},
        Hint{"dxdt", "dxdt^2", "the velocity of x is written x'"},
        Hint{"x_dot_as_a_member", "x.dot^2", "unexpected character '.'; the velocity of x is written x'"},
        Hint{"capital", "X'^2", "unknown name 'X''; did you mean 'x''?"},
        Hint{"small", "mass*x'^2", "unknown name 'mass'; did you mean 'Mass'?"},
        Hint{"leibniz", "d/dt(x)^2", "unknown name 'd'; a time derivative is written with a prime"},
        Hint{"diff", "diff(x)^2", "'diff' is not a function; a time derivative is written with a prime"},
        Hint{"ln", "x'^2 - ln(x)", "'ln' is not a function; the natural logarithm is log(...)"},
        Hint{"arctan", "x'^2 - arctan(x)", "'arctan' is not a function; write atan(...)"},
        Hint{"sgn", "x'^2 - sgn(x)", "'sgn' is not a function; write sign(...)"},
        Hint{"fabs", "x'^2 - fabs(x)", "'fabs' is not a function; write abs(...)"},
        Hint{"fmax", "x'^2 - fmax(x, 1)", "'fmax' is not a function; write max(...)"},
        Hint{"heaviside", "x'^2 - heaviside(x)", "is written if(x > 0, a, b)"},
        Hint{"floor", "x'^2 - floor(x)", "'floor' is not a function; there is none"},
        Hint{"lookup", "x'^2 - interp1(x)", "tables are declared in [inputs]"},
        Hint{"condition", "if(x, 1, 2)", "a condition is a comparison, as in if(x > 0, a, b)"},
        Hint{"chained", "if(0 < x < 1, 1, 2)", "a comparison has two sides; write a < b and b < c"},
        Hint{"equal", "if(x == 1, 1, 2)", "numbers are hardly ever equal; conditions compare with <"},
        Hint{"arrow", "if(x => 1, 1, 2)", "numbers are hardly ever equal"},
        Hint{"one_value", "if(x < 1, 1)", "'if' takes a condition and two values, if(condition, a, b); found 1 value"},
        Hint{"three_values", "if(x < 1, 1, 2, 3)", "found 3 values"},
        Hint{"no_parenthesis", "if x < 1", "'if' is a function; write if(condition, a, b)"},
        Hint{"ternary", "x < 1 ? 1 : 2", "'<' belongs into a condition"},
        Hint{"question", "x ? 1 : 2", "unexpected character '?'; write if(condition, a, b)"},
        Hint{"ampersand", "if(x < 1 && x > 0, 1, 2)", "unexpected character '&'; write and"},
        Hint{"bar", "if(x < 1 || x > 0, 1, 2)", "unexpected character '|'; write or"},
        Hint{"bang", "if(!(x < 1), 1, 2)", "unexpected character '!'; write not"},
        Hint{"and_outside", "x and x'", "'and' belongs into a condition"},
        Hint{"not_outside", "not x", "'not' belongs into a condition"},
        Hint{"vector", "if(x < [1, 2], 1, 2)", "what is compared must be a scalar"},
        Hint{"vector_value", "if(x < 1, [1, 2], 2)", "a value of 'if' must be a scalar"},
        Hint{"min_of_one", "min(x)", "'min' takes 2 arguments or more, found 1"},
        Hint{"abs_of_two", "abs(x, 1)", "'abs' takes 1 argument, found 2"},
        Hint{"open", "if(x < 1, 1, 2", "this ( is never closed"},
        Hint{"name", "if = 2; x'^2", "'if' has a meaning already"},
        Hint{"python_condition", "x if x else 1", "an operator is missing before 'if'"},
        Hint{"less", "x < 1", "'<' belongs into a condition, and conditions stand first in if"},
        Hint{"stars", "x'**2", "'**' is not an operator; write ^ for a power"},
        Hint{"power", "pow(x', 2)", "'pow' is not a function; a power is written with ^"},
        Hint{"euler", "x'^2 - e^x", "unknown name 'e'; Euler's number is exp(1)"},
        Hint{"second", "x''*x", "'x''': only first derivatives may occur"},
        Hint{"pi", "PI*x'^2", "unknown name 'PI'; did you mean 'pi'?"}),
    [](const auto& p) { return p.param.label; });

TEST(Language, a_block_slides_as_far_as_Coulomb_says) {
  Workplace work;
  work.add("block",
           "coordinates = [\"x\"]\nlagrangian = \"0.5*m*x'^2\"\n[parameters]\nm = 2\nmu = 0.3\ng = 9.81\n"
           "[forces]\nx = \"-mu*m*g*if(x' > 0, 1, -1)\"\n[initial]\nq = [0]\nv = [3]\n");
  const double distance = 9.0 / (2.0 * 0.3 * 9.81);
  const double mu_g = 0.3 * 9.81;
  // Until it stops, at t = 1.0194, forces are constant and both methods exact; rk4 then trembles within μ g h.
  for (const char* method : {"dla", "rk4"}) {
    const Answer a = work("run block.toml -m " + std::string(method) + " --step 0.01 --time 1 --json");
    ASSERT_EQ(a.status, 0) << a.err;
    const auto state = nlohmann::json::parse(a.out);
    EXPECT_NEAR(state.at("q").at(0).get<double>(), 3.0 - 0.5 * mu_g, 1e-13) << method;
    EXPECT_TRUE(contains(a.out, "not smooth everywhere")) << a.out;
  }
  for (const double h : {0.01, 0.001}) {
    const Answer a = work("run block.toml -m rk4 --time 1.2 --json --step " + std::to_string(h));
    ASSERT_EQ(a.status, 0) << a.err;
    const auto state = nlohmann::json::parse(a.out);
    EXPECT_NEAR(state.at("q").at(0).get<double>(), distance, mu_g * h * 0.2);
    EXPECT_LE(std::abs(state.at("v").at(0).get<double>()), mu_g * h);
  }
  const Answer stuck = work("run block.toml -m dla --step 0.01 --time 1.2");
  EXPECT_EQ(stuck.status, numerics_failed);
  EXPECT_TRUE(contains(stuck.err, "not converged")) << stuck.err;
  EXPECT_TRUE(contains(stuck.err, "jumps")) << stuck.err;
}

TEST(Language, inputs_by_tables) {
  Workplace work;
  work.add("push",
           "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2)\"\n[inputs]\n"
           "push = { times = [0, 1, 2], values = [0, 1, 0] }\nlift = { file = \"lift.csv\" }\ngain = 0.5\n"
           "[forces]\nx = \"push\"\ny = \"gain*lift\"\n[initial]\nq = [0, 0]\n[run]\nstep = 0.1\ntime = 3\n");
  std::ofstream(work.path() + "/lift.csv") << "time,lift\n0,1\n# a remark\n1,2\n\n3,2\n";
  std::ofstream(work.path() + "/other.csv") << "t,value\n0,2\n3,2\n";
  const auto end = [&](const std::string& options) {
    const Answer a = work("run push.toml --json " + options);
    EXPECT_EQ(a.status, 0) << a.err;
    return nlohmann::json::parse(a.out).at("q").get<std::vector<double>>();
  };
  // x: a triangle of area 1, half of it before t = 1, then at rest for a second; y: (1 + t)/2, then 1.
  for (const char* method : {"rk4", "reference"}) {
    const auto q = end(std::string("-m ") + method);
    EXPECT_NEAR(q[0], 2.0, 1e-12) << method;
    EXPECT_NEAR(q[1], 1.0 / 3.0 + 1.5 + 2.0, 1e-12) << method;
  }
  EXPECT_NEAR(end("-m dla")[1], 1.0 / 3.0 + 3.5, 1e-3);
  EXPECT_NEAR(end("-m rk4 --set gain=1")[1], 2.0 * (1.0 / 3.0 + 3.5), 1e-12);
  EXPECT_NEAR(end("-m rk4 --input lift=other.csv --input gain=t")[1], 2.0 * 27.0 / 6.0, 1e-12);
  EXPECT_TRUE(contains(work("show push.toml").out, "push: 3 rows from t = 0 to 2, linear, checksum "));
  // A checkpoint knows the rows.
  const std::string endless = "run push.toml -m rk4 --output r.h5 --steps 1000000000000 --every 1000000";
  shell("cd '" + work.path() + "' && timeout -s INT 1 " + rattleback_command() + " " + endless + " >/dev/null 2>&1");
  std::ofstream(work.path() + "/lift.csv") << "time,lift\n0,1\n1,2\n3,2.5\n";
  const Answer other = work(endless + " --resume");
  EXPECT_EQ(other.status, wrong_request) << other.out;
  EXPECT_TRUE(contains(other.err, "input lift")) << other.err;
}

struct WrongLine {
  std::string label;
  std::string arguments;
  std::string says;
};
void PrintTo(const WrongLine& wrong, std::ostream* out) { *out << wrong.label; }

class WrongLines : public testing::TestWithParam<WrongLine> {};

TEST_P(WrongLines, are_explained) {
  const Workplace at;
  at.add("disk", disk);
  const Answer a = at("run disk.toml " + GetParam().arguments);
  EXPECT_EQ(a.status, wrong_request) << a.out;
  EXPECT_TRUE(contains(a.err, GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Language, WrongLines,
    testing::Values(WrongLine{"dt", "--dt 0.1", "'run' has no option '--dt'; did you mean '--step'?"},
                    WrongLine{"end", "--t_end 3", "'run' has no option '--t_end'; did you mean '--time'?"},
                    WrongLine{"solver", "--solver rk4", "'run' has no option '--solver'; did you mean '--method'?"},
                    WrongLine{"not_a_coordinate", "--v0 psi=1",
                              "--v0 has a value for 'psi', which is not a coordinate; did you mean 'phi'?"},
                    WrongLine{"mixed", "--v0 x=1,2",
                              "--v0:1:5: expected NAME=VALUE: either all numbers have names, or none has"},
                    WrongLine{"twice", "--v0 x=1,x=2", "--v0:1:5: 'x' is given twice"},
                    WrongLine{"no_number", "--v0 x=fast", "--v0:1:3: unknown name 'fast'"},
                    WrongLine{"no_value", "--q0 x=", "--q0:1:3: the expression is empty"},
                    WrongLine{"contradiction", "--v0 x=1,theta=0",
                              "--v0: no velocities with these values of x, theta satisfy\n  constraint roll[1] (0 = "}),
    [](const auto& p) { return p.param.label; });

// Kane & Levinson: spun with −5 rad/s about its own axis, the rattleback stops turning at 2.353 s, with +5 at 11.461 s;
// with drag by the air at 2.390 s, and with +5 never.
TEST(Rattleback, turns_back) {
  const Workplace at;
  const auto first_zero = [&](const std::string& arguments) {
    const Answer a = at("run rattleback -o r.csv --quiet --force " + arguments);
    EXPECT_EQ(a.status, 0) << a.err;
    std::ifstream in(at / "r.csv");
    const auto names = header(at / "r.csv");
    const auto column = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    std::string line;
    std::getline(in, line);
    double before = 0.0;
    double time_before = 0.0;
    while (std::getline(in, line)) {
      std::vector<double> row;
      std::stringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
      const double w = row[column("R.omega3")];
      const double t = row[column("time")];
      if (w * before < 0.0) return time_before + (t - time_before) * before / (before - w);
      before = w;
      time_before = t;
    }
    return 0.0;
  };
  EXPECT_NEAR(first_zero("-m reference --time 3"), 2.353, 0.0006);
  EXPECT_NEAR(first_zero("-m dla:order=6 --step 0.002 --time 12 --set spin=5"), 11.461, 0.0006);
  EXPECT_NEAR(first_zero("-m reference --time 3 --set sigma=1e-4"), 2.390, 0.0006);
  EXPECT_EQ(first_zero("-m dla:order=4 --step 0.005 --every 10 --time 60 --set spin=5 --set sigma=1e-4"), 0.0);
}

}  // namespace language_test
