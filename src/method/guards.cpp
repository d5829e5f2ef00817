// Where a method's equations are singular, and how that is noticed.

#include "guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "method_maps.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

constexpr double largest_error = 1e-8;
/// A start from which a quantity changes by so many times its own size in a step is where it vanishes.
constexpr double largest_change = 1e9;

ImplicitSystem map_of(const Guard& guard, const System& system) {
  ImplicitSystem map = map_from_node(system);
  map.give(Slot::others, std::vector{guard.here, guard.ahead, guard.change, guard.error, guard.speed});
  return map;
}

ImplicitSystem energies_of(const System& system) {
  Expression kinetic;
  for (std::size_t i = 0; i < system.dimension(); ++i) kinetic += 0.5 * system.velocities()[i] * system.momenta()[i];
  ImplicitSystem map = map_of_node(system);
  map.give(Slot::energy, std::vector{system.energy(), kinetic});
  return map;
}

}  // namespace

GuardWatch::GuardWatch(const Guard& guard, const Problem& problem)
    : name_(guard.name), ends_(guard.ends), count_(guard.count),
      functions_(CompiledMap::functions(map_of(guard, problem.system), problem)) {
  functions_.run();
  sign_ = here() < 0.0 ? -1.0 : 1.0;
  if (!std::isfinite(here())) throw MethodError(fmt::format("the method cannot start here: {} is not defined", name_));
  const bool vanishes =
      !(std::abs(change()) < largest_change) || std::abs(ahead() - here()) >= largest_change * std::abs(here());
  if (!(sign_ * here() > 0.0) || vanishes) {
    throw MethodError(fmt::format("the method cannot start here: {} vanishes: it is {:.3g}; dla can", name_, here()));
  }
}

std::string GuardWatch::before_step(const State& node) {
  functions_.run(node);
  if (std::string wrong = ends_ ? vanishes() : vanishes_to_higher_order(); !wrong.empty()) return wrong;
  if (!(error() <= largest_error)) {
    return fmt::format("{} is a line integral that has lost its accuracy: its error is about {:.1e}", name_, error());
  }
  return "";
}

/// Within a step along the velocity, or soon after.
std::string GuardWatch::vanishes() const {
  if (!(sign_ * here() > 0.0)) return fmt::format("{} has changed its sign: it is {:.3g}", name_, here());
  if (std::isnan(ahead())) {
    return fmt::format("{} is not defined ahead: the motion leaves the domain of the model; a smaller step gets nearer",
                       name_);
  }
  if (!(sign_ * ahead() > 0.0)) {
    return fmt::format(
        "{} vanishes within this step: it is {:.3g}, and {:.3g} a step ahead; the method ends there, rdla and dla may "
        "pass, and so may hdel and pthdel with the option through",
        name_, here(), ahead());
  }
  if (!(std::abs(change()) < 1.0)) {
    return fmt::format(
        "{} is {:.3g} and would change by {:.2g} times that within this step: it vanishes or has a pole nearby; rdla "
        "and dla may pass, or a smaller step gets nearer",
        name_, here(), std::abs(change()));
  }
  return "";
}

/// A zero that can be passed is simple: near it the quantity is linear along the motion. At others, and where it
/// touches zero without changing its sign, nothing is known about the solutions of the equations.
std::string GuardWatch::vanishes_to_higher_order() const {
  const double slope = here() * change();
  if (!crosses() || std::abs(ahead() - here() - slope) <= 0.2 * std::abs(slope)) return "";
  return fmt::format(
      "{} vanishes within this step, or nearly, and not linearly: it is {:.3g}, and {:.3g} a step ahead; only simple "
      "zeros "
      "are passed; with a smaller step this may be one, and dla may pass",
      name_, here(), ahead());
}

std::string GuardWatch::after_step(const State& node) {
  const bool should_cross = crosses();  // before_step has looked
  functions_.run(node);
  has_just_crossed_ = false;
  if (sign_ * here() > 0.0) {
    if (!should_cross || change() < 0.0) return "";
    return fmt::format(
        "{} should have changed its sign in this step, and the solution that was found turns back: it is {:.3g}; with "
        "another step the solutions are further apart",
        name_, here());
  }
  if (ends_) return fmt::format("{} has changed its sign: it is {:.3g}", name_, here());
  sign_ = -sign_;
  ++crossings_;
  has_just_crossed_ = true;
  return "";
}

