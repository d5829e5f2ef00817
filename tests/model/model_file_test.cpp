// The model file format, part by part. What is wrong with wrong files is tested at the command, where users meet it.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <unordered_map>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace model_file_test {

const std::string minimal = "coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\n";

TEST(ModelFile, two_keys_are_enough) {
  const Model m = read_model(minimal, "folder/free.toml");
  EXPECT_EQ(m.name, "free");
  EXPECT_EQ(m.title, "free");
  EXPECT_EQ(m.system.lagrangian(), parse("0.5*x'^2"));
  EXPECT_FALSE(m.initial);
  EXPECT_FALSE(m.step);
  EXPECT_EQ(m.text, minimal);
}

TEST(ModelFile, everything_it_can_hold) {
  const Model m = read_model(R"toml(
name = "Everything"
description = "what"
source = "where from"
coordinates = ["x", "y", "theta", "z"]
angles = ["theta"]
lagrangian = """
T = 0.5*m*(x'^2 + y'^2 + z'^2) + 0.5*J*theta'^2;
T - m*g*z"""
constraints = ["y'*cos(theta) - x'*sin(theta)"]
holonomic = ["z - 2*x"]
[parameters]
m = 2
g = 9.81
J = "m*r^2/2 + 0*g"
r = 3
[initial]
q = [1, "2*m", "pi/2", 2]
v = [0, "-1", 0, 0]
[run]
step = 0.1
time = "10*m"
[symmetry]
fibre = ["y"]
[exact]
theta = "theta + theta'*t"
[conserved]
spin = "J*theta'"
)toml",
                             "e.toml", {{"r", 3.0}, {"J", 9.0}});
  EXPECT_EQ(m.title, "Everything");
  EXPECT_EQ(m.angles, std::vector<std::string>{"theta"});
  EXPECT_EQ(m.system.holonomic()[0], parse("z - 2*x"));
  EXPECT_EQ(m.system.parameter_values(), (std::vector<double>{2, 9.81, 9, 3})) << "in the order of the file";
  EXPECT_EQ(m.initial->q, (std::vector<double>{1, 4, std::numbers::pi / 2, 2}));
  EXPECT_EQ(m.initial->v, (std::vector<double>{0, -1, 0, 0}));
  EXPECT_EQ(m.step, 0.1);
  EXPECT_EQ(m.time, 20.0);
  ASSERT_EQ(m.system.symmetries().size(), 1U);
  EXPECT_EQ(m.system.symmetries()[0].generator[1], Expression(1.0));
  EXPECT_FALSE(m.system.exact()[0]);
  EXPECT_EQ(*m.system.exact()[2], parse("theta + theta'*t"));
  EXPECT_EQ(m.system.conserved()[0].name, "spin");
}

TEST(ModelFile, a_parameter_may_be_an_expression_of_those_before_it) {
  const std::string text = minimal + "[parameters]\nm = 2\nk = \"m^2 + pi\"\n";
  EXPECT_EQ(read_model(text, "a.toml").system.parameter_values(), (std::vector<double>{2, 4 + std::numbers::pi}));
  EXPECT_EQ(read_model(text, "a.toml", {{"m", 3.0}}).system.parameter_values()[1], 9 + std::numbers::pi)
      << "a replaced value counts in what depends on it";
  EXPECT_THROW(read_model(minimal + "[parameters]\nk = \"m^2\"\nm = 2\n", "a.toml"), ModelError);
}

TEST(ModelFile, the_euclidean_group_of_the_plane) {
  const Model m = read_model(
      "coordinates = ['x', 'y', 'a']\nlagrangian = \"x'^2 + y'^2 + a'^2\"\n[symmetry]\ngroup = 'SE(2)'\nacts_on = "
      "['x', 'y', 'a']\n",
      "g.toml");
  ASSERT_EQ(m.system.symmetries().size(), 3U);
  EXPECT_EQ(m.system.symmetries()[2].generator, (std::vector<Expression>{parse("-y"), parse("x"), parse("1")}));
}

