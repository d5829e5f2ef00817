// `rattleback analyse` of systems outside the theory: large ones, singular ones, and such as have nothing to examine.

#include "analysed.hpp"

namespace other_systems_test {

using namespace rattleback::test;

struct Other {
  std::string label;
  std::string lagrangian;
  std::string rest;          ///< of the model, after the Lagrangian of x, y, z and the constraint z' = y x'
  std::string not_examined;  ///< why, or nothing
};

TEST(OtherSystems, without_a_measure_to_examine_say_why) {
  const Desk desk;
  const std::string start = "[initial]\nq = [0, 1, 0]\nv = [0.1, 0.1, 0.1]\n";
  const std::vector<Other> all{
      {"friction", "0.5*(x'^2 + y'^2 + z'^2)", "[forces]\nx = \"-x'\"\n", "forces are not quadratic in the velocities"},
      {"drive", "0.5*(x'^2 + y'^2 + z'^2)", "[forces]\nx = \"x'^2\"\n", "the applied forces do work"},
      {"relativistic", "-sqrt(1 - x'^2 - y'^2 - z'^2)", "", "the Lagrangian is not quadratic in the velocity"},
      {"magnetic", "0.5*(x'^2 + y'^2 + z'^2) + x*y' - y*x'", "", "terms that are linear in the velocities"},
      {"no_magnetic_field", "0.5*(x'^2 + y'^2 + z'^2) + 0*(x*y' - y*x')", "", ""},
  };
  for (const Other& other : all) {
    SCOPED_TRACE(other.label);
    desk.add("m", "coordinates = ['x', 'y', 'z']\nlagrangian = \"" + other.lagrangian +
                      "\"\nconstraints = [\"z' - y*x'\"]\n" + other.rest + start);
    const json d = desk.document("analyse m.toml");
    expect_consistent(d);
    EXPECT_EQ(d.contains("not_examined"), !other.not_examined.empty());
    if (other.not_examined.empty()) continue;
    EXPECT_TRUE(contains(d.at("not_examined"), other.not_examined));
    EXPECT_TRUE(contains(desk("analyse m.toml").out, "  not examined: "));
    EXPECT_EQ(desk("analyse m.toml --latex").status, 0) << "the reduced system can be written down";
  }
}

TEST(OtherSystems, without_constraints_are_reduced_already) {
  const Desk desk;
  desk.add("pendulum", "coordinates = ['a']\nangles = ['a']\nlagrangian = \"0.5*a'^2 + cos(a)\"\n[initial]\nq = [1]\n");
  desk.add("damped", "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[forces]\nx = \"-x'\"\n");
  const json d = desk.document("analyse pendulum.toml");
  expect_consistent(d);
  EXPECT_FALSE(d.contains("constraints"));
  EXPECT_TRUE(d.at("chaplygin").at("fibre").empty());
  EXPECT_EQ(d.at("hamiltonizable").at("multiplier").at("expression"), "1");
  expect_parts(desk("analyse pendulum.toml").out, {"Constraints\n  none", "no constraints", "  F = 0\n", "  N = 1\n"});
  EXPECT_TRUE(contains(desk.document("analyse damped.toml").at("not_examined"), "not quadratic"));
}

TEST(OtherSystems, need_no_initial_state_and_may_have_one_where_the_rank_drops) {
  const Desk desk;
  const std::string coordinates = "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n";
  desk.add("no_initial", coordinates + "constraints = [\"z' - y*x'\"]\n");
  desk.add("undefined_at_0", coordinates + "constraints = [\"z' - x'/y\"]\n");
  desk.add("vanishing", coordinates + "constraints = [\"x*z' - x*y*x'\"]\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n");
  desk.add("dependent",
           "coordinates = ['x', 'y', 'z', 'w']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2 + w'^2)\"\n"
           "constraints = [\"z' - y*x'\", \"w'*sin(y) - z' + y*x'\"]\n[initial]\nq = [0, 0, 0, 0]\n");
  for (const char* model : {"no_initial", "undefined_at_0", "vanishing", "dependent"}) {
    SCOPED_TRACE(model);
    const json d = desk.document(std::string("analyse ") + model + ".toml");
    expect_consistent(d);
    EXPECT_TRUE(d.at("hamiltonizable").at("holds"));
    EXPECT_TRUE(d.at("hamiltonizable").at("multiplier").at("closed_form"));
  }
  EXPECT_TRUE(contains(desk("analyse dependent.toml").out, "solvable where sin(y) is not 0"));
}

const std::string chain =
    "coordinates = ['z', '[i = 1..n] x[i]', '[i = 1..n] y[i]']\n"
    "lagrangian = \"0.5*z'^2 + 0.5*sum(i = 1..n, x[i]'^2 + y[i]'^2) - 0.5*sum(i = 1..n - 1, (x[i+1] - x[i])^2)\"\n"
    "constraints = [\"[i = 1..n] y[i]' - x[i]*z'\"]\n[parameters]\nn = 8\n"
    "[initial]\nq = [0, '[i = 1..n] i', '[i = 1..n] 0']\nv = [1, '[i = 1..n] (-1)^i', '[i = 1..n] i']\n";

TEST(OtherSystems, may_be_large) {
  const Desk desk;
  desk.add("chain", chain);
  const json one = desk.document("analyse chain.toml --set n=1");
  expect_consistent(one);
  EXPECT_TRUE(one.at("hamiltonizable").at("holds")) << "a nonholonomic particle";
  for (const char* n : {"2", "8"}) {
    const json d = desk.document(std::string("analyse chain.toml --set n=") + n);
    expect_consistent(d);
    EXPECT_TRUE(d.at("measure").at("exists")) << n;
    EXPECT_TRUE(d.at("measure").at("density").at("closed_form")) << n;
    EXPECT_FALSE(d.at("hamiltonizable").at("holds")) << n;
  }
  const json particles = desk.document("analyse mclachlan-perlmutter --set n=6");
  expect_consistent(particles);
  EXPECT_EQ(particles.at("constraints").at("rank"), 1);
  EXPECT_EQ(desk("analyse chain.toml --quiet").status, 0);
}

TEST(OtherSystems, without_inertia_get_no_verdict) {
  const Desk desk;
  desk.add("m", "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + z'^2)\"\nconstraints = [\"z' - y*x'\"]\n");
  for (const char* model :
       {"knife-edge --set m=0", "knife-edge --set J=0", "rolling-disk --set R=0", "snakeboard --set Jr=0", "m.toml"}) {
    const Answer a = desk(std::string("analyse ") + model);
    EXPECT_FALSE(contains(a.out, "residual 0 at")) << model;
    EXPECT_TRUE(contains(a.out + a.err, "not regular")) << model;
  }
}

// 16 is enough for a determinant of 1e-13 between rows of length 1.
TEST(OtherSystems, may_be_larger) {
  const Desk desk;
  desk.add("chain", chain);
  expect_consistent(desk.document("analyse chain.toml --set n=16"));
  EXPECT_FALSE(desk.document("analyse chain.toml --set n=16").at("chaplygin").is_null());
}

// The only group that fits is the last of 10626.
TEST(OtherSystems, may_have_many_symmetries) {
  const Desk desk;
  desk.add("m",
           "coordinates = ['[i = 1..20] w[i]', 'x', 'z', '[i = 1..4] y[i]']\n"
           "lagrangian = \"0.5*(z'^2 + x'^2) - z^2 - x^2 + 0.5*sum(i = 1..20, w[i]'^2) + 0.5*sum(i = 1..4, y[i]'^2)\"\n"
           "constraints = [\"[i = 1..4] y[i]' - z^i*x'\"]\n");
  const json d = desk.document("analyse m.toml");
  EXPECT_EQ(d.at("chaplygin").value("fibre", json()), json({"y1", "y2", "y3", "y4"}));
  EXPECT_LT(desk("analyse m.toml").out.size(), 20000U);
}

TEST(OtherSystems, that_cannot_move_or_repeat_a_constraint_are_recognized) {
  const Desk desk;
  desk.add("one", "coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\nconstraints = [\"x'\"]\n[initial]\nq = [1]\n");
  desk.add("twice",
           "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n"
           "constraints = [\"z' - y*x'\", \"2*z' - 2*y*x'\"]\n");
  EXPECT_FALSE(desk.document("analyse one.toml").at("reasons").empty());
  EXPECT_TRUE(contains(desk.document("analyse twice.toml").at("reasons").at(0), "follows from those before it"));
}

}  // namespace other_systems_test