Remark GuardWatch::remark() const {
  return {count_, static_cast<double>(crossings_),
          fmt::format("how often {} changed its sign: the equations of the method are singular there, those of dla are "
                      "not",
                      name_)};
}

double GuardWatch::stride(const State& node) {
  functions_.run(node);
  double square = 0.0;
  for (const double v : node.v) square += v * v;
  return std::abs(functions_[Slot::step][0] / speed()) * std::sqrt(square);
}

void GuardWatch::restore(std::span<const double> saved, const State& node) {
  crossings_ = static_cast<int>(saved[0]);
  has_just_crossed_ = saved[1] != 0.0;
  functions_.run(node);
  if (!ends_) sign_ = here() < 0.0 ? -1.0 : 1.0;
}

Guards::Guards(const Method& method, const Problem& problem) : step_(problem.step) {
  for (const Guard& guard : method.guards) watches_.emplace_back(guard, problem);
  if (!empty()) energies_.push_back(CompiledMap::functions(energies_of(problem.system), problem));
}

Guards::Energies Guards::energies(const State& node) {
  energies_[0].run(node);
  return {energies_[0].outputs()[0], energies_[0].outputs()[1]};
}

std::string Guards::before_step(const State& node) {
  for (GuardWatch& watch : watches_) {
    if (std::string wrong = watch.before_step(node); !wrong.empty()) return wrong;
  }
  return "";
}

bool Guards::cross() const { return std::ranges::any_of(watches_, &GuardWatch::crosses); }

std::string Guards::after_step(const State& before, const State& node) {
  if (empty()) return "";
  const auto crossings = [&] {
    return std::accumulate(watches_.begin(), watches_.end(), 0,
                           [](int sum, const GuardWatch& watch) { return sum + watch.crossings(); });
  };
  const int crossings_before = crossings();
  for (GuardWatch& watch : watches_) {
    if (std::string wrong = watch.after_step(node); !wrong.empty()) return wrong;
  }
  double square = 0.0;
  for (std::size_t i = 0; i < node.q.size(); ++i) square += std::pow(node.q[i] - before.q[i], 2);
  const double reach = 2.0 * (watches_[0].stride(before) + watches_[0].stride(node));
  if (!(std::sqrt(square) <= reach)) {
    return fmt::format(
        "the step leads {:.3g} away, and its velocities only {:.3g}: the equations were solved far from the motion; a "
        "smaller step than {} may help",
        std::sqrt(square), reach / 4.0, step_);
  }
  const Energies first = energies(before);
  const Energies second = energies(node);
  if (!(std::abs(second.total - first.total) <= 0.5 * (std::abs(second.kinetic) + std::abs(first.kinetic)))) {
    return fmt::format(
        "the energy jumps from {:.4g} to {:.4g}: the equations were solved far from the motion; a smaller step than {} "
        "may help",
        first.total, second.total, step_);
  }
  if (crossings() > crossings_before) {
    energy_change_ = std::max(energy_change_, std::abs(second.total - first.total));
  }
  return "";
}

std::vector<Remark> Guards::remarks() const {
  std::vector<Remark> list;
  for (const GuardWatch& watch : watches_) {
    if (watch.crossings() > 0) list.push_back(watch.remark());
  }
  if (list.empty()) return list;
  list.push_back({"crossing_energy_change", energy_change_,
                  "the largest change of the energy in such a step: the accuracy that is lost there"});
  return list;
}

std::vector<double> Guards::save() const {
  std::vector<double> saved;
  for (const GuardWatch& watch : watches_) std::ranges::copy(watch.save(), std::back_inserter(saved));
  saved.push_back(energy_change_);
  return saved;
}

void Guards::restore(std::span<const double> saved, const State& node) {
  for (std::size_t k = 0; k < watches_.size(); ++k) watches_[k].restore(saved.subspan(2 * k, 2), node);
  energy_change_ = saved.back();
}

}  // namespace rattleback
