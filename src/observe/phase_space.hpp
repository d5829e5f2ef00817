#pragma once

#include <span>
#include <vector>

#include "../mech/decompositions.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

/// The space of (r, P) in which a Chaplygin system moves, with its invariant measure ρ dr∧dP. Where there is a
/// multiplier N, P = N ∂l/∂ṙ and ρ = 1/N (García-Naranjo & Vermeeren, Proposition 2.2); otherwise P = ∂l/∂ṙ.
class PhaseSpace {
 public:
  /// Throws MethodError if the system has no such measure, none that is known, or none at the start.
  explicit PhaseSpace(const Problem& problem);

  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t dimension() const { return 2 * shape_.size(); }
  /// The names of r, then of P.
  const std::vector<std::string>& names() const { return names_; }
  bool is_hamiltonizable() const { return hamiltonizable_; }

  struct Place {
    std::vector<double> point;   ///< (r, P)
    double density = 0.0;        ///< ρ
    Eigen::MatrixXd derivative;  ///< of (r, P) with respect to all q and v
    Eigen::MatrixXd lift;        ///< of q and v with respect to (r, ṙ), where s does not change and ṡ follows
  };
  Place at(const State& node);

  /// The node with these (r, P), with other coordinates as given, or nothing if there is none.
  std::optional<State> node(std::span<const double> point, const State& near);

 private:
  void require_regular(const Problem& problem, const std::vector<std::size_t>& fibre);

  std::size_t n_;
  std::vector<std::size_t> shape_;
  bool hamiltonizable_ = false;
  std::vector<std::string> names_;
  std::optional<CompiledMap> place_;
  std::optional<CompiledMap> velocity_;
};

}  // namespace rattleback
