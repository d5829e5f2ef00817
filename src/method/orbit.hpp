#pragma once

// The modified Hamiltonian from an orbit. A step (r, P) ↦ (r', P') that comes from a discrete Lagrangian is, up to
// terms that no power of h sees, the motion of a modified Hamiltonian K over the time h, and L_d its action:
//
//     S_k = Σ_{j<k} L_d(r_j, r_{j+1}),     K = P·ṙ − Ṡ
//
// along the interpolating motion z(t) = (r, P). The function
//
//     g(s, t) = [(P_s + P_t)·(r_t − r_s) − 2 (S_t − S_s)] / (t − s)
//
// of two times is smooth and symmetric, and 2K wherever s = t. Its central difference of order 2w in both arguments is
// δ_s^{2w} δ_t^{2w} g = O(h^{4w}), and of the (2w + 1)² terms those with s = t are all multiples of K. Therefore
//
//     K = Σ_{a<b} (−1)^{a+b+1} C(2w, w+a) C(2w, w+b) / C(4w, 2w) · g(a h, b h) + O(h^{4w}),     −w ≤ a, b ≤ w:
//
// a bilinear form in 2w + 1 points. (The idea of forms of the points, for other ones: R. D. Skeel and D. J. Hardy, SIAM
// J. Sci. Comput. 23 (2001) 1172–1188; P. C. Moan and J. Niesen, J. Comput. Dyn. 1 (2014) 271–278.)
//
// K does not change when r and P are counted from one of the points: then all terms are small, and rounding errors of K
// are those of P·ṙ, however small h is.

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// A number and its derivative in one direction.
template <class T>
struct Sloped {
  T value{};
  T slope{};

  Sloped& operator+=(const Sloped& x) {
    value += x.value;
    slope += x.slope;
    return *this;
  }
  friend Sloped operator+(Sloped x, const Sloped& y) { return x += y; }
  friend Sloped operator-(const Sloped& x, const Sloped& y) { return {x.value - y.value, x.slope - y.slope}; }
  friend Sloped operator*(const Sloped& x, const Sloped& y) {
    return {x.value * y.value, x.slope * y.value + x.value * y.slope};
  }
  friend Sloped operator*(const T& x, const Sloped& y) { return {x * y.value, x * y.slope}; }
};

/// Steps of a method around a state, in the number type T, with their derivatives in one direction of the state.
template <class T>
class Orbit {
 public:
  Orbit(const Method& method, const Problem& problem)
      : canonical_(*method.canonical), stages_(method.stages), n_(problem.system.dimension()),
        state_size_(method.state_size()), memory_size_(method.memory), symmetric_(method.structure.symmetric),
        parameters_(problem.parameters), start_(method.start, 1, Backend::interpreted), step_(with_action(method)) {}

