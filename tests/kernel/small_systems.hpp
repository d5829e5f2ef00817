#pragma once

// Implicit systems that fit on a line, and the starts of the two that do not.

#include <string>
#include <vector>

#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback::test {

inline std::vector<Expression> parse_all(const std::vector<std::string>& texts) {
  std::vector<Expression> result;
  for (const auto& text : texts) result.push_back(parse(text));
  return result;
}

/// A system that returns its unknowns.
inline ImplicitSystem equations(const std::vector<std::string>& data, const std::vector<std::string>& unknowns,
                                const std::vector<std::string>& residuals, const std::vector<std::string>& guess) {
  ImplicitSystem s;
  s.data = parse_all(data);
  s.unknowns = parse_all(unknowns);
  s.residuals = parse_all(residuals);
  s.guess = parse_all(guess);
  s.outputs = s.unknowns;
  return s;
}

/// Data of test::dla_midpoint: the quadratic particle of Cortés & Martínez, and the sleigh of
/// Evensberget's thesis.
inline constexpr double particle_start[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0.2};
inline constexpr double sleigh_start[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0.12, 1, 1, 1, 0.1};

}  // namespace rattleback::test
