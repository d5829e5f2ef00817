#pragma once

// Bodies in space whose symmetries move rotations, for tests of what groups do.

#include <string>

#include "rattleback/mech/problem.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::test {

inline const std::string attitude = "q = { R = { euler = \"zxz\", angles = [0.3, 0.8, 0.1] } }\n";
inline const std::string on_the_plane = "[symmetry]\ngroup = \"SE(2)\"\nacts_on = [\"x\", \"y\", \"R\"]\n";

/// A body whose angular velocity has no third component; SO(3) turns space.
inline std::string suslov(const std::string& products = "I13 = 0.2, I23 = -0.3") {
  return R"toml(rotations = ["R"]
lagrangian = "0.5*dot(R.omega, J*R.omega)"
constraints = ["R.omega[3]"]
parameters = { I1 = 1, I2 = 2, I3 = 1.5, )toml" +
         products + R"toml( }
[definitions]
J = "[[I1, 0, I13], [0, I2, I23], [I13, I23, I3]]"
[symmetry]
group = "SO(3)"
acts_on = ["R"]
[symmetry.sections]
first = { "rotation about x" = "R[1,1]", "rotation about y" = "R[2,1]", "rotation about z" = "R[3,1]" }
[initial]
)toml" + attitude +
         "v = { R = [0.7, -0.4, 0] }\n";
}

/// Chaplygin's ball; `rubber` cannot spin about the vertical.
inline std::string ball(bool rubber = false) {
  return std::string(R"toml(coordinates = ["x", "y"]
rotations = ["R"]
lagrangian = "0.5*m*(x'^2 + y'^2) + 0.5*dot(R.omega, diag(1, 1.4, 2)*R.omega)"
constraints = ["x' - a*w[2]", "y' + a*w[1]")toml") +
         (rubber ? ", \"w[3]\"" : "") + R"toml(]
parameters = { m = 1, a = 0.8 }
[definitions]
w = "R*R.omega"
)toml" + on_the_plane +
         "[initial]\n" + attitude + "v = { R = [0.7, -0.4, " + (rubber ? "0.3378432266552338" : "1") + "] }\n";
}

/// Veselova's problem in a field: the angular velocity is horizontal.
inline std::string veselova() {
  return R"toml(rotations = ["R"]
lagrangian = "0.5*dot(R.omega, diag(1, 1.4, 2)*R.omega) - 0.3*R[3,1]^2"
constraints = ["dot(transpose(R)*[0, 0, 1], R.omega)"]
[symmetry]
group = "SO(2)"
acts_on = ["R"]
[initial]
)toml" + attitude +
         "v = { R = [0.7, -0.4, 0.3378432266552338] }\n";
}

/// The heavy symmetric top, which turns about the vertical and about its own axis.
inline std::string heavy_top() {
  return R"toml(rotations = ["R"]
lagrangian = "0.5*dot(R.omega, diag(1, 1, 0.7)*R.omega) - 1.3*R[3,3]"
[symmetry]
group = "SO(2)"
acts_on = ["R"]
[symmetry.generators]
spin = { R = "[0, 0, 1]" }
[initial]
)toml" + attitude +
         "v = { R = [0.2, -0.4, 3] }\n";
}

/// Two bodies in space that attract each other, one of them at an excentric point: SE(3) moves both.
inline std::string two_bodies() {
  return R"toml(coordinates = ["x", "y", "z", "u", "v", "w"]
rotations = ["R", "S"]
lagrangian = "0.5*dot(c', c') + 0.5*dot(e', e') + 0.5*dot(R.omega, diag(1, 1.4, 2)*R.omega) + 0.5*dot(S.omega, S.omega) - 0.5*dot(d, d) + 0.2*dot(R*[1, 0, 0], S*[0, 1, 0])"
[definitions]
c = "[x, y, z]"
e = "[u, v, w]"
d = "c + R*[0.3, 0.1, 0] - e"
[symmetry]
group = "SE(3)"
acts_on = ["x", "y", "z", "u", "v", "w", "R", "S"]
[initial]
q = { x = 0.2, u = 1, R = { euler = "zxz", angles = [0.3, 0.8, 0.1] } }
v = { y = 0.3, w = -0.2, R = [0.2, -0.4, 1], S = [0, 0.3, 0.1] }
)toml";
}

/// A stone with an ellipsoidal surface that rolls, in units in which it is large (Kane & Levinson's shape).
inline std::string stone() {
  return R"toml(coordinates = ["x", "y", "z"]
rotations = ["R"]
lagrangian = "0.5*dot(c', c') + 0.5*dot(R.omega, J*R.omega) - 0.5*z"
constraints = ["c' + R*cross(R.omega, r)"]
[definitions]
u = "transpose(R)*[0, 0, 1]"
r = "[0, 0, 0.1] - diag(4, 1, 0.5)*u/sqrt(dot(u, diag(4, 1, 0.5)*u))"
c = "[x, y, z]"
J = "[[1, -0.1, 0], [-0.1, 2, 0], [0, 0, 2.5]]"
)toml" + on_the_plane +
         "[initial]\n" + attitude + "v = { R = [0.1, -0.2, 0.6] }\n";
}

inline Problem problem_of_text(const std::string& text, double step = 0.05) {
  const Model model = read_model(text, "body.toml");
  return {model.system, model.system.parameter_values(), *model.initial, step};
}

}  // namespace rattleback::test
