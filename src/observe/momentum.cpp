// Momenta of symmetries, J_a = p · ξ_a(q), and the discrete nonholonomic momentum equation (Cortés & Martínez,
// Theorem 5.3). A combination Σ f_a ξ_a that is admissible at q_k, A(q_k) Σ f_a ξ_a(q_k) = 0, satisfies
//
//     Σ f_a (J_a(k+1) − J_a(k)) = 0,
//
// which is their (24) written for the section with ξ̃(q_k) = Σ f_a ξ_a: the invariance of L_d lets a step change J_a by
// the impulse −λ_k·A(q_k) ξ_a(q_k) only. J uses the method's own momenta, which are not admissible representatives.
// A section that the model declares has a momentum of its own, J = Σ f_a(q) J_a, and satisfies
//
//     J(k+1) − J(k) = Σ (f_a(q_{k+1}) − f_a(q_k)) J_a(k+1).
//
// Methods on a shape space have momenta P of its coordinates alone and no constraints there: J_a = P · ξ_a for the part
// of ξ_a that moves the shape, all of them are admissible, and what remains of the equation is that J does not change.
// It holds where the discrete Lagrangian of the method has the symmetry and no discrete forces act; for P = N ∂l/∂ṙ
// that is Noether's theorem for conformally Hamiltonian systems (García-Naranjo & Vermeeren, section 2.1). The momentum
// of a section exists for them too, since it lies inside the constraints, where the velocity of a node has all of it.

#include <algorithm>
#include <limits>

#include "../base/raise.hpp"
#include "../mech/decompositions.hpp"
#include "kinds.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "sections.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

/// Momenta J_a, the matrix A ξ_a and the coefficients of sections at a state (q, p).
class Momenta {
 public:
  Momenta(const Method& method, const Problem& problem)
      : functions_(CompiledMap::functions(map(method, problem.system), problem)) {}

  /// At a state that begins with (q, p), at t.
  void operator()(std::span<const double> state, double t) {
    functions_.set_time(t);
    functions_.set(Slot::position, state);
    functions_.set(Slot::momentum, state.subspan(functions_[Slot::position].size()));
    functions_.run();
  }
  Eigen::VectorXd momenta() const {
    const auto values = functions_(Slot::conserved);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  /// f_a of the sections, in columns.
  Eigen::MatrixXd sections() const {
    const auto r = static_cast<Eigen::Index>(functions_(Slot::conserved).size());
    const auto values = functions_(Slot::others);
    return Eigen::Map<const Eigen::MatrixXd>(values.data(), r, static_cast<Eigen::Index>(values.size()) / r);
  }
  /// Combinations of symmetries that are admissible: a basis of the null space of A(q) (ξ₁ … ξ_r), in columns.
  Eigen::MatrixXd admissible() const {
    const auto r = static_cast<Eigen::Index>(functions_(Slot::conserved).size());
    const auto values = functions_(Slot::constraints);
    if (values.empty()) return Eigen::MatrixXd::Identity(r, r);
    const Eigen::Index rows = static_cast<Eigen::Index>(values.size()) / (2 * r);
    const Eigen::Map<const Eigen::MatrixXd> sums(values.data(), rows, r);
    const Eigen::Map<const Eigen::MatrixXd> sizes(values.data() + rows * r, rows, r);
    // What is only the rounding of its terms is nothing: a symmetry that slips nowhere would be seen to slip.
    const Eigen::MatrixXd slip = (sums.array().abs() > 1e-14 * sizes.array()).select(sums, 0.0);
    if (!sums.allFinite()) return Eigen::MatrixXd(r, 0);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(slip, Eigen::ComputeFullV);
    return svd.matrixV().rightCols(r - svd.rank());
  }

 private:
  static ImplicitSystem map(const Method& method, const System& system) {
    // Momenta of rotations are kept as they are seen from space, generators are those of directions of the body.
    const std::vector<Expression> body = in_body(system, momentum_symbols(system), system.coordinates());
    std::vector<Expression> p;
    for (const std::size_t i : method.momentum_of) p.push_back(momentum_symbols(system)[i]);
    std::vector<Expression> momenta;
    std::vector<Expression> slips;
    std::vector<Expression> sizes;  // of the terms of each
    for (const Symmetry& s : system.symmetries()) {
      Expression momentum;
      for (const std::size_t i : method.momentum_of) momentum += body[i] * s.generator[i];
      momenta.push_back(momentum);
    }
    for (const Symmetry& s : system.symmetries()) {
      if (!method.keeps_momenta) break;
      std::vector<Expression> slip(system.velocity_rows().size());
      std::vector<Expression> size(slip.size());
      for (const auto& e : system.constraint_matrix().entries) {
        const Expression term = e.value * s.generator[static_cast<std::size_t>(e.column)];
        slip[static_cast<std::size_t>(e.row)] += term;
        size[static_cast<std::size_t>(e.row)] += abs(term);
      }
      slips = joined({slips, slip});
      sizes = joined({sizes, size});
    }
    ImplicitSystem map;
    map.take(Slot::position, system.coordinates());
    map.take(Slot::momentum, p);
    map.take(Slot::time, system.time());
    map.take(Slot::parameters, system.parameters());
    map.give(Slot::conserved, momenta);
    map.give(Slot::constraints, joined({slips, sizes}));
    std::vector<Expression> coefficients;
    for (const SymmetrySection& s : system.sections()) coefficients = joined({coefficients, s.coefficients});
    map.give(Slot::others, coefficients);
    return map;
  }

  CompiledMap functions_;
};

class MomentumObserver final : public Observer {
 public:
  /// Of the symmetries with these numbers, and of all sections.
  MomentumObserver(ObservedQuantity quantity, const Method& method, const Problem& problem,
                   std::vector<std::size_t> symmetries)
      : Observer(std::move(quantity)), momenta_(method, problem), symmetries_(std::move(symmetries)) {
    if (!method.keeps_momenta) sections_.emplace(problem);
  }
  void observe(const Stepper& stepper, std::span<double> values) override {
    momenta_(stepper.state(), stepper.node().t);
    const Eigen::VectorXd all = momenta_.momenta();
    for (std::size_t k = 0; k < symmetries_.size(); ++k) values[k] = all[static_cast<Eigen::Index>(symmetries_[k])];
    values = values.subspan(symmetries_.size());
    if (sections_) {
      std::ranges::copy((*sections_)(stepper.node()), values.begin());
    } else {
      const Eigen::VectorXd along = momenta_.sections().transpose() * all;
      std::ranges::copy(along, values.begin());
    }
  }

