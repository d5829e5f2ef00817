// Backward error analysis as its users meet it: `modified`, `measure`, observers, [conformal] in model files.

#include <fstream>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace modified_test {

using namespace rattleback::test;
using nlohmann::json;

TEST(Modified, gives_the_reference_values) {
  const Workplace desk;
  const json d = desk.document("modified free-particle -m conformal:M --step 0.25 --at '0,0;1,1'");
  EXPECT_EQ(d.at("at").at("p_y"), 1.0);
  EXPECT_NEAR(d.at("series")[1].at("energy").at("value"), 0.9973958333333, 1e-13);
  EXPECT_NEAR(d.at("series")[2].at("energy").at("value"), 0.9973904079861, 1e-13);
  EXPECT_NEAR(d.at("orbit").at("energy").at("value"), 0.997389734541, 1e-8);
  EXPECT_LE(d.at("orbit").at("energy").at("error"), 1e-8);
  const json h = desk.document("modified harmonic-particle -m conformal:TT --step 0.25 --at '0,0;1,1' --order 6");
  EXPECT_EQ(h.at("series").size(), 4U);
  EXPECT_NEAR(h.at("series")[2].at("energy").at("value"), 1.016162109375, 1e-13);
  EXPECT_NEAR(h.at("orbit").at("energy").at("value"), 1.016214941242, 1e-6);
}

TEST(Modified, prints_formulas_of_the_appendix) {
  const Workplace desk;
  const Answer r = desk("modified free-particle -m conformal:M --step 0.25 --at '0.1,0.2;1,1' --order 2 --formulas");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("E_2 = p_y^4*(2*y^2 - 1)/24"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("N_2 = p_y^2*(-2*y^2 + 1)/24/(sqrt(y^2 + 1)*(y^2 + 1))"), std::string::npos) << r.out;
  const Answer latex = desk("modified free-particle -m conformal:M --order 2 --latex");
  EXPECT_NE(latex.out.find("\\mathcal{E}_{2} &="), std::string::npos) << latex.out;
}

TEST(Modified, knows_other_methods) {
  const Workplace desk;
  const json hdel = desk.document("modified free-particle -m hdel --step 0.1");
  EXPECT_FALSE(hdel.at("series")[0].contains("energy"));
  const json rule = desk.document("modified free-particle -m conformal:alpha=0.3 --step 0.1 --order 3");
  EXPECT_EQ(rule.at("series").size(), 4U);  // odd powers too
  const json energy = desk.document("modified free-particle -m pthdel --step 0.1 --energy 2");
  EXPECT_EQ(energy.at("energy"), 2.0);
  const json free = desk.document("modified knife-edge -m free --step 0.1");
  EXPECT_LE(free.at("orbit").at("hamiltonian").at("error"), 1e-9);
}

TEST(Modified, refuses_what_makes_no_sense) {
  const Workplace desk;
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Answer r = desk("modified " + arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refused("free-particle -m dla", "needs a step that comes from a discrete Lagrangian alone");
  refused("free-particle --at 1,2,3", "--at must be positions, a semicolon, momenta, as in '0,0;1,1'; found '1,2,3'");
  refused("free-particle --at '1,2;3'", "--at must be positions and momenta, 2 and 2 numbers for x, y; found 2 and 1");
  refused("free-particle --order 13", "--order must be between 0 and 12");
  refused("free-particle -m hdel --energy 1", "--energy is for altered Lagrangians");
  refused("free-particle -m conformal:order=4 --formulas", "no formulas for the modified Hamiltonian of a composition");
  refused("rubber-body-on-sphere --formulas --order 2", "shorter ones with numbers for the parameters (--numbers)");
  refused("free-particle --numbers", "--numbers is for formulas: give --formulas");
  refused("free-particle -m conformal:M:T", "M and T are two rules: give one");
  refused("free-particle -m conformal:ell=13", "ell must be a number between 0 and 12");
  refused("chaplygin-sleigh", "conformal needs a");
  refused("free-particle --latex --json", "two answers");
  refused("free-particle --q1 0.1,0.1,0", "--q1 has no meaning here");
  const Answer latex = desk("modified rubber-body-on-sphere --latex --order 2");
  EXPECT_EQ(latex.out, "");
}

TEST(Modified, formulas_with_numbers_say_which_they_are) {
  const Workplace desk;
  const std::string command = "modified rubber-body-on-sphere --order 2 --formulas --numbers --set a=3";
  const Answer text = desk(command);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("\n  with m = 1, a = 3, b = 0.5, l = 0.2, I1 = 0.12, I3 = 0.08\n  K_0 = "), std::string::npos)
      << text.out;
  const json formulas = desk.document(command).at("formulas");
  EXPECT_EQ(formulas.at("parameters").at("a"), 3.0);
  EXPECT_EQ(formulas.at("hamiltonian").at(2).get<std::string>().find("I1"), std::string::npos);
}

