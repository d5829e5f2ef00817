// Rotations as users of the command meet them.

#include <cmath>
#include <sstream>
#include <vector>

#include "command.hpp"

namespace rotation_test {

using namespace rattleback::test;

const std::string body = R"toml(rotations = ["R"]
lagrangian = "0.5*dot(R.omega, J*R.omega)"
[definitions]
J = "diag(1, 2, 3)"
up = "R*[0, 0, 1]"
[initial]
q = { R = { axis = [0, 0, 1], angle = 0.5 } }
v = { R = [0.1, 1, 0.2] }
[run]
step = 0.05
time = 1
)toml";

// Euler's equations, I₁Ω₁' = (I₂ − I₃)Ω₂Ω₃ and so on.
TEST(Rotations, show_has_their_names_and_equations) {
  const Workplace at;
  at.add("body", body);
  const Answer text = at("show body.toml");
  EXPECT_TRUE(contains(text.out, "Coordinates\n  R, a rotation\n"));
  EXPECT_TRUE(contains(text.out, "  p_R2 = 2*R.omega2\n"));
  EXPECT_TRUE(contains(text.out, ", turned by 0.5 about (0, 0, 1)\n  R.omega = (0.1, 1, 0.2)\n"));
  EXPECT_TRUE(contains(text.out, "  R.omega1' = -R.omega2*R.omega3\n"));
  EXPECT_TRUE(contains(text.out, "  R.omega2' = R.omega1*R.omega3\n"));
  const auto document = at.document("show body.toml");
  EXPECT_EQ(document.at("coordinates"), nlohmann::json::array());
  EXPECT_EQ(document.at("rotations"), (nlohmann::json{"R"}));
  EXPECT_EQ(document.at("positions"), (nlohmann::json{"R.w", "R.x", "R.y", "R.z"}));
  EXPECT_EQ(document.at("velocities"), (nlohmann::json{"R.omega1", "R.omega2", "R.omega3"}));
  EXPECT_EQ(document.at("initial").at("q").size(), 4U);
  EXPECT_NEAR(document.at("initial").at("q").at(3).get<double>(), std::sin(0.25), 1e-15);
  const Answer latex = at("show body.toml --latex");
  EXPECT_TRUE(contains(latex.out, "p_{R_{2}} &= 2 \\omega_{R,2}"));
}

std::vector<std::vector<std::string>> table(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back();
    bool quoted = false;
    std::string cell;
    for (const char c : line + ",") {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        rows.back().push_back(cell);
        cell.clear();
      } else {
        cell += c;
      }
    }
  }
  return rows;
}

TEST(Rotations, expressions_of_them_are_observed) {
  const Workplace at;
  at.add("body", body);
  const Answer a =
      at("run body.toml -m del --observe 'R[1,2],up,tilt=euler_zxy(R),wx=R.omega[1]^2/2' -o body.csv --quiet");
  ASSERT_EQ(a.status, 0) << a.err;
  const auto rows = table(at / "body.csv");
  const auto number = [&](const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    EXPECT_NE(found, rows[0].end()) << name;
    return found == rows[0].end() ? 0.0 : std::stod(rows.back()[static_cast<std::size_t>(found - rows[0].begin())]);
  };
  // Of the quaternion in the same row.
  const double w = number("R.w"), x = number("R.x"), y = number("R.y"), z = number("R.z");
  EXPECT_NEAR(number("R[1,2]"), 2 * (x * y - w * z), 1e-14);
  EXPECT_NEAR(number("up[3]"), 1 - 2 * (x * x + y * y), 1e-14);
  EXPECT_NEAR(std::sin(number("tilt2")), 2 * (y * z + w * x), 1e-14);
  EXPECT_NEAR(number("wx"), 0.5 * number("R.omega1") * number("R.omega1"), 1e-16);
  for (const auto& [what, says] : std::vector<std::pair<std::string, std::string>>{
           {"R.omega1", "R.omega1 is a column of every result; leave it out"},
           {"R[1,2]/2", "give it one, as in ratio=R[1,2]/2"},
           {"up[4]", "--observe:1:3: the index 4 is not between 1 and 3"},
           {"momentm", "there is no observer 'momentm'; did you mean 'momentum'?"}}) {
    const Answer wrong = at("run body.toml -m del --observe '" + what + "'");
    EXPECT_EQ(wrong.status, wrong_request) << what;
    EXPECT_TRUE(contains(wrong.err, says));
  }
}

TEST(Rotations, starts_are_given_by_name) {
  const Workplace at;
  at.add("body", body);
  const auto start = [&](const std::string& arguments) {
    return at.document("run body.toml -m rk4 --step 1e-12 --steps 1 " + arguments).at("q").get<std::vector<double>>();
  };
  EXPECT_NEAR(start("")[3], std::sin(0.25), 1e-10);
  EXPECT_NEAR(start("--q0 R.zxy1=1")[3], std::sin(0.5), 1e-10);
  EXPECT_NEAR(start("--q0 R.turn3=1")[3], std::sin(0.5), 1e-10);
  EXPECT_NEAR(start("--q0 2,0,0,0")[0], 1.0, 1e-10);
  EXPECT_NEAR(start("--q0 'R[1,1]=1,R[1,2]=0,R[1,3]=0,R[2,1]=0,R[2,2]=0,R[2,3]=-1,R[3,1]=0,R[3,2]=1,R[3,3]=0'")[1],
              std::sqrt(0.5), 1e-10);
  EXPECT_EQ(at.document("run body.toml -m rk4 --steps 1 --v0 R.omega3=2").at("steps"), 1);
}

// The axis of a top that spins about its third axis alone stays where its angles have put it.
TEST(Rotations, angles_of_starts_are_varied) {
  const Workplace at;
  at.add("body", body);
  at.add("many",
         "model = \"body.toml\"\nmethod = \"del\"\n[start]\n\"R.omega1\" = 0\n\"R.omega2\" = 0\n\"R.zxy3\" = 0\n"
         "[[vary]]\nof = \"R.zxy2\"\nvalues = [0.1, 0.2, 0.3]\n[[vary]]\nof = \"R.omega3\"\nvalues = [1, 2]\n"
         "[keep]\nstatistics = [\"R[3,3]\", \"euler_zxy(R)[2]\"]\n");
  const Answer a = at("ensemble many.toml -o many.h5");
  EXPECT_EQ(a.status, 0) << a.err;
  for (const auto& [vary, says] : std::vector<std::pair<std::string, std::string>>{
           {"of = [\"R.zxy2\", \"R.turn1\"]\nvalues = [[0.1, 0.2]]", "the rotation R is given in two ways"},
           {"of = \"R[1,1]\"\nvalues = [0.1]", "'R[1,1]' is an entry of a matrix, which would be no rotation"},
           {"of = \"R.zxw1\"\nvalues = [0.1]", "'R.zxw1' is no coordinate, velocity or parameter of the model"}}) {
    at.add("wrong", "model = \"body.toml\"\nmethod = \"del\"\n[[vary]]\n" + vary + "\n");
    const Answer wrong = at("ensemble wrong.toml -o wrong.h5");
    EXPECT_EQ(wrong.status, wrong_request) << vary;
    EXPECT_TRUE(contains(wrong.err, says));
  }
}

}  // namespace rotation_test
