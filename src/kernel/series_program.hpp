#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/kernel/series.hpp"
#include "step_program.hpp"

namespace rattleback {

/// What has no power series.
class NoSeries : public RequestError {
 public:
  explicit NoSeries(const std::string& operation) : RequestError("there is no power series of '" + operation + "'") {}
};

/// Code for the coefficients of power series. All products of series are sums of products of coefficients,
///
///     (u w)ⱼ = u₀ wⱼ + uⱼ w₀ + Σ_{0<i<j} uᵢ w_{j−i},
///
/// of which the sums that are left, the convolutions, contain earlier coefficients only: they are all computed at once,
/// before the code for the order j. That is the same for each order.
///
///     head              from the data (inputs): values at t₀, the factors of K, q₁ and f₀
///     for j = 1, 2, …   variables ← qⱼ, f_{j−1}, j, 1/j, 1/(j+1), tⱼ, convolutions
///                       order: vⱼ; factors uⱼ, wⱼ of convolutions; q_{j+1}, fⱼ
struct SeriesProgram {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::uint32_t inputs = 0;
  std::uint32_t positions = 0;   ///< the first inputs, q₀
  std::uint32_t velocities = 0;  ///< the next ones, v₀
  int order = 0;
  CodeRange head;
  CodeRange each_order;
  std::vector<Value> first;     ///< q₁, f₀
  std::vector<Value> next;      ///< q_{j+1}, fⱼ
  std::vector<Value> velocity;  ///< vⱼ
  std::vector<Value> left;      ///< uⱼ of each convolution
  std::vector<Value> right;     ///< wⱼ
  std::vector<Value> trial;     ///< the solution for what is known
  std::size_t sines = 0;

  std::uint32_t state() const { return positions + velocities; }
  std::size_t convolutions() const { return left.size(); }
  // Slots of Opcode::variable; those before the number j are what an order leaves to the next.
  std::uint32_t number() const { return positions + velocities; }  ///< j
  std::uint32_t over_number() const { return number() + 1; }       ///< 1/j
  std::uint32_t over_next() const { return number() + 2; }         ///< 1/(j+1)
  std::uint32_t time() const { return number() + 3; }              ///< coefficient of t: 1 if j = 1, else 0
  std::uint32_t convolution(std::size_t k) const { return number() + 4 + static_cast<std::uint32_t>(k); }
  std::uint32_t variables() const { return convolution(convolutions()); }

  /// Compiled code keeps the factors order by order: those on the left, then those on the right, of one lane as many as
  /// fill up vectors. In the place of order 0 is what one order leaves to the next.
  std::size_t history_columns(int lanes) const { return lanes == 1 ? (convolutions() + 7) / 8 * 8 : convolutions(); }
  std::size_t history_row(int lanes) const {
    return std::max<std::size_t>(2 * history_columns(lanes), (state() + 7) / 8 * 8);
  }
  std::size_t history(int lanes) const { return history_row(lanes) * static_cast<std::size_t>((order + 1) * lanes); }

  friend bool operator==(const SeriesProgram&, const SeriesProgram&) = default;
};

/// Throws StructureError if v and λ are not determined, NoSeries.
SeriesProgram make_series_program(const SeriesSystem& system, int order);

/// The order in which the terms of a convolution are added up, the newest coefficients last: they are waited for.
///
///     s = (Σ even i) + (Σ odd i) over i = 2 … j−2, then u₁ w_{j−1}, then u_{j−1} w₁
template <class T, class Add>
T convolution(int j, T zero, Add&& add) {
  T sums[2] = {zero, zero};
  for (int i = 2; i <= j - 2; ++i) sums[i % 2] = add(i, sums[i % 2]);
  T sum = sums[0] + sums[1];
  if (j >= 2) sum = add(1, sum);
  if (j >= 3) sum = add(j - 1, sum);
  return sum;
}

}  // namespace rattleback
