// The tangent map of a step is itself an implicit system. Its equations contain those of the step,
// so the block-triangular order solves the step first and then, in linear blocks with equal
// matrices, each direction; value numbering shares their factorisation.

#include <fmt/format.h>

#include <stdexcept>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback {
namespace {

std::vector<Expression> concatenate(std::vector<Expression> a, std::span<const Expression> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The derivatives all directions share. Each direction is written as a combination of these very
/// expressions, so that its equations have the same matrix.
struct Linearisation {
  explicit Linearisation(const ImplicitSystem& system)
      : residuals(jacobian(system.residuals, system.unknowns)), outputs(jacobian(system.outputs, system.unknowns)) {}
  SparseMatrix residuals;
  SparseMatrix outputs;
};

/// Σⱼ Mᵢⱼ uⱼ + fᵢ.
std::vector<Expression> apply(const SparseMatrix& m, const std::vector<Expression>& u, std::vector<Expression> f) {
  std::vector<std::vector<Term>> terms(f.size());
  for (const auto& e : m.entries) {
    terms[static_cast<std::size_t>(e.row)].push_back({e.value * u[static_cast<std::size_t>(e.column)], 1.0});
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    terms[i].push_back({f[i], 1.0});
    f[i] = sum(terms[i]);
  }
  return f;
}

/// Appends unknowns δu and equations for one direction of the data; returns δo.
std::vector<Expression> append_direction(ImplicitSystem& extended, const ImplicitSystem& system,
                                         const Linearisation& linear, std::span<const Expression> direction,
                                         std::string_view suffix) {
  std::vector<Expression> moved;
  for (const Expression& u : system.unknowns) {
    moved.push_back(Expression::symbol(fmt::format("δ{}{}", u.name(), suffix)));
    extended.unknowns.push_back(moved.back());
    extended.guess.emplace_back(0.0);
  }
  const auto equations =
      apply(linear.residuals, moved, directional_derivative(system.residuals, system.data, direction));
  extended.residuals.insert(extended.residuals.end(), equations.begin(), equations.end());
  return apply(linear.outputs, moved, directional_derivative(system.outputs, system.data, direction));
}

}  // namespace

ImplicitSystem with_tangent(const ImplicitSystem& system) {
  ImplicitSystem extended = system;
  std::vector<Expression> direction;
  for (const Expression& d : system.data) direction.push_back(Expression::symbol("δ" + d.name()));
  extended.data = concatenate(system.data, direction);
  if (system.data_layout.size() == system.data.size()) extended.data_layout.add(Slot::direction, direction.size());
  if (!extended.typical.empty()) extended.typical.resize(extended.data.size(), 1.0);
  extended.state = 0;
  const auto tangent = append_direction(extended, system, Linearisation(system), direction, "");
  extended.outputs = concatenate(system.outputs, tangent);
  if (system.output_layout.size() == system.outputs.size()) extended.output_layout.add(Slot::direction, tangent.size());
  return extended;
}

ImplicitSystem with_tangent_matrix(const ImplicitSystem& system, std::size_t rows, std::size_t columns) {
  if (rows > system.outputs.size() || columns > system.data.size()) {
    throw std::invalid_argument(fmt::format("a tangent matrix of {} × {} for {} outputs and {} data", rows, columns,
                                            system.outputs.size(), system.data.size()));
  }
  ImplicitSystem extended = system;
  const Linearisation linear(system);
  std::vector<std::vector<Expression>> matrix_columns;
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<Expression> unit(system.data.size());
    unit[j] = 1.0;
    matrix_columns.push_back(
        append_direction(extended, system, linear, unit, fmt::format("/δ{}", system.data[j].name())));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) extended.outputs.push_back(matrix_columns[j][i]);
  }
  return extended;
}

}  // namespace rattleback
