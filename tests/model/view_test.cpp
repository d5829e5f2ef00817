// [view], [picture], and what models without either look like.

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/model/view.hpp"

namespace rattleback {
namespace view_test {

const std::string stone = R"toml(coordinates = ["x", "y", "z"]
rotations = ["R"]
lagrangian = "0.5*m*(x'^2 + y'^2 + z'^2) + 0.5*dot(R.omega, diag(I1, I2, I3)*R.omega) - m*z"
parameters = { m = 2, I1 = 0.4, I2 = 0.5, I3 = 0.3, a = 0.5, none = 0 }
[definitions]
c = "[x, y, z]"
[initial]
q = { R = { axis = [0, 0, 1], angle = 0.3 } }
v = { z = 0 }
)toml";

View view_of(const std::string& text) {
  const Model model = read_model(text, "m.toml");
  EXPECT_NE(model.view, nullptr);
  return model.view ? *model.view : View{};
}

std::string complaint(const std::string& section) {
  try {
    read_model(stone + section, "m.toml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no complaint";
}

void expect_complaint(const std::string& section, const std::string& says) {
  const std::string message = complaint(section);
  EXPECT_NE(message.find(says), std::string::npos) << section << "\n" << message;
  EXPECT_NE(message.find("m.toml:1"), std::string::npos) << "where: " << message;
}

TEST(View, has_bodies_with_frames_traces_and_a_ground) {
  const View view = view_of(stone + R"toml([view]
ground = { bowl = "4*a", centre = [0, 0, "2*a"] }
slope = [0.1, "a"]
[view.bodies.stone]
shape = "ellipsoid"
radii = ["a", 0.2, "a/5"]
position = "c + R*[0, 0, a]"
rotation = "R"
colour = "orange"
[view.bodies]
wheel = { shape = "wheel", radius = "a", axis = "x", position = ["x", "y"], rotation = "R*rotz(t)", colour = "#12abEF" }
string = { shape = "rod", radius = 0.01, from = "c", to = "[0, 0, 1]" }
ghost = { shape = "ball", radius = "none", position = "c" }
[view.traces]
contact = { point = "c - [0, 0, a]", on = "stone" }
centre = "c"
)toml");
  ASSERT_EQ(view.bodies.size(), 3U) << "a ball of no size is not drawn";
  const View::Body& body = view.bodies[0];
  EXPECT_EQ(body.shape, Shape::ellipsoid);
  EXPECT_EQ(body.sizes[0].numbers, (std::vector{0.5, 0.2, 0.1}));
  EXPECT_EQ(body.position[2], parse("z") + Expression::symbol("R[3,3]") * parse("a"));
  ASSERT_EQ(body.rotation.size(), 9U);
  EXPECT_EQ(body.rotation[5], Expression::symbol("R[2,3]"));
  EXPECT_EQ(body.marks, Marks::rings);
  EXPECT_EQ(view.bodies[1].axis, BodyAxis::x);
  EXPECT_EQ(view.bodies[1].position[2], Expression(0.0)) << "two numbers are a point of the plane";
  EXPECT_EQ(view.bodies[1].sizes[1].numbers, std::vector{0.1}) << "a fifth of the radius";
  EXPECT_EQ(view.bodies[2].end[2], Expression(1.0));
  ASSERT_EQ(view.traces.size(), 2U);
  EXPECT_EQ(view.traces[0].body, 0U);
  EXPECT_EQ(view.traces[1].body, std::nullopt);
  EXPECT_EQ(view.ground.kind, GroundKind::bowl);
  EXPECT_EQ(view.ground.radius, 2.0);
  EXPECT_EQ(view.ground.centre[2], 1.0);
  EXPECT_EQ(view.ground.slope[1], 0.5);
}

TEST(View, draws_repeated_bodies_where_each_is) {
  const View view = view_of(R"toml(coordinates = ["[i = 1..n] x[i]"]
lagrangian = "0.5*sum(i = 1..n, x[i]'^2)"
parameters = { n = 3 }
[view.bodies]
beads = { shape = "ball", radius = 0.1, position = "[i = 1..n] [x[i], i, 0]" }
)toml");
  ASSERT_EQ(view.bodies.size(), 3U);
  EXPECT_EQ(view.bodies[1].name, "beads2");
  EXPECT_EQ(view.bodies[2].position[0], parse("x3"));
  EXPECT_EQ(view.bodies[2].position[1], Expression(3.0));
  ASSERT_EQ(view.traces.size(), 1U) << "the path of the first";
  EXPECT_EQ(view.traces[0].point[0], parse("x1"));
}

// An ellipsoid of mass m has I₁ = m(b² + c²)/5.
TEST(View, is_made_of_positions_and_moments_of_inertia_if_nothing_is_said) {
  const View view = view_of(stone);
  ASSERT_EQ(view.bodies.size(), 1U);
  const std::vector<double>& radii = view.bodies[0].sizes[0].numbers;
  const double m = 2.0;
  EXPECT_NEAR(m / 5 * (radii[1] * radii[1] + radii[2] * radii[2]), 0.4, 1e-12);
  EXPECT_NEAR(m / 5 * (radii[0] * radii[0] + radii[2] * radii[2]), 0.5, 1e-12);
  EXPECT_NEAR(m / 5 * (radii[0] * radii[0] + radii[1] * radii[1]), 0.3, 1e-12);
  EXPECT_EQ(view.ground.kind, GroundKind::plane);

  const View particle = view_of("coordinates = [\"y\", \"w\", \"x\"]\nlagrangian = \"0.5*(x'^2 + y'^2 + w'^2)\"\n");
  EXPECT_EQ(particle.bodies[0].shape, Shape::ball);
  EXPECT_EQ(particle.bodies[0].position, (std::vector{parse("x"), parse("y"), Expression(0.0)}));

  const View top = view_of("rotations = [\"R\"]\nlagrangian = \"0.5*dot(R.omega, R.omega)\"\n");
  EXPECT_EQ(top.ground.kind, GroundKind::none);
  EXPECT_EQ(top.bodies[0].sizes[0].numbers, (std::vector{1.0, 1.0, 1.0}));

  EXPECT_EQ(read_model("coordinates = [\"u\"]\nlagrangian = \"0.5*u'^2\"\n", "m.toml").view, nullptr);
}

TEST(View, of_one_upright_body_can_be_written_as_a_picture) {
  const std::string robot = R"toml(coordinates = ["x", "y", "theta", "psi"]
lagrangian = "0.5*(x'^2 + y'^2 + theta'^2 + psi'^2)"
[picture]
body = "robot"
position = ["x", "y"]
heading = "theta"
roll = "psi"
size = 2
)toml";
  const View view = view_of(robot);
  ASSERT_EQ(view.bodies.size(), 5U);
  EXPECT_EQ(view.bodies[4].shape, Shape::wheel);
  EXPECT_EQ(view.bodies[4].rotation, (rotz(parse("theta")) * roty(parse("psi"))).entries);
  EXPECT_THROW(
      read_model(robot + "[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"[x, y]\" }\n", "m.toml"),
      ModelError);
}

TEST(View, says_what_is_wrong_with_it) {
  const std::string ball = "[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"c\" }\n";
  expect_complaint("[view]\nground = \"none\"\n", "[view] needs the key bodies");
  expect_complaint("[view]\nbodies = 3\n", "bodies must be");
  expect_complaint("[view.bodies]\n", "[view] needs a body to draw");
  expect_complaint("[view]\ncamera = 1\n", "unknown key 'camera' in [view]");
  expect_complaint("[view.bodies]\nb = { radius = 1, position = \"c\" }\n", "the body b of [view] needs the key shape");
  expect_complaint("[view.bodies]\nb = { shape = \"cube\" }\n", "shape must be ball, ellipsoid, disk");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", position = \"c\" }\n",
                   "the body b of [view], a ball, needs the key radius");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1 }\n",
                   "the body b of [view] needs the key position");
  expect_complaint("[view.bodies]\nb = { shape = \"rod\", radius = 1, from = \"c\" }\n", "needs the key to");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = -1, position = \"c\" }\n",
                   "radius of the body b of [view] must be positive, found -1");
  expect_complaint("[view.bodies]\nb = { shape = \"box\", size = [1, 2], position = \"c\" }\n",
                   "size of the body b of [view] has 2 entries, expected 3");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radii = [1, 1, 1], radius = 1, position = \"c\" }\n",
                   "unknown key 'radii' in the body b of [view], a ball");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"x\" }\n",
                   "position of the body b of [view] must be a vector of two or three components");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"c'\" }\n",
                   "a view is one of positions: the velocity x' cannot be used in it");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"R.omega\" }\n",
                   "the velocity R.omega1 cannot be used in it");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"c\", rotation = \"c\" }\n",
                   "rotation of the body b of [view] must be a 3 by 3 matrix, as in \"rotz(theta)\", found 3 numbers");
  expect_complaint(
      "[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"c\", rotation = \"2*R\" }\n",
      "rotation of the body b of [view] is no rotation at the initial position: its entries differ by up to");
  expect_complaint("[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"c\", colour = \"pink\" }\n",
                   "black or \"#rrggbb\", found 'pink'");
  expect_complaint(
      "[view.bodies]\nb = { shape = \"prism\", outline = [[1, 2, 3], [0, 0]], height = 1, position = \"c\" }\n",
      "a point of outline of the body b of [view] has 3 entries, expected 2");
  expect_complaint(
      "[view.bodies]\nb = { shape = \"ball\", radius = 1, position = \"[i = 1..3] [i, 0, 0]\", rotation = \"[i = 1..2] "
      "R\" }\n",
      "the body b of [view] has 3 of one thing and 2 of another");
  expect_complaint(ball + "[view.traces]\ntip = { point = \"c\", on = \"d\" }\n",
                   "the trace tip of [view] is on the body 'd', which is none; the bodies are b");
  expect_complaint(ball + "[view.traces]\ntip = \"z\"\n", "the trace tip of [view] must be a vector");
  expect_complaint("[view]\nground = \"sphere\"\n" + ball, "a sphere has a radius: write ground = { sphere = 2");
  expect_complaint("[view]\nground = \"sea\"\n" + ball, "ground must be plane, sphere, bowl or none, found 'sea'");
  expect_complaint("[view]\nground = { centre = [0, 0, 0] }\n" + ball, "ground must be one of plane, sphere and bowl");
  expect_complaint("[view]\nground = { sphere = 1, bowl = 2 }\n" + ball,
                   "ground must be one of plane, sphere and bowl");
  expect_complaint("[view]\nground = { sphere = -1 }\n" + ball, "the radius of the ground must be positive, found -1");
  expect_complaint("[view]\nslope = [1]\n" + ball, "slope must have two entries");
}

}  // namespace view_test
}  // namespace rattleback
