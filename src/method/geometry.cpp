#include "rattleback/method/geometry.hpp"

#include <fmt/format.h>

#include "rattleback/method/stepper.hpp"

namespace rattleback {

Geometry::Geometry(const Problem& problem)
    : system_(problem.system), parameters_(problem.parameters), near_(problem.start) {}

const ChaplyginSystem& Geometry::chaplygin(const char* method) {
  if (chaplygin_) return *chaplygin_;
  ChaplyginSearch search;
  try {
    search = find_chaplygin(system_, parameters_, near_);
  } catch (const GeometryError& error) {
    throw MethodError(fmt::format("{} needs a Chaplygin system: {}", method, error.what()));
  }
  if (!search.found) {
    throw MethodError(fmt::format("{} needs a Chaplygin system, and this is none: {}; 'rattleback analyse' says more",
                                  method, search.reasons.at(0)));
  }
  return chaplygin_.emplace(std::move(*search.found));
}

const Hamiltonization& Geometry::hamiltonization(const char* method) {
  if (hamiltonization_) return *hamiltonization_;
  const ChaplyginSystem& c = chaplygin(method);
  GyroscopicStructure g = examine_gyroscopic(system_, c, parameters_, near_);
  if (!g.applies) throw MethodError(fmt::format("{} needs a multiplier: {}", method, g.reason));
  if (!g.is_hamiltonizable()) {
    throw MethodError(fmt::format(
        "{} needs a multiplier, and this system has none: {} ({:.2g}, above {:.0e}); rdla and dla need none", method,
        g.closed.holds ? "the gyroscopic force is not that of a multiplier"
                       : "the one-form it would follow from is not closed",
        g.closed.holds ? g.simple.residual : g.closed.residual, g.closed.tolerance));
  }
  return hamiltonization_.emplace(c, std::move(*g.multiplier));
}

const SteeredSystem& Geometry::steered(const char* method) {
  if (steered_) return *steered_;
  SteeredSearch search = find_steered(system_, parameters_, near_);
  if (!search.found) {
    throw MethodError(fmt::format("{} needs a free Lagrangian, and none is known: {}; 'rattleback analyse' says more",
                                  method, search.reason));
  }
  if (!search.found->potential_is_constant) {
    throw MethodError(
        fmt::format("{} needs a free Lagrangian, and none is known for systems with a potential; 'rattleback analyse' "
                    "says more",
                    method));
  }
  return steered_.emplace(std::move(*search.found));
}

}  // namespace rattleback
