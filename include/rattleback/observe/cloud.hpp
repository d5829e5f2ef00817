#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/base/words.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {

using Points = std::vector<std::vector<double>>;

/// The 120 vertices of the 600-cell, on the unit sphere of four dimensions.
Points six_hundred_cell();
/// So many points on the unit sphere, uniformly distributed, the same in every run.
Points points_on_sphere(std::size_t count, std::size_t dimension);
/// Points out of the text of a table (CSV): its header names the coordinates, in any order, and the points have them in
/// the given one. Throws ModelError that points into the file.
Points points_from_text(std::string_view text, const std::string& file, const std::vector<std::string>& coordinates);

/// The convex hull of points, by Qhull.
class ConvexHull {
 public:
  /// Throws NumericalError if the points do not span a volume.
  explicit ConvexHull(Points points);

  double volume() const;
  /// With densities at the points and at their mean: the simplices between the facets and the mean, each with the mean
  /// of the densities at its corners.
  double mass(const std::vector<double>& densities, double density_at_mean) const;
  /// How many points are no corners of it.
  std::size_t inside() const;

 private:
  struct Simplex {
    std::vector<std::size_t> corners;  ///< of a facet
    double volume;                     ///< between the facet and the mean of the points
  };
  Points points_;
  std::vector<Simplex> simplices_;
};

/// How the density of a measure is averaged over the convex hull of a cloud.
enum class HullWeights : std::uint8_t {
  simplices,  ///< ConvexHull::mass
  /// The volume of the hull times 2/(n+2) of the density at the centre and n/(n+2) of its mean over the points. Over a
  /// ball of n dimensions this is exact for polynomials of degree 3.
  ball,
};

template <>
inline constexpr auto words<HullWeights> =
    std::to_array<Word<HullWeights>>({{HullWeights::simplices, "simplices"}, {HullWeights::ball, "ball"}});

/// Which points a cloud has: so many on a sphere, those of a file, or the vertices of the 600-cell.
struct CloudShape {
  std::optional<std::int64_t> count = {};
  std::string file = {};  ///< a table, if it has a name
};
/// About 0, to be multiplied by the radius. Throws RequestError, which calls the shape `cloud`, and FileError.
Points cloud_points(const CloudShape& shape, const std::vector<std::string>& coordinates);

/// A ball of initial conditions (r, P) around the start of a problem, given by points of it.
struct CloudOptions {
  Points directions;  ///< on the unit sphere, or inside; as many coordinates as (r, P)
  double radius = 0.01;
  HullWeights weights = HullWeights::simplices;
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
  std::size_t inside = 0;        ///< points that are no corners of the hull: where it is not convex, or where they were
  Points points;                 ///< (r, P), if they are kept
};

struct CloudResult {
  std::vector<CloudSample> samples;  ///< everything up to a failure
  std::string failure;
  bool interrupted = false;
};

/// Volumes of a cloud under a method, at the start and after every so many steps. Throws MethodError where there is no
/// invariant measure, or no modified one, or if the weights of a ball are wanted for points that are not on its
/// surface.
CloudResult follow_cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options);
inline CloudResult follow_cloud(const MethodSpec& method, const Problem& problem, const CloudOptions& options) {
  return follow_cloud(DerivedMethod(method, problem), problem, options);
}

/// The names of r and P. Throws MethodError where there is no invariant measure.
std::vector<std::string> phase_coordinates(const Problem& problem);

}  // namespace rattleback
