// Backward error analysis as its users meet it: `modified`, `measure`, observers, [conformal] in model files.

#include <fstream>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace {

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
  refused("free-particle --at 1,2,3", "--at must be positions, a semicolon, momenta: 2 and 2 numbers for x, y");
  refused("free-particle --order 13", "--order must be between 0 and 12");
  refused("free-particle -m hdel --energy 1", "--energy is for altered Lagrangians");
  refused("free-particle -m conformal:order=4 --formulas", "no formulas for the modified Hamiltonian of a composition");
  refused("veselova --formulas --step 0.05", "become too large; numbers there are");
  refused("free-particle -m conformal:M:T", "M and T are two rules: give one");
  refused("free-particle -m conformal:ell=13", "ell must be a number between 0 and 12");
  refused("chaplygin-sleigh", "conformal needs a");
  refused("free-particle --latex --json", "two answers");
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
}

TEST(MeasureCommand, says_what_is_wrong) {
  const Workplace desk;
  const auto refused = [&](const std::string& arguments, int status, const std::string& why) {
    const Answer r = desk("measure " + arguments);
    EXPECT_EQ(r.status, status) << arguments;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
  };
  refused("chaplygin-sleigh -m dla", 2, "no invariant measure");
  refused("harmonic-particle -m dla --cloud 3", 2, "a number of points between 6 and 1000000");
  refused("harmonic-particle -m hdel --cloud 600-cell", 2, "time of its own");
  refused("harmonic-particle -m dla -o x.h5", 2, "must end with .csv");
  refused("harmonic-particle -m dla --ell 20", 2, "ell=0 to ell=12");
  refused("knife-edge-incline -m pthdel --cloud 600-cell --time 3", 3, "not all methods reached the end");
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
  refused(head + "[conformal]\nmomenta = [\"p\", \"r\"]\nhamiltonian = \"0.5*p^2\"\n", "2 momenta for 1 coordinates");
  refused(head + "[conformal]\nhamiltonian = \"0.5*p^2\"\n", "[conformal] needs the key momenta");
  refused(head + "[conformal]\nmomenta = [\"x\"]\nhamiltonian = \"0.5*x^2\"\n", "the name x is taken");
  refused(head + "lagrangian = \"x'^2\"\n[conformal]\nmomenta = [\"p\"]\nhamiltonian = \"0.5*p^2\"\n",
          "lagrangian and [conformal] describe two systems");
  refused(head + "lagrangian = \"x'^2\"\n[initial]\nq = [0]\np = [1]\n",
          "p in [initial] is for models with [conformal]");
}

}  // namespace
