// A cloud of initial conditions under a method, García-Naranjo & Vermeeren, sections 5.2.1 and 5.2.3.

#include "rattleback/observe/cloud.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "hull.hpp"
#include "phase_space.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {
namespace {

/// Bytes, estimated for a few coordinates: a flow has its own compiled steps for each point.
double memory_of_point(bool has_map) { return has_map ? 1000.0 : 30000.0; }
constexpr double kept_point = 100.0;

/// For as many starts formulas of the modified energy are sooner derived than its orbits are fitted.
constexpr std::size_t many_starts = 100;

double distance_from_origin(const std::vector<double>& point) {
  double square = 0.0;
  for (const double x : point) square += x * x;
  return std::sqrt(square);
}

/// The weights of a ball are those of a density that is known at its centre and on its surface.
void require_surface(const Points& directions) {
  constexpr double tolerance = 1e-6;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const double distance = distance_from_origin(directions[k]);
    if (std::abs(distance - 1.0) <= tolerance) continue;
    throw MethodError(
        fmt::format("the weights of a ball need points at the distance 1 from 0, and point {} has the distance {:.6g}; "
                    "choose `weights` simplices",
                    k + 1, distance));
  }
}

class Cloud {
 public:
  Cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options)
      : problem_(problem), space_(problem), method_(method), ells_(options.ells), keep_points_(options.keep_points),
        weights_(options.weights), count_(options.directions.size()) {
    std::optional<Method>& map = method_.map;
    if (map && map->own_time) {
      throw MethodError(
          fmt::format("{} takes steps of a time of its own, which differs from point to point", method.spec.text()));
    }
    if (weights_ == HullWeights::ball) require_surface(options.directions);
    for (const int ell : ells_) {
      if (!map) throw MethodError(fmt::format("{} has no modified measure", method.spec.text()));
      require_conformal(*map);
      densities_.push_back(std::make_unique<ModifiedHamiltonian>(*map, problem));
      densities_.back()->use_formulas(ell);
    }
    if (count_ >= many_starts && map && map->canonical && map->canonical->conformal && !map->adjusts_every_step) {
      const int ell = map->canonical->conformal->ell;
      map = conformal(std::move(*map), problem, ell, /*every_step=*/false, /*by_formulas=*/true);
    }
    const double points_kept = keep_points_ ? static_cast<double>(options.steps / options.every + 1) : 1.0;
    require_memory(static_cast<double>(count_) * (memory_of_point(map.has_value()) + points_kept * kept_point),
                   fmt::format("a cloud of {} points", count_), "choose fewer points");
    require_memory_of_hull(count_, space_.dimension());
    for (const auto& direction : options.directions) add_trajectory(options.radius, direction);
    if (weights_ == HullWeights::ball) add_trajectory(0.0, std::vector<double>(space_.dimension()));
  }

  /// What went wrong, if something did.
  std::string advance() {
    for (std::size_t k = 0; k < trajectories(); ++k) {
      Stepper& stepper = point(k);
      if (!stepper.advance()) return fmt::format("{} of the cloud: {}", name_of(k), stepper.failure());
      if (!saved_.empty()) saved_[k] = stepper.save();
    }
    return {};
  }

  CloudSample sample(std::int64_t step) {
    CloudSample result;
    result.step = step;
    result.time = static_cast<double>(step) * problem_.step;
    Points points;
    std::vector<double> density;
    for (std::size_t k = 0; k < count_; ++k) {
      const PhaseSpace::Place place = space_.at(point(k).node());
      points.push_back(place.point);
      density.push_back(place.density);
    }
    const ConvexHull hull(points);
    const Middle middle = weights_ == HullWeights::ball ? centre() : mean(points);
    result.volume = hull.volume();
    result.inside = hull.inside();
    result.mass = mass(hull, density, space_.at(middle.node).density);

    for (std::size_t k = 0; k < ells_.size(); ++k) {
      const auto modified = [&](std::span<const double> state, const State& node) {
        return 1.0 / densities_[k]->truncated_conformal(state, node.v, problem_.step, ells_[k]).factor.value;
      };
      density.clear();
      for (std::size_t i = 0; i < count_; ++i) {
        const Stepper& stepper = point(i);
        density.push_back(modified(stepper.state(), stepper.node()));
      }
      result.modified.push_back(mass(hull, density, modified(middle.state, middle.node)));
    }
    if (keep_points_) result.points = std::move(points);
    return result;
  }

 private:
  /// Where the density inside the cloud is looked at.
  struct Middle {
    State node;
    std::vector<double> state;  ///< of the method, if it is a map
  };

  void add_trajectory(double radius, const std::vector<double>& direction) {
    std::vector<double> point = space_.at(problem_.start).point;
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += radius * direction.at(i);
    const auto node = space_.node(point, problem_.start);
    if (!node) throw MethodError("there is no velocity that belongs to the momenta of a point of the cloud");
    Problem own = problem_;
    own.start = *node;
    if (method_.map) steppers_.clear();
    steppers_.push_back(make_stepper(method_, own));
    if (method_.map) saved_.push_back(steppers_[0]->save());
  }
  std::size_t trajectories() const { return saved_.empty() ? steppers_.size() : saved_.size(); }
  std::string name_of(std::size_t k) const { return k < count_ ? fmt::format("point {}", k + 1) : "the centre"; }

  /// The trajectory that started in the middle.
  Middle centre() {
    const Stepper& stepper = point(count_);
    return {stepper.node(), {stepper.state().begin(), stepper.state().end()}};
  }

  /// The mean of the points, which lies on no trajectory.
  Middle mean(const Points& points) {
    std::vector<double> mean(space_.dimension());
    for (const auto& point : points) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += point[i] / static_cast<double>(points.size());
    }
    const auto node = space_.node(mean, point(0).node());
    if (!node) throw NumericalError("there is no velocity that belongs to the mean momenta of the cloud");
    Middle middle{*node, {}};
    if (!method_.map || !method_.map->canonical) return middle;
    middle.state.assign(point(0).state().begin(), point(0).state().end());
    const CanonicalStep& canonical = *method_.map->canonical;
    for (std::size_t i = 0; i < canonical.positions.size(); ++i) {
      middle.state[canonical.positions[i]] = mean[i];
      middle.state[canonical.momenta[i]] = mean[canonical.positions.size() + i];
    }
    return middle;
  }

  double mass(const ConvexHull& hull, const std::vector<double>& density, double density_in_the_middle) const {
    if (weights_ == HullWeights::simplices) return hull.mass(density, density_in_the_middle);
    const auto n = static_cast<double>(space_.dimension());
    double surface = 0.0;
    for (const double x : density) surface += x / static_cast<double>(density.size());
    return hull.volume() * (2.0 * density_in_the_middle + n * surface) / (n + 2.0);
  }

  /// The trajectory of a point.
  Stepper& point(std::size_t k) {
    keep_working();
    if (saved_.empty()) return *steppers_[k];
    steppers_[0]->restore(saved_[k]);
    return *steppers_[0];
  }

  Problem problem_;
  PhaseSpace space_;
  DerivedMethod method_;
  std::vector<int> ells_;
  bool keep_points_;
  HullWeights weights_;
  std::vector<std::unique_ptr<ModifiedHamiltonian>> densities_;
  std::size_t count_;                               ///< of points; the centre may come after them
  std::vector<std::unique_ptr<Stepper>> steppers_;  ///< of a flow one for each point; one of a map takes all steps
  std::vector<std::vector<double>> saved_;          ///< of a map: where the points are
};

}  // namespace

std::vector<std::string> phase_coordinates(const Problem& problem) { return PhaseSpace(problem).names(); }

CloudResult follow_cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  CloudResult result;
  Cloud cloud(method, problem, options);
  try {
    result.samples.push_back(cloud.sample(0));
    const double volume = result.samples[0].volume;
    if (!std::isfinite(volume) || volume == 0.0)
      throw NumericalError(fmt::format("the volume of the cloud is {}", volume));
  } catch (const NumericalError& error) {
    throw MethodError(
        fmt::format("{} at the start, with a radius of {}; another `radius` may help", error.what(), options.radius));
  }
  for (std::int64_t k = 1; k <= options.steps; ++k) {
    result.interrupted = options.interrupt != nullptr && *options.interrupt;
    if (result.interrupted) break;
    try {
      result.failure = cloud.advance();
      if (result.failure.empty() && k % options.every == 0) result.samples.push_back(cloud.sample(k));
    } catch (const NumericalError& error) {
      result.failure = error.what();
    }
    if (!result.failure.empty()) {
      result.failure = fmt::format("step {}: {}", k, result.failure);
      break;
    }
    if (options.progress) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      options.progress({k, options.steps, seconds.count(), 0});
    }
  }
  return result;
}

}  // namespace rattleback
