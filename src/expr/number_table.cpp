#include "rattleback/expr/number_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "../base/checksum.hpp"

namespace rattleback {
namespace {

/// All tables by number.
struct NumberTables {
  std::shared_mutex mutex;
  std::map<double, std::unique_ptr<const NumberTable>> by_number;
};

NumberTables& all_tables() {
  static NumberTables& tables = *new NumberTables;  // never destroyed: expressions may be static too
  return tables;
}

bool same_pieces(const NumberTable::Piece& a, const NumberTable::Piece& b) {
  return a.origin == b.origin && std::ranges::equal(a.c, b.c);
}

/// Slopes at the rows of the monotone cubic: harmonic means of those on both sides, weighted by the intervals.
std::vector<double> monotone_slopes(std::span<const double> h, std::span<const double> secant) {
  const std::size_t n = h.size() + 1;
  if (n == 2) return {secant[0], secant[0]};
  std::vector<double> slope(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double left = secant[k - 1];
    const double right = secant[k];
    if (left * right <= 0.0) continue;
    const double w1 = 2.0 * h[k] + h[k - 1];
    const double w2 = h[k] + 2.0 * h[k - 1];
    slope[k] = (w1 + w2) / (w1 / left + w2 / right);
  }
  // At the ends a parabola through three rows, as steep as keeps the first piece monotone.
  const auto end = [&](std::size_t a, std::size_t b) {
    const double d = ((2.0 * h[a] + h[b]) * secant[a] - h[a] * secant[b]) / (h[a] + h[b]);
    if (d * secant[a] <= 0.0) return 0.0;
    if (secant[a] * secant[b] <= 0.0 && std::abs(d) > 3.0 * std::abs(secant[a])) return 3.0 * secant[a];
    return d;
  };
  slope.front() = end(0, 1);
  slope.back() = end(h.size() - 1, h.size() - 2);
  return slope;
}

}  // namespace

NumberTable::NumberTable(std::string label, Interpolation interpolation, std::vector<Piece> pieces, double number)
    : CallableNumbers{[](const CallableNumbers* t, double x) { return (*static_cast<const NumberTable*>(t))(x); }},
      interpolation_(interpolation), pieces_(std::move(pieces)), number_(number), label_(std::move(label)) {
  for (const Piece& piece : pieces_) {
    for (int k = 1; k < 4; ++k) {
      if (piece.c[k] != 0.0) degree_ = std::max(degree_, k);
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  search_.first = pieces_[1].origin;
  search_.begins = {-infinity};
  for (std::size_t i = 1; i < pieces_.size(); ++i) search_.begins.push_back(pieces_[i].origin);
  const std::size_t n = rows();
  const double length = last() - first();
  search_.buckets = static_cast<double>(n - 1);
  search_.buckets_per_unit = std::min(search_.buckets / length, std::numeric_limits<double>::max());
  // Breakpoint i in bucket i, or in one of the two before it: piece i + 1 is found from k without an index.
  bool is_grid = true;
  for (std::size_t i = 0; i < n && is_grid; ++i) {
    const std::size_t k = bucket(search_.begins[i + 1]);
    is_grid = k <= i && k + 2 >= i;
  }
  std::size_t most = 3;
  if (!is_grid) {
    search_.buckets = static_cast<double>(2 * n);
    search_.buckets_per_unit = std::min(search_.buckets / length, std::numeric_limits<double>::max());
    search_.index.assign(2 * n + 2, 0);
    for (std::size_t i = 0; i < n; ++i) ++search_.index[bucket(search_.begins[i + 1]) + 1];
    most = *std::ranges::max_element(search_.index);
    for (std::size_t k = 1; k < search_.index.size(); ++k) search_.index[k] += search_.index[k - 1];
  }
  search_.depth = static_cast<unsigned>(std::bit_width(most));
  search_.begins.resize(search_.begins.size() + (std::size_t{1} << search_.depth), infinity);
}

const NumberTable& NumberTable::make(std::string label, Interpolation interpolation, std::vector<Piece> pieces) {
  Checksum checksum;
  const auto add = [&](double x) {
    const auto bytes = std::bit_cast<std::array<char, sizeof x>>(x);
    checksum.add({bytes.data(), bytes.size()});
  };
  checksum.add(label);
  for (Piece& piece : pieces) {
    add(piece.origin);
    for (double& c : piece.c) add(c += 0.0);  // one zero
  }
  double number = std::floor(std::ldexp(static_cast<double>(checksum.value()), -12));  // 52 bits: integers are exact
  NumberTables& tables = all_tables();
  const std::unique_lock lock(tables.mutex);
  for (;; number += 1.0) {
    auto& place = tables.by_number[number];
    if (!place) {
      place.reset(new NumberTable(std::move(label), interpolation, std::move(pieces), number));
      return *place;
    }
    const NumberTable& found = *place;
    if (found.label_ == label && found.interpolation_ == interpolation &&
        std::ranges::equal(found.pieces_, pieces, same_pieces)) {
      return found;
    }
  }
}

const NumberTable& NumberTable::derivative() const {
  std::vector<Piece> slopes;
  for (const Piece& p : pieces_) slopes.push_back({p.origin, {p.c[1], 2.0 * p.c[2], 3.0 * p.c[3], 0.0}});
  return make(label_ + "'", interpolation_, std::move(slopes));
}

const NumberTable& make_number_table(const std::string& label, std::span<const double> times,
                                     std::span<const double> values, Interpolation interpolation) {
  const std::size_t n = times.size();
  if (values.size() != n) throw ExpressionError(fmt::format("{} times and {} values", n, values.size()));
  if (n < 2) throw ExpressionError(fmt::format("a table needs two rows or more, found {}", n));
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(times[i])) throw ExpressionError(fmt::format("the time of row {} is {}", i + 1, times[i]));
    if (!std::isfinite(values[i])) throw ExpressionError(fmt::format("the value of row {} is {}", i + 1, values[i]));
    if (i > 0 && times[i] <= times[i - 1]) {
      throw ExpressionError(
          fmt::format("times must increase: {} of row {} does not come after {}", times[i], i + 1, times[i - 1]));
    }
  }
  std::vector<double> h;
  std::vector<double> secant;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h.push_back(times[i + 1] - times[i]);
    secant.push_back((values[i + 1] - values[i]) / h[i]);
  }
  const std::vector<double> slope =
      interpolation == Interpolation::cubic ? monotone_slopes(h, secant) : std::vector<double>(n, 0.0);
  std::vector<NumberTable::Piece> pieces{{times[0], {values[0], 0.0, 0.0, 0.0}}};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    NumberTable::Piece piece{times[i], {values[i], 0.0, 0.0, 0.0}};
    if (interpolation == Interpolation::linear) piece.c[1] = secant[i];
    if (interpolation == Interpolation::cubic) {
      piece.c[1] = slope[i];
      piece.c[2] = (3.0 * secant[i] - 2.0 * slope[i] - slope[i + 1]) / h[i];
      piece.c[3] = (slope[i] + slope[i + 1] - 2.0 * secant[i]) / (h[i] * h[i]);
    }
    if (!std::ranges::all_of(piece.c, [](double c) { return std::isfinite(c); })) {
      throw ExpressionError(fmt::format("rows {} and {} are too close for their values: {} and {} at {} and {}", i + 1,
                                        i + 2, values[i], values[i + 1], times[i], times[i + 1]));
    }
    pieces.push_back(piece);
  }
  pieces.push_back({times[n - 1], {values[n - 1], 0.0, 0.0, 0.0}});
  return NumberTable::make(label, interpolation, std::move(pieces));
}

const NumberTable& number_table(double number) {
  NumberTables& tables = all_tables();
  const std::shared_lock lock(tables.mutex);
  const auto found = tables.by_number.find(number);
  if (found == tables.by_number.end()) throw ExpressionError(fmt::format("there is no table {}", number));
  return *found->second;
}

Expression interpolated(const NumberTable& table, const Expression& x) {
  const Expression arguments[] = {x, table.number()};
  return call(Function::table, arguments);
}

}  // namespace rattleback
