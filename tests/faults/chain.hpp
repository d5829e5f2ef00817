#pragma once

namespace rattleback::test {

/// A model of 2n + 1 coordinates, each of whose constraints knows two of them.
inline constexpr const char* chain = R"toml(
coordinates = ["z", "[i = 1..n] x[i]", "[i = 1..n] y[i]"]
lagrangian = "0.5*z'^2 + 0.5*sum(i = 1..n, x[i]'^2 + y[i]'^2) - 0.5*k*sum(i = 1..n - 1, (x[i+1] - x[i])^2)"
constraints = ["[i = 1..n] y[i]' - x[i]*z'"]
[parameters]
n = 3
k = 1.0
[initial]
q = [0, "[i = 1..n] i", "[i = 1..n] 0"]
v = [1, "[i = 1..n] (-1)^i", "[i = 1..n] i"]
)toml";

}  // namespace rattleback::test
