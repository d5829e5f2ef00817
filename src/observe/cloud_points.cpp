// Which points a cloud has.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "../base/files.hpp"
#include "../model/source_text.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

constexpr std::int64_t most_cloud_points = 1000000;
constexpr std::size_t most_dimensions_of_clouds = 8;

/// An entry of a line, without the blanks around it.
struct Cell {
  std::string_view text;
  std::size_t column;  ///< where it begins, from 1
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t first = begin;
    std::size_t last = end;
    while (first < last && is_blank(line[first])) ++first;
    while (last > first && is_blank(line[last - 1])) --last;
    cells.push_back({line.substr(first, last - first), first + 1});
    begin = end + 1;
  }
  return cells;
}

class PointReader {
 public:
  PointReader(std::string_view text, const std::string& file, const std::vector<std::string>& coordinates)
      : source_(text, file), text_(text), coordinates_(coordinates) {}

  Points read() {
    for (std::size_t line = 1; !text_.empty(); ++line) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::vector<Cell> cells = cells_of(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (cells.size() == 1 && cells[0].text.empty()) continue;
      if (order_.empty()) {
        read_header(line, cells);
      } else {
        read_point(line, cells);
      }
    }
    const std::size_t least = coordinates_.size() + 2;
    if (points_.size() < least) {
      source_.fail({1, 1}, fmt::format("a cloud in {} dimensions needs at least {} points, found {}",
                                       coordinates_.size(), least, points_.size()));
    }
    return std::move(points_);
  }

 private:
  void read_header(std::size_t line, const std::vector<Cell>& cells) {
    const auto expected = [&] { return fmt::format("expected {} in any order", fmt::join(coordinates_, ",")); };
    if (cells.size() != coordinates_.size()) {
      source_.fail({line, 1}, fmt::format("the header names {} coordinates; {}", cells.size(), expected()));
    }
    for (const Cell& cell : cells) {
      const auto found = std::ranges::find(coordinates_, cell.text);
      if (found == coordinates_.end()) {
        source_.fail({line, cell.column}, fmt::format("'{}' is no coordinate; {}", cell.text, expected()));
      }
      const auto index = static_cast<std::size_t>(found - coordinates_.begin());
      if (std::ranges::find(order_, index) != order_.end()) {
        source_.fail({line, cell.column}, fmt::format("'{}' is there twice; {}", cell.text, expected()));
      }
      order_.push_back(index);
    }
  }

  void read_point(std::size_t line, const std::vector<Cell>& cells) {
    if (cells.size() != order_.size()) {
      source_.fail({line, 1}, fmt::format("a point has {} numbers, found {}", order_.size(), cells.size()));
    }
    if (points_.size() == static_cast<std::size_t>(most_cloud_points)) {
      source_.fail({line, 1}, fmt::format("a cloud has at most {} points", most_cloud_points));
    }
    std::vector<double> point(order_.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double value = 0.0;
      const std::string_view text = cells[k].text;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        source_.fail({line, cells[k].column}, fmt::format("'{}' is no finite number", text));
      }
      point[order_[k]] = value;
    }
    points_.push_back(std::move(point));
  }

  SourceText source_;
  std::string_view text_;  ///< what is not read yet
  const std::vector<std::string>& coordinates_;
  std::vector<std::size_t> order_;  ///< of the columns among the coordinates
  Points points_;
};

}  // namespace

Points points_from_text(std::string_view text, const std::string& file, const std::vector<std::string>& coordinates) {
  return PointReader(text, file, coordinates).read();
}

Points cloud_points(const CloudShape& shape, const std::vector<std::string>& coordinates) {
  const std::size_t dimension = coordinates.size();
  if (dimension > most_dimensions_of_clouds) {
    throw RequestError(fmt::format("convex hulls are computed in up to {} dimensions, and here (r, p) have {}",
                                   most_dimensions_of_clouds, dimension));
  }
  if (!shape.file.empty()) return points_from_text(read_file(shape.file), shape.file, coordinates);
  if (!shape.count) {
    if (dimension == 4) return six_hundred_cell();
    throw RequestError(fmt::format(
        "the 600-cell lies in four dimensions, and here (r, p) have {}; give a number of points", dimension));
  }
  const auto least = static_cast<std::int64_t>(dimension) + 2;
  if (*shape.count < least || *shape.count > most_cloud_points) {
    throw RequestError(fmt::format(
        "`cloud` must be 600-cell, a file ending with .csv, or a number of points between {} and {}; found {}", least,
        most_cloud_points, *shape.count));
  }
  return points_on_sphere(static_cast<std::size_t>(*shape.count), dimension);
}

}  // namespace rattleback
