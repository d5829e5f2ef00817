// What the tangent map DΦ of a step tells.
//
// A step of DLA has p_{k+1}·dq_{k+1} − p_k·dq_k = dL_d − β_d with β_d = λ_k·A(q_k) dq_k, so with Ω = dq ∧ dp
//
//     Φ*Ω = Ω + dβ_d                                                       (Cortés & Martínez, 22)
//
// and without constraints Φ is symplectic. As matrices: DΦᵀ Ω DΦ − Ω − dβ = 0 with (dβ)_{ab} = ∂_a β_b − ∂_b β_a.
//
// Of a rotation, p·dq is π·ξ with the momentum π in space and δR = ξ̂ R. Such directions do not commute: the fields of
// constant ξ and η have the bracket −ξ × η, so that a one-form α has dα(ξ, η) = ∂_ξ α_η − ∂_η α_ξ + α·(ξ × η), and
// Ω = −d(π·ξ) has the part π̂ in these directions, dβ has −β̂.
//
// Methods on a shape space have momenta P of its coordinates r alone, Ω = dr ∧ dP, and no multipliers: what is left of
// Φ*Ω − Ω is the work of their discrete forces. Derivatives with respect to the fibre count, too: a step that depends
// on it is no map of (r, P).

#include <limits>

#include "../base/raise.hpp"
#include "../mech/decompositions.hpp"
#include "kinds.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

/// The multipliers replaced by β = A(q)ᵀλ, so that their derivatives are those of β.
Method with_constraint_impulse(Method method, const System& system) {
  const auto lambda = method.step.given(Slot::multipliers);
  std::vector<Expression> impulse(system.dimension());
  if (!lambda.empty()) add_constraint_forces(system, {lambda.begin(), lambda.end()}, 1.0, impulse, SeenFrom::space);
  ImplicitSystem step = method.step.without_outputs();
  step.give(Slot::state, method.step.given(Slot::state));
  step.give(Slot::multipliers, impulse);
  method.step = std::move(step);
  return method;
}

class SymplecticObserver final : public StageObserver {
 public:
  SymplecticObserver(const Method& method, const Problem& problem)
      : StageObserver({"symplectic", {"symplectic_defect"}}, with_constraint_impulse(method, problem.system), problem,
                      true),
        space_(problem.system.space()), n_(static_cast<Eigen::Index>(problem.system.dimension())),
        size_(n_ + static_cast<Eigen::Index>(method.momentum_of.size())), omega_(Eigen::MatrixXd::Zero(size_, size_)) {
    Eigen::Index momentum = n_;
    for (const std::size_t i : method.momentum_of) {
      const auto position = static_cast<Eigen::Index>(i);
      omega_(position, momentum) = 1.0;
      omega_(momentum, position) = -1.0;
      ++momentum;
    }
  }

 private:
  void begin(std::span<const double>, std::span<const double>) override { defect_ = 0.0; }
  void add_stage(std::span<const double> before, const StepMap& map) override {
    const Eigen::MatrixXd tangent = map.tangent().leftCols(size_);  // not by constants of the motion
    const Eigen::MatrixXd dphi = tangent.topRows(size_);
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(size_, size_);  // ∂_a β_b
    slopes.leftCols(n_) = tangent.bottomRows(n_).transpose();
    Eigen::MatrixXd dbeta = slopes - slopes.transpose();
    add_turning(-1.0, map.multipliers(), dbeta);
    const Eigen::MatrixXd defect = dphi.transpose() * omega_at(map.state()) * dphi - omega_at(before) - dbeta;
    raise(defect_, defect.allFinite() ? defect.cwiseAbs().maxCoeff() : std::numeric_limits<double>::quiet_NaN());
  }
  double value() override { return defect_; }

  /// m += factor · â on the directions of each rotation, with a its part of a covector.
  void add_turning(double factor, std::span<const double> covector, Eigen::MatrixXd& m) const {
    for (std::size_t k = 0; k < space_.rotations; ++k) {
      const auto first = static_cast<Eigen::Index>(space_.velocity_of(k));
      for (Eigen::Index i = 0; i < 3; ++i) {
        const double a = factor * covector[space_.velocity_of(k) + static_cast<std::size_t>(i)];
        m(first + (i + 2) % 3, first + (i + 1) % 3) += a;
        m(first + (i + 1) % 3, first + (i + 2) % 3) -= a;
      }
    }
  }
  Eigen::MatrixXd omega_at(std::span<const double> state) const {
    Eigen::MatrixXd omega = omega_;
    add_turning(1.0, state.subspan(space_.positions()), omega);
    return omega;
  }

  Space space_;
  Eigen::Index n_;
  Eigen::Index size_;      ///< of (q, momenta)
  Eigen::MatrixXd omega_;  ///< where directions commute
  double defect_ = 0.0;
};

class SpectralRadiusObserver final : public StageObserver {
 public:
  SpectralRadiusObserver(const Method& method, const Problem& problem)
      : StageObserver({"spectral-radius", {"spectral_radius"}}, method, problem, true) {}

 private:
  void begin(std::span<const double>, std::span<const double>) override { tangent_.resize(0, 0); }
  void add_stage(std::span<const double>, const StepMap& map) override {
    const Eigen::Index size = map.directions();
    if (tangent_.size() == 0) tangent_ = Eigen::MatrixXd::Identity(size, size);
    tangent_ = map.tangent().topRows(size) * tangent_;
  }
  double value() override {
    if (!tangent_.allFinite()) return std::numeric_limits<double>::quiet_NaN();
    return Eigen::EigenSolver<Eigen::MatrixXd>(tangent_, false).eigenvalues().cwiseAbs().maxCoeff();
  }

  Eigen::MatrixXd tangent_;
};

}  // namespace

std::unique_ptr<Observer> make_symplectic_observer(const Method& method, const Problem& problem) {
  const std::size_t known =
      problem.system.coordinates().size() + method.momentum_of.size() + method.state.size(Slot::constants);
  if (method.momentum_of.empty() || method.state_size() != known) {
    throw MethodError("the state of the method is not (q, p)");
  }
  require_whole_step(method);
  if (!problem.system.applied_forces().empty()) throw MethodError("applied forces change the symplectic form");
  return std::make_unique<SymplecticObserver>(method, problem);
}

std::unique_ptr<Observer> make_spectral_radius_observer(const Method& method, const Problem& problem) {
  return std::make_unique<SpectralRadiusObserver>(method, problem);
}

}  // namespace rattleback
