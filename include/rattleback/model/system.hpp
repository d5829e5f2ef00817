#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/base/words.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/expression.hpp"
#include "rattleback/model/rotation.hpp"

namespace rattleback {

/// Something that is no mechanical system: a constraint that is not linear in the velocities, a symbol
/// that is neither coordinate nor parameter, … It knows which part of the definition is to blame.
class SystemError : public RequestError {
 public:
  enum class Part : std::uint8_t {
    coordinates,
    lagrangian,
    constraints,
    holonomic,
    parameters,
    symmetry,
    section,
    exact,
    conserved,
    forces,
    events
  };

  SystemError(Part part, int index, const std::string& message) : RequestError(message), part_(part), index_(index) {}

  Part part() const noexcept { return part_; }
  int index() const noexcept { return index_; }  ///< which constraint, coordinate, …, from 0

 private:
  Part part_;
  int index_;
};

struct Parameter {
  std::string name;
  double value = 0.0;
};

/// A one-parameter group of transformations of Q by its infinitesimal generator ξ(q).
struct Symmetry {
  std::string name;
  std::vector<Expression> generator;  ///< one for each coordinate, in coordinates and parameters
};

/// A combination of symmetries that changes from point to point, ξ̃(q) = Σ f_a(q) ξ_a, as symmetry directions inside the
/// constraints do: a section of the bundle g^D (Cortés & Martínez, section 5.2).
struct SymmetrySection {
  std::string name;
  std::vector<Expression> coefficients;  ///< f_a, one for each symmetry, in coordinates and parameters
};

struct NamedExpression {
  std::string name;
  Expression expression;
};

/// Something that happens where a function of the motion passes zero.
struct Event {
  enum class Direction : std::uint8_t { falling, rising, either };
  enum class Action : std::uint8_t {
    record,
    stop,  ///< the trajectory ends there
    set    ///< it goes on with other velocities: an impact
  };
  std::string name;
  Expression when;  ///< of coordinates, velocities, t and parameters
  Direction direction = Direction::either;
  Action action = Action::record;
  /// Of an impact: the velocities after it, of those before it, one for each coordinate. Those that are not set change
  /// as little as the constraints allow, in the metric of the kinetic energy.
  std::vector<std::optional<Expression>> velocities = {};
};
template <>
inline constexpr auto words<Event::Direction> =
    std::to_array<Word<Event::Direction>>({{Event::Direction::falling, "falling"},
                                           {Event::Direction::rising, "rising"},
                                           {Event::Direction::either, "either"}});
template <>
inline constexpr auto words<Event::Action> =
    std::to_array<Word<Event::Action>>({{Event::Action::record, "record"}, {Event::Action::stop, "stop"}});

/// The event of a request that says where to stop.
inline constexpr const char* stop_when_name = "stop_when";

/// What a person writes down.
struct SystemDefinition {
  std::vector<Expression> coordinates;  ///< symbols q
  Expression lagrangian;                ///< L(q, v, t)
  std::vector<Expression> constraints;  ///< A(q, t) v + b(q, t), each linear or affine in the velocities
  std::vector<Expression> holonomic;    ///< g(q, t)
  std::vector<Parameter> parameters;
  std::vector<Symmetry> symmetries;
  std::vector<SymmetrySection> sections = {};
  /// Further quantities that stay constant, in coordinates, velocities and parameters.
  std::vector<NamedExpression> conserved;
  /// Exact solutions where known: q(t) in t, parameters, and initial values, for which the coordinates
  /// and velocities stand. Empty, or one entry for each coordinate.
  std::vector<std::optional<Expression>> exact;
  /// Applied (generalised) forces F(q, v, t, λ): motors, friction. Empty, or one for each coordinate. The multiplier λ
  /// of a row is `multiplier_symbol(row)`.
  std::vector<Expression> applied_forces;
  /// Of a conformally Hamiltonian system that was given as such (geometry/conformal.hpp): its factor N(q).
  std::optional<Expression> conformal_factor = {};
  /// Names of the rows of `constraints` and of `holonomic`, as in "slip" or "contact[2]". Empty, or one for each; rows
  /// with an empty name are called by their number.
  std::vector<std::string> constraint_names = {};
  std::vector<std::string> holonomic_names = {};
  std::vector<Event> events = {};
  std::vector<std::string> rotations = {};  ///< names of coordinates that are rotations
};

/// Coordinates and velocities at an instant.
struct State {
  std::vector<double> q;
  std::vector<double> v;
  double t = 0.0;  ///< of a node along a motion: kept only where the system depends on it
};

/// A mechanical system with L(q, v, t), velocity constraints and holonomic constraints, and the objects
/// that follow from them by differentiation. The motion obeys Lagrange–d'Alembert:
///
///     d/dt L_v − L_q = A(q, t)ᵀλ + ∇g(q, t) μ + F(q, v, t, λ, μ),   A(q, t) v + b(q, t) = 0,   g(q, t) = 0
///
/// g enters through its derivative as well, ∇g·v + g_t = 0: the rows below are those of A, then those of ∇g,
/// and λ stands for (λ, μ).
///
/// The symbol t is the time, unless a coordinate or a parameter has this name.
class System {
 public:
  explicit System(SystemDefinition definition);
  System(std::vector<Expression> coordinates, Expression lagrangian, std::vector<Expression> constraints = {},
         std::vector<Parameter> parameters = {});

