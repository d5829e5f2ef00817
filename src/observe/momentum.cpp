// Momenta of symmetries, J_a = p · ξ_a(q), and the discrete nonholonomic momentum equation (Cortés & Martínez,
// Theorem 5.3). A combination Σ f_a ξ_a that is admissible at q_k, A(q_k) Σ f_a ξ_a(q_k) = 0, satisfies
//
//     Σ f_a (J_a(k+1) − J_a(k)) = 0,
//
// which is their (24) written for the section with ξ̃(q_k) = Σ f_a ξ_a: the invariance of L_d lets a step change J_a by
// the impulse −λ_k·A(q_k) ξ_a(q_k) only. J uses the method's own momenta, which are not admissible representatives.
//
// Methods on a shape space keep momenta P of r alone: there J_a = P · (ξ_a)_r. Where P = N ∂l/∂ṙ and a symmetry moves
// r, J_a is what Noether's theorem for conformally Hamiltonian systems preserves (García-Naranjo & Vermeeren,
// section 2.1).

#include <algorithm>
#include <limits>

#include "../mech/decompositions.hpp"
#include "kinds.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

/// Momenta J_a and the matrix A ξ_a at a state (q, p).
class Momenta {
 public:
  explicit Momenta(const Problem& problem) : functions_(CompiledMap::functions(map(problem.system), problem)) {}

  /// At a state that begins with (q, p).
  void operator()(std::span<const double> state) {
    functions_.set(Slot::position, state);
    functions_.set(Slot::momentum, state.subspan(functions_[Slot::position].size()));
    functions_.run();
  }
  /// At a state that begins with q and has the momenta of some coordinates.
  void operator()(std::span<const double> state, const CanonicalStep& canonical) {
    functions_.set(Slot::position, state);
    const std::span<double> p = functions_[Slot::momentum];
    std::ranges::fill(p, 0.0);
    for (std::size_t i = 0; i < canonical.positions.size(); ++i)
      p[canonical.positions[i]] = state[canonical.momenta[i]];
    functions_.run();
  }
  Eigen::VectorXd momenta() const {
    const auto values = functions_(Slot::conserved);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  /// Combinations of symmetries that are admissible: a basis of the null space of A(q) (ξ₁ … ξ_r), in columns.
  Eigen::MatrixXd admissible() const {
    const auto r = static_cast<Eigen::Index>(functions_(Slot::conserved).size());
    const auto values = functions_(Slot::constraints);
    if (values.empty()) return Eigen::MatrixXd::Identity(r, r);
    const Eigen::Map<const Eigen::MatrixXd> slip(values.data(), static_cast<Eigen::Index>(values.size()) / r, r);
    if (!slip.allFinite()) return Eigen::MatrixXd(r, 0);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(slip, Eigen::ComputeFullV);
    return svd.matrixV().rightCols(r - svd.rank());
  }

 private:
  static ImplicitSystem map(const System& system) {
    const std::vector<Expression> p = momentum_symbols(system);
    std::vector<Expression> momenta;
    std::vector<Expression> slips;
    for (const Symmetry& s : system.symmetries()) {
      Expression momentum;
      for (std::size_t i = 0; i < p.size(); ++i) momentum += p[i] * s.generator[i];
      momenta.push_back(momentum);
    }
    for (const Symmetry& s : system.symmetries()) {
      std::vector<Expression> slip(system.velocity_rows().size());
      for (const auto& e : system.constraint_matrix().entries) {
        slip[static_cast<std::size_t>(e.row)] += e.value * s.generator[static_cast<std::size_t>(e.column)];
      }
      slips.insert(slips.end(), slip.begin(), slip.end());
    }
    ImplicitSystem map;
    map.take(Slot::position, system.coordinates());
    map.take(Slot::momentum, p);
    map.take(Slot::parameters, system.parameters());
    map.give(Slot::conserved, momenta);
    map.give(Slot::constraints, slips);
    return map;
  }

  CompiledMap functions_;
};

class MomentumObserver final : public Observer {
 public:
  /// Of the symmetries with these numbers.
  MomentumObserver(ObservedQuantity quantity, const Method& method, const Problem& problem,
                   std::vector<std::size_t> symmetries)
      : Observer(std::move(quantity)), momenta_(problem), symmetries_(std::move(symmetries)) {
    if (!method.keeps_momenta) canonical_ = method.canonical;
  }
  void observe(const Stepper& stepper, std::span<double> values) override {
    if (canonical_) {
      momenta_(stepper.state(), *canonical_);
    } else {
      momenta_(stepper.state());
    }
    const Eigen::VectorXd all = momenta_.momenta();
    for (std::size_t k = 0; k < symmetries_.size(); ++k) values[k] = all[static_cast<Eigen::Index>(symmetries_[k])];
  }

