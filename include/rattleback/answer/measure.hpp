#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/flow/statistics.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback::answer {

/// How well do methods preserve the invariant measure of a system? Along one trajectory, from the tangent map; or from
/// the convex hull of a cloud.
struct MeasureRequest {
  /// Points of a ball about the start.
  struct Cloud {
    CloudShape shape = {};
    double radius = 0.01;
    HullWeights weights = HullWeights::simplices;
    bool keep_points = false;  ///< in the answer
  };
  ProblemRequest problem;
  std::vector<std::string> methods = {"conformal", "pthdel", "dla"};
  std::vector<int> ells = {};  ///< also the modified measures up to these powers of h, of methods that have such
  std::optional<Cloud> cloud = {};
  std::int64_t every = 1;                  ///< looks at every so many steps
  std::optional<std::string> output = {};  ///< a file for all values, .csv
  std::optional<std::string> points = {};  ///< a file for the points of the cloud, .csv
  bool force = false;                      ///< replaces whatever is in the place of the files
};

/// A volume of which relative changes are told: that of dr dp, or in a measure.
struct MeasuredVolume {
  enum class Of : std::uint8_t {
    local,  ///< infinitesimal, about the trajectory
    hull,   ///< the convex hull of the cloud
  };
  enum class In : std::uint8_t { phase_space, measure, modified_measure };
  Of of;
  In in;
  int ell = 0;  ///< of a modified measure, up to this power of h

  friend bool operator==(const MeasuredVolume&, const MeasuredVolume&) = default;
};
/// "local mu", "hull dr dp", "hull mu_4"
std::string column_name(const MeasuredVolume& volume);

struct MeasureAnswer {
  struct Column {
    MeasuredVolume volume;
    std::vector<double> changes = {};  ///< relative, since the start
    Largest largest = {};              ///< in size
  };
  struct MethodTable {
    std::string method;
    std::vector<double> time = {};
    std::vector<Column> columns = {};
    std::string failure = {};              ///< why it did not reach the end
    std::vector<Points> points = {};       ///< of the cloud at each time, if they are kept
    std::vector<std::size_t> inside = {};  ///< points of the cloud that are no corners of its hull
    bool interrupted = false;
  };
  std::string model;
  std::string title;
  double step = 0.0;
  std::int64_t steps = 0;
  std::vector<MethodTable> tables = {};  ///< up to an interruption
  std::vector<InapplicableMethod> inapplicable = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> coordinates = {};  ///< the names of the coordinates of points, if they are kept
  std::optional<std::string> output = {};
  std::optional<std::string> points = {};

  bool interrupted() const { return !tables.empty() && tables.back().interrupted; }
};

/// Throws MethodError where there is no invariant measure or none of the methods applies, and FileError.
MeasureAnswer measure(const MeasureRequest& request, const Hooks& hooks = {});

/// It was interrupted, methods failed, or a volume does not exist.
std::optional<Error> complaint(const MeasureAnswer& answer);

std::string to_text(const MeasureAnswer& answer);
/// The keys are promised to stay.
std::string to_json(const MeasureAnswer& answer);
/// One header for all methods; what a method does not have stays empty.
std::string to_csv(const MeasureAnswer& answer);
std::string points_to_csv(const MeasureAnswer& answer);

}  // namespace rattleback::answer
