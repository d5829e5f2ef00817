#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {

using Points = std::vector<std::vector<double>>;

/// The 120 vertices of the 600-cell, on the unit sphere of four dimensions.
Points six_hundred_cell();
/// So many points on the unit sphere, uniformly distributed, the same in every run.
Points points_on_sphere(std::size_t count, std::size_t dimension);

/// The volume of the convex hull of points, by Qhull; with densities at the points and at their mean, its mass: the
/// simplices between the facets and the mean, each with the mean of its vertices' densities. Throws std::runtime_error
/// if the points do not span a volume.
double hull_volume(const Points& points);
double hull_mass(const Points& points, const std::vector<double>& densities, double density_at_mean);

/// A ball of initial conditions (r, P) around the start of a problem, given by points on its surface.
struct CloudOptions {
  Points directions;  ///< on the unit sphere; as many coordinates as (r, P)
  double radius = 0.01;
  std::int64_t steps = 0;
  std::int64_t every = 1;
  bool keep_points = false;
  std::vector<int> ells;  ///< the truncations of modified measures to look at, besides the measure of the system
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const Progress&)> progress;
};

struct CloudSample {
  std::int64_t step = 0;
  double time = 0.0;
  double volume = 0.0;           ///< of the convex hull in (r, P)
  double mass = 0.0;             ///< in the invariant measure of the system
  std::vector<double> modified;  ///< in the modified ones
  Points points;                 ///< (r, P), if they are kept
};

struct CloudResult {
  std::vector<CloudSample> samples;  ///< everything up to a failure
  std::string failure;
  bool interrupted = false;
};

/// Volumes of a cloud under a method, at the start and after every so many steps. Throws MethodError where there is no
/// invariant measure, or no modified one.
CloudResult follow_cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options);
inline CloudResult follow_cloud(const MethodSpec& method, const Problem& problem, const CloudOptions& options) {
  return follow_cloud(DerivedMethod(method, problem), problem, options);
}

/// The names of r and P. Throws MethodError where there is no invariant measure.
std::vector<std::string> phase_coordinates(const Problem& problem);

}  // namespace rattleback
