#include "pivoted_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "builder.hpp"
#include "rattleback/expr/derivative.hpp"
#include "step_program.hpp"

namespace rattleback {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int max_iterations = 60;
constexpr double smallest_damping = 1.0 / 1024.0;
/// An iteration that stops improving below this relative residual has reached its round-off floor:
/// the equations are ill-conditioned, but solved as well as they can be.
constexpr double acceptable_floor = 1e-10;
constexpr std::size_t preallocated_size = 256;

std::vector<Expression> concatenate(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Program equations_program(const ImplicitSystem& system, const SparseMatrix& jacobian) {
  Builder builder;
  Scope scope;
  const auto arguments = concatenate(system.data, system.unknowns);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    scope.bind(arguments[i], builder.input(static_cast<std::uint32_t>(i), 1, {}));
  }
  std::vector<Value> outputs;
  for (const Expression& r : system.residuals) outputs.push_back(builder.lower(r, scope));
  for (std::size_t i = 0; i < system.residuals.size(); ++i) outputs.push_back(builder.magnitude(outputs[i]));
  for (const auto& e : jacobian.entries) outputs.push_back(builder.lower(e.value, scope));
  return to_program(builder, arguments.size(), std::move(outputs));
}

}  // namespace

PivotedNewton::PivotedNewton(const ImplicitSystem& system)
    : size_(system.unknowns.size()), guess_(make_program(system.data, system.guess)), equations_([&] {
        const SparseMatrix j = jacobian(system.residuals, system.unknowns);
        for (const auto& e : j.entries) {
          entries_.emplace_back(static_cast<std::size_t>(e.row), static_cast<std::size_t>(e.column));
        }
        return equations_program(system, j);
      }()),
      outputs_(make_program(concatenate(system.data, system.unknowns), system.outputs)),
      arguments_(system.data.size() + size_), unknowns_(arguments_.data() + system.data.size(), size_),
      values_(2 * size_ + entries_.size()), previous_(size_), correction_(size_), next_correction_(size_),
      unknown_scale_(size_), row_scale_(size_), column_scale_(size_), order_(size_) {
  if (size_ <= preallocated_size) matrix_.resize(size_ * size_);
}

bool PivotedNewton::evaluate(LaneReport& report) {
  equations_(arguments_, values_);
  for (std::size_t i = 0; i < size_; ++i) {
    if (std::isfinite(values_[i])) continue;
    report.equation = static_cast<int>(i);
    report.residual = values_[i];
    return false;
  }
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    if (std::isfinite(values_[2 * size_ + k])) continue;
    report.equation = static_cast<int>(entries_[k].first);
    report.residual = values_[2 * size_ + k];
    return false;
  }
  return true;
}

double PivotedNewton::worst_residual(LaneReport& report) const {
  report.residual = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (values_[i] == 0.0) continue;
    // Against an infinite magnitude every residual would be small.
    const double magnitude = values_[size_ + i];
    const double relative =
        std::isfinite(magnitude) ? std::abs(values_[i]) / magnitude : std::numeric_limits<double>::infinity();
    if (relative <= report.residual) continue;
    report.residual = relative;
    report.equation = static_cast<int>(i);
  }
  return report.residual;
}

bool PivotedNewton::factorise(LaneReport& report) {
  const std::size_t n = size_;
  matrix_.assign(n * n, 0.0);
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    matrix_[row * n + column] = values_[2 * n + k];
    row_scale_[row] = std::max(row_scale_[row], std::abs(values_[2 * n + k]));
  }
  std::fill(column_scale_.begin(), column_scale_.end(), 0.0);
  for (const auto& [row, column] : entries_) {
    if (row_scale_[row] == 0.0) continue;
    column_scale_[column] = std::max(column_scale_[column], std::abs(matrix_[row * n + column]) / row_scale_[row]);
  }
  for (std::size_t i = 0; i < n; ++i) order_[i] = i;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    double best_size = -1.0;
    for (std::size_t i = c; i < n; ++i) {
      const double scale = row_scale_[order_[i]];
      const double size = scale > 0.0 ? std::abs(matrix_[order_[i] * n + c]) / scale : 0.0;
      if (size > best_size) {
        best_size = size;
        best = i;
      }
    }
    std::swap(order_[c], order_[best]);
    const std::size_t p = order_[c];
    if (!(best_size > static_cast<double>(n) * epsilon * column_scale_[c])) {  // whatever the units of the unknown
      report.equation = static_cast<int>(p);
      return false;
    }
    for (std::size_t i = c + 1; i < n; ++i) {
      double* const row = &matrix_[order_[i] * n];
      if (row[c] == 0.0) continue;
      row[c] /= matrix_[p * n + c];  // the multiplier takes the place of the entry it removes
      for (std::size_t k = c + 1; k < n; ++k) row[k] -= row[c] * matrix_[p * n + k];
    }
  }
  return true;
}

