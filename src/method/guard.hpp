#pragma once

// Where a method's equations are singular, and how that is noticed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/kernel/kernel.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// Stops a trajectory before a quantity that it divides by changes its sign, or tells that it did.
class GuardWatch {
 public:
  GuardWatch(const Guard& guard, const Problem& problem)
      : name_(guard.name), ends_(guard.ends),
        kernel_(make_program(guard.data, std::vector{guard.here, guard.ahead, guard.change, guard.error, guard.speed})),
        data_(problem.start_data()) {
    data_.insert(data_.end() - static_cast<std::ptrdiff_t>(problem.parameters.size()), problem.step);
    read(problem.start);
    sign_ = here() < 0.0 ? -1.0 : 1.0;
    if (!std::isfinite(here()))
      throw MethodError(fmt::format("the method cannot start here: {} is not defined", name_));
    if (!(sign_ * here() > smallest)) {
      throw MethodError(fmt::format("the method cannot start here: {} vanishes: it is {:.3g}; dla can", name_, here()));
    }
  }

  /// What is wrong with a step from a node; empty if nothing is.
  std::string before_step(const State& node) {
    if (!ends_) return "";
    read(node);
    if (!(sign_ * here() > 0.0)) return fmt::format("{} has changed its sign: it is {:.3g}", name_, here());
    if (std::isnan(values_[1])) {
      return fmt::format(
          "{} is not defined ahead: the motion leaves the domain of the model; a smaller step gets nearer", name_);
    }
    if (!(sign_ * values_[1] > 0.0)) {
      return fmt::format(
          "{} vanishes within this step: it is {:.3g}, and {:.3g} a step ahead; the method ends there, "
          "rdla and dla may pass",
          name_, here(), values_[1]);
    }
    if (!(std::abs(values_[2]) < 1.0)) {
      return fmt::format(
          "{} is {:.3g} and would change by {:.2g} times that within this step: it vanishes or has a "
          "pole nearby; rdla and dla may pass, or a smaller step gets nearer",
          name_, here(), std::abs(values_[2]));
    }
    if (!(values_[3] <= largest_error)) {
      return fmt::format("{} is a line integral that has lost its accuracy: its error is about {:.1e}", name_,
                         values_[3]);
    }
    return "";
  }

  /// What is wrong with the node that a step led to.
  std::string after_step(const State& node) {
    read(node);
    if (sign_ * here() > 0.0) return "";
    if (ends_) return fmt::format("{} has changed its sign: it is {:.3g}", name_, here());
    sign_ = -sign_;
    ++crossings_;
    return "";
  }

  /// |h v/speed| at a node: how far a step from there leads.
  double stride(const State& node) {
    read(node);
    double square = 0.0;
    for (const double v : node.v) square += v * v;
    return std::abs(data_[node.q.size() + node.v.size()] / values_[4]) * std::sqrt(square);
  }

  int crossings() const { return crossings_; }
  void set_crossings(int crossings, const State& node) {
    crossings_ = crossings;
    read(node);
    if (!ends_) sign_ = here() < 0.0 ? -1.0 : 1.0;
  }
  const std::string& name() const { return name_; }

 private:
  static constexpr double largest_error = 1e-8;
  static constexpr double smallest = 1e-12;

  double here() const { return values_[0]; }
  void read(const State& node) {
    std::copy(node.v.begin(), node.v.end(), std::copy(node.q.begin(), node.q.end(), data_.begin()));
    kernel_(data_.data(), values_);
  }

  std::string name_;
  bool ends_;
  Kernel kernel_;
  std::vector<double> data_;
  double values_[5] = {};
  double sign_ = 1.0;
  int crossings_ = 0;
};

/// E and ½ v·L_v at a node.
class Energies {
 public:
  explicit Energies(const Problem& problem)
      : kernel_([&] {
          const System& s = problem.system;
          Expression kinetic;
          for (std::size_t i = 0; i < s.dimension(); ++i) kinetic += 0.5 * s.velocities()[i] * s.momenta()[i];
          return Kernel(make_program(joined({s.coordinates(), s.velocities(), s.parameters()}),
                                     std::vector{s.energy(), kinetic}));
        }()),
        data_(problem.start_data()) {}

  std::pair<double, double> at(const State& node) {
    std::copy(node.v.begin(), node.v.end(), std::copy(node.q.begin(), node.q.end(), data_.begin()));
    double values[2];
    kernel_(data_.data(), values);
    return {values[0], values[1]};
  }

 private:
  Kernel kernel_;
  std::vector<double> data_;
};

}  // namespace rattleback
