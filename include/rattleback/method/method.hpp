#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/method/geometry.hpp"
#include "rattleback/method/rule.hpp"
#include "rattleback/method/stepper.hpp"
#include "rattleback/method/time_map.hpp"

namespace rattleback {

/// What a method promises. Every promise is tested, and so is that what is not promised does not hold.
struct Structure {
  enum class Constraint : std::uint8_t {
    drifts,
    at_nodes,       ///< A(q_k) v_k + b(q_k) = 0
    between_nodes,  ///< A_d(q_k, q_{k+1}) = 0, and at the nodes by the choice of v
  };
  int order = 0;  ///< started from (q, v)
  Constraint constraint = Constraint::drifts;
  bool symmetric = false;   ///< Φ₋ₕ ∘ Φₕ is the identity
  bool symplectic = false;  ///< without constraints and applied forces
  /// The discrete nonholonomic momentum equation, Cortés & Martínez (24), for symmetries that act affinely on the
  /// coordinates, without applied forces. Compositions satisfy it, and A_d = 0, in every stage.
  bool momentum_equation = false;
  int highest_composed_order = 10;  ///< that compositions of the method have
  /// By how much the order of the positions is higher if the start is two of them: what a step errs by may show in
  /// momenta only.
  int order_gained_from_two_positions = 0;
  bool exact = false;  ///< the nodes are on the motion, whatever the step: there is no order to be seen
};

/// What can be said about the interval between two nodes, in q₀, Δ = q₁ − q₀, t₀, h and parameters.
struct IntervalFunctions {
  Expression energy;                    ///< E at the midpoint, (q₀ + Δ/2, Δ/h), whatever the rule
  Expression lagrangian;                ///< L_d = h · (L under the rule)
  std::vector<Expression> constraints;  ///< A v + b under the rule, without the holonomic ones
};

/// A quantity that must keep its sign along the motion, because the equations are singular where it vanishes. In
/// q, v, h and parameters.
struct Guard {
  Expression here;
  Expression ahead;   ///< after a step along the velocity
  Expression change;  ///< d log(here) along that step: 1 or more where the quantity vanishes, or has a pole, within it
  Expression error;   ///< an estimate of the relative error of `here`, for quantities that are not known exactly
  Expression speed = Expression(1.0);  ///< of the method's time relative to t: a step leads to about q + h v/speed
  std::string name;                    ///< for messages
  bool ends = true;                    ///< the trajectory; otherwise changes of the sign are counted
  std::string count = "crossings";     ///< the key of that number
};

/// A number that a user should know of a run, in q, v and parameters of its start.
struct StartRemark {
  std::string name;  ///< a key
  Expression value;
  std::string text;  ///< for people
};

/// Another time τ, whose steps a method takes.
struct OwnTime {
  Expression rate;  ///< dt/dτ, in coordinates and parameters
  Quadrature quadrature = Quadrature::trapezoidal;
  enum class Nodes : std::uint8_t {
    of_steps,      ///< equidistant in τ
    resampled,     ///< at multiples of the step in t, between those of the method
    of_reference,  ///< at τ(kh): the steps of τ are those of a reference solution in equal times t
  };
  Nodes nodes = Nodes::of_steps;
  System motion;                         ///< the system that moves in τ
  std::vector<std::size_t> coordinates;  ///< which of the coordinates are its
};

/// What makes a step the canonical transformation of a discrete Lagrangian, (r, P) ↦ (r', P') with P = −D₁L_d(r, Δ) and
/// P' = D₂L_d: backward error analysis starts here.
struct CanonicalStep {
  Expression action;                   ///< L_d, in data and unknowns of the step
  std::vector<std::size_t> positions;  ///< which entries of the state are r
  std::vector<std::size_t> momenta;    ///< and which P
  /// Whose motion the step approximates, in the time of the method: ṙ = w, P = L_w. Not told where there is no formula
  /// for its Hamiltonian.
  std::optional<System> motion;
  /// The system is conformally Hamiltonian, ṙ = N ∂H/∂P, Ṗ = −N ∂H/∂r, and `motion` has the energy N (H − E).
  struct Conformal {
    Expression factor;  ///< N
    Expression energy;  ///< the symbol E
    std::size_t entry;  ///< of the state, where E stands
    int ell = 0;        ///< E is the modified energy, truncated after this power of h
  };
  std::optional<Conformal> conformal;
};

/// A one-step method applied to a system: maps between the state the method keeps from step to step and the node (q, v)
/// that people look at. The last data of each are t, where the system depends on it, h and the parameters; layouts say
/// what else there is.
///
/// Methods on Q keep (q, p, …). Momenta count modulo A(q)ᵀ; the velocity of a node is the admissible one.
struct Method {
  ImplicitSystem start;  ///< (q, v, t, h, parameters) ↦ state, memory
  ImplicitSystem step;   ///< (state, memory, t, h, parameters) ↦ state, memory, t + h, multipliers, increments of q
  /// (state, v of the node before, t, h, parameters) ↦ (q, v), where (q, v) is not a part of the state.
  std::optional<ImplicitSystem> node;
  /// For methods whose equation for the velocity at a node may have no solution, or several: the one near the mean
  /// velocity of the interval that leads to the node is taken, and where there is none, that mean velocity.
  struct NodeByInterval {
    ImplicitSystem map;    ///< with the data and outputs of `node`; the velocity before is that of the interval
    std::size_t velocity;  ///< that `node` solves for
  };
  std::optional<NodeByInterval> node_by_interval;
  Layout state;                        ///< what the state is made of; it begins with the position
  std::vector<std::string> equations;  ///< of the step, named for messages
  Structure structure;
  bool keeps_momenta = false;  ///< the state begins with (q, p), p being the momenta of the model
  /// The coordinates whose momenta are in the state: all, or those of a shape space in which the method moves by
  /// momenta of its own.
  std::vector<std::size_t> momentum_of;
  bool needs_inertia = false;  ///< in every direction, not only in the admissible ones

