#pragma once

#include <span>
#include <vector>

#include "rattleback/expr/matrix.hpp"

namespace rattleback {

/// A matrix of expressions; entries that are identically zero are not stored. Ordered by rows.
struct SparseMatrix {
  struct Entry {
    int row;
    int column;
    Expression value;
  };
  int rows = 0;
  int columns = 0;
  std::vector<Entry> entries;

  /// The entry, or 0.
  Expression at(int row, int column) const;
};

/// ∂f/∂x.
Expression derivative(const Expression& f, const Expression& x);
/// ∂ⁿf/∂xⁿ.
Expression derivative(const Expression& f, const Expression& x, int order);

/// ∂f/∂xⱼ for all j by reverse accumulation: costs a small multiple of f, however many variables.
std::vector<Expression> gradient(const Expression& f, std::span<const Expression> variables);

/// Σⱼ ∂fᵢ/∂xⱼ · vⱼ for all i by forward accumulation: costs a small multiple of f.
std::vector<Expression> directional_derivative(std::span<const Expression> functions,
                                               std::span<const Expression> variables,
                                               std::span<const Expression> direction);

/// ∂fᵢ/∂xⱼ, by rows in reverse or by columns in forward accumulation, whichever visits fewer nodes.
SparseMatrix jacobian(std::span<const Expression> functions, std::span<const Expression> variables);

/// Parts of functions whose slopes are known in a shorter form than differentiation finds, outer · inner: a rotation
/// that moves with x turns by some angles, δR = R η̂, and these are linear in δx.
struct KnownSlopes {
  Vector parts;      ///< nodes of the functions, if they occur
  Matrix outer;      ///< a row for each part
  Matrix inner;      ///< a column for each of the variables below
  Vector variables;  ///< all that the parts depend on
};
SparseMatrix jacobian(std::span<const Expression> functions, std::span<const Expression> variables,
                      std::span<const KnownSlopes> known);

/// ∂²f/∂xᵢ∂xⱼ, both triangles.
SparseMatrix hessian(const Expression& f, std::span<const Expression> variables);

/// Σⱼ ∂²f/∂xᵢ∂xⱼ · vⱼ for all i; costs a small multiple of f, not n times. The direction must not
/// depend on the variables.
std::vector<Expression> hessian_vector(const Expression& f, std::span<const Expression> variables,
                                       std::span<const Expression> direction);

}  // namespace rattleback
