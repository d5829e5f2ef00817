#pragma once

// What is found about models, for the tests of the geometry.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::test {

/// A system with a state near which it is looked at, and its analysis.
struct Found {
  System system;
  State near;
  Analysis analysis;

  Found(System s, State at)
      : system(std::move(s)), near(std::move(at)), analysis(analyse(system, system.parameter_values(), near)) {}
  /// One of the catalogue at its start. Many tests look at the same models, each of which is analysed once.
  explicit Found(const std::string& model, const std::map<std::string, double>& parameters = {})
      : Found([&] {
          static std::map<std::pair<std::string, std::map<std::string, double>>, Found> known;
          const auto key = std::pair(model, parameters);
          if (const auto at = known.find(key); at != known.end()) return at->second;
          Model m = load_model(model, {parameters.begin(), parameters.end()});
          return known.emplace(key, Found(m.system, *m.initial)).first->second;
        }()) {}

  const ChaplyginSystem& chaplygin() const { return *analysis.search.found; }
  const GyroscopicStructure& gyroscopic() const { return *analysis.gyroscopic; }
  const System& reduced() const { return chaplygin().reduced; }
};

using Values = std::unordered_map<Expression, double>;

/// Parameters, and positions and velocities in the order of the coordinates.
inline Values values(const System& system, const std::vector<double>& q, const std::vector<double>& v = {}) {
  Values at;
  for (std::size_t i = 0; i < q.size(); ++i) at[system.coordinates()[i]] = q[i];
  for (std::size_t i = 0; i < v.size(); ++i) at[system.velocities()[i]] = v[i];
  for (std::size_t i = 0; i < system.parameters().size(); ++i)
    at[system.parameters()[i]] = system.parameter_values()[i];
  return at;
}

}  // namespace rattleback::test