  /// Unknowns of the step whose guess is extrapolated from their last values: the memory.
  std::size_t remembered = 0;
  static constexpr std::size_t remembered_steps = 3;
  /// A composition applies the step with these fractions of h one after the other.
  std::vector<double> stages{1.0};
  /// (q₀, q₁ − q₀, v₀, h, parameters) ↦ state at q₁, for methods that can start from two positions.
  std::optional<ImplicitSystem> from_two_positions;
  std::optional<IntervalFunctions> interval;
  std::vector<Guard> guards;
  std::vector<StartRemark> remarks;
  std::optional<OwnTime> own_time;
  std::optional<CanonicalStep> canonical;  ///< of each stage
  /// Changes the state where a trajectory starts, or before every step. Tells why it cannot; nothing if it can.
  std::function<std::string(std::span<double> state, std::span<const double> velocity, double h)> adjust;
  bool adjusts_every_step = false;

  std::size_t state_size() const { return state.size(); }
  std::size_t memory_size() const { return remembered * remembered_steps; }
  bool depends_on_time() const { return step.data_layout.size(Slot::time) > 0; }
  /// Of the discrete equations, among the outputs of the step.
  std::size_t multipliers() const { return step.output_layout.size(Slot::multipliers); }
};

/// The symbol for the step size in the maps of a method.
Expression step_symbol();

/// Classical Runge–Kutta of order 4 on the index-1 form: (q, v) is the state, accelerations and
/// multipliers are solved for in every stage. The constraints drift.
Method rk4(const System& system);

/// The same on the index-0 form, as in Evensberget's thesis: (q, v, λ) is the state.
Method rk4_index0(const System& system);

/// Discrete Euler–Lagrange equations of a system without constraints, under a rule or for any L_d(q₀, Δ).
Method del(const System& system, const Rule& rule);
Method del(const System& system, const Expression& discrete_lagrangian, int order = 1, bool symmetric = false);

/// Discrete Lagrange–d'Alembert equations: Cortés & Martínez (6), and (17) with holonomic constraints. Constraints with
/// a rule of their own make a D_d that is chosen apart from L_d: the order is the lower one of both rules.
Method dla(const System& system, const Rule& rule, const std::optional<Rule>& constraints = {});
/// For any L_d(q₀, Δ) and any functions of q₀ and Δ that vanish on D_d, one for each velocity constraint.
Method dla(const System& system, const Expression& discrete_lagrangian, const std::vector<Expression>& constraints,
           int order = 1, bool symmetric = false);

/// The exact discrete Lagrangian of coordinates that do not act on each other, each with L = ½ m v² − ½ k q² − f q. The
/// values of the parameters tell the signs of k/m. Throws MethodError for other Lagrangians.
Expression exact_discrete_lagrangian(const System& system, std::span<const double> parameters);

/// The first multiplier of the geometric nonholonomic integrator, an impulse.
enum class FirstMultiplier : std::uint8_t {
  consistent,  ///< λ₀ = −(h/2) λ, which excites no oscillation to leading order
  zero,
  thesis,   ///< λ₀ = +(h/2) λ, with which Evensberget's figures are reproduced
  literal,  ///< λ₀ = λ, as Evensberget prints it: no impulse of a step, whatever its size
};

/// The geometric nonholonomic integrator (Ferraro, Iglesias & Martín de Diego): Evensberget's Hd (midpoint) and HdS
/// (trapezoidal). Needs inertia in every coordinate: positions know about the constraints only through momenta.
/// Compositions have order 4 at most, with errors that alternate from step to step.
Method gni(const System& system, const Rule& rule, FirstMultiplier first = FirstMultiplier::consistent);

/// The gyroscopic force in the reduced equations.
enum class DiscreteForces : std::uint8_t {
  averaged,  ///< F⁻ = F⁺ = (h/2) F_d, Fernandez, Bloch & Olver
  general,   ///< those of Cortés & Martínez (32): r moves as in dla
};

/// Reduced discrete Lagrange–d'Alembert equations of a Chaplygin system.
Method rdla(const System& system, const ChaplyginSystem& chaplygin, const Rule& rule,
            DiscreteForces forces = DiscreteForces::averaged, const std::optional<Rule>& constraints = {});

/// What the steps of hdel are.
struct TauSteps {
  enum class Size : std::uint8_t {
    equal,         ///< steps of τ
    equal_time,    ///< h N under the rule: steps of t, and the nodes are at multiples of h
    of_reference,  ///< τ((k+1)h) − τ(kh) along a reference solution: the same times, and the exact τ
  };
  Size size = Size::equal;
  Quadrature quadrature = Quadrature::trapezoidal;  ///< for the times of equal steps of τ
  bool through = false;                             ///< passes zeros of N; not with equal steps of τ, which turns back
};

/// Hamiltonized discrete Euler–Lagrange equations of a Chaplygin system with a multiplier, in steps of τ.
Method hdel(const System& system, const Hamiltonization& hamiltonization, const Rule& rule, const TauSteps& steps = {});

/// How an altered Lagrangian N (l + E) is discretised: as it stands, or with a rule of its own for the factor N
/// (García-Naranjo & Vermeeren (5.1)).
struct AlteredRule {
  Rule lagrangian;
  std::optional<Rule> factor = {};
};

/// The same by the Poincaré transformation, in steps of t. Ends before zeros of N, or passes through.
Method pthdel(const System& system, const Hamiltonization& hamiltonization, const AlteredRule& rule,
              bool through = false);

/// García-Naranjo & Vermeeren's integrator Φ^(ℓ): pthdel, or a composition of it, with another energy. Formulas of the
/// energy, where there are some, are worth while if it is evaluated many times.
Method conformal(Method pthdel, const Problem& problem, int ell, bool every_step, bool by_formulas);

/// What a rule with several nodes takes the mean of.
enum class FreeMean : std::uint8_t {
  direction,   ///< the constraints, and so the direction X of the motion: L_d has no poles but those of X_d = 0
  lagrangian,  ///< L̃ itself, Mestdag, Bloch & Fernandez, end of section III.A: poles wherever the values of X cancel
};

struct FreeOptions {
  int form = 0;                    ///< 6 or 7; 0: (7) where N is constant
  std::optional<double> constant;  ///< all constants C; otherwise small ones, from the start of the problem
  bool from_momentum = false;      ///< the start: p₁ = L̃_ṙ₁, not from a first step of length h ṙ₁
  FreeMean mean = FreeMean::direction;
};

/// Discrete Euler–Lagrange equations of a free Lagrangian, Mestdag, Bloch & Fernandez (6), (7).
Method free_lagrange(const System& system, const SteeredSystem& steered, const Rule& rule,
                     const FreeOptions& options = {});

/// The same for the coordinates r, and discrete constraints for the coordinates s.
Method free_modified(const System& system, const SteeredSystem& steered, const Rule& rule,
                     const FreeOptions& options = {});

/// The same method, which after each step scales the velocity of the node so that it has the energy of the start. For
/// methods on Q of one stage, and systems that conserve their energy. Symmetry, the symplectic form and the momentum
/// equation are lost.
Method projected_onto_energy(Method method, const System& system);

/// Runs a method from the start of a problem: derives nothing any more, compiles.
std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem);

}  // namespace rattleback
