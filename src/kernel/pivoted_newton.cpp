#include "pivoted_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "builder.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/derivative.hpp"
#include "step_program.hpp"

namespace rattleback {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// What is smaller has lost its digits to underflow.
constexpr double tiny = underflow_floor * std::numeric_limits<double>::min();
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
  Bindings scope;
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
      unknown_scale_(size_), previous_scale_(size_), noise_(size_), row_scale_(size_), column_scale_(size_),
      order_(size_) {
  if (size_ > preallocated_size) return;
  matrix_.resize(size_ * size_);
  terms_.resize(size_ * size_);
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

// An unknown may vanish because others balance each other, as accelerations do at an equilibrium: its rounding errors
// are then relative to the terms of the equations that determine it, those in which it has a large coefficient, and
// an equation of such unknowns holds up to the rounding errors of these.
void PivotedNewton::find_scales() {
  constexpr double large = 0.1;
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  std::fill(column_scale_.begin(), column_scale_.end(), 0.0);
  const auto entry = [&](std::size_t k) { return std::abs(values_[2 * size_ + k]); };
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    row_scale_[entries_[k].first] = std::max(row_scale_[entries_[k].first], entry(k));
  }
  const auto relative = [&](std::size_t k) { return entry(k) > 0.0 ? entry(k) / row_scale_[entries_[k].first] : 0.0; };
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    column_scale_[entries_[k].second] = std::max(column_scale_[entries_[k].second], relative(k));
  }
  for (std::size_t i = 0; i < size_; ++i) unknown_scale_[i] = std::max(unknown_scale_[i], std::abs(unknowns_[i]));
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const auto [row, column] = entries_[k];
    if (entry(k) == 0.0 || relative(k) < large * column_scale_[column]) continue;
    const double size = values_[size_ + row] / entry(k);
    if (std::isfinite(size)) unknown_scale_[column] = std::max(unknown_scale_[column], size);
  }
  std::fill(noise_.begin(), noise_.end(), 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    noise_[entries_[k].first] += entry(k) * unknown_scale_[entries_[k].second];
  }
}

double PivotedNewton::worst_residual(LaneReport& report) const {
  report.residual = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (std::abs(values_[i]) <= tiny) continue;
    // Against an infinite magnitude every residual would be small.
    const double magnitude = std::max(values_[size_ + i], noise_[i]);
    const double relative =
        std::isfinite(magnitude) ? std::abs(values_[i]) / magnitude : std::numeric_limits<double>::infinity();
    if (relative <= report.residual) continue;
    report.residual = relative;
    report.equation = static_cast<int>(i);
  }
  return report.residual;
}

// Whether a number that is left after subtractions is zero is seen by what was subtracted, and by nothing else: beside
// constraints of size 1, masses of 1e-20 are no rounding errors.
bool PivotedNewton::factorise(LaneReport& report) {
  const std::size_t n = size_;
  const double rounding = static_cast<double>(n) * epsilon;
  matrix_.assign(n * n, 0.0);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    matrix_[entries_[k].first * n + entries_[k].second] = values_[2 * n + k];
  terms_ = matrix_;
  for (double& term : terms_) term = std::abs(term);
  for (std::size_t i = 0; i < n; ++i) order_[i] = i;
  for (std::size_t c = 0; c < n; ++c) {
    keep_working();
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
    if (!(best_size > 0.0)) {
      report.equation = static_cast<int>(p);
      return false;
    }
    for (std::size_t i = c + 1; i < n; ++i) {
      double* const row = &matrix_[order_[i] * n];
      double* const terms = &terms_[order_[i] * n];
      if (row[c] == 0.0) continue;
      row[c] /= matrix_[p * n + c];  // the multiplier takes the place of the entry it removes
      for (std::size_t k = c + 1; k < n; ++k) {
        const double change = row[c] * matrix_[p * n + k];
        if (change == 0.0) continue;
        row[k] -= change;
        terms[k] += std::abs(change);
        if (std::abs(row[k]) <= rounding * terms[k]) row[k] = 0.0;
      }
    }
  }
  return true;
}

