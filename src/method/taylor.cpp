#include "taylor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "polynomials.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/motion_series.hpp"
#include "rattleback/mech/units.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {
namespace {

constexpr const char* not_finite = "its series are not finite";
/// Relative errors of accelerations for which other pivots are looked for, and beyond
/// which there is no solution.
constexpr double least_acceptable = 0x1p-42;
constexpr double too_large = 1e-8;
/// Coefficients below this are followed by others that are no numbers any more.
constexpr double underflow = 1e-200;
/// Motions that are polynomials have steps of any length, up to so many times the time that has passed.
constexpr double longest_growth = 1e3;
/// Accelerations that change by this fraction of the motion from one series to the next have jumped.
constexpr double visible_jump = 1e-6;
/// Steps in which the scales of the motion are learnt, and those for which they count as known then.
constexpr int first_steps = 16;
constexpr int steps_between_weights = 8;

bool all_finite(std::span<const double> numbers) {
  double zero = 0.0;
  for (const double x : numbers) zero += 0.0 * x;
  return zero == 0.0;
}

/// Steps need not be known to more than a hundredth. Of x ≥ 0.
double rough_log2(double x) {
  if (x == 0.0) return -std::numeric_limits<double>::infinity();
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52U) - 1023;
  const double m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U) - 1.0;
  return exponent + m * (1.3465 - 0.3465 * m);
}

double rough_exp2(double x) {
  const double whole = std::floor(std::clamp(x, -1000.0, 1000.0));
  const double f = std::clamp(x, -1000.0, 1000.0) - whole;
  const auto power = std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<int>(whole) + 1023) << 52U);
  return power * (1.0 + f * (0.6565 + 0.3435 * f));
}

/// Functions that have several values where they are continued: after a zero of √'s argument another may be the right
/// one.
bool has_branches(const std::vector<Expression>& expressions) {
  const Graph graph(expressions);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].kind() == Kind::power) return true;
    if (graph[i].kind() != Kind::function) continue;
    const Function f = graph[i].function();
    if (f == Function::sqrt || f == Function::atan2 || f == Function::asin || f == Function::acos) return true;
  }
  return false;
}

/// x + y as a rounded sum and what was rounded off (Knuth).
void add_compensated(double& sum, double& rest, double change) {
  const double y = change + rest;
  const double total = sum + y;
  const double part = total - sum;
  rest = (sum - (total - part)) + (y - part);
  sum = total;
}

class Taylor final : public Integrator {
 public:
  Taylor(const Problem& problem, const MotionEquations& equations, double tolerance, int order)
      : equations_(equations), tolerance_(tolerance), first_time_(problem.start.t),
        system_(motion_series(problem.system)), size_(equations.size), positions_(problem.system.space().positions()),
        with_time_(problem.system.depends_on_time()), order_(order > 0 ? order : taylor_order(tolerance)),
        shortening_(std::exp(std::log(tolerance) / order_ - 0.7 / (order_ - 1.0))), parameters_(problem.parameters),
        weights_(size_), rest_(size_), before_(size_), coefficients_(size_ * static_cast<std::size_t>(order_ + 1)),
        ahead_(coefficients_), changed_(size_),
        may_jump_(has_branches(system_.momenta) || has_branches(system_.forces) || has_branches(system_.reactions) ||
                  has_branches(system_.rows)) {
    data_.assign(problem.start.q.begin(), problem.start.q.end());
    data_.insert(data_.end(), problem.start.v.begin(), problem.start.v.end());
    if (with_time_) data_.push_back(first_time_);
    data_.insert(data_.end(), parameters_.begin(), parameters_.end());
    start_ = pivots_ = data_;
    system_.scale = VelocityUnits(problem).each;
    for (double& scale : system_.scale) {
      if (!(scale > 0.0 && std::isfinite(scale))) scale = 1.0;  // held fast by constraints
      over_scale_.push_back(1.0 / scale);
    }
    derive();
  }

  void restart(double t, const double* y) override {
    time_ = base_ = t;
    time_rest_ = base_rest_ = 0.0;
    last_step_ = 0.0;
    std::copy_n(y, size_, data_.begin());
    std::ranges::fill(rest_, 0.0);
    is_ahead_ = false;
    steps_ = 0;
  }

