#pragma once

#include <span>

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// Throws MethodError where a section of the model leaves its constraints: there is no nonholonomic momentum along it.
void require_sections(const Problem& problem);

/// The nonholonomic momenta of the model's sections, J = L_v(q, v)·ξ̃(q).
class SectionMomenta {
 public:
  explicit SectionMomenta(const Problem& problem);
  std::span<const double> operator()(const State& node);

 private:
  CompiledMap functions_;
};

/// Why a method has no such equation: it has no L_d of the model, or other steps than equal ones of t.
std::string why_no_changes(const Method& method);

/// By how much the nonholonomic momenta of the sections change in an interval if the discrete momentum equation holds,
/// for methods that keep other momenta than those of the model, or none:
///
///     D₂L_d(q₀, q₁)·(ξ̃(q₁) − ξ̃(q₀))_Q(q₁),
///
/// the right-hand side of Cortés & Martínez (24), L_d being the model's Lagrangian under the rule of the method.
class SectionChanges {
 public:
  /// For methods for which there is no reason why not.
  SectionChanges(const Method& method, const Problem& problem);
  std::span<const double> operator()(std::span<const double> from, std::span<const double> to);

 private:
  CompiledMap functions_;
};

}  // namespace rattleback
