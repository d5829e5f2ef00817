// Symmetries that a model declares: those that are none are refused, the others are used.

#include <ostream>

#include "analysed.hpp"

namespace declarations_test {

using namespace rattleback::test;

struct WrongDeclaration {
  std::string label;
  std::string model;
  std::vector<std::string> says;  ///< what was declared, and the term that breaks it
};

void PrintTo(const WrongDeclaration& wrong, std::ostream* out) { *out << wrong.label; }

/// x in the potential, y in the constraint, z nowhere; [symmetry] begins in line 9.
std::string particle(const std::string& declaration) {
  return "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*m*(x'^2 + y'^2 + z'^2) - x^2\"\n"
         "constraints = [\"z' - y*x'\"]\n[parameters]\nm = 1\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n" +
         declaration;
}

std::string free_particle(const std::string& declaration) {
  return "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n"
         "[initial]\nq = [1, 0.3, 0.2]\nv = [1, 1, 1]\n" +
         declaration;
}

std::string three_angles(const std::string& lagrangian, const std::string& q) {
  return "coordinates = ['a', 'b', 'c']\nangles = ['a', 'b', 'c']\nlagrangian = \"" + lagrangian +
         "\"\n[symmetry]\ngroup = 'SO(3)'\nacts_on = ['a', 'b', 'c']\n[initial]\nq = " + q + "\nv = [1, 1, 1]\n";
}

const std::string symmetric_top =
    "0.5*((a'*sin(b)*sin(c) + b'*cos(c))^2 + (a'*sin(b)*cos(c) - b'*sin(c))^2 + 2*(c' + a'*cos(b))^2)";

class WrongDeclarations : public testing::TestWithParam<WrongDeclaration> {};

TEST_P(WrongDeclarations, get_status_2_and_the_reason) {
  const WrongDeclaration& wrong = GetParam();
  const Desk desk;
  desk.add("m", wrong.model);
  for (const char* form : {"", " --json", " --latex", " --quiet"}) {
    const Answer a = desk(std::string("analyse m.toml") + form);
    SCOPED_TRACE(form + a.err);
    EXPECT_EQ(a.status, wrong_request);
    EXPECT_EQ(a.out, "");
    EXPECT_TRUE(a.err.starts_with("rattleback: m.toml:"));
    expect_parts(a.err, wrong.says);
  }
}

const std::vector<WrongDeclaration> symmetries_that_are_none{
    {"fibre_in_lagrangian",
     particle("[symmetry]\nfibre = ['x']\n"),
     {"the Lagrangian is not invariant under translation of x", "its rate of change -2*x"}},
    {"fibre_in_constraint",
     particle("[symmetry]\nfibre = ['y']\n"),
     {"constraint 1 is not invariant under translation of y", "its rate of change -x'"}},
    {"right_and_wrong_together",
     particle("[symmetry]\nfibre = ['z', 'x']\n"),
     {"the Lagrangian is not invariant under translation of x", "-2*x"}},
    {"generator",
     particle("[symmetry.generators]\nturn = {x = \"-y\", y = \"x\"}\n"),
     {"the Lagrangian is not invariant under turn", "its rate of change 2*x*y"}},
    {"plane_that_is_not_homogeneous",
     particle("[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y', 'z']\n"),
     {"the Lagrangian is not invariant under translation of x", "-2*x"}},
    {"SO3_on_three_numbers",
     three_angles("0.5*(a'^2 + b'^2 + c'^2)", "[1, 0.3, 0.2]"),
     {"the Lagrangian is not invariant under rotation about x", "its rate of change "}},
    {"SO3_and_gravity", three_angles(symmetric_top + " - cos(b)", "[1, 0.3, 0.2]"), {"rotation about x", "is not"}},
};

const std::vector<WrongDeclaration> no_groups{
    {"bracket_of_rotations",
     free_particle("[symmetry.generators]\nrx = {y = \"-z\", z = \"y\"}\nry = {x = \"z\", z = \"-x\"}\n"),
     {"the generators form no group", "the bracket of rx and ry is not a combination"}},
    {"bracket_with_a_translation",
     free_particle("[symmetry.generators]\nt = {x = \"1\"}\nrz = {x = \"-y\", y = \"x\"}\n"),
     {"the generators form no group", "the bracket of t and rz"}},
    {"proportional_generators",
     particle("[symmetry.generators]\none = {z = \"m\"}\ntwo = {z = \"2*m\"}\n"),
     {"does not act freely", "(one)", "(two)"}},
    {"fibre_and_the_same_generator",
     particle("[symmetry]\nfibre = ['z']\n[symmetry.generators]\nagain = {z = \"2\"}\n"),
     {"does not act freely", "(translation of z)", "(again)"}},
    {"fibre_twice", particle("[symmetry]\nfibre = ['z', 'z']\n"), {"(translation of z)"}},
    {"rotation_twice",
     free_particle("[symmetry.generators]\nr1 = {x = \"-y\", y = \"x\"}\nr2 = {x = \"y\", y = \"-x\"}\n"),
     {"does not act freely", "(r1)", "(r2)"}},
    {"rotations_of_points",  // their orbits are spheres
     free_particle("[symmetry.generators]\nrx = {y = \"-z\", z = \"y\"}\nry = {x = \"z\", z = \"-x\"}\n"
                   "rz = {x = \"-y\", y = \"x\"}\n"),
     {"does not act freely", "(rx)", "(ry)", "(rz)"}},
};

const std::vector<WrongDeclaration> misread{
    {"velocity_in_a_generator",
     particle("[symmetry.generators]\nturn = {z = \"x'\"}\n"),
     {"m.toml:10:8: ", "the symmetry turn contains x', a velocity", "only coordinates and parameters"}},
    {"time_in_a_generator",
     particle("[symmetry.generators]\nboost = {z = \"t\"}\n"),
     {"m.toml:10:9: ", "the symmetry boost contains t, which is the time", "may not depend on it"}},
    {"zero_generator", particle("[symmetry.generators]\nrest = {z = \"0\"}\n"), {"m.toml:10:8: ", "rest is zero"}},
    {"empty_generator", particle("[symmetry.generators]\nrest = {}\n"), {"m.toml:10:8: ", "rest is zero", "remove it"}},
    {"number_in_a_generator",
     particle("[symmetry.generators]\nup = {z = 1}\n"),
     {"m.toml:10:11: ", "must be a text in quotes, found a number"}},
    {"generator_of_no_coordinate",
     particle("[symmetry.generators]\nup = {w = \"1\"}\n"),
     {"m.toml:10:7: ", "unknown key 'w'", "the keys are x, y, z"}},
    {"fibre_of_no_coordinate",
     particle("[symmetry]\nfibre = ['w']\n"),
     {"m.toml:10:10: ", "'w' in fibre is not a coordinate; the coordinates are x, y, z"}},
    {"fibre_as_text", particle("[symmetry]\nfibre = 'z'\n"), {"m.toml:10:9: ", "fibre must be a list in brackets"}},
    {"unknown_group",
     particle("[symmetry]\ngroup = 'SU(2)'\nacts_on = ['x', 'y', 'z']\n"),
     {"m.toml:10:9: ", "'SU(2)' is not known; there are SO(2), SO(3), SE(2) and SE(3)"}},
    {"group_without_a_rotation",
     particle("[symmetry]\ngroup = 'SE(3)'\nacts_on = ['x', 'y', 'z']\n"),
     {"m.toml:11:11: ", "SE(3) acts on rotations, and none is named; 'rotations' declares some"}},
    {"axis_of_no_group", particle("[symmetry]\naxis = [0, 0, 1]\n"), {"m.toml:10:8: ", "axis needs group = \"SO(2)\""}},
    {"group_on_nothing", particle("[symmetry]\ngroup = 'SE(2)'\n"), {"m.toml:10:9: ", "SE(2) needs acts_on = [x, y"}},
    {"group_on_two",
     particle("[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y']\n"),
     {"m.toml:11:11: ", "three coordinates", "found 2"}},
    {"group_on_one_twice",
     particle("[symmetry]\ngroup = 'SO(3)'\nacts_on = ['x', 'x', 'z']\n"),
     {"m.toml:11:11: ", "acts_on names x twice"}},
    {"nothing_acts", particle("[symmetry]\nacts_on = ['x', 'y', 'z']\n"), {"m.toml:10:11: ", "acts_on needs a group"}},
};

std::string label_of(const testing::TestParamInfo<WrongDeclaration>& parameter) { return parameter.param.label; }
INSTANTIATE_TEST_SUITE_P(NoSymmetry, WrongDeclarations, testing::ValuesIn(symmetries_that_are_none), label_of);
INSTANTIATE_TEST_SUITE_P(NoGroup, WrongDeclarations, testing::ValuesIn(no_groups), label_of);
INSTANTIATE_TEST_SUITE_P(Misread, WrongDeclarations, testing::ValuesIn(misread), label_of);

TEST(Declarations, that_are_right_are_used) {
  const Desk desk;
  desk.add("plane",
           "coordinates = ['x', 'y', 'a', 'b']\nlagrangian = \"0.5*(x'^2 + y'^2 + a'^2 + b'^2) - b^2\"\n"
           "constraints = [\"x'*sin(a) - y'*cos(a)\", \"x'*cos(a) + y'*sin(a) - b'\", \"a' - b*b'\"]\n"
           "[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y', 'a']\n[initial]\nq = [0, 0, 0.3, 1]\n");
  const json plane = desk.document("analyse plane.toml");
  expect_consistent(plane);
  EXPECT_EQ(plane.at("chaplygin").at("shape"), json({"b"}));
  EXPECT_FALSE(plane.at("chaplygin").at("group").at("abelian"));
  EXPECT_EQ(plane.at("hamiltonizable").at("multiplier").at("expression"), "1") << "one degree of freedom";

  desk.add("top", three_angles(symmetric_top, "[1, 0.3, 0.2]"));
  EXPECT_EQ(desk.document("analyse top.toml").at("symmetry").at("dimension"), 3);
  // Either of two cyclic coordinates may be the fibre; the model decides.
  for (const char* fibre : {"x", "z"}) {
    desk.add("m",
             "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\nconstraints = [\"z' - y*x'\"]\n"
             "[symmetry]\nfibre = ['" +
                 std::string(fibre) + "']\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n");
    const json d = desk.document("analyse m.toml");
    expect_consistent(d);
    EXPECT_EQ(d.at("chaplygin").at("fibre"), json({fibre}));
  }
}

TEST(Declarations, broken_by_an_applied_force_are_refused) {
  const Desk desk;
  desk.add("m", particle("[forces]\nx = \"-z\"\n[symmetry]\nfibre = ['z']\n"));
  const Answer a = desk("analyse m.toml");
  EXPECT_EQ(a.status, wrong_request);
  expect_parts(a.err, {"m.toml", "force on x is not invariant under translation of z"});
}

TEST(Declarations, that_are_wrong_are_only_mentioned_where_they_do_not_matter) {
  const Desk desk;
  desk.add("m", particle("[symmetry]\nfibre = ['x']\n"));
  const Answer a = desk("run m.toml -m dla --step 0.1 --steps 3");
  EXPECT_EQ(a.status, 0);
  EXPECT_TRUE(
      contains(a.err, "note: a declared symmetry is not one: the Lagrangian is not invariant under translation of x"));
}

}  // namespace declarations_test
