#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/geometry/associated.hpp"
#include "rattleback/geometry/hamiltonized.hpp"
#include "rattleback/method/discrete_reduction.hpp"

namespace rattleback::answer {

/// What is this system? Symmetry, Chaplygin reduction, invariant measure, multiplier, free Lagrangians.
struct AnalyseRequest {
  ModelSource model;
  ParameterValues parameters = {};  ///< values that replace those of the model
  /// One without constraints, in coordinates, velocities and parameters of the model: do its equations describe the
  /// motion, and is it regular?
  std::optional<std::string> lagrangian = {};
  /// midpoint, trapezoidal, alpha=0.3 or sym=0.25: the discrete equations of a Chaplygin system under this rule, too.
  std::optional<std::string> rule = {};
  /// Searches among so many associated second-order systems of a constrained one for those with a regular Lagrangian.
  std::optional<std::int64_t> associated = {};
};

/// Whether a system has a property.
enum class Verdict : std::uint8_t {
  yes,
  locally,  ///< what proves it is not single-valued: after a turn of an angle it is another function
  no,
  unknown,  ///< not examined, or undecided
};
const char* verdict_name(Verdict verdict);

/// After a turn of an angle of the shape a function is so many times as large.
struct Period {
  std::string angle;
  double factor;
};

/// A Lagrangian that somebody wrote down, against the system.
struct GivenLagrangian {
  /// Its equations against second-order equations that belong to the system, for all velocities.
  struct Comparison {
    std::string name;
    Certificate certificate;
  };
  Expression lagrangian;
  LagrangianReport report;
  std::vector<Comparison> equations;
};

/// What Cortés & Martínez (32) is for the system under a rule. In its formulas the step is h, where the model has no
/// such name.
struct ReducedUnderRule {
  std::string rule;
  DiscreteReduction reduction;
};

struct AnalyseAnswer {
  Model model;
  State near;  ///< the initial state of the model, or zeros: properties are judged at random points about it
  Analysis analysis;

  Verdict measure = Verdict::unknown;         ///< the reduced equations have an invariant measure μ(r) dr dp
  Verdict hamiltonizable = Verdict::unknown;  ///< a multiplier N(r) makes the reduced motion Hamiltonian
  /// An invariant measure after dividing out all translations; nothing where the question does not arise.
  std::optional<Verdict> measure_by_translations = {};
  std::vector<Period> measure_periods = {};            ///< of μ, where that is not 1
  std::vector<Period> multiplier_periods = {};         ///< of N
  std::optional<HamiltonizedForms> hamiltonized = {};  ///< if N has a closed form
  std::vector<Expression> tensor = {};                 ///< the gyroscopic one, if there is one
  bool solvable_at_start = true;                       ///< the constraints, for the velocities of the fibre
  std::optional<GivenLagrangian> given = {};
  std::optional<ReducedUnderRule> discrete = {};
  std::optional<AssociatedSearch> associated = {};

  const System& system() const { return model.system; }
  /// Of the Chaplygin structure, which must have been found.
  const ChaplyginSystem& chaplygin() const { return *analysis.search.found; }
  const System& reduced() const { return chaplygin().reduced; }
};

/// Throws GeometryError if a declared symmetry is none, ParseError if the Lagrangian cannot be read, MethodError if the
/// rule is none or there is nothing to reduce.
AnalyseAnswer analyse(const AnalyseRequest& request, const Hooks& hooks = {});

/// The answer is no: a given Lagrangian is none of the system, or no associated system was found that may have one.
std::optional<Error> complaint(const AnalyseAnswer& answer);

/// "4 of 4 are excluded by the Helmholtz conditions", or why nothing was tried.
std::string result_of(const AssociatedSearch& search);

/// For people. Long expressions are cut, the other renderings have them in full.
std::string to_text(const AnalyseAnswer& answer);
/// The keys are promised to stay.
std::string to_json(const AnalyseAnswer& answer);
/// The reduced system and the multiplier. Throws Error with the kind answer_is_no without a Chaplygin structure.
std::string to_latex(const AnalyseAnswer& answer);

}  // namespace rattleback::answer
