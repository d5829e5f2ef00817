// The model file format, part by part. What is wrong with wrong files is tested at the command, where users meet it.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rattleback/expr/parse.hpp"
#include "rattleback/io/model.hpp"

namespace rattleback {
namespace {

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

}  // namespace
}  // namespace rattleback
