#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/certificate.hpp"
#include "rattleback/geometry/chaplygin.hpp"

namespace rattleback {

/// A function φ of r by its differential, in closed form where one was found.
struct Potential {
  /// e^φ: a product of powers of functions that occur in the system, or of the exponential of a line integral.
  Expression exponential;
  bool closed_form = false;
  /// The exponents hold for all values of the parameters near the given ones, not only for these.
  bool for_all_parameters = false;
  double residual = 0.0;  ///< of dφ, relative, at fresh random points
  /// Of a line integral: an estimate of the error of φ, an expression of r; 0 for a closed form.
  Expression error;
};

/// What follows from the gyroscopic force of a reduced system with l = ½ G ṙṙ − V and F_i = B_ij^k ṙ^j p_k (B
/// antisymmetric in i, j):
///
///  - its invariant measure. Div of the motion in (r, p) is −Θ_j ṙ^j, Θ_i = B_ij^j, so that e^σ dr∧dp is invariant if
///    and only if Θ = dσ;
///  - Chaplygin's multiplier. The system is φ-simple if F = ⟨p, ṙ⟩ dφ − ⟨dφ, ṙ⟩ p (García-Naranjo & Vermeeren (3.2)),
///    that is B_ij^k = δ_j^k ∂_iφ − δ_i^k ∂_jφ up to what F does not see; then Θ = (m − 1) dφ, and in the time
///    dτ = N dt, N = e^φ, the motion is that of the Lagrangian l(r, N r').
struct GyroscopicStructure {
  bool applies = false;  ///< l is quadratic in the velocities and F gyroscopic; otherwise `reason` says why not
  std::string reason;
  std::vector<Expression> one_form;     ///< Θ
  Certificate gyroscopic;               ///< F·ṙ = 0
  Certificate closed;                   ///< dΘ = 0
  Certificate simple;                   ///< F = ⟨p, ṙ⟩ φ' − ⟨φ', ṙ⟩ p with φ' = Θ/(m − 1)
  std::optional<Potential> measure;     ///< density e^σ with respect to dr∧dp, if there is an invariant measure
  std::optional<Potential> multiplier;  ///< N, if the system is Hamiltonizable by one

  bool has_measure() const { return applies && closed.holds; }
  bool is_hamiltonizable() const { return has_measure() && simple.holds; }
};

/// Candidates for closed forms are functions that occur in the reduced metric, in the full one and in the constraints,
/// and their determinants.
GyroscopicStructure examine_gyroscopic(const System& system, const ChaplyginSystem& chaplygin,
                                       std::span<const double> parameters, const State& near);

/// B_ij^k for i < j, the gyroscopic tensor that gives F with the least norm: F determines it up to a three-form.
std::vector<Expression> gyroscopic_tensor(const System& reduced);

/// factor · ½ G ṙṙ − potential_factor · V, in the shorter of two forms.
Expression scaled_lagrangian(const System& reduced, const Expression& factor, const Expression& potential_factor);

/// l(r, N r'): the Hamiltonized Lagrangian, whose Euler–Lagrange equations are the motion in the time τ. Its velocities
/// are r' = ṙ/N.
System hamiltonized(const System& reduced, const Expression& multiplier);

}  // namespace rattleback
