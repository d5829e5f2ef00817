#include "rattleback/model/legendre.hpp"

#include <algorithm>

#include "../expr/determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {

std::optional<LegendreTransform> legendre_transform(const Expression& f, std::span<const Expression> w,
                                                    std::span<const Expression> y) {
  constexpr std::size_t most_variables = 6;
  if (w.size() > most_variables) return std::nullopt;
  SparseMatrix second = hessian(f, w);
  for (auto& e : second.entries) {
    e.value = tidy(e.value);
    const auto symbols = free_symbols(e.value);
    const auto occurs = [&](const Expression& x) { return std::ranges::find(symbols, x) != symbols.end(); };
    if (std::ranges::any_of(w, occurs)) return std::nullopt;
  }
  if (tidy(determinant(dense(second))).is_constant(0.0)) return std::nullopt;

  // f = f₀ + b·w + ½ w·M w, so w = M⁻¹ (y − b) and f* = ½ (y − b)·w − f₀.
  Substitution at_zero;
  for (const Expression& x : w) at_zero.emplace(x, Expression(0.0));
  const std::vector<Expression> b = substitute(gradient(f, w), at_zero);
  ExpressionMatrix rest;
  for (std::size_t i = 0; i < w.size(); ++i) rest.push_back({y[i] - b[i]});
  LegendreTransform result;
  Expression square;
  const ExpressionMatrix solution = solved(dense(second), rest);
  for (std::size_t i = 0; i < w.size(); ++i) {
    result.variables.push_back(solution[i][0]);
    square += rest[i][0] * solution[i][0];
  }
  result.function = tidy(0.5 * square - substitute(f, at_zero));
  return result;
}

}  // namespace rattleback