void PivotedNewton::newton_correction(std::vector<double>& correction) const {
  const std::size_t n = size_;
  for (std::size_t c = 0; c < n; ++c) {
    const double* const row = &matrix_[order_[c] * n];
    correction[c] = -values_[order_[c]];
    for (std::size_t k = 0; k < c; ++k) correction[c] -= row[k] * correction[k];
  }
  for (std::size_t c = n; c-- > 0;) {
    const double* const row = &matrix_[order_[c] * n];
    for (std::size_t k = c + 1; k < n; ++k) correction[c] -= row[k] * correction[k];
    correction[c] /= row[c];
  }
}

double PivotedNewton::scaled_size(const std::vector<double>& correction) const {
  double size = 0.0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (std::abs(correction[i]) > tiny) size = std::max(size, std::abs(correction[i]) / unknown_scale_[i]);
  }
  return size;
}

// Damping by the natural monotonicity test: a step is good if the Newton correction after it,
// measured with the old Jacobian, is smaller than the one before. Unlike a norm of the residuals
// this does not depend on how the equations are scaled (Deuflhard, Newton Methods for Nonlinear
// Problems, 2004, §3.3).
void PivotedNewton::iterate(LaneReport& report) {
  // Below the smallest normal number, digits of unknowns are lost however small the equations' own terms are.
  std::fill(unknown_scale_.begin(), unknown_scale_.end(), std::numeric_limits<double>::min());
  double last_size = std::numeric_limits<double>::infinity();
  for (int n = 0; n < max_iterations; ++n) {
    report.outcome = Outcome::not_finite;
    if (!evaluate(report)) return;
    report.outcome = Outcome::converged;
    find_scales();
    const double residual = worst_residual(report);
    if (residual <= epsilon) return;
    report.outcome = Outcome::singular;
    if (!factorise(report)) return;
    newton_correction(correction_);
    ++report.iterations;
    for (std::size_t i = 0; i < size_; ++i) unknown_scale_[i] = std::max(unknown_scale_[i], std::abs(correction_[i]));
    const double size = scaled_size(correction_);
    const bool stalled = std::max(size, residual) <= acceptable_floor && size > 0.5 * last_size;
    last_size = size;
    report.outcome = Outcome::converged;
    const bool at_floor = residual <= stalled_floor * epsilon;
    if (stalled || size == 0.0 || (size <= epsilon && at_floor)) return;

    std::copy(unknowns_.begin(), unknowns_.end(), previous_.begin());
    std::copy(unknown_scale_.begin(), unknown_scale_.end(), previous_scale_.begin());
    bool accepted = false;
    for (double damping = 1.0; damping >= smallest_damping && !accepted; damping *= 0.5) {
      for (std::size_t i = 0; i < size_; ++i) unknowns_[i] = previous_[i] + damping * correction_[i];
      report.outcome = Outcome::not_finite;
      if (!evaluate(report)) continue;
      report.outcome = Outcome::not_converged;
      newton_correction(next_correction_);
      // A guess of zeros says little about the sizes of unknowns; the trial tells what of the next correction is
      // rounding.
      find_scales();
      double next_size = 0.0;
      for (std::size_t i = 0; i < size_; ++i) {
        const double next = std::abs(next_correction_[i]);
        if (next <= tiny + stalled_floor * epsilon * unknown_scale_[i]) continue;
        // An unknown that was zero up to rounding in all its equations had no size yet to compare with.
        if (previous_scale_[i] <= acceptable_floor * unknown_scale_[i]) continue;
        next_size = std::max(next_size, next / previous_scale_[i]);
      }
      // Where the equations hold, corrections of unknowns that are rounding errors of others say nothing.
      const bool holds = worst_residual(report) <= stalled_floor * epsilon;
      std::copy(previous_scale_.begin(), previous_scale_.end(), unknown_scale_.begin());
      accepted = holds || size <= acceptable_floor || next_size <= (1.0 - 0.25 * damping) * size;
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
