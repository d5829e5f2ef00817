#include "steered_parts.hpp"

#include <algorithm>
#include <tuple>

namespace rattleback {

using Vector = std::vector<Expression>;

namespace {

/// X ∈ ker A on the columns of a piece, by its minors: no pole that the constraints do not have. Its first entry is
/// that of the first column.
Vector kernel(const ExpressionMatrix& matrix) {
  Vector result;
  const std::size_t width = matrix.size() + 1;
  for (std::size_t j = 0; j < width; ++j) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < width; ++i) {
      if (i != j) others.push_back(i);
    }
    result.push_back((j % 2 == 0 ? 1.0 : -1.0) * determinant(columns(matrix, others)));
  }
  return result;
}

/// Σ length of −X_β/X_i: how simple the paper's A_β are if coordinate i is r₂, or r₃, ….
std::size_t length_of_slopes(const Vector& direction, std::size_t i) {
  std::size_t length = 0;
  for (std::size_t b = 0; b < direction.size(); ++b) {
    if (b != i) length += operation_count(tidy(direction[b] / direction[i]));
  }
  return length;
}

}  // namespace

Expression pairing(const ExpressionMatrix& matrix, const Vector& x, const Vector& y) {
  Expression total;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) total += x[i] * matrix[i][j] * y[j];
  }
  return total;
}

Vector unit_kernel(const ExpressionMatrix& masses, const ExpressionMatrix& rows, const SteeredPiece& piece) {
  ExpressionMatrix matrix;
  for (const std::size_t k : piece.rows) matrix.push_back(columns({rows[k]}, piece.columns)[0]);
  ExpressionMatrix block;
  for (const std::size_t i : piece.columns) block.push_back(columns({masses[i]}, piece.columns)[0]);
  Vector direction = without_common_factors(kernel(matrix));
  const Expression length = sqrt(tidy(pairing(block, direction, direction)));
  for (Expression& x : direction) x = x / length;
  return direction;
}

std::optional<Vector> find_shear(const SteeredParts& parts, const SteeredPiece& piece, const Vector& direction,
                                 const AlongSteering& along) {
  std::vector<std::size_t> on = piece.columns;  // and r₁
  on.insert(std::ranges::upper_bound(on, parts.steering), parts.steering);
  const std::size_t n = on.size();
  const auto place = [&](std::size_t coordinate) {
    return static_cast<std::size_t>(std::ranges::find(on, coordinate) - on.begin());
  };
  ExpressionMatrix rows;
  for (const std::size_t k : piece.rows) rows.push_back(columns({parts.rows[k]}, on)[0]);
  Vector momentum(n);  // M X
  for (std::size_t i = 0; i < piece.columns.size(); ++i) {
    for (std::size_t j = 0; j < n; ++j) momentum[j] += direction[i] * parts.masses[piece.columns[i]][on[j]];
  }
  Vector steering(n);
  steering[place(parts.steering)] = Expression(1.0);
  const auto without_steering = [&](Vector whole) {
    whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(place(parts.steering)));
    return whole;
  };
  const auto acts_on_steering = [&](const Vector& row) { return !tidy(row[place(parts.steering)]).is_constant(0.0); };
  if (std::ranges::none_of(rows, acts_on_steering) && !acts_on_steering(momentum)) return without_steering(Vector(n));
  ExpressionMatrix right(n, Vector(1));
  right.back()[0] = Expression(1.0);
  std::vector<Vector> last_conditions;
  for (const std::size_t i : piece.columns) {
    last_conditions.emplace_back(n);
    last_conditions.back()[place(i)] = Expression(1.0);
  }
  last_conditions.push_back(momentum);
  for (const Vector& condition : last_conditions) {
    ExpressionMatrix conditions = rows;
    conditions.push_back(condition);
    conditions.push_back(steering);
    if (determinant(conditions).is_constant(0.0)) continue;
    Vector shear;
    Expression across;
    Vector sizes;
    for (const Vector& entry : solved(conditions, right)) {
      shear.push_back(along.constant_or_same(entry[0]));
      sizes.push_back(momentum[shear.size() - 1] * shear.back());
      across += sizes.back();
    }
    const bool is_constant = std::ranges::all_of(shear, [&](const Expression& e) { return along.is_constant(e); });
    if (is_constant && along.vanishes(across, sizes)) return without_steering(std::move(shear));
  }
  return std::nullopt;
}

bool is_orthogonal(const SteeredParts& parts, const std::vector<Vector>& directions, const Expression& r1,
                   const AlongSteering& along) {
  for (std::size_t a = 0; a < directions.size(); ++a) {
    for (std::size_t b = 0; b < directions.size(); ++b) {
      if (a == b) continue;
      for (const bool turning : {false, true}) {
        Expression product;
        Vector terms{Expression(1.0)};  // X has the length 1
        for (std::size_t i = 0; i < directions[a].size(); ++i) {
          for (std::size_t j = 0; j < directions[b].size(); ++j) {
            const Expression& m = parts.masses[parts.pieces[a].columns[i]][parts.pieces[b].columns[j]];
            if (m.is_constant(0.0)) continue;
            const Expression& x = directions[b][j];
            terms.push_back(directions[a][i] * m * (turning ? derivative(x, r1) : x));
            product += terms.back();
          }
        }
        if (terms.size() > 1 && !along.vanishes(product, terms)) return false;
      }
    }
  }
  return true;
}

BaseChoice choose_base(const Vector& direction, const Expression& r1, const AlongSteering& along) {
  const std::vector<double> size = along.sizes(direction);
  BaseChoice choice;
  std::tuple best{true, true, ~std::size_t{0}};
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (size[i] == 0.0) continue;
    const bool varies = !occurring({r1}, {&direction[i], 1}).empty();
    const std::tuple rank{varies, along.changes_sign(direction[i]), length_of_slopes(direction, i)};
    if (rank >= best) continue;
    best = rank;
    choice = {i, varies};
  }
  return choice;
}

}  // namespace rattleback
