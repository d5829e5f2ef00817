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
#include "rattleback/mech/compiled_map.hpp"
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
  Orbit(const Method& method, const Problem& problem) : Orbit(method, problem, with_action(method)) {}

  /// The orbit of this state under steps of size h. `velocity` is that of the node, from which first guesses are made.
  void begin(std::span<const T> state, std::span<const double> velocity, std::span<const T> direction, const T& h) {
    h_ = h;
    center_ = make_point(state, direction);
    for (Side* side : {&ahead_, &behind_}) {
      side->points.assign(1, Point{std::vector<Sloped<T>>(2 * canonical_.positions.size()), {}});
      side->data = make_data(state, direction);
      side->memory.clear();
    }
    const std::span<double> q = start_[Slot::position];
    std::transform(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(q.size()), q.begin(),
                   [](const T& x) { return static_cast<double>(x); });
    start_.set(Slot::velocity, velocity);
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

  Orbit(const Method& method, const Problem& problem, const ImplicitSystem& step)
      : canonical_(*method.canonical), stages_(method.stages), symmetric_(method.structure.symmetric),
        parameters_(problem.parameters), start_(method.start, problem, Backend::interpreted), step_(step),
        data_(step.data_layout), output_(step.output_layout), outputs_(step.outputs.size()) {}

  static double binomial(int n, int k) {
    double result = 1.0;
    for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
    return result;
  }

  /// The step with outputs (state, memory, increments of r, L_d), and their derivatives.
  static ImplicitSystem with_action(const Method& method) {
    ImplicitSystem step = method.step.without_outputs();
    std::vector<Expression> increments;
    for (const std::size_t i : method.canonical->positions) {
      increments.push_back(method.step.given(Slot::increments)[i]);
    }
    step.give(Slot::state, method.step.given(Slot::state));
    step.give(Slot::memory, method.step.given(Slot::memory));
    step.give(Slot::increments, increments);
    step.give(Slot::others, {&method.canonical->action, 1});
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
    std::vector<T> data(data_.size());
    std::ranges::copy(state, data_.of(data, Slot::state).begin());
    std::ranges::copy(parameters_, data_.of(data, Slot::parameters).begin());
    std::ranges::copy(direction, directions_of_state(data).begin());
    return data;
  }

  /// Where the directions of the state are among the data.
  std::span<T> directions_of_state(std::vector<T>& data) const {
    return data_.of(data, Slot::direction).subspan(data_[Slot::state].begin, data_[Slot::state].size);
  }

  /// What the velocity tells about the first step of each stage.
  bool guess(Side& side, const T& h) {
    for (const double fraction : stages_) {
      start_.set(Slot::step, static_cast<double>(fraction * h));
      if (!start_.run()) return false;
      side.memory.emplace_back(start_(Slot::memory).begin(), start_(Slot::memory).end());
    }
    return true;
  }

  bool take(std::vector<T>& data) {
    if constexpr (std::is_same_v<T, double>) {
      return step_.run(data, outputs_) == 1;
    } else {
      return step_.run(data, outputs_);
    }
  }

  bool extend(Side& side, const T& h, std::size_t count) {
    if (side.memory.empty() && !guess(side, h)) return false;
    const std::size_t m = canonical_.positions.size();
    const std::size_t half = output_[Slot::direction].begin;
    const auto output = [&](Slot slot, std::size_t i) {
      const std::size_t at = output_[slot].begin + i;
      return Sloped<T>{outputs_[at], outputs_[half + at]};
    };
    while (side.points.size() <= count) {
      Point next = side.points.back();
      for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        std::ranges::copy(side.memory[stage], data_.of(side.data, Slot::memory).begin());
        data_.of(side.data, Slot::step)[0] = stages_[stage] * h;
        if (!take(side.data)) return false;
        next.action += output(Slot::others, 0);
        for (std::size_t i = 0; i < m; ++i) {  // S counts from the middle as well: S − P₀·(r − r₀)
          const Sloped<T>& p0 = center_.z[m + i];
          next.z[i] += output(Slot::increments, i);
          next.z[m + i] = output(Slot::state, canonical_.momenta[i]) - p0;
          next.action = next.action - p0 * output(Slot::increments, i);
        }
        const std::span<T> state = data_.of(side.data, Slot::state);
        const std::span<T> direction = directions_of_state(side.data);
        for (std::size_t i = 0; i < state.size(); ++i) {
          state[i] = output(Slot::state, i).value;
          direction[i] = output(Slot::state, i).slope;
        }
        std::ranges::copy(output_.of(outputs_, Slot::memory), side.memory[stage].begin());
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
  bool symmetric_;
  std::vector<double> parameters_;
  CompiledMap start_;
  Runner step_;
  Layout data_;    ///< of the step
  Layout output_;  ///< likewise
  T h_{};
  Point center_;
  Side ahead_;
  Side behind_;
  std::vector<T> outputs_;
};

}  // namespace rattleback