TEST(ModelFile, the_rotations_of_space) {
  // Left multiplication of Rz(a) Rx(b) Rz(c): the angular velocity in the body does not change, and brackets of
  // generators are generators.
  const Model m = read_model(
      R"toml(coordinates = ["a", "b", "c"]
lagrangian = "0.5*((a'*sin(b)*sin(c) + b'*cos(c))^2 + 2*(a'*sin(b)*cos(c) - b'*sin(c))^2 + 3*(a'*cos(b) + c')^2)"
[symmetry]
group = "SO(3)"
acts_on = ["a", "b", "c"]
)toml",
      "r.toml");
  const std::vector<Symmetry>& found = m.system.symmetries();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[2].generator, (std::vector<Expression>{parse("1"), parse("0"), parse("0")}));
  EXPECT_TRUE(broken_symmetries(m.system, {}, {{0.3, 1.2, 0.7}, {0.2, 0.4, -0.1}}).empty());
  const std::unordered_map<Expression, double> place{{parse("a"), 0.3}, {parse("b"), 1.2}, {parse("c"), 0.7}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& x = found[k].generator;
    const auto& y = found[(k + 1) % 3].generator;
    const auto forth = directional_derivative(y, m.system.coordinates(), x);
    const auto back = directional_derivative(x, m.system.coordinates(), y);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(evaluate(forth[i] - back[i] + found[(k + 2) % 3].generator[i], place), 0.0, 1e-14) << k << ", " << i;
    }
  }
}

TEST(ModelFile, groups_that_multiply_rotations_from_the_left) {
  const std::string body = "coordinates = ['x', 'y', 'z']\nrotations = ['R']\n[parameters]\nn = 2\n";
  const auto generators = [&](const std::string& lagrangian, const std::string& symmetry) {
    const Model m = read_model("lagrangian = \"" + lagrangian + "\"\n" + body + "[symmetry]\n" + symmetry, "r.toml");
    const State near{{0.3, -0.2, 0.5, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
    EXPECT_TRUE(broken_symmetries(m.system, m.system.parameter_values(), near).empty()) << symmetry;
    return m.system.symmetries();
  };
  // Whatever a body is like, moving it in space changes nothing; weight leaves the motions of the plane.
  const std::string free = "x'^2 + y'^2 + z'^2 + R.omega[1]^2 + R.omega[1]*R.omega[2] + dot(R*[1,2,3], [x',y',z'])";
  const auto space = generators(free, "group = 'SE(3)'\nacts_on = ['x', 'y', 'z', 'R']\n");
  ASSERT_EQ(space.size(), 6U);
  EXPECT_EQ(space[2].name, "translation of z");
  EXPECT_EQ(space[4].name, "rotation about y");
  const std::vector<Expression> about_y{parse("z"), Expression(0.0), parse("-x")};
  EXPECT_EQ(std::vector<Expression>(space[4].generator.begin(), space[4].generator.begin() + 3), about_y);
  EXPECT_EQ(space[4].generator[3].name(), "R[2,1]");
  EXPECT_EQ(generators(free, "group = 'SO(3)'\nacts_on = ['x', 'y', 'z', 'R']\n").size(), 3U);
  const auto plane = generators(free + " - z*R[3,1]", "group = 'SE(2)'\nacts_on = ['x', 'y', 'R']\n");
  ASSERT_EQ(plane.size(), 3U);
  EXPECT_EQ(plane[2].generator[5].name(), "R[3,3]");
  const auto axis = generators("R.omega[1]^2 + z'^2 - (R[1,1] + 2*R[3,1])^2 + 0*n",
                               "group = 'SO(2)'\nacts_on = ['R']\naxis = [1, 0, 'n']\n");
  ASSERT_EQ(axis.size(), 1U);
  // A body with an axis of symmetry: a multiplication from the right, whose generator is constant in the body.
  EXPECT_EQ(generators("R.omega[1]^2 + R.omega[2]^2 + z'^2*R[3,3]",
                       "group = 'SO(2)'\nacts_on = ['R']\n[symmetry.generators]\nspin = {R = '[0, 0, 1]'}\n")
                .size(),
            2U);
}

TEST(ModelFile, sections_of_symmetries) {
  const Model m = read_model(R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "x'^2 + y'^2 + z'^2"
[parameters]
c = 2
[symmetry]
fibre = ["x", "z"]
[symmetry.generators]
turn = {x = "-y", y = "x"}
[symmetry.sections]
along = {"translation of z" = "c*y", "translation of x" = "1"}
[symmetry.sections.around]
turn = "z"
)toml",
                             "s.toml");
  const std::vector<SymmetrySection>& found = m.system.sections();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "along");
  EXPECT_EQ(found[0].coefficients, (std::vector<Expression>{parse("1"), parse("c*y"), parse("0")}));
  EXPECT_EQ(m.system.field_of(found[0]), (std::vector<Expression>{parse("1"), parse("0"), parse("c*y")}));
  EXPECT_EQ(m.system.field_of(found[1]), (std::vector<Expression>{parse("-y*z"), parse("x*z"), parse("0")}));
}

