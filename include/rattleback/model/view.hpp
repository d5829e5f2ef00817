#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/base/words.hpp"
#include "rattleback/expr/expression.hpp"

namespace rattleback {

class System;

/// What a body looks like, in its own frame (docs/models.md).
enum class Shape : std::uint8_t {
  ball,
  ellipsoid,
  disk,
  wheel,
  torus,
  box,
  cylinder,
  cone,
  rod,         ///< from one point to another
  prism,       ///< a polygon in the plane of x and y, drawn out along z
  revolution,  ///< a curve, turned about the axis
  blade,       ///< a skate that stands on the origin, x ahead
  sleigh       ///< a plate on a skate
};
template <>
inline constexpr auto words<Shape> = std::to_array<Word<Shape>>({{Shape::ball, "ball"},
                                                                 {Shape::ellipsoid, "ellipsoid"},
                                                                 {Shape::disk, "disk"},
                                                                 {Shape::wheel, "wheel"},
                                                                 {Shape::torus, "torus"},
                                                                 {Shape::box, "box"},
                                                                 {Shape::cylinder, "cylinder"},
                                                                 {Shape::cone, "cone"},
                                                                 {Shape::rod, "rod"},
                                                                 {Shape::prism, "prism"},
                                                                 {Shape::revolution, "revolution"},
                                                                 {Shape::blade, "blade"},
                                                                 {Shape::sleigh, "sleigh"}});

enum class BodyAxis : std::uint8_t { x, y, z };
template <>
inline constexpr auto words<BodyAxis> =
    std::to_array<Word<BodyAxis>>({{BodyAxis::x, "x"}, {BodyAxis::y, "y"}, {BodyAxis::z, "z"}});

/// What is painted on a body, so that one sees it turn.
enum class Marks : std::uint8_t {
  none,
  octants,  ///< of the axes of its frame, in two colours
  rings     ///< where the planes of its frame meet the surface
};
template <>
inline constexpr auto words<Marks> =
    std::to_array<Word<Marks>>({{Marks::none, "none"}, {Marks::octants, "octants"}, {Marks::rings, "rings"}});

enum class GroundKind : std::uint8_t { plane, sphere, bowl, none };
template <>
inline constexpr auto words<GroundKind> = std::to_array<Word<GroundKind>>({{GroundKind::plane, "plane"},
                                                                           {GroundKind::sphere, "sphere"},
                                                                           {GroundKind::bowl, "bowl"},
                                                                           {GroundKind::none, "none"}});

/// How the motion of a model is drawn: bodies with their frames, lines that points leave behind, and what is below.
/// Expressions are of positions, parameters and the time.
struct View {
  struct Size {
    std::string name;  ///< "radius"
    std::vector<double> numbers;
  };
  struct Body {
    std::string name;
    Shape shape = Shape::ball;
    std::vector<Size> sizes = {};
    BodyAxis axis = BodyAxis::z;  ///< of shapes that have one
    Marks marks = Marks::none;
    std::string colour = {};                ///< "#rrggbb" or the name of a colour; empty: that of the method
    std::vector<Expression> position = {};  ///< of the origin of its frame; of a rod, where it begins
    std::vector<Expression> rotation = {};  ///< the matrix from its frame to space, row by row; empty: none
    std::vector<Expression> end = {};       ///< of a rod
  };
  struct Trace {
    std::string name;
    std::vector<Expression> point;         ///< in space
    std::optional<std::size_t> body = {};  ///< which it leaves a line on, too
  };
  struct Ground {
    GroundKind kind = GroundKind::plane;
    double radius = 0.0;
    std::array<double, 3> centre{};  ///< of a plane, its height
    std::array<double, 2> slope{};   ///< angles by which it falls along +x, and rises along +y
  };
  std::vector<Body> bodies;
  std::vector<Trace> traces;
  Ground ground = {};
};

/// The axis of shapes that have one, if nothing else is said: wheels roll about y.
BodyAxis usual_axis(Shape shape);
Marks usual_marks(Shape shape);

/// The view of a model that says nothing about it: a ball at (x, y, z), and for each rotation the ellipsoid that has
/// its moments of inertia, as far as the Lagrangian has them on its diagonal. None without positions that are called
/// x and y, and rotations.
std::optional<View> automatic_view(const System& system);

}  // namespace rattleback