  /// The orbit of this state under steps of size h. `velocity` is that of the node, from which first guesses are made.
  void begin(std::span<const T> state, std::span<const double> velocity, std::span<const T> direction, const T& h) {
    h_ = h;
    center_ = make_point(state, direction);
    for (Side* side : {&ahead_, &behind_}) {
      side->points.assign(1, Point{std::vector<Sloped<T>>(2 * canonical_.positions.size()), {}});
      side->data = make_data(state, direction);
      side->memory.clear();
    }
    node_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(n_));
    node_.insert(node_.end(), velocity.begin(), velocity.end());
  }

  /// K from 2w + 1 points, or nothing if there are no such steps.
  std::optional<Sloped<T>> hamiltonian(int w) {
    const auto count = static_cast<std::size_t>(w);
    if (symmetric_ ? !(extend(ahead_, h_, count) && extend(behind_, -h_, count)) : !extend(ahead_, h_, 2 * count)) {
      return std::nullopt;
    }
    const auto at = [&](int k) -> const Point& {
      if (!symmetric_) return ahead_.points[static_cast<std::size_t>(k + w)];
      return k >= 0 ? ahead_.points[static_cast<std::size_t>(k)] : behind_.points[static_cast<std::size_t>(-k)];
    };
    Sloped<T> total;
    for (int a = -w; a <= w; ++a) {
      for (int b = a + 1; b <= w; ++b) {
        const double sign = (a + b) % 2 == 0 ? -1.0 : 1.0;
        const T weight = T(sign * binomial(2 * w, w + a)) * T(binomial(2 * w, w + b)) / T(binomial(4 * w, 2 * w));
        total += weight / (T(b - a) * h_) * area(at(a), at(b));
      }
    }
    return total;
  }

 private:
  /// (r, P) and S, counted from the middle.
  struct Point {
    std::vector<Sloped<T>> z;
    Sloped<T> action;
  };
  struct Side {
    std::vector<Point> points;
    std::vector<T> data;                 ///< of the next step
    std::vector<std::vector<T>> memory;  ///< of each stage
  };

  static double binomial(int n, int k) {
    double result = 1.0;
    for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
    return result;
  }

  /// The step with outputs (state, memory, increments of r, L_d), and their derivatives.
  static ImplicitSystem with_action(const Method& method) {
    ImplicitSystem step = method.step;
    const std::size_t n = method.step.outputs.size() - (method.step.state + method.multipliers);
    std::vector<Expression> outputs(step.outputs.begin(),
                                    step.outputs.begin() + static_cast<std::ptrdiff_t>(step.state));
    for (const std::size_t i : method.canonical->positions)
      outputs.push_back(step.outputs[step.outputs.size() - n + i]);
    outputs.push_back(method.canonical->action);
    step.outputs = std::move(outputs);
    step.state = 0;
    return with_tangent(step);
  }

  Point make_point(std::span<const T> state, std::span<const T> direction) const {
    Point point;
    for (const auto* entries : {&canonical_.positions, &canonical_.momenta}) {
      for (const std::size_t i : *entries) point.z.push_back({state[i], direction[i]});
    }
    return point;
  }

  std::vector<T> make_data(std::span<const T> state, std::span<const T> direction) const {
    const std::size_t size = state_size_ + memory_size_ + 1 + parameters_.size();
    std::vector<T> data(2 * size);
    std::copy(state.begin(), state.end(), data.begin());
    std::copy(parameters_.begin(), parameters_.end(),
              data.begin() + static_cast<std::ptrdiff_t>(size - parameters_.size()));
    std::copy(direction.begin(), direction.end(), data.begin() + static_cast<std::ptrdiff_t>(size));
    return data;
  }

  /// What the velocity tells about the first step of each stage.
  bool guess(Side& side, const T& h) {
    for (const double fraction : stages_) {
      std::vector<double> data(node_.size());
      std::transform(node_.begin(), node_.end(), data.begin(), [](const T& x) { return static_cast<double>(x); });
      data.push_back(static_cast<double>(fraction * h));
      data.insert(data.end(), parameters_.begin(), parameters_.end());
      std::vector<double> outputs(start_.system().outputs.size());
      if (start_.run(data, outputs) != 1) return false;
      side.memory.emplace_back(outputs.end() - static_cast<std::ptrdiff_t>(memory_size_), outputs.end());
    }
    return true;
  }

  bool take(std::vector<T>& data) {
    outputs_.resize(2 * (state_size_ + memory_size_ + canonical_.positions.size() + 1));
    if constexpr (std::is_same_v<T, double>) {
      return step_.run(data, outputs_) == 1;
    } else {
      return step_.run(data, outputs_);
    }
  }

  bool extend(Side& side, const T& h, std::size_t count) {
    if (side.memory.empty() && !guess(side, h)) return false;
    const std::size_t m = canonical_.positions.size();
    const std::size_t kept = state_size_ + memory_size_;
    while (side.points.size() <= count) {
      Point next = side.points.back();
      for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        std::copy(side.memory[stage].begin(), side.memory[stage].end(),
                  side.data.begin() + static_cast<std::ptrdiff_t>(state_size_));
        side.data[kept] = stages_[stage] * h;
        if (!take(side.data)) return false;
        const std::size_t half = outputs_.size() / 2;
        const auto output = [&](std::size_t i) { return Sloped<T>{outputs_[i], outputs_[half + i]}; };
        next.action += output(kept + m);
        for (std::size_t i = 0; i < m; ++i) {  // S counts from the middle as well: S − P₀·(r − r₀)
          const Sloped<T>& p0 = center_.z[m + i];
          next.z[i] += output(kept + i);
          next.z[m + i] = output(canonical_.momenta[i]) - p0;
          next.action = next.action - p0 * output(kept + i);
        }
        std::copy_n(outputs_.begin(), state_size_, side.data.begin());
        std::copy_n(outputs_.begin() + static_cast<std::ptrdiff_t>(half), state_size_,
                    side.data.begin() + static_cast<std::ptrdiff_t>(side.data.size() / 2));
        std::copy_n(outputs_.begin() + static_cast<std::ptrdiff_t>(state_size_), memory_size_,
                    side.memory[stage].begin());
      }
      side.points.push_back(std::move(next));
    }
    return true;
  }

  /// (P_x + P_y)·(r_y − r_x) − 2 (S_y − S_x)
  static Sloped<T> area(const Point& x, const Point& y) {
    const std::size_t m = x.z.size() / 2;
    Sloped<T> total = T(2) * (x.action - y.action);
    for (std::size_t i = 0; i < m; ++i) total += (x.z[m + i] + y.z[m + i]) * (y.z[i] - x.z[i]);
    return total;
  }

  using Runner = std::conditional_t<std::is_same_v<T, double>, Step, InterpretedStep<T>>;

  CanonicalStep canonical_;
  std::vector<double> stages_;
  std::size_t n_;
  std::size_t state_size_;
  std::size_t memory_size_;
  bool symmetric_;
  std::vector<double> parameters_;
  Step start_;
  Runner step_;
  T h_{};
  Point center_;
  Side ahead_;
  Side behind_;
  std::vector<T> node_;
  std::vector<T> outputs_;
};

}  // namespace rattleback
