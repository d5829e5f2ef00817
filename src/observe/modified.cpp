// The modified Hamiltonian along a trajectory: nearly constant, where the Hamiltonian itself oscillates or drifts.

#include "rattleback/method/modified.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kinds.hpp"

namespace rattleback {
namespace {

std::string with_ell(const char* name, const char* separator, std::optional<int> ell) {
  return ell ? fmt::format("{}{}{}", name, separator, *ell) : name;
}

constexpr const char* no_orbit = "the method has no steps around the node from which it could be computed";

/// K_mod, how far it is from its first value, and an estimate of its error.
class ModifiedObserver final : public Observer {
 public:
  ModifiedObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, std::optional<int> ell)
      : Observer(std::move(quantity)), modified_(method, problem), h_(problem.step), ell_(ell) {
    if (ell) modified_.use_formulas(*ell);
  }

  void observe(const Stepper& stepper, std::span<double> values) override {
    const auto& v = stepper.node().v;
    const Estimate k =
        ell_ ? modified_.truncated(stepper.state(), v, h_, *ell_) : modified_.value(stepper.state(), v, h_);
    if (std::isnan(first_)) first_ = k.value;
    values[0] = k.value;
    values[1] = k.value - first_;
    values[2] = k.error;
  }
  void reset() override { first_ = std::nan(""); }
  std::string why_undefined() const override { return no_orbit; }
  bool counts_from_start() const override { return true; }

 private:
  ModifiedHamiltonian modified_;
  double h_;
  std::optional<int> ell_;
  double first_ = std::nan("");
};

/// 𝓔 and N_mod.
class ConformalObserver final : public Observer {
 public:
  ConformalObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, std::optional<int> ell)
      : Observer(std::move(quantity)), modified_(method, problem), h_(problem.step), ell_(ell) {
    require_conformal(method);
    if (ell) modified_.use_formulas(*ell);
  }

  void observe(const Stepper& stepper, std::span<double> values) override {
    const auto& v = stepper.node().v;
    const ConformalValues c = ell_ ? modified_.truncated_conformal(stepper.state(), v, h_, *ell_)
                                   : modified_.conformal(stepper.state(), v, h_);
    values[0] = c.energy.value;
    values[1] = c.factor.value;
  }
  std::string why_undefined() const override { return no_orbit; }

 private:
  ModifiedHamiltonian modified_;
  double h_;
  std::optional<int> ell_;
};

}  // namespace

std::unique_ptr<Observer> make_modified_observer(const Method& method, const Problem& problem, std::optional<int> ell) {
  return std::make_unique<ModifiedObserver>(
      ObservedQuantity{with_ell("modified", ":ell=", ell),
                       {with_ell("modified_hamiltonian", "_", ell), with_ell("modified_drift", "_", ell),
                        with_ell("modified_error", "_", ell)}},
      method, problem, ell);
}

std::unique_ptr<Observer> make_conformal_observer(const Method& method, const Problem& problem,
                                                  std::optional<int> ell) {
  return std::make_unique<ConformalObserver>(
      ObservedQuantity{with_ell("modified-energy", ":ell=", ell),
                       {with_ell("modified_energy", "_", ell), with_ell("modified_factor", "_", ell)}},
      method, problem, ell);
}

}  // namespace rattleback
