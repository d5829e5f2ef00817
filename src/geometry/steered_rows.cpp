#include "steered_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "along_steering.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

Vector without_common_factors(const Vector& x) {
  Vector marks;
  Expression total;
  for (std::size_t i = 0; i < x.size(); ++i) {
    marks.push_back(Expression::symbol(fmt::format("entry({})", i)));
    total += x[i] * marks[i];
  }
  return gradient(without_common_factors(total), marks);
}

// Where a row depends on several coordinates they may be in a factor that is a sum: then it is divided by its first
// entry.
ExpressionMatrix simple_rows(const System& system, const Substitution& zero) {
  ExpressionMatrix rows = dense(system.constraint_matrix());
  for (Vector& row : rows) {
    for (Expression& e : row) e = tidy(substitute(e, zero));
  }
  const ExpressionMatrix as_written = dense(system.constraint_matrix());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k] = without_common_factors(rows[k]);
    const std::size_t several = occurring(system.coordinates(), rows[k]).size();
    if (several < 2) continue;
    const auto first = std::ranges::find_if(rows[k], [](const Expression& e) { return !e.is_constant(0.0); });
    const Expression& pivot = as_written[k][static_cast<std::size_t>(first - rows[k].begin())];
    Vector divided;
    for (const Expression& e : as_written[k]) divided.push_back(tidy(substitute(e / pivot, zero)));
    if (occurring(system.coordinates(), divided).size() < several) rows[k] = divided;
  }
  return rows;
}

namespace {

bool acts(const Vector& row, std::size_t column) { return !row[column].is_constant(0.0); }

/// Connected parts of the graph in which a row and a column are neighbours if the entry is not zero.
std::vector<SteeredPiece> connected(const ExpressionMatrix& rows, std::size_t steering,
                                    const std::vector<std::size_t>& columns) {
  std::vector<std::size_t> part(columns.size());  // of each column
  std::iota(part.begin(), part.end(), 0);
  for (const Vector& row : rows) {
    std::vector<std::size_t> touched;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (acts(row, columns[c])) touched.push_back(part[c]);
    }
    for (std::size_t& p : part) {
      if (std::ranges::find(touched, p) != touched.end()) p = std::ranges::min(touched);
    }
  }
  std::vector<SteeredPiece> pieces;
  for (std::size_t first = 0; first < columns.size(); ++first) {
    if (part[first] != first) continue;
    SteeredPiece piece;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (part[c] == first) piece.columns.push_back(columns[c]);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (std::ranges::any_of(piece.columns, [&](std::size_t c) { return acts(rows[k], c); })) piece.rows.push_back(k);
    }
    pieces.push_back(std::move(piece));
  }
  // A row of r₁ alone belongs to no coordinate.
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::ranges::none_of(columns, [&](std::size_t c) { return acts(rows[k], c); }) && acts(rows[k], steering))
      pieces.push_back({{}, {k}});
  }
  return pieces;
}

/// The rows of a piece solved for as many velocities as there are rows, without divisions: a direction that is divided
/// by sin φ turns round where it vanishes. What the rows have in common does not depend on how they are combined, so
/// that any choice shows which coordinates are tied together.
void solve_rows(ExpressionMatrix& rows, const SteeredPiece& piece) {
  const std::size_t m = piece.rows.size();
  ExpressionMatrix chosen;
  for (const std::size_t k : piece.rows) chosen.push_back(rows[k]);
  std::vector<char> is_pivot(piece.columns.size(), 0);
  std::fill_n(is_pivot.begin(), m, 1);
  do {
    std::vector<std::size_t> pivots;
    for (std::size_t c = 0; c < piece.columns.size(); ++c) {
      if (is_pivot[c] != 0) pivots.push_back(piece.columns[c]);
    }
    const ExpressionMatrix square = columns(chosen, pivots);
    if (determinant(square).is_constant(0.0)) continue;
    const ExpressionMatrix factors = adjugate(square);
    for (std::size_t k = 0; k < m; ++k) {
      Vector combined(rows[0].size());
      for (std::size_t c = 0; c < combined.size(); ++c) {
        for (std::size_t j = 0; j < m; ++j) combined[c] += factors[k][j] * chosen[j][c];
        combined[c] = tidy(combined[c]);
      }
      rows[piece.rows[k]] = without_common_factors(combined);
    }
    return;
  } while (std::ranges::prev_permutation(is_pivot).found);
}

}  // namespace

std::vector<SteeredPiece> steered_pieces(ExpressionMatrix& rows, std::size_t steering) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    if (i != steering) all.push_back(i);
  }
  if (all.size() == rows.size() + 1) {  // one direction, which its minors tell as the rows stand
    SteeredPiece whole{all, std::vector<std::size_t>(rows.size())};
    std::iota(whole.rows.begin(), whole.rows.end(), 0);
    return {whole};
  }
  for (const SteeredPiece& piece : connected(rows, steering, all)) {
    if (!piece.rows.empty() && piece.columns.size() > piece.rows.size() + 1) solve_rows(rows, piece);
  }
  std::vector<SteeredPiece> moving;
  SteeredPiece still;
  for (SteeredPiece& piece : connected(rows, steering, all)) {
    if (piece.rows.size() > piece.columns.size()) return {};
    if (piece.freedom() > 0) {
      moving.push_back(std::move(piece));
    } else {
      still.columns.insert(still.columns.end(), piece.columns.begin(), piece.columns.end());
      still.rows.insert(still.rows.end(), piece.rows.begin(), piece.rows.end());
    }
  }
  if (moving.empty()) return {};
  SteeredPiece& first = moving.front();
  first.columns.insert(first.columns.end(), still.columns.begin(), still.columns.end());
  first.rows.insert(first.rows.end(), still.rows.begin(), still.rows.end());
  std::ranges::sort(first.columns);
  std::ranges::sort(first.rows);
  return moving;
}

}  // namespace rattleback