TEST(MeasureCommand, makes_tables) {
  const Workplace desk;
  const json d = desk.document(
      "measure harmonic-particle -m conformal:M,pthdel,dla --ell 2,4 --q0 0,0,0 --v0 1,1,0 --step 0.25 --steps 79");
  const json& columns = d.at("methods")[0].at("columns");
  EXPECT_NEAR(columns.at("local mu").at("max"), 9.794e-4, 1e-6);
  EXPECT_NEAR(columns.at("local mu_4").at("max"), 9.126e-6, 1e-8);
  EXPECT_FALSE(d.at("methods")[2].at("columns").contains("local mu_2"));
  const Answer r = desk(
      "measure harmonic-particle -m conformal:M --ell 4 --q0 0,0,0 --v0 1,1,0 --step 0.25 --steps 10 --cloud 600-cell "
      "-o cloud.csv");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("hull mu_4"), std::string::npos);
  std::ifstream file(desk / "cloud.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "method,time,hull dr dp,hull mu,hull mu_4");
  int rows = 0;
  while (std::getline(file, line)) ++rows;
  EXPECT_EQ(rows, 11);
  // Figure 5.1: where the points of a large cloud are.
  const Answer points = desk(
      "measure harmonic-particle -m reference --q0 0,0,0 --v0 1,1,0 --step 0.25 --steps 2 --cloud 50 --radius 0.3 "
      "--points points.csv");
  EXPECT_EQ(points.status, 0) << points.err;
  std::ifstream cloud(desk / "points.csv");
  std::getline(cloud, line);
  EXPECT_EQ(line, "method,time,point,x,y,p_x,p_y");
  rows = 0;
  while (std::getline(cloud, line)) ++rows;
  EXPECT_EQ(rows, 150);
}

// Columns in another order than that of the coordinates; a centre, which is no corner of the hull.
TEST(MeasureCommand, takes_a_cloud_from_a_file) {
  const Workplace desk;
  std::ofstream(desk / "cross.csv") << "p_x,x,p_y,y\n1,0,0,0\n-1,0,0,0\n0,1,0,0\n0,-1,0,0\n"
                                       "0,0,1,0\n0,0,-1,0\n0,0,0,1\n0,0,0,-1\n0,0,0,0\n";
  const json d = desk.document(
      "measure harmonic-particle -m reference --q0 0,0,0 --v0 1,1,0 --step 0.25 --steps 2 --cloud cross.csv "
      "--points points.csv");
  EXPECT_EQ(d.at("methods")[0].at("inside"), (std::vector<int>{1, 1, 1}));
  std::ifstream points(desk / "points.csv");
  std::string line;
  std::getline(points, line);
  std::getline(points, line);
  EXPECT_EQ(line, "reference,0,1,0,0,1.01,1");
  const Answer text = desk("measure harmonic-particle -m reference --step 0.25 --steps 2 --cloud cross.csv");
  EXPECT_NE(text.out.find("reference: points inside their hull from t = 0 on"), std::string::npos) << text.out;
  const Answer ball = desk("measure harmonic-particle -m dla --step 0.25 --steps 2 --cloud cross.csv --weights ball");
  EXPECT_EQ(ball.status, 2);
  EXPECT_NE(ball.err.find("point 9 has the distance 0; choose --weights simplices"), std::string::npos) << ball.err;
}

