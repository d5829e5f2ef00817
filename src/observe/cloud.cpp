// A cloud of initial conditions under a method, García-Naranjo & Vermeeren, sections 5.2.1 and 5.2.3.

#include "rattleback/observe/cloud.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "phase_space.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {
namespace {

class Cloud {
 public:
  Cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options)
      : problem_(problem), space_(problem), method_(method), ells_(options.ells),
        keep_points_(options.keep_points) {
    const std::optional<Method>& map = method_.map;
    if (map && map->own_time) {
      throw MethodError(
          fmt::format("{} takes steps of a time of its own, which differs from point to point", method.spec.text()));
    }
    for (const int ell : ells_) {
      if (!map) throw MethodError(fmt::format("{} has no modified measure", method.spec.text()));
      require_conformal(*map);
      densities_.push_back(std::make_unique<ModifiedHamiltonian>(*map, problem));
      densities_.back()->use_formulas(ell);
    }
    const std::vector<double> center = space_.at(problem.start).point;
    for (const auto& direction : options.directions) {
      std::vector<double> point = center;
      for (std::size_t i = 0; i < point.size(); ++i) point[i] += options.radius * direction.at(i);
      const auto node = space_.node(point, problem.start);
      if (!node) throw MethodError("there is no velocity that belongs to the momenta of a point of the cloud");
      Problem own = problem;
      own.start = *node;
      steppers_.push_back(make_stepper(method_, own));
    }
  }

  /// What went wrong, if something did.
  std::string advance() {
    for (std::size_t k = 0; k < steppers_.size(); ++k) {
      if (!steppers_[k]->advance()) return fmt::format("point {} of the cloud: {}", k + 1, steppers_[k]->failure());
    }
    return {};
  }

  CloudSample sample(std::int64_t step) {
    CloudSample result;
    result.step = step;
    result.time = static_cast<double>(step) * problem_.step;
    Points points;
    std::vector<double> density;
    for (const auto& stepper : steppers_) {
      const PhaseSpace::Place place = space_.at(stepper->node());
      points.push_back(place.point);
      density.push_back(place.density);
    }
    std::vector<double> center(space_.dimension());
    for (const auto& point : points) {
      for (std::size_t i = 0; i < center.size(); ++i) center[i] += point[i] / static_cast<double>(points.size());
    }
    const State& near = steppers_[0]->node();
    const auto middle = space_.node(center, near);
    if (!middle) throw std::runtime_error("there is no velocity that belongs to the mean momenta of the cloud");
    result.volume = hull_volume(points);
    result.mass = hull_mass(points, density, space_.at(*middle).density);

    for (std::size_t k = 0; k < ells_.size(); ++k) {
      const auto modified = [&](std::span<const double> state, const State& node) {
        return 1.0 / densities_[k]->truncated_conformal(state, node.v, problem_.step, ells_[k]).factor.value;
      };
      density.clear();
      for (const auto& stepper : steppers_) density.push_back(modified(stepper->state(), stepper->node()));
      std::vector<double> state(steppers_[0]->state().begin(), steppers_[0]->state().end());
      const CanonicalStep& canonical = *method_.map->canonical;
      for (std::size_t i = 0; i < canonical.positions.size(); ++i) {
        state[canonical.positions[i]] = center[i];
        state[canonical.momenta[i]] = center[canonical.positions.size() + i];
      }
      result.modified.push_back(hull_mass(points, density, modified(state, *middle)));
    }
    if (keep_points_) result.points = std::move(points);
    return result;
  }

 private:
  Problem problem_;
  PhaseSpace space_;
  DerivedMethod method_;
  std::vector<int> ells_;
  bool keep_points_;
  std::vector<std::unique_ptr<ModifiedHamiltonian>> densities_;
  std::vector<std::unique_ptr<Stepper>> steppers_;
};

}  // namespace

std::vector<std::string> phase_coordinates(const Problem& problem) { return PhaseSpace(problem).names(); }

CloudResult follow_cloud(const DerivedMethod& method, const Problem& problem, const CloudOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  CloudResult result;
  Cloud cloud(method, problem, options);
  result.samples.push_back(cloud.sample(0));
  for (std::int64_t k = 1; k <= options.steps; ++k) {
    result.interrupted = options.interrupt != nullptr && *options.interrupt;
    if (result.interrupted) break;
    try {
      result.failure = cloud.advance();
      if (result.failure.empty() && k % options.every == 0) result.samples.push_back(cloud.sample(k));
    } catch (const std::runtime_error& error) {
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
