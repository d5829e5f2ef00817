#pragma once

// The rattleback of Kane and Levinson without drag, as models and for the code by hand: what a rotation as a coordinate
// saves.

#include <algorithm>

#include "rattleback/mech/problem.hpp"
#include "src/bench/hand_rattleback.hpp"

namespace rattleback::bench {

inline constexpr const char* rattleback_by_rotation_text = R"toml(
coordinates = ["x", "y", "z"]
rotations = ["R"]
lagrangian = "0.5*m*dot(c', c') + 0.5*dot(R.omega, J*R.omega) - m*g*z"
constraints = [{ slip = "c' + R*cross(R.omega, r)" }]
parameters = { m = 1.0, g = 9.81, a1 = 0.2, a2 = 0.03, a3 = 0.02, d = 0.01, I11 = 2e-4, I22 = 1.6e-3, I33 = 1.7e-3, I12 = -2e-5, tilt = "pi/360", spin = -5.0 }
[definitions]
u = "transpose(R)*[0, 0, 1]"
D = "diag(a1^2, a2^2, a3^2)"
r = "[0, 0, d] - D*u/sqrt(dot(u, D*u))"
c = "[x, y, z]"
J = "[[I11, I12, 0], [I12, I22, 0], [0, 0, I33]]"
[initial]
q = { R = { euler = "xy", angles = ["tilt", "tilt"] } }
v = { R = [0, 0, "spin"] }
)toml";

/// With the height as a function of the angles, which saves a coordinate and a constraint.
inline constexpr const char* rattleback_by_angles_text = R"toml(
coordinates = ["x", "y", "psi", "phi", "theta"]
angles = ["psi", "phi", "theta"]
lagrangian = "0.5*m*dot(c', c') + 0.5*dot(W, J*W) - m*g*c[3]"
constraints = [{ slip = "v = c' + Q*cross(W, r); [v[1], v[2]]" }]
parameters = { m = 1.0, g = 9.81, a1 = 0.2, a2 = 0.03, a3 = 0.02, d = 0.01, I11 = 2e-4, I22 = 1.6e-3, I33 = 1.7e-3, I12 = -2e-5, tilt = "pi/360", spin = -5.0 }
[definitions]
Q = "rotz(psi)*rotx(phi)*roty(theta)"
W = "angular(Q)"
u = "transpose(Q)*[0, 0, 1]"
D = "diag(a1^2, a2^2, a3^2)"
r = "[0, 0, d] - D*u/sqrt(dot(u, D*u))"
c = "[x, y, -dot(u, r)]"
J = "[[I11, I12, 0], [I12, I22, 0], [0, 0, I33]]"
[initial]
q = { phi = "tilt", theta = "tilt" }
v = { psi = "spin", phi = "spin*sin(tilt)", theta = "-spin*sin(tilt)" }
)toml";

/// Of the model by rotation.
inline hand::RattlebackConstants constants_by_hand(const Problem& problem) {
  const auto value = [&](const char* name) {
    const auto& all = problem.system.parameters();
    const auto found = std::ranges::find(all, name, [](const Expression& p) { return p.name(); });
    return problem.parameters.at(static_cast<std::size_t>(found - all.begin()));
  };
  return {problem.step, value("m"),   value("g"),  {value("a1"), value("a2"), value("a3")}, value("d"), value("I11"),
          value("I22"), value("I33"), value("I12")};
}
inline hand::RattlebackState start_by_hand(const Problem& problem, const hand::RattlebackConstants& constants) {
  const auto& [q, v, when] = problem.start;
  return {{q[0], q[1], q[2]},
          {{q[3], q[4], q[5]}, {q[6], q[7], q[8]}, {q[9], q[10], q[11]}},
          {v[0], v[1], v[2]},
          {v[3], v[4], v[5]},
          constants};
}

}  // namespace rattleback::bench
