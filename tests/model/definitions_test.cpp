// [definitions], vectors of rows and names of rows in model files.

#include "rattleback/expr/definitions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/model/view.hpp"
#include "rattleback/model/written.hpp"

namespace rattleback {
namespace definitions_test {

const std::string plane = "coordinates = ['x', 'y', 'a']\nlagrangian = \"0.5*(x'^2 + y'^2 + a'^2)\"\n";

std::string refusal(const std::string& text) {
  try {
    read_model(text, "m.toml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

void expect_refusal(const std::string& text, const std::string& start) {
  EXPECT_TRUE(refusal(text).starts_with(start)) << refusal(text);
}

TEST(DefinitionsOfAModel, are_seen_by_all_its_expressions) {
  const Model m = read_model(R"toml(
coordinates = ["x", "y", "a"]
lagrangian = "kinetic(m, r', 2, a') - height"
constraints = ["dot(r', n)"]
holonomic = ["double(x) - y"]
[definitions]
k = 3
height = "k*m*y"
n = "[-sin(a), cos(a)]"
r = "[x, y]"
"kinetic(m, v, J, w)" = "0.5*m*dot(v, v) + 0.5*J*w^2"
"double(u)" = "2*u"
[parameters]
m = 2
[initial]
q = [1, 2, "k/2"]
[forces]
a = "-double(a')"
[symmetry.generators]
move = {x = "r[1]"}
[conserved]
total = "height + k"
[exact]
y = "y + height*t"
[picture]
body = "blade"
position = ["r[1]", "r[2]"]
heading = "double(a)"
size = "k"
[run]
step = "1/k"
time = 1
)toml",
                             "d.toml");
  EXPECT_EQ(m.system.lagrangian(), parse("0.5*m*(x'^2 + y'^2) + a'^2 - 3*m*y"));
  EXPECT_EQ(m.system.constraints()[0], parse("-sin(a)*x' + cos(a)*y'"));
  EXPECT_EQ(m.system.holonomic()[0], parse("2*x - y"));
  EXPECT_EQ(m.system.applied_forces()[2], parse("-2*a'"));
  EXPECT_EQ(m.system.symmetries()[0].generator[0], parse("x"));
  EXPECT_EQ(m.system.conserved()[0].expression, parse("3*m*y + 3"));
  EXPECT_EQ(*m.system.exact()[1], parse("y + 3*m*y*t"));
  EXPECT_EQ(m.view->bodies[0].position[1], parse("y"));
  EXPECT_EQ(m.view->bodies[0].rotation[0], parse("cos(2*a)"));
  EXPECT_EQ(m.view->bodies[0].sizes[0].numbers[0], 3.0);
  EXPECT_EQ(m.initial->q[2], 1.5);
  EXPECT_EQ(m.step, 1.0 / 3.0);
  ASSERT_EQ(m.definitions.list().size(), 6U);
  EXPECT_EQ(m.definitions.list()[4].header(), "kinetic(m, v, J, w)") << "in the order of the file";
}

TEST(DefinitionsOfAModel, may_use_momenta_of_a_conformal_one) {
  const Model m = read_model(
      "coordinates = ['x']\n[definitions]\nT = '0.5*p^2'\n[conformal]\nmomenta = ['p']\nhamiltonian = 'T + x^2'\n",
      "c.toml");
  EXPECT_EQ(m.system.lagrangian(), parse("0.5*x'^2 - x^2"));
}

TEST(DefinitionsOfAModel, use_integers_wherever_they_are_read) {
  const Model m = read_model(
      "coordinates = ['[i = 1..n] y[i]']\nlagrangian = \"0.5*total(2)\"\n[definitions]\n\"total(c)\" = \"c*sum(i = "
      "1..n, "
      "y[i]'^2)\"\n[parameters]\nn = 3\n",
      "n.toml");
  EXPECT_EQ(m.system.lagrangian(), parse("y1'^2 + y2'^2 + y3'^2"));
  ParseOptions elsewhere;  // formulas of ensembles know no integers
  elsewhere.definitions = &m.definitions;
  EXPECT_EQ(parse("total(1)", elsewhere), parse("y1'^2 + y2'^2 + y3'^2"));
}

TEST(DefinitionsOfAModel, that_are_wrong_have_their_place) {
  const std::string d = plane + "[definitions]\n";
  expect_refusal(d + "r = '[x, z]'\n",
                 "m.toml:4:10: unknown name 'z'; declare it as a coordinate, in [parameters], or in");
  expect_refusal(d + "s = 'r'\nr = '1'\n", "m.toml:4:6: unknown name 'r'");
  expect_refusal(d + "x = '1'\n", "m.toml:4:1: 'x' has a meaning already; choose another name");
  expect_refusal(d + "\"f(u\" = 'u'\n", "m.toml:4:5: expected ',' or ')' after an argument");
  expect_refusal(d + "\"f(u)\" = 'u + w'\n", "m.toml:4:15: unknown name 'w'");
  expect_refusal(d + "r = ['x', 'y']\n",
                 "m.toml:4:5: the definition r must be a text in quotes; a vector is written \"[x, y, z]\"");
  expect_refusal(d + "r = true\n", "m.toml:4:5: the definition r must be a number, found true or false");
  expect_refusal(d + "energy = 'x'\n", "m.toml:4:10: the definition energy has a name that is taken by results");
  expect_refusal(d + "t = 'x'\n", "m.toml:4:5: the definition t has a name that is taken");
  expect_refusal(d + "s = 'x'\n[conserved]\ns = 'x'\n",
                 "m.toml:6:5: the conserved quantity s has a name that is taken");
  expect_refusal("definitions = 3\n" + plane,
                 "m.toml:1:15: definitions must be a table, written as a section [definitions]");
  expect_refusal(plane + "[definitions]\nr = 'x'\n[initial]\nq = ['r', 0, 0]\n",
                 "m.toml:6:7: the definition r contains x, which cannot be used here");
  expect_refusal("coordinates = ['x']\nlagrangian = \"r\"\n[definitions]\nr = \"[x', x]\"\n",
                 "m.toml:2:15: a scalar is expected here, found a vector of 2 components");
}

TEST(Rows, of_a_vector_have_names) {
  const Model m = read_model(plane + R"toml(
constraints = [{ contact = "[x' - a', y' + a']" }, "x' - y'", { slip = "a' - x'" }]
holonomic = [{ height = "x - y" }, "y - a"]
)toml",
                             "r.toml");
  const System& s = m.system;
  ASSERT_EQ(s.constraints().size(), 4U);
  EXPECT_EQ(s.constraints()[1], parse("y' + a'"));
  EXPECT_EQ(s.row_name(0), "constraint contact[1]");
  EXPECT_EQ(s.row_name(1), "constraint contact[2]");
  EXPECT_EQ(s.row_name(2), "constraint 3") << "as always";
  EXPECT_EQ(s.row_name(3), "constraint slip");
  EXPECT_EQ(s.row_name(4), "holonomic constraint height");
  EXPECT_EQ(s.row_name(5), "holonomic constraint 2");
  EXPECT_EQ(s.row_label(1), "contact2");
  EXPECT_EQ(s.row_label(2), "3");
  EXPECT_EQ(s.row_label(5), "6");
  EXPECT_EQ(s.holonomic_label(0), "height");
  EXPECT_EQ(s.holonomic_label(1), "2");
}

TEST(Rows, are_repeated_and_named) {
  const Model m = read_model(
      "coordinates = ['z', '[i = 1..2] y[i]']\nlagrangian = \"z'^2\"\nconstraints = [{roll = \"[i = 1..2] y[i]' - "
      "i*z'\", stop = \"z' - y1'\"}]\n",
      "r.toml");
  EXPECT_EQ(m.system.row_name(1), "constraint roll[2]");
  EXPECT_EQ(m.system.row_name(2), "constraint stop");
}

TEST(Rows, with_wrong_names_are_refused) {
  expect_refusal(plane + "constraints = [{}]\n", "m.toml:3:16: an entry of constraints is empty");
  expect_refusal(plane + "constraints = [{\"a b\" = \"x'\"}]\n",
                 "m.toml:3:25: 'a b' cannot be the name of a constraint");
  expect_refusal(plane + "constraints = [{s = \"x'\"}, {s = \"y'\"}]\n", "m.toml:3:33: two constraints are called s");
  expect_refusal(plane + "constraints = [{s = \"[x', y']\"}]\nholonomic = [{s1 = 'a'}]\n",
                 "m.toml:4:20: two constraints are called s1; rename one");
  expect_refusal(plane + "constraints = [{s = 3}]\n",
                 "m.toml:3:21: an entry of constraints must be a text in quotes, found a number");
  expect_refusal(plane + "constraints = [{slip = \"x'*y'\"}]\n",
                 "m.toml:3:24: constraint slip is not linear in the velocities: its term x'*y'");
  expect_refusal(plane + "constraints = [{slip = \"[x', a]\"}]\n",
                 "m.toml:3:24: constraint slip[2] contains no velocity: a");
}

// Rows are counted: those of the constraints, then the holonomic ones.
TEST(RowsOfAModel, stand_for_their_multipliers_in_forces) {
  const Model m = read_model(R"toml(
coordinates = ["x", "y", "a", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + a'^2 + z'^2)"
constraints = ["x' - a*y'", { contact = "[a' - x*y', z' - x*x']" }]
holonomic = [{ wire = "x - y" }]
[definitions]
"rub(n, v)" = "-mu*abs(n)*v"
[parameters]
mu = 0.1
[forces]
x = "rub(contact[2], x')"
y = "n = contact; -mu*norm(n)*sign(y')"
a = "dot(contact, [x, y]) + wire^2"
)toml",
                             "m.toml");
  const auto lambda = [](std::size_t row) { return multiplier_symbol(row); };
  const std::vector<Expression>& f = m.system.applied_forces();
  EXPECT_EQ(f[0], -parse("mu*x'") * abs(lambda(2)));
  EXPECT_EQ(f[1], -parse("mu*sign(y')") * sqrt(sq(lambda(1)) + sq(lambda(2))));
  EXPECT_EQ(f[2], lambda(1) * parse("x") + lambda(2) * parse("y") + sq(lambda(3)));
  EXPECT_EQ(f[3], Expression(0.0));
  EXPECT_TRUE(m.system.forces_contain_multipliers());
  EXPECT_EQ(to_text(m.system.named_forces()[2]),
            to_text(Expression::symbol("contact[1]") * parse("x") + Expression::symbol("contact[2]") * parse("y") +
                    sq(Expression::symbol("wire"))));
  const WrittenModel w = written(m);
  ASSERT_EQ(w.forces.size(), 3U);
  EXPECT_EQ(w.forces[0].text, "rub(contact[2], x')");
  EXPECT_EQ(std::get<Expression>(w.forces[0].value), m.system.named_forces()[0]);
}

// A list of n rows has components for every n, 1 too.
TEST(RowsOfAModel, that_are_repeated_are_components) {
  const std::string text =
      "coordinates = ['z', '[i = 1..n] y[i]']\nlagrangian = \"0.5*z'^2 + sum(i = 1..n, y[i]'^2)\"\n"
      "constraints = [{ roll = \"[i = 1..n] y[i]' - i*z'\" }]\n[parameters]\nn = 2\n[forces]\nz = 'sum(i = 1..n, "
      "i*roll[i])'\n";
  EXPECT_EQ(read_model(text, "m.toml").system.applied_forces()[0], multiplier_symbol(0) + 2.0 * multiplier_symbol(1));
  const System one = read_model(text, "m.toml", {{"n", 1}}).system;
  EXPECT_EQ(one.applied_forces()[0], multiplier_symbol(0));
  EXPECT_EQ(one.row_label(0), "roll1");
}

}  // namespace definitions_test
}  // namespace rattleback
