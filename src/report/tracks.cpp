// The frames of an animation: where the bodies of a view are, and how they are turned.

#include <algorithm>
#include <cmath>

#include "parts.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t usual_frames = 1500;
constexpr std::size_t most_frames = 4000;
constexpr double largest_turn = 0.6;  ///< radians from frame to frame, as far as the table has rows for it

using Columns = std::vector<std::vector<double>>;

/// In the names of the columns that results have.
Substitution into_columns(const System& system) {
  Substitution names;
  for (const Parameter& p : system.parameter_list()) names.emplace(Expression::symbol(p.name), Expression(p.value));
  names.emplace(time_symbol(), Expression::symbol("time"));  // unless a parameter has this name
  for (const Expression& q : system.coordinates()) names.erase(q);
  for (const Rotation& rotation : system.rotations()) {
    const Matrix entries = rotation.by_quaternion();
    for (std::size_t k = 0; k < entries.entries.size(); ++k)
      names.emplace(rotation.matrix.entries[k], entries.entries[k]);
  }
  return names;
}

/// Nine columns of matrices as four of quaternions.
Columns quaternions(std::span<const std::vector<double>> entries) {
  Columns result(4, std::vector<double>(entries[0].size()));
  Quaternion last{1.0, 0.0, 0.0, 0.0};
  RotationMatrix matrix{};
  for (std::size_t row = 0; row < entries[0].size(); ++row) {
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] = entries[k][row];
    last = quaternion_of(matrix, last);
    for (std::size_t k = 0; k < last.size(); ++k) result[k][row] = last[k];
  }
  return result;
}

double largest_turn_between_rows(const Columns& q) {
  double largest = 0.0;
  for (std::size_t row = 1; row < q[0].size(); ++row) {
    double product = 0.0;
    for (const auto& column : q) product += column[row - 1] * column[row];
    if (std::isfinite(product)) largest = std::max(largest, 2.0 * std::acos(std::min(std::abs(product), 1.0)));
  }
  return largest;
}

/// Rᵀ(p − x): points of space in the frame of a body.
Track::Points seen_from(const Track::Body& body, const Track::Points& points) {
  if (body.rotation[0].empty()) {
    Track::Points result = points;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t row = 0; row < points[0].size(); ++row) result[i][row] -= body.position[i][row];
    }
    return result;
  }
  Track::Points result = points;
  for (std::size_t row = 0; row < points[0].size(); ++row) {
    const RotationMatrix r =
        matrix_of({body.rotation[0][row], body.rotation[1][row], body.rotation[2][row], body.rotation[3][row]});
    for (std::size_t i = 0; i < 3; ++i) {
      result[i][row] = 0.0;
      for (std::size_t j = 0; j < 3; ++j) result[i][row] += r[3 * j + i] * (points[j][row] - body.position[j][row]);
    }
  }
  return result;
}

}  // namespace

Track track_of(const std::string& name, const Model& model, const Table& table) {
  const View& view = *model.view;
  std::vector<Expression> wanted;
  const auto want = [&](const std::vector<Expression>& list) { wanted.insert(wanted.end(), list.begin(), list.end()); };
  for (const View::Body& body : view.bodies) want(body.position), want(body.rotation), want(body.end);
  for (const View::Trace& trace : view.traces) want(trace.point);
  const Columns all = table.evaluate(substitute(wanted, into_columns(model.system)));

  auto next = all.begin();
  const auto take = [&](auto& into) {
    for (auto& column : into) column = *next++;
  };
  Track track{name, *table.find("time"), *table.find("energy")};
  double turn = 0.0;
  for (const View::Body& body : view.bodies) {
    Track::Body& moving = track.bodies.emplace_back();
    take(moving.position);
    if (!body.rotation.empty()) {
      const Columns q = quaternions({next, next + Rotation::positions});
      next += Rotation::positions;
      std::ranges::copy(q, moving.rotation.begin());
      turn = std::max(turn, largest_turn_between_rows(q));
    }
    if (!body.end.empty()) take(moving.end);
  }
  for (const View::Trace& trace : view.traces) {
    Track::Trace& line = track.traces.emplace_back();
    take(line.point);
    if (trace.body) line.on_body = seen_from(track.bodies[*trace.body], line.point);
  }

  const double enough = turn * static_cast<double>(table.rows()) / largest_turn;
  const auto frames =
      static_cast<std::size_t>(std::clamp(enough, static_cast<double>(usual_frames), static_cast<double>(most_frames)));
  const auto rows = evenly(table.rows(), frames);
  const auto pick = [&](auto& columns) {
    for (auto& column : columns) {
      if (!column.empty()) column = picked(column, rows);
    }
  };
  track.t = picked(track.t, rows);
  track.energy = picked(track.energy, rows);
  for (Track::Body& body : track.bodies) pick(body.position), pick(body.rotation), pick(body.end);
  for (Track::Trace& trace : track.traces) pick(trace.point), pick(trace.on_body);
  return track;
}

const std::array<std::vector<double>, 3>& path_of(const Track& track) {
  return track.traces.empty() ? track.bodies.front().position : track.traces.front().point;
}

}  // namespace rattleback::report