TEST(MeasureCommand, says_what_is_wrong) {
  const Workplace desk;
  const auto refused = [&](const std::string& arguments, int status, const std::string& why) {
    const Answer r = desk("measure " + arguments);
    EXPECT_EQ(r.status, status) << arguments;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refused("chaplygin-sleigh -m dla", 2, "no invariant measure");
  refused("chaplygin-sleigh", 2, "none of these methods applies:\n  conformal: ");
  refused("harmonic-particle -m dla --cloud 3", 2, "a number of points between 6 and 1000000");
  refused("harmonic-particle -m hdel --cloud 600-cell", 2, "time of its own");
  refused("harmonic-particle -m dla -o x.h5", 2, "must end with .csv");
  refused("harmonic-particle -m dla --ell 20", 2, "ell=0 to ell=12");
  refused("harmonic-particle -m dla --points x.csv", 2, "give --cloud");
  refused("harmonic-particle -m dla -o nowhere/x.csv", 4, "-o 'nowhere/x.csv': the folder nowhere does not exist");
  refused("knife-edge-incline -m pthdel --cloud 600-cell --time 3", 3, "not all methods reached the end");
}

// An invariant measure without a multiplier: two of the methods have no equations, and the third is measured.
TEST(MeasureCommand, goes_on_where_a_method_does_not_apply) {
  const Workplace desk;
  const Answer text = desk("measure contact-particle --step 0.1 --steps 5");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("\n  pthdel     does not apply: pthdel needs a multiplier"), std::string::npos) << text.out;
  const json d = desk.document("measure contact-particle --step 0.1 --steps 5");
  ASSERT_EQ(d.at("methods").size(), 1U);
  EXPECT_EQ(d.at("methods")[0].at("method"), "dla");
  ASSERT_EQ(d.at("inapplicable").size(), 2U);
  EXPECT_EQ(d.at("inapplicable")[0].at("method"), "conformal");
}

// Names of a model may be any; formulas use others.
TEST(Modified, formulas_have_names_of_their_own) {
  const Workplace desk;
  const auto model = [](const std::string& y, const std::string& k) {
    return "coordinates = [\"x\", \"" + y + "\"]\n[parameters]\n" + k +
           " = 0.7\n[conformal]\nmomenta = [\"a\", \"b\"]\n" + "hamiltonian = \"0.5*(a^2 + b^2) + 0.5*" + k +
           "*(x^2 + " + y + "^2)\"\nfactor = \"1/(1 + " + y +
           "^2)\"\n[initial]\nq = [0.3, 0.2]\np = [1, 0.5]\n[run]\nstep = 0.1\ntime = 1\n";
  };
  desk.add("plain", model("y", "k"));
  const std::string arguments = " -m conformal:M:every-step:ell=2 --steps 20";
  const json expected = desk.document("run plain.toml" + arguments);
  int number = 0;
  for (const auto& [y, k] : {std::pair("y", "left_0_0"), std::pair("y", "p_x"), std::pair("p_x", "k"),
                             std::pair("E", "w"), std::pair("y", "E")}) {
    SCOPED_TRACE(std::string(y) + " " + k);
    const std::string name = "clash" + std::to_string(++number);
    desk.add(name, model(y, k));
    EXPECT_EQ(desk.document("run " + name + ".toml" + arguments).at("q"), expected.at("q"));
    const Answer formulas = desk("modified " + name + ".toml --order 2 --formulas");
    EXPECT_EQ(formulas.status, 0) << formulas.err;
    EXPECT_EQ(formulas.out.find("E(0)"), std::string::npos);
  }
}

// Units: a potential of 1e-6 times a million is one of 1.
TEST(Modified, formulas_do_not_lose_terms_with_small_coefficients) {
  const Workplace desk;
  const auto model = [](const std::string& coefficient, const std::string& k) {
    return "coordinates = [\"x\", \"y\"]\n[parameters]\nk = " + k + "\n[conformal]\nmomenta = [\"a\", \"b\"]\n" +
           "hamiltonian = \"0.5*(a^2 + (1 + y^2)*b^2) + 0.5*" + coefficient +
           "*k*(x^2 + y^2)\"\nfactor = \"1/sqrt(1 + y^2)\"\n[initial]\nq = [0.3, 0.2]\np = [1, 1]\n" +
           "[run]\nstep = 0.25\ntime = 2\n";
  };
  desk.add("one", model("1", "1"));
  desk.add("million", model("1e-6", "1e6"));
  const std::string arguments = " -m conformal:M:every-step:ell=2 --steps 8";
  const json a = desk.document("run one.toml" + arguments);
  const json b = desk.document("run million.toml" + arguments);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a.at("q")[i], b.at("q")[i], 1e-12);
}