template <class RightHandSide>
void PivotedNewton::solve_factorised(RightHandSide&& right, std::vector<double>& solution) const {
  const std::size_t n = size_;
  for (std::size_t c = 0; c < n; ++c) {
    const double* const row = &matrix_[order_[c] * n];
    solution[c] = right(order_[c]);
    for (std::size_t k = 0; k < c; ++k) solution[c] -= row[k] * solution[k];
  }
  for (std::size_t c = n; c-- > 0;) {
    const double* const row = &matrix_[order_[c] * n];
    for (std::size_t k = c + 1; k < n; ++k) solution[c] -= row[k] * solution[k];
    solution[c] /= row[c];
  }
}

void PivotedNewton::newton_correction(std::vector<double>& correction) const {
  solve_factorised([&](std::size_t i) { return -values_[i]; }, correction);
}

// An unknown may vanish where others balance each other, as the accelerations at an equilibrium do: its rounding
// errors are then relative to the terms of the equations, not to itself. Two patterns of signs, so that the
// terms do not cancel by accident.
void PivotedNewton::widen_unknown_scales() {
  for (const std::size_t period : {std::size_t{1}, std::size_t{2}}) {
    solve_factorised(
        [&](std::size_t i) { return (i % period == 0 ? 1.0 : -1.0) * values_[size_ + i]; }, next_correction_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (std::isfinite(next_correction_[i])) {
        unknown_scale_[i] = std::max(unknown_scale_[i], std::abs(next_correction_[i]));
      }
    }
  }
}

double PivotedNewton::scaled_size(const std::vector<double>& correction) const {
  double size = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (correction[i] != 0.0) size = std::max(size, std::abs(correction[i]) / unknown_scale_[i]);
  }
  return size;
}

// Damping by the natural monotonicity test: a step is good if the Newton correction after it,
// measured with the old Jacobian, is smaller than the one before. Unlike a norm of the residuals
// this does not depend on how the equations are scaled (Deuflhard, Newton Methods for Nonlinear
// Problems, 2004, §3.3).
void PivotedNewton::iterate(LaneReport& report) {
  std::fill(unknown_scale_.begin(), unknown_scale_.end(), 0.0);
  double last_size = std::numeric_limits<double>::infinity();
  for (int n = 0; n < max_iterations; ++n) {
    report.outcome = Outcome::not_finite;
    if (!evaluate(report)) return;
    report.outcome = Outcome::converged;
    const double residual = worst_residual(report);
    if (residual <= epsilon) return;
    report.outcome = Outcome::singular;
    if (!factorise(report)) return;
    newton_correction(correction_);
    ++report.iterations;
    for (std::size_t i = 0; i < size_; ++i) {
      unknown_scale_[i] = std::max({unknown_scale_[i], std::abs(unknowns_[i]), std::abs(correction_[i])});
    }
    widen_unknown_scales();
    const double size = scaled_size(correction_);
    const bool stalled = std::max(size, residual) <= acceptable_floor && size > 0.5 * last_size;
    last_size = size;
    report.outcome = Outcome::converged;
    const bool at_floor = residual <= stalled_floor * epsilon;
    if (stalled || size == 0.0 || (size <= epsilon && at_floor)) return;

    std::copy(unknowns_.begin(), unknowns_.end(), previous_.begin());
    bool accepted = false;
    for (double damping = 1.0; damping >= smallest_damping && !accepted; damping *= 0.5) {
      for (std::size_t i = 0; i < size_; ++i) unknowns_[i] = previous_[i] + damping * correction_[i];
      report.outcome = Outcome::not_finite;
      if (!evaluate(report)) continue;
      report.outcome = Outcome::not_converged;
      newton_correction(next_correction_);
      accepted = size <= acceptable_floor || scaled_size(next_correction_) <= (1.0 - 0.25 * damping) * size;
    }
    if (!accepted) {
      if (at_floor) {  // ill-conditioned: rounding hides any progress, and the equations hold
        std::copy(previous_.begin(), previous_.end(), unknowns_.begin());
        report.outcome = Outcome::converged;
        return;
      }
      if (report.outcome == Outcome::not_converged) worst_residual(report);
      return;
    }
  }
  report.outcome = Outcome::not_converged;
}

void PivotedNewton::solve(std::span<const double> data, std::span<double> outputs, LaneReport& report) {
  std::copy(data.begin(), data.end(), arguments_.begin());
  guess_(data, unknowns_);
  iterate(report);
  if (report.outcome != Outcome::converged) return;
  report.equation = -1;
  report.residual = 0.0;
  outputs_(arguments_, outputs);
  if (!std::all_of(outputs.begin(), outputs.end(), [](double x) { return std::isfinite(x); })) {
    report.outcome = Outcome::not_finite;
  }
}

}  // namespace rattleback