 private:
  Momenta momenta_;
  std::vector<std::size_t> symmetries_;
  std::optional<SectionMomenta> sections_;  ///< by velocities, where the method keeps other momenta
};

/// "momentum_equation_of_roll"
std::vector<std::string> labels_of_sections(const System& system, const std::string& before) {
  std::vector<std::string> labels;
  for (const SymmetrySection& s : system.sections()) labels.push_back(before + s.name);
  return labels;
}

class MomentumEquationObserver final : public StageObserver {
 public:
  MomentumEquationObserver(const Method& method, const Problem& problem)
      : StageObserver({"momentum-equation", labels(method, problem.system)}, method, problem, false),
        momenta_(method, problem), sections_(quantity().labels.size() - 1) {}

  std::string why_undefined() const override {
    return "no combination of the symmetries moves along the constraints, or the step cannot be taken again";
  }

 private:
  void begin(std::span<const double>, std::span<const double>) override {
    residual_ = std::numeric_limits<double>::quiet_NaN();  // if no combination of symmetries is admissible
    std::ranges::fill(sections_, 0.0);
  }
  void add_stage(std::span<const double> before, const StepMap& map) override {
    momenta_(before, map.time());
    const Eigen::VectorXd old_momenta = momenta_.momenta();
    const Eigen::MatrixXd admissible = momenta_.admissible();  // at q_k
    const Eigen::MatrixXd old_sections = momenta_.sections();
    momenta_(map.state(), map.time());  // the momenta do not depend on t
    const Eigen::VectorXd new_momenta = momenta_.momenta();
    const Eigen::VectorXd change = new_momenta - old_momenta;
    const Eigen::MatrixXd new_sections = momenta_.sections();
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const auto column = static_cast<Eigen::Index>(s);
      const double moved = new_sections.col(column).dot(new_momenta) - old_sections.col(column).dot(old_momenta);
      const double turned = (new_sections.col(column) - old_sections.col(column)).dot(new_momenta);
      raise(sections_[s], std::abs(moved - turned));
    }
    if (admissible.cols() == 0) return;
    const double largest = (admissible.transpose() * change).cwiseAbs().maxCoeff();
    if (!(largest <= residual_)) residual_ = largest;
  }
  double value() override { return residual_; }
  void others(std::span<double> values) override { std::ranges::copy(sections_, values.begin()); }

  /// Sections by the method's own momenta are those of methods that keep the momenta of the model.
  static std::vector<std::string> labels(const Method& method, const System& system) {
    std::vector<std::string> list{"momentum_equation"};
    if (method.keeps_momenta) {
      const auto sections = labels_of_sections(system, "momentum_equation_of_");
      list.insert(list.end(), sections.begin(), sections.end());
    }
    return list;
  }