  const char* step(double towards) override {
    if (!is_ahead_ && !expand(ahead_)) return trouble_.c_str();
    std::swap(coefficients_, ahead_);
    is_ahead_ = false;
    if (steps_ == 0) longest_ = longest_growth * std::abs(towards - time_);
    if (steps_++ < first_steps || steps_ % steps_between_weights == 0) {
      equations_.weights(data_.data(), weights_.data(), equations_.self);
    }
    if (!(error_of_accelerations() <= acceptable_)) {  // the motion may have come to where other pivots are better
      pivots_ = data_;
      derive();
      if (!expand(coefficients_)) return trouble_.c_str();
      const double error = error_of_accelerations();
      if (!(error <= too_large)) return "singular: its equations do not determine the accelerations";
      acceptable_ = std::max(least_acceptable, 16.0 * error);
    }
    double h = choose_step();
    base_ = time_;
    base_rest_ = time_rest_;
    before_ = rest_;
    for (advance(h); !goes_on(h); advance(h *= 0.5)) {
      if (time_ != base_) continue;
      if (trouble_ == not_finite) break;  // steps that do not change t say the rest
      return trouble_.empty() ? "the accelerations jump" : trouble_.c_str();
    }
    is_ahead_ = true;
    last_step_ = h;
    return nullptr;
  }

  double time() const override { return time_; }
  double last_step() const override { return last_step_; }
  const double* state() const override { return data_.data(); }

  bool interpolate(double t, double* y) override {
    if (t == time_) {
      std::copy_n(data_.begin(), size_, y);
      return true;
    }
    evaluate_polynomials(coefficients_.data(), size_, order_, (t - base_) - base_rest_, y);
    for (std::size_t i = 0; i < size_; ++i) y[i] = coefficients_[i] + (before_[i] + y[i]);
    return true;
  }

  const double* slopes() const override { return coefficients_.data() + size_; }

  /// Where pivots were chosen, if it was not at the start, and what was acceptable there.
  std::vector<double> memory() const override {
    if (pivots_ == start_) return {};
    std::vector<double> all = pivots_;
    all.push_back(acceptable_);
    return all;
  }
  void remember(std::span<const double> memory) override {
    std::vector<double> pivots = start_;
    acceptable_ = memory.empty() ? least_acceptable : memory.back();
    if (!memory.empty()) pivots.assign(memory.begin(), memory.end() - 1);
    if (pivots == pivots_) return;
    pivots_ = std::move(pivots);
    derive();
  }

 private:
  void derive() {
    system_.typical = pivots_;
    system_.typical.resize(size_ + system_.time.size() + parameters_.size());
    series_.emplace(system_, order_);
  }

  /// The step from the beginning of the last series.
  void advance(double h) {
    evaluate_polynomials(coefficients_.data(), size_, order_, h, changed_.data());
    std::copy_n(coefficients_.begin(), size_, data_.begin());
    rest_ = before_;
    for (std::size_t i = 0; i < size_; ++i) add_compensated(data_[i], rest_[i], changed_[i]);
    time_ = base_;
    time_rest_ = base_rest_;
    add_compensated(time_, time_rest_, h);
  }

  /// Whether there is a series at the end of the step, which begins as the last one ends: a jump, as that of x/√(x²),
  /// does not show in series on either side.
  bool goes_on(double h) {
    if (!expand(ahead_)) return false;
    if (!may_jump_) return true;
    for (std::size_t i = 0; i < size_; ++i) {
      double slope = 0.0;
      for (int j = order_; j >= 1; --j) {
        slope = std::fma(slope, h, j * coefficients_[static_cast<std::size_t>(j) * size_ + i]);
      }
      changed_[i] = slope - ahead_[size_ + i];
    }
    const double motion = norm(data_.data() + positions_) + h * norm(ahead_.data() + size_ + positions_);
    return !(h * norm(changed_.data() + positions_) > std::max(visible_jump, 1e3 * tolerance_) * motion);
  }

