#pragma once

#include <cstdint>
#include <string>

#include "rattleback/base/words.hpp"

namespace rattleback {

enum class FigureKind : std::uint8_t {
  line,   ///< y over x
  path,   ///< in the plane, with equal scales
  space,  ///< with a third coordinate
  map,    ///< a third number as the colour of points of a grid
};
constexpr bool has_third_axis(FigureKind kind) { return kind == FigureKind::space || kind == FigureKind::map; }

template <>
inline constexpr auto words<FigureKind> = std::to_array<Word<FigureKind>>(
    {{FigureKind::line, "line"}, {FigureKind::path, "path"}, {FigureKind::space, "space"}, {FigureKind::map, "map"}});

enum class SeriesStyle : std::uint8_t { line, points, both };
template <>
inline constexpr auto words<SeriesStyle> = std::to_array<Word<SeriesStyle>>(
    {{SeriesStyle::line, "line"}, {SeriesStyle::points, "points"}, {SeriesStyle::both, "both"}});

enum class Scale : std::uint8_t { linear, logarithmic };
template <>
inline constexpr auto words<Scale> =
    std::to_array<Word<Scale>>({{Scale::linear, "linear"}, {Scale::logarithmic, "log"}});

struct FigureAxis {
  std::string label;
  Scale scale = Scale::linear;
};

}  // namespace rattleback
