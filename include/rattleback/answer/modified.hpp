#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/modified_series.hpp"

namespace rattleback::answer {

/// Backward error analysis at a point: which Hamiltonian do the steps of a variational method follow?
struct ModifiedRequest {
  /// Positions and momenta of the coordinates in which the method is variational.
  struct Point {
    std::vector<double> positions;
    std::vector<double> momenta;
  };
  enum class Formulas : std::uint8_t { none, also, only };

  ProblemRequest problem;  ///< how long it is does not matter
  std::string method = "conformal";
  int order = 4;                 ///< the power of h up to which the series goes
  double tolerance = 1e-13;      ///< how small the change by further points must be to stop there
  std::optional<Point> at = {};  ///< the start if it is not given
  /// E of altered Lagrangians; the energy at the point if it is not given.
  std::optional<double> energy = {};
  Formulas formulas = Formulas::none;
  bool equation = false;  ///< with the formulas: the modified Lagrangian and the modified equation
  bool numbers = false;   ///< in the formulas: the numbers of the parameters instead of their names
};

struct ModifiedAnswer {
  struct Values {
    Estimate hamiltonian;                      ///< K
    std::optional<ConformalValues> conformal;  ///< of altered Lagrangians
  };
  struct Truncation {
    int ell;  ///< after this power of h
    Values values;
  };
  /// What is computed at a point.
  struct Numbers {
    std::vector<std::string> names;  ///< of positions and momenta
    std::vector<double> point;
    std::optional<double> energy;    ///< E of altered Lagrangians
    std::vector<Truncation> series;  ///< of symmetric methods the even ones: the others are no different
    Values orbit;                    ///< not truncated, from an orbit of the method
    int points = 0;                  ///< of that orbit
  };
  std::string model;
  std::string title;
  std::string method;
  double step = 0.0;
  bool symmetric = false;
  std::optional<Numbers> numbers = {};          ///< unless formulas only were asked for
  std::optional<ModifiedSeries> formulas = {};  ///< if they were; of symmetric methods every second one is 0
  std::optional<ModifiedMotion> equation = {};  ///< likewise
  std::vector<std::pair<std::string, double>> parameters = {};  ///< that are numbers in the formulas
  std::vector<std::string> notes = {};
};

/// Throws MethodError for methods that are not variational, NumericalError where there are no steps around the point.
ModifiedAnswer modified(const ModifiedRequest& request, const Hooks& hooks = {});

std::string to_text(const ModifiedAnswer& answer);
/// The keys are promised to stay.
std::string to_json(const ModifiedAnswer& answer);
/// The formulas.
std::string to_latex(const ModifiedAnswer& answer);

}  // namespace rattleback::answer
