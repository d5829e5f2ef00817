#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/expression.hpp"

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
    exact,
    conserved,
    forces
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

struct NamedExpression {
  std::string name;
  Expression expression;
};

/// What a person writes down.
struct SystemDefinition {
  std::vector<Expression> coordinates;  ///< symbols q
  Expression lagrangian;                ///< L(q, v)
  std::vector<Expression> constraints;  ///< A(q) v + b(q), each linear or affine in the velocities
  std::vector<Expression> holonomic;    ///< g(q)
  std::vector<Parameter> parameters;
  std::vector<Symmetry> symmetries;
  /// Further quantities that stay constant, in coordinates, velocities and parameters.
  std::vector<NamedExpression> conserved;
  /// Exact solutions where known: q(t) in t, parameters, and initial values, for which the coordinates
  /// and velocities stand. Empty, or one entry for each coordinate.
  std::vector<std::optional<Expression>> exact;
  /// Applied (generalised) forces F(q, v): motors, friction. Empty, or one for each coordinate.
  std::vector<Expression> applied_forces;
  /// Of a conformally Hamiltonian system that was given as such (geometry/conformal.hpp): its factor N(q).
  std::optional<Expression> conformal_factor = {};
};

/// Coordinates and velocities at an instant.
struct State {
  std::vector<double> q;
  std::vector<double> v;
};

/// A mechanical system with L(q, v), velocity constraints and holonomic constraints, and the objects
/// that follow from them by differentiation. The motion obeys Lagrange–d'Alembert:
///
///     d/dt L_v − L_q = A(q)ᵀλ + ∇g(q) μ + F(q, v),   A(q) v + b(q) = 0,   g(q) = 0
///
/// g enters through its derivative as well, ∇g·v = 0: the rows below are those of A, then those of ∇g,
/// and λ stands for (λ, μ).
class System {
 public:
  explicit System(SystemDefinition definition);
  System(std::vector<Expression> coordinates, Expression lagrangian, std::vector<Expression> constraints = {},
         std::vector<Parameter> parameters = {});

  std::size_t dimension() const { return definition_.coordinates.size(); }
  const std::vector<Expression>& coordinates() const { return definition_.coordinates; }
  const std::vector<Expression>& velocities() const { return velocities_; }
  /// The parameters' symbols and the values they were given.
  const std::vector<Expression>& parameters() const { return parameters_; }
  const std::vector<double>& parameter_values() const { return parameter_values_; }

  const Expression& lagrangian() const { return definition_.lagrangian; }
  const std::vector<Expression>& constraints() const { return definition_.constraints; }
  const std::vector<Expression>& holonomic() const { return definition_.holonomic; }
  const std::vector<Symmetry>& symmetries() const { return definition_.symmetries; }
  const std::vector<NamedExpression>& conserved() const { return definition_.conserved; }
  const std::vector<std::optional<Expression>>& exact() const { return definition_.exact; }
  /// F, or nothing.
  const std::vector<Expression>& applied_forces() const { return definition_.applied_forces; }
  const std::optional<Expression>& conformal_factor() const { return definition_.conformal_factor; }
  const std::vector<Parameter>& parameter_list() const { return definition_.parameters; }

  const std::vector<Expression>& momenta() const { return momenta_; }  ///< p = L_v
  const std::vector<Expression>& forces() const { return forces_; }    ///< L_q
  const Expression& energy() const { return energy_; }                 ///< E = v·L_v − L
  SparseMatrix mass_matrix() const;                                    ///< M = L_vv

  /// All conditions on the velocities: A v + b, then ∇g·v.
  const std::vector<Expression>& velocity_rows() const { return rows_; }
  /// Their matrix: A, then ∇gᵀ.
  const SparseMatrix& constraint_matrix() const { return matrix_; }
  /// Their part without velocities, b.
  const std::vector<Expression>& affine_part() const { return affine_; }
  bool is_affine() const;
  /// For people: "constraint 2", "holonomic constraint 1".
  std::string row_name(std::size_t row) const;
  std::string row_name_with_text(std::size_t row) const;

 private:
  void check_names();
  void check_symbols() const;
  void derive_rows();

  SystemDefinition definition_;
  std::vector<Expression> velocities_;
  std::vector<Expression> parameters_;
  std::vector<double> parameter_values_;
  std::vector<Expression> momenta_;
  std::vector<Expression> forces_;
  Expression energy_;
  std::vector<Expression> rows_;
  SparseMatrix matrix_;
  std::vector<Expression> affine_;
};

/// The symbol that stands for time in exact solutions.
Expression time_symbol();

/// Symbols for the given names: auto [x, y] = coordinates("x", "y").
template <class... Names>
std::array<Expression, sizeof...(Names)> coordinates(Names... names) {
  return {Expression::symbol(names)...};
}

}  // namespace rattleback