  bool expand(std::vector<double>& coefficients) {
    trouble_.clear();
    if (with_time_) data_[size_] = first_time_ + time_;
    series_->expand(data_, coefficients);
    if (!all_finite(series_->trial())) {
      trouble_ = "singular: its equations do not determine the accelerations and multipliers";
    } else if (!all_finite(std::span(coefficients).last(size_))) {
      trouble_ = not_finite;
    }
    return trouble_.empty();
  }

  /// What the elimination makes of accelerations that are known, relative to them.
  double error_of_accelerations() const {
    const std::span<const double> trial = series_->trial();
    double largest = 0.0;
    for (std::size_t i = 0; i < system_.scale.size(); ++i) {
      largest = std::max(largest, std::abs(trial[i] * over_scale_[i] - 1.0));
    }
    return largest;
  }

  double norm(const double* velocity) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < system_.scale.size(); ++i) {
      largest = std::max(largest, std::abs(velocity[i]) * over_scale_[i]);
    }
    return largest;
  }

  /// The largest coefficient of an order, in units of the scales of the motion.
  double size_of(int order) const {
    const double* const x = coefficients_.data() + static_cast<std::size_t>(order) * size_;
    double largest = 0.0;
    for (std::size_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(x[i]) * weights_[i]);
    return largest * tolerance_;
  }

  /// 1/ρ, the rate at which coefficients grow up to an order, as a logarithm.
  double rate_at(int order) const {
    return std::max(rough_log2(size_of(order)) / order, rough_log2(size_of(order - 1)) / (order - 1));
  }

  /// h = ρ ε^{1/p}
  double choose_step() const {
    const double rate = rate_at(order_);
    const double longest = std::max(longest_, longest_growth * time_);
    if (rate > -std::numeric_limits<double>::infinity()) return std::min(shortening_ * rough_exp2(-rate), longest);
    // The last coefficients vanish: the motion is a polynomial, or so slow that they underflow.
    int last = order_ - 2;
    while (last > 2 && size_of(last) == 0.0) --last;
    if (const double size = size_of(last); size == 0.0 || size >= underflow) return longest;
    return std::min(std::pow(tolerance_, 1.0 / (last - 1)) * rough_exp2(-rate_at(std::max(2, last - 1))), longest);
  }

  MotionEquations equations_;
  double tolerance_;
  double first_time_;
  SeriesSystem system_;
  std::size_t size_;
  std::size_t positions_;
  bool with_time_;
  int order_;
  double shortening_;  ///< h/ρ
  std::vector<double> parameters_;
  std::optional<Series> series_;
  std::vector<double> data_;    ///< x, t, parameters
  std::vector<double> start_;   ///< data that pivots were chosen at
  std::vector<double> pivots_;  ///< those they are chosen at now
  std::vector<double> over_scale_;
  std::vector<double> weights_;
  std::vector<double> rest_;    ///< what was rounded off x
  std::vector<double> before_;  ///< the same at the beginning of the last step
  std::vector<double> coefficients_;
  std::vector<double> ahead_;  ///< coefficients at the end of the last step, if is_ahead_
  std::vector<double> changed_;
  bool is_ahead_ = false;
  bool may_jump_;
  std::string trouble_;
  double time_ = 0.0;
  double time_rest_ = 0.0;
  double base_ = 0.0;  ///< where the last step began
  double base_rest_ = 0.0;
  double last_step_ = 0.0;
  double longest_ = 0.0;
  double acceptable_ = least_acceptable;
  int steps_ = 0;
};

}  // namespace

int taylor_order(double tolerance) { return static_cast<int>(std::ceil(1.0 - 0.75 * std::log(tolerance))); }

std::unique_ptr<Integrator> make_taylor(const Problem& problem, const MotionEquations& equations, double tolerance,
                                        int order) {
  if (!has_motion_series(problem.system)) {
    throw MethodError(
        "taylor needs equations of motion that are smooth, and linear in multipliers: abs, sign, min, max, if and "
        "tables "
        "have no power series; cvode does without");
  }
  return std::make_unique<Taylor>(problem, equations, tolerance, order);
}

}  // namespace rattleback