TEST(ModelFile, generators_of_symmetries) {
  const Model m = read_model(R"toml(
coordinates = ["x", "y", "theta", "s"]
lagrangian = "x'^2 + y'^2 + theta'^2 + s'^2"
[parameters]
pitch = 2
[symmetry]
fibre = ["s"]
group = "SE(2)"
acts_on = ["x", "y", "theta"]
[symmetry.generators]
turn = {x = "-y", y = "x", theta = "1"}
[symmetry.generators.screw]
s = "u = pitch; u/pi"
theta = "1"
)toml",
                             "g.toml");
  const std::vector<Symmetry>& found = m.system.symmetries();
  ASSERT_EQ(found.size(), 6U) << "besides the fibre and the group";
  EXPECT_EQ(found[4].name, "turn");
  EXPECT_EQ(found[4].generator, (std::vector<Expression>{parse("-y"), parse("x"), parse("1"), Expression()}));
  EXPECT_EQ(found[5].name, "screw");
  EXPECT_EQ(found[5].generator[3], parse("pitch/pi"));
}

TEST(ModelFile, what_no_group_of_space_acts_on_is_refused) {
  const auto message = [](const std::string& section) {
    try {
      read_model(
          "rotations = ['R']\ncoordinates = ['x', 'y']\nlagrangian = \"x'^2 + R.omega[1]^2\"\n[symmetry]\n" + section,
          "m.toml");
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [&](const std::string& section, const std::string& start) {
    EXPECT_TRUE(message(section).starts_with(start)) << message(section);
  };
  expect("group = 'SE(2)'\nacts_on = ['x', 'R']\n",
         "m.toml:6:11: SE(2) acts on points of two coordinates and on rotations, as in [x, y, R], found 1 coordinate");
  expect("group = 'SO(3)'\nacts_on = ['x', 'y', 'R']\n",
         "m.toml:6:11: SO(3) acts on points of three coordinates and on rotations, as in [R] or [x, y, z, R], found 2");
  expect("group = 'SE(3)'\nacts_on = ['R']\n", "m.toml:6:11: SE(3) acts on points of three coordinates");
  expect("group = 'SO(3)'\nacts_on = ['R', 'R']\n", "m.toml:6:11: acts_on names R twice");
  expect("group = 'SO(3)'\nacts_on = ['S']\n", "m.toml:6:12: 'S' in acts_on is not a coordinate");
  expect("group = 'SO(2)'\nacts_on = ['R']\naxis = [0, 1]\n", "m.toml:7:8: axis has three components");
  expect("group = 'SO(2)'\nacts_on = ['R']\naxis = [0, 0, 0]\n", "m.toml:7:8: axis is zero");
}

TEST(ModelFile, what_is_no_symmetry_is_refused_with_its_place) {
  const auto message = [](const std::string& section) {
    try {
      read_model("coordinates = ['x', 'y', 'angle']\nlagrangian = \"x'^2 + y'^2 + angle'^2\"\n[symmetry]\n" + section,
                 "m.toml");
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [&](const std::string& section, const std::string& start) {
    EXPECT_TRUE(message(section).starts_with(start)) << message(section);
  };
  expect("group = 'SU(2)'\n",
         "m.toml:4:9: the group 'SU(2)' is not known; there are SO(2), SO(3), SE(2) and SE(3), or list a "
         "fibre");
  expect("group = 'SO(3)'\n", "m.toml:4:9: SO(3) needs acts_on = [alpha, beta, psi]: Euler angles");
  expect("group = 'SO(3)'\nacts_on = ['x']\n",
         "m.toml:5:11: SO(3) acts on three coordinates [alpha, beta, psi], found 1");
  expect("group = 'SO(3)'\nacts_on = ['x', 'y', 'x']\n", "m.toml:5:11: acts_on names x twice");
  expect("acts_on = ['x']\n", "m.toml:4:11: acts_on needs a group");
  expect("group = 'SE(3)'\n", "m.toml:4:9: SE(3) needs acts_on = [x, y, z, R]: the coordinates of a point and a");
  expect("group = 'SO(2)'\n", "m.toml:4:9: SO(2) needs acts_on = [R]: a rotation");
  expect("group = 'SO(3)'\naxis = [0, 0, 1]\n", "m.toml:5:8: axis belongs to group = \"SO(2)\"");
  expect("generators = ['x']\n",
         "m.toml:4:14: generators must be a table, written as a section [symmetry.generators], found a list");
  const std::string generators = "[symmetry.generators]\n";
  expect(generators + "turn = \"-y\"\n",
         "m.toml:5:8: the generator turn must be a table, as in {x = \"-y\", y = \"x\"}, found a text");
  expect(generators + "turn = {x = \"-y\", agnle = \"1\"}\n",
         "m.toml:5:19: unknown key 'agnle' in the generator turn, whose keys are coordinates; did you mean 'angle'?");
  expect(generators + "turn = {x = 1}\n",
         "m.toml:5:13: the generator turn, component x must be a text in quotes, found a number");
  expect(generators + "turn = {x = \"-w\"}\n", "m.toml:5:15: unknown name 'w'");
  expect(generators + "turn = {x = \"1\"}\nmove = {y = \"x'\"}\n",
         "m.toml:6:8: the symmetry move contains x', a velocity, where only coordinates and parameters may stand");
  expect(generators + "rest = {x = \"0*y\", y = \"x - x\"}\n", "m.toml:5:8: the generator rest is zero");
  expect(generators + "rest = {}\n", "m.toml:5:8: the generator rest is zero");
  expect(generators + "sin = {x = \"1\"}\n", "m.toml:5:7: 'sin' cannot be the name of a generator");
  expect(generators + "turn = {x = \"1\"}\nturn = {y = \"1\"}\n", "m.toml:6:");
  EXPECT_THROW(read_model("coordinates = ['[i = 0..2] i']\nlagrangian = '1'\n[symmetry]\ngroup = 'SO(3)'\n"
                          "acts_on = ['[i = 1..1] i', '[i = 0..0] i', '[i = 2..2] i']\n",
                          "m.toml"),
               ModelError)
      << "the angle 0 has no cotangent";
}

const char* const with_inputs = R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - stiffness*x^2"
constraints = ["x' - table*y'"]
[parameters]
w = 2
[inputs]
table = "cos(w*t)"
stiffness = "1 + table^2"
push = "y - table*x'"
[forces]
y = "push - y'"
[initial]
q = [1, 2]
t = "w/4"
)toml";

TEST(ModelFile, inputs_are_put_in_where_their_names_stand) {
  const Model m = read_model(with_inputs, "m.toml");
  EXPECT_EQ(m.system.lagrangian(), parse("0.5*(x'^2 + y'^2) - (1 + cos(w*t)^2)*x^2"));
  EXPECT_EQ(m.system.constraints()[0], parse("x' - cos(w*t)*y'"));
  EXPECT_EQ(m.system.applied_forces()[1], parse("y - cos(w*t)*x' - y'"));
  EXPECT_TRUE(m.system.depends_on_time());
  EXPECT_EQ(m.initial->t, 0.5);
  ASSERT_EQ(m.inputs.size(), 3U);
  EXPECT_EQ(m.inputs[2].name, "push");
  const Model other = read_model(with_inputs, "m.toml", {}, {{"table", "w*x"}});
  EXPECT_EQ(other.system.constraints()[0], parse("x' - w*x*y'"));
  EXPECT_FALSE(other.system.depends_on_time());
}

// d/dt of an input is total: along the motion, and by the time that it contains.
TEST(ModelFile, a_prime_on_an_input_is_its_total_derivative) {
  const Model m = read_model(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + (y' + tilt')^2)"
constraints = ["x' - (tilt*y)'"]
[parameters]
w = 2
[inputs]
tilt = "x*sin(w*t)"
)toml",
                             "m.toml");
  EXPECT_EQ(m.system.lagrangian(), parse("0.5*(x'^2 + (y' + (x'*sin(w*t) + x*w*cos(w*t)))^2)"));
  std::unordered_map<Expression, double> point;
  for (const auto& [name, value] : {std::pair("x", 0.3), {"y", 0.7}, {"x'", -0.4}, {"y'", 1.1}, {"w", 2.0}, {"t", 0.6}})
    point.emplace(Expression::symbol(name), value);
  const double s = std::sin(1.2);
  const double c = std::cos(1.2);
  EXPECT_NEAR(evaluate(m.system.constraints()[0], point), -0.4 - ((-0.4 * s + 0.3 * 2.0 * c) * 0.7 + 0.3 * s * 1.1),
              1e-15);
}

TEST(ModelFile, wrong_inputs_are_explained) {
  const auto message = [](const std::string& input, const InputTexts& replaced = {}) {
    try {
      read_model("coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\n[inputs]\n" + input, "m.toml", {}, replaced);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto expect = [&](const std::string& found, const std::string& start) {
    EXPECT_TRUE(found.starts_with(start)) << found;
  };
  expect(message("x = \"1\"\n"), "m.toml:4:5: the input x has a name that is taken; rename it");
  expect(message("t = \"1\"\n"), "m.toml:4:5: the input t has a name that is taken; rename it");
  expect(message("work = \"1\"\n"), "m.toml:4:8: the input work has a name that is taken; rename it");
  expect(message("sin = \"1\"\n"), "m.toml:4:7: 'sin' cannot be the name of an input");
  expect(message("u = true\n"), "m.toml:4:5: the input u must be a text in quotes, found true or false");
  expect(message("t = 1\n"), "m.toml:4:5: the input t has a name that is taken; rename it");
  expect(message("energy = 1\n"), "m.toml:4:10: the input energy has a name that is taken; rename it");
  expect(message("x = 1\n"), "m.toml:");
  expect(message("u = \"later\"\nlater = \"t\"\n"), "m.toml:4:6: unknown name 'later'");
  expect(message("u = \"t\"\n", {{"v", "1"}}), "m.toml has no input 'v'; it has u");
  expect(message("u = \"t\"\n", {{"u", "2*"}}), "input u:1:3: ");
}

TEST(ModelFile, t_is_the_time_unless_something_else_has_this_name) {
  EXPECT_FALSE(read_model("coordinates = ['t']\nlagrangian = \"0.5*t'^2 - t\"\n", "m.toml").system.depends_on_time());
  EXPECT_FALSE(read_model("coordinates = ['x']\nlagrangian = \"0.5*x'^2 - t*x\"\n[parameters]\nt = 3\n", "m.toml")
                   .system.depends_on_time());
  const System moving =
      read_model("coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2)\"\nholonomic = [\"y - sin(t)*x\"]\n",
                 "m.toml")
          .system;
  EXPECT_EQ(moving.velocity_rows()[0], parse("y' - sin(t)*x' - cos(t)*x"));
  EXPECT_EQ(moving.affine_part()[0], parse("-cos(t)*x"));
  EXPECT_FALSE(moving.conserves_energy());
  try {
    read_model("coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\n[symmetry.generators]\nshift = {x = \"t\"}\n",
               "m.toml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("which is the time; symmetries may not depend on it"), std::string::npos)
        << error.what();
  }
}

TEST(ModelFile, blocks_are_repeated) {
  const Model two = load_model("mclachlan-perlmutter");
  EXPECT_EQ(two.system.dimension(), 5U);
  EXPECT_EQ(two.system.constraints()[0], parse("x' + y1*z1' + y2*z2'"));
  const Model six = load_model("mclachlan-perlmutter", {{"n", 6}});
  EXPECT_EQ(six.system.dimension(), 13U);
  EXPECT_EQ(six.initial->v, (std::vector<double>{0, 1, -1, 1, -1, 1, -1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THROW(load_model("mclachlan-perlmutter", {{"n", 2.5}}), ModelError);

  const Model chain = read_model(R"toml(
coordinates = ["[i = 1..n] x[i]", "[i = 1..n] y[i]"]
lagrangian = "0.5*sum(i = 1..n, m*(x[i]'^2 + y[i]'^2)) - 0.5*k*sum(i = 1..n - 1, (x[i+1] - x[i])^2)"
constraints = ["[i = 1..n] y[i]' - i*x[i]*x[i]'"]
[parameters]
n = 3
m = 1
k = 1
[initial]
q = ["[i = 1..n] i", "[i = 1..n] 0"]
v = ["[i = 1..2*n] 0"]
)toml",
                                 "chain.toml");
  EXPECT_EQ(chain.system.constraints().size(), 3U);
  EXPECT_EQ(chain.system.constraints()[2], parse("y3' - 3*x3*x3'"));
  EXPECT_EQ(chain.initial->q, (std::vector<double>{1, 2, 3, 0, 0, 0}));
}

// H = Σ p_i²/2: velocities are momenta.
TEST(ModelFile, momenta_may_be_repeated_as_coordinates_are) {
  const auto conformal = [](const std::string& momenta) {
    return "coordinates = ['[i = 1..n] x[i]']\n[conformal]\nmomenta = [" + momenta +
           "]\nhamiltonian = '0.5*(p1^2 + p2^2 + p3^2)'\nfactor = '1'\n[parameters]\nn = 3\n"
           "[initial]\nq = ['[i = 1..n] i']\np = ['[i = 1..n] 2*i']\n";
  };
  EXPECT_EQ(read_model(conformal("'[i = 1..n] p[i]'"), "m.toml").initial->v, (std::vector<double>{2, 4, 6}));
  const auto refused = [&](const std::string& momenta, const std::string& words) {
    try {
      read_model(conformal(momenta), "m.toml");
      ADD_FAILURE() << momenta;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("'[i = 1..n] x[i]'", "m.toml:3:12: the name x1 is taken");
  refused("'[i = 1..n] 2*p[i]'", "a momentum must be a name, found 2*p1");
  refused("'2p'", "'2p' cannot be the name of a momentum");
}

TEST(ModelFile, an_error_in_an_expression_has_its_place_in_the_file) {
  const auto message = [](const std::string& text) {
    try {
      read_model(text, "m.toml");
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("coordinates = ['theta']\nlagrangian = \"0.5*thta'^2\"\n"),
            "m.toml:2:19: unknown name 'thta''; did you mean 'theta''?\n  0.5*thta'^2\n      ^");
  EXPECT_EQ(message("coordinates = ['x']\nlagrangian = \"\"\"\n0.5*x'^2\n  + 3*$\"\"\"\n"),
            "m.toml:4:7: unexpected character '$'\n    + 3*$\n        ^");
  EXPECT_EQ(message("coordinates = ['x']\nlagrangian = \"\"\"2*x'^2 + $\"\"\"\n"),
            "m.toml:2:26: unexpected character '$'\n  2*x'^2 + $\n           ^");
  EXPECT_EQ(message("coordinates = ['x', 'y']\nlagrangian = \"x'^2 + y'^2\"\nconstraints = [\n  \"x' - y\",\n  \"x'*y' "
                    "- 1\",\n]\n"),
            "m.toml:5:3: constraint 2 is not linear in the velocities: its term x'*y'; only constraints A(q) v + b(q) "
            "= 0 can be "
            "treated\n    \"x'*y' - 1\",\n    ^");
}

TEST(Catalogue, every_model_can_be_read_and_cites_its_source) {
  const auto names = catalogue();
  EXPECT_GE(names.size(), 18U);
  for (const std::string& name : names) {
    const Model m = load_model(name);
    EXPECT_EQ(m.name, name);
    EXPECT_FALSE(m.title.empty()) << name;
    EXPECT_GT(m.source.size(), 20U) << name;
    EXPECT_TRUE(m.initial) << name;
    EXPECT_TRUE(m.step && m.time) << name;
  }
}

TEST(Numbers, may_be_written_as_expressions) {
  EXPECT_DOUBLE_EQ(number_from_text("2*pi/5", "--q0"), 0.4 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(number_from_text("-a^2", "--q0", {{"a", 3.0}}), -9.0);
  EXPECT_THROW(number_from_text("b", "--q0", {{"a", 3.0}}), ModelError);
  EXPECT_THROW(number_from_text("", "--q0"), ModelError);
  EXPECT_THROW(number_from_text("nan", "--q0"), ModelError);
}

}  // namespace model_file_test
}  // namespace rattleback