 private:
  Momenta momenta_;
  std::vector<std::size_t> symmetries_;
  std::optional<CanonicalStep> canonical_;  ///< of methods that do not keep all momenta
};

class MomentumEquationObserver final : public StageObserver {
 public:
  MomentumEquationObserver(const Method& method, const Problem& problem)
      : StageObserver({"momentum-equation", {"momentum_equation"}}, method, problem, false), momenta_(problem) {}

  std::string why_undefined() const override {
    return "no combination of the symmetries moves along the constraints, or the step cannot be taken again";
  }

 private:
  void begin(std::span<const double>, std::span<const double>) override {
    residual_ = std::numeric_limits<double>::quiet_NaN();  // if no combination of symmetries is admissible
  }
  void add_stage(std::span<const double> before, const StepMap& map) override {
    momenta_(before);
    const Eigen::VectorXd old_momenta = momenta_.momenta();
    const Eigen::MatrixXd admissible = momenta_.admissible();  // at q_k
    momenta_(map.state());
    const Eigen::VectorXd change = momenta_.momenta() - old_momenta;
    if (admissible.cols() == 0) return;
    const double largest = (admissible.transpose() * change).cwiseAbs().maxCoeff();
    if (!(largest <= residual_)) residual_ = largest;
  }
  double value() override { return residual_; }

  Momenta momenta_;
  double residual_ = 0.0;
};

void require_symmetries(bool keeps_momenta, const Problem& problem) {
  if (problem.system.symmetries().empty()) throw MethodError("the model declares no symmetry");
  if (!keeps_momenta) throw MethodError("the method does not keep the momenta of the model's Lagrangian");
}

}  // namespace

std::unique_ptr<Observer> make_momentum_observer(const Method& method, const Problem& problem) {
  require_symmetries(method.keeps_momenta || method.canonical, problem);
  const auto is_seen = [&](const Symmetry& s) {  // one that moves nothing but s has no momentum on the shape space
    return method.keeps_momenta || std::ranges::any_of(method.canonical->positions,
                                                       [&](std::size_t i) { return !s.generator[i].is_constant(0.0); });
  };
  ObservedQuantity quantity{"momentum", {}};
  std::vector<std::size_t> seen;
  const auto& symmetries = problem.system.symmetries();
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    if (!is_seen(symmetries[k])) continue;
    seen.push_back(k);
    quantity.labels.push_back("momentum of " + symmetries[k].name);
  }
  if (seen.empty()) {
    throw MethodError("no symmetry of the model moves a coordinate whose momentum the method keeps; dla keeps all");
  }
  return std::make_unique<MomentumObserver>(std::move(quantity), method, problem, std::move(seen));
}

std::unique_ptr<Observer> make_momentum_equation_observer(const Method& method, const Problem& problem) {
  require_symmetries(method.keeps_momenta, problem);
  if (!problem.system.applied_forces().empty()) throw MethodError("applied forces change the momenta");
  Momenta at_start(problem);
  std::vector<double> state = problem.start.q;
  state.resize(2 * problem.system.dimension(), 0.0);
  at_start(state);
  if (at_start.admissible().cols() == 0) {
    throw MethodError("at the start no combination of the declared symmetries moves along the constraints");
  }
  return std::make_unique<MomentumEquationObserver>(method, problem);
}

}  // namespace rattleback