  Momenta momenta_;
  double residual_ = 0.0;
  std::vector<double> sections_;
};

/// (24) for the sections, along a trajectory of a method that keeps other momenta than the model's; before them, if
/// there is one, the equation of the method's own momenta.
class SectionEquationObserver final : public Observer {
 public:
  SectionEquationObserver(ObservedQuantity quantity, const Method& method, const Problem& problem,
                          std::unique_ptr<Observer> own)
      : Observer(std::move(quantity)), own_(std::move(own)), momenta_(problem), changes_(method, problem),
        first_(first_step_of_method(problem)) {}

  void observe(const Stepper& stepper, std::span<double> values) override {
    if (own_) {
      own_->observe(stepper, values.first(1));
      values = values.subspan(1);
    }
    const State& node = stepper.node();
    const std::span<const double> momenta = momenta_(node);
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    if (!before_.empty()) {
      const std::span<const double> turned = changes_(before_, node.q);
      for (std::size_t s = 0; s < values.size(); ++s) values[s] = std::abs(momenta[s] - momenta_before_[s] - turned[s]);
    }
    before_ = node.q;
    momenta_before_.assign(momenta.begin(), momenta.end());
  }
  std::int64_t first_node() const override { return first_; }
  void reset() override {
    if (own_) own_->reset();
    before_.clear();
  }
  std::string why_undefined() const override { return "the step to the node cannot be taken again"; }

 private:
  std::unique_ptr<Observer> own_;
  SectionMomenta momenta_;
  SectionChanges changes_;
  std::int64_t first_;
  std::vector<double> before_;
  std::vector<double> momenta_before_;
};

/// The symmetries that move coordinates whose momenta the method keeps, by their numbers.
std::vector<std::size_t> seen_symmetries(const Method& method, const Problem& problem) {
  const std::vector<Symmetry>& symmetries = problem.system.symmetries();
  if (symmetries.empty()) throw MethodError("the model declares no symmetry");
  if (method.momentum_of.empty()) throw MethodError("the method does not keep the momenta of the model's Lagrangian");
  require_sections(problem);
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    const auto is_moved = [&](std::size_t i) { return !symmetries[k].generator[i].is_constant(0.0); };
    if (std::ranges::any_of(method.momentum_of, is_moved)) seen.push_back(k);
  }
  if (seen.empty() && problem.system.sections().empty()) {
    throw MethodError(
        "the declared symmetries move no coordinate whose momentum the method keeps; dla and reference "
        "have the momenta of all");
  }
  return seen;
}

std::unique_ptr<Observer> equation_of_own_momenta(const Method& method, const Problem& problem) {
  require_whole_step(method);
  Momenta at_start(method, problem);
  std::vector<double> state = problem.start.q;
  state.resize(problem.system.coordinates().size() + method.momentum_of.size(), 0.0);
  at_start(state, problem.start.t);
  if (at_start.admissible().cols() == 0) {
    throw MethodError("at the start no combination of the declared symmetries moves along the constraints");
  }
  return std::make_unique<MomentumEquationObserver>(method, problem);
}

}  // namespace

std::unique_ptr<Observer> make_momentum_observer(const Method& method, const Problem& problem) {
  std::vector<std::size_t> seen = seen_symmetries(method, problem);
  ObservedQuantity quantity{"momentum", {}};
  for (const std::size_t k : seen) quantity.labels.push_back("momentum of " + problem.system.symmetries()[k].name);
  const auto sections = labels_of_sections(problem.system, "momentum of ");
  quantity.labels.insert(quantity.labels.end(), sections.begin(), sections.end());
  return std::make_unique<MomentumObserver>(std::move(quantity), method, problem, std::move(seen));
}

std::unique_ptr<Observer> make_momentum_equation_observer(const Method& method, const Problem& problem) {
  const std::vector<std::size_t> seen = seen_symmetries(method, problem);
  if (!problem.system.applied_forces().empty()) throw MethodError("applied forces change the momenta");
  if (method.keeps_momenta || problem.system.sections().empty()) return equation_of_own_momenta(method, problem);
  std::unique_ptr<Observer> own = seen.empty() ? nullptr : equation_of_own_momenta(method, problem);
  // Where there is no equation for sections, that of the method's own momenta is all there is to see.
  if (const std::string reason = why_no_changes(method); !reason.empty()) {
    if (own) return own;
    throw MethodError(reason);
  }
  ObservedQuantity quantity{"momentum-equation", labels_of_sections(problem.system, "momentum_equation_of_")};
  if (own) quantity.labels.insert(quantity.labels.begin(), "momentum_equation");
  return std::make_unique<SectionEquationObserver>(std::move(quantity), method, problem, std::move(own));
}

}  // namespace rattleback