TEST(Modified, observers_that_count_from_the_start_are_not_resumed) {
  const Workplace desk;
  const std::string run = "run free-particle -m pthdel --step 0.1 --steps 5 -o run.csv --observe measure";
  EXPECT_EQ(desk(run).status, 0);
  const Answer resumed = desk(run + " --resume");
  EXPECT_EQ(resumed.status, 2);
  EXPECT_NE(resumed.err.find("compares with the start of the run"), std::string::npos) << resumed.err;
}

TEST(ConformalModel, starts_anywhere) {
  const Workplace desk;
  desk.add("three", R"toml(coordinates = ["x", "y", "z"]
[parameters]
m = 1.7
[conformal]
momenta = ["px", "py", "pz"]
hamiltonian = "0.5*(px^2 + (1+x^2)*py^2 + pz^2/m + 0.4*px*pz + 0.2*y*py*pz) + 0.5*(x^2+y^2) + 0.2*z^4"
factor = "exp(0.2*x - 0.1*y*z)"
[initial]
q = [0.1, 0.2, -0.3]
p = [0.5, 0.6, 0.4]
[run]
step = 0.1
time = 2
)toml");
  for (const char* y : {"0.2", "0.2001", "0.2002"}) {
    const Answer r = desk(std::string("run three.toml -m pthdel --steps 2 --v0=0.5,0.6,0.4 --q0=0.1,") + y + ",-0.3");
    EXPECT_EQ(r.status, 0) << r.err;
  }
}

TEST(ConformalModel, moves_as_the_system_it_comes_from) {
  const Workplace desk;
  const json given = desk.document("run conformal-particle -m conformal:TT --step 0.25 --steps 100");
  const json found =
      desk.document("run harmonic-particle -m conformal:TT --q0 0,0,0 --v0 1,1,0 --step 0.25 --steps 100");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(given.at("q")[i], found.at("q")[i], 1e-12);
    EXPECT_NEAR(given.at("v")[i], found.at("v")[i], 1e-12);
  }
  const json exact = desk.document("run conformal-particle -m reference --time 5");
  const json full = desk.document("run harmonic-particle -m reference --q0 0,0,0 --v0 1,1,0 --time 5");
  EXPECT_NEAR(exact.at("q")[0], full.at("q")[0], 1e-10);
}

TEST(ConformalModel, with_mistakes_is_refused) {
  const Workplace desk;
  const auto refused = [&](const std::string& text, const std::string& why) {
    desk.add("wrong", text);
    const Answer r = desk("show wrong.toml");
    EXPECT_EQ(r.status, 2) << text;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  const std::string head = "coordinates = [\"x\"]\n";
  refused(head + "[conformal]\nmomenta = [\"p\"]\nhamiltonian = \"0.5*p^2\"\nfactor = \"1 + p^2\"\n",
          "the conformal factor depends on the momentum p");
  refused(head + "[conformal]\nmomenta = [\"p\"]\nhamiltonian = \"p^4\"\n", "must be quadratic in the momenta");
  refused(head + "[conformal]\nmomenta = [\"p\"]\nhamiltonian = \"0.5*(p - x)^2\"\n", "linear in the momenta");
  refused(head + "[conformal]\nmomenta = [\"p\", \"r\"]\nhamiltonian = \"0.5*p^2\"\n", "2 momenta for 1 coordinates");
  refused(head + "[conformal]\nhamiltonian = \"0.5*p^2\"\n", "[conformal] needs the key momenta");
  refused(head + "[conformal]\nmomenta = [\"x\"]\nhamiltonian = \"0.5*x^2\"\n", "the name x is taken");
  refused(head + "lagrangian = \"x'^2\"\n[conformal]\nmomenta = [\"p\"]\nhamiltonian = \"0.5*p^2\"\n",
          "lagrangian and [conformal] describe two systems");
  refused(head + "lagrangian = \"x'^2\"\n[initial]\nq = [0]\np = [1]\n",
          "p in [initial] is for models with [conformal]");
}

}  // namespace modified_test
