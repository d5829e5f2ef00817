// A Lagrangian in vectors and rotations, by definitions that texts share and by operators of C++.

#include <fmt/format.h>

#include <array>

#include "rattleback/rattleback.hpp"

int main() {
  rattleback::Definitions d;
  d.add("Q", "rotz(psi)*rotx(theta)*rotz(phi)");
  d.add("W", "angular(Q)");
  d.add("kinetic(m, v, J, w)", "0.5*m*dot(v, v) + 0.5*dot(w, J*w)");
  rattleback::ParseOptions options;
  options.definitions = &d;
  const rattleback::Expression lagrangian = rattleback::parse("kinetic(m, [x, y, z]', diag(I1, I2, I3), W)", options);
  fmt::print("L = {}\n", rattleback::to_text(lagrangian));

  const auto [psi, theta, phi] = rattleback::coordinates("psi", "theta", "phi");
  const rattleback::Matrix q = rattleback::rotz(psi) * rattleback::rotx(theta) * rattleback::rotz(phi);
  const rattleback::Vector w = rattleback::angular(q, std::array{psi, theta, phi});
  const bool same = std::get<rattleback::Vector>(rattleback::parse_tensor("W", options)) == w;
  fmt::print("the same angular velocity: {}\n", same);
  return same ? 0 : 1;
}