  /// The number of velocities: a rotation has three of them, and nine coordinates.
  std::size_t dimension() const { return velocities_.size(); }
  /// The numbers of a position: coordinates, then the entries of the matrices of rotations, row by row.
  const std::vector<Expression>& coordinates() const { return coordinates_; }
  const std::vector<Expression>& velocities() const { return velocities_; }
  const std::vector<Rotation>& rotations() const { return rotations_; }
  /// Of positions as people see them (Space::shown): x; R.w, R.x, R.y, R.z.
  std::vector<std::string> position_names() const;
  Space space() const { return {definition_.coordinates.size(), rotations_.size()}; }
  /// Names for what there is one of for each velocity, as momenta and equations: x; R1, R2, R3.
  const std::vector<Expression>& freedoms() const { return freedoms_; }
  /// The parameters' symbols and the values they were given.
  const std::vector<Expression>& parameters() const { return parameters_; }
  const std::vector<double>& parameter_values() const { return parameter_values_; }
  /// The symbol t if something depends on it, else nothing.
  const std::vector<Expression>& time() const { return time_; }
  bool depends_on_time() const { return !time_.empty(); }

  const Expression& lagrangian() const { return definition_.lagrangian; }
  const std::vector<Expression>& constraints() const { return definition_.constraints; }
  const std::vector<Expression>& holonomic() const { return definition_.holonomic; }
  const std::vector<Symmetry>& symmetries() const { return definition_.symmetries; }
  const std::vector<SymmetrySection>& sections() const { return definition_.sections; }
  /// The vector field of a section, Σ f_a(q) ξ_a(q).
  std::vector<Expression> field_of(const SymmetrySection& section) const;
  const std::vector<NamedExpression>& conserved() const { return definition_.conserved; }
  const std::vector<std::optional<Expression>>& exact() const { return definition_.exact; }
  /// F, or nothing.
  const std::vector<Expression>& applied_forces() const { return definition_.applied_forces; }
  /// Whether a multiplier stands in F, as in friction that depends on the force of a contact.
  bool forces_contain_multipliers() const;
  /// F for people: multipliers by the names of their rows, those that have one.
  std::vector<Expression> named_forces() const;
  const std::optional<Expression>& conformal_factor() const { return definition_.conformal_factor; }
  const std::vector<Event>& events() const { return definition_.events; }
  /// The same system with other events.
  System with_events(std::vector<Event> events) const;
  const std::vector<Parameter>& parameter_list() const { return definition_.parameters; }

  const std::vector<Expression>& momenta() const { return momenta_; }  ///< p = L_v
  const std::vector<Expression>& forces() const {
    return forces_;
  }                                                     ///< L_q: of rotations, the slopes as in model/space.hpp
  const Expression& energy() const { return energy_; }  ///< E = v·L_v − L
  SparseMatrix mass_matrix() const;                     ///< M = L_vv

  std::size_t row_count() const { return definition_.constraints.size() + definition_.holonomic.size(); }
  /// All conditions on the velocities: A v + b, then ∇g·v + g_t.
  const std::vector<Expression>& velocity_rows() const { return rows_; }
  /// Their matrix: A, then ∇gᵀ.
  const SparseMatrix& constraint_matrix() const { return matrix_; }
  /// Their part without velocities: b, then g_t.
  const std::vector<Expression>& affine_part() const { return affine_; }
  bool is_affine() const;
  /// F·v − L_t, with multipliers where F has some. Along the motion dE/dt = F·v − L_t − λ·b, as A v = −b.
  Expression power() const;
  /// Nothing does work, as far as algebra shows: dE/dt = 0.
  bool conserves_energy() const;
  /// Whether something in the equations of motion is not smooth: abs, sign, min, max, if, or a table.
  bool has_kinks() const;
  /// For people: "constraint 2", "constraint contact[2]", "holonomic constraint 1".
  std::string row_name(std::size_t row) const;
  /// "contact[2]"; empty if the row has no name.
  const std::string& given_name(std::size_t row) const;
  /// What columns about a row are called by: its number among all, or its name without brackets, contact2.
  std::string row_label(std::size_t row) const;
  /// The same of the residual of a holonomic constraint, whose number is that among these.
  std::string holonomic_label(std::size_t k) const;
  std::string row_name_with_text(std::size_t row) const;

 private:
  void check_names();
  void find_time();
  void check_symbols() const;
  void derive_rows();
  SystemDefinition definition_;
  std::vector<Rotation> rotations_;
  std::vector<Expression> coordinates_;
  std::vector<Expression> freedoms_;
  std::vector<Expression> velocities_;
  std::vector<Expression> parameters_;
  std::vector<double> parameter_values_;
  std::vector<Expression> time_;
  std::vector<Expression> momenta_;
  std::vector<Expression> forces_;
  Expression energy_;
  std::vector<Expression> rows_;
  SparseMatrix matrix_;
  std::vector<Expression> affine_;
};

/// v·L_v − L, kinetic energies once.
Expression energy_of(const Expression& lagrangian, const std::vector<Expression>& velocities);

/// The symbol that stands for time.
Expression time_symbol();

/// The symbol that stands for the multiplier of a row in applied forces: rows are those of `constraints`, then those of
/// `holonomic`, from 0.
Expression multiplier_symbol(std::size_t row);

/// d/dt of functions of (q, v, t) along motions with these accelerations, of functions of (q, t) without them.
std::vector<Expression> rates_of_change(std::span<const Expression> functions, const System& system,
                                        const std::vector<Expression>& accelerations = {});

/// Symbols for the given names: auto [x, y] = coordinates("x", "y").
template <class... Names>
std::array<Expression, sizeof...(Names)> coordinates(Names... names) {
  return {Expression::symbol(names)...};
}

}  // namespace rattleback
