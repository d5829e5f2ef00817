#pragma once

#include "../expr/determinant.hpp"
#include "rattleback/geometry/second_order.hpp"

namespace rattleback {

/// T = Φ, ∇Φ, ∇∇Φ, …, row by row.
class HelmholtzTower {
 public:
  explicit HelmholtzTower(const SecondOrderSystem& equations) : equations_(equations), n_(equations.dimension()) {
    const std::vector<Expression>& f = equations.accelerations;
    const ExpressionMatrix by_velocity = dense(jacobian(f, equations.velocities));
    const ExpressionMatrix by_position = dense(jacobian(f, equations.coordinates));
    std::vector<Expression> flat;
    for (const std::vector<Expression>& row : by_velocity) flat = joined({flat, row});
    tensor_ = equations.rates(flat);
    nabla_ = by_velocity;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        Expression& phi = tensor_[i * n_ + j];
        phi -= 2.0 * by_position[i][j];
        for (std::size_t l = 0; l < n_; ++l) phi -= 0.5 * by_velocity[l][j] * by_velocity[i][l];
        nabla_[i][j] = -0.5 * by_velocity[i][j];
      }
    }
  }

  const std::vector<Expression>& tensor() const { return tensor_; }

  /// T, then ∂T^i_j/∂v^l at [(i n + j) n + l].
  std::vector<Expression> functions() const {
    std::vector<Expression> slopes(n_ * n_ * n_);
    for (const auto& e : jacobian(tensor_, equations_.velocities).entries) {
      slopes[static_cast<std::size_t>(e.row) * n_ + static_cast<std::size_t>(e.column)] = e.value;
    }
    return joined({tensor_, slopes});
  }

  void differentiate() {
    std::vector<Expression> next = equations_.rates(tensor_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        for (std::size_t m = 0; m < n_; ++m) {
          next[i * n_ + j] += nabla_[i][m] * tensor_[m * n_ + j] - tensor_[i * n_ + m] * nabla_[m][j];
        }
      }
    }
    tensor_ = std::move(next);
  }

 private:
  const SecondOrderSystem& equations_;
  std::size_t n_;
  std::vector<Expression> tensor_;
  ExpressionMatrix nabla_;
};

}  // namespace rattleback
