// [view]: how the motion is drawn (docs/models.md).

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/model/attitude_form.hpp"

namespace rattleback {
namespace {

struct SizeKey {
  const char* name;
  std::size_t count;  ///< of its numbers; 0: a list of points in the plane
  double of_radius;   ///< if it is not given, this times the radius; 0: it must be
};

std::vector<SizeKey> size_keys(Shape shape) {
  constexpr SizeKey radius{"radius", 1, 0.0};
  constexpr SizeKey length{"length", 1, 0.0};
  switch (shape) {
    case Shape::ball: return {radius};
    case Shape::ellipsoid: return {{"radii", 3, 0.0}};
    case Shape::disk: return {radius, {"thickness", 1, 0.1}};
    case Shape::wheel: return {radius, {"thickness", 1, 0.2}};
    case Shape::torus: return {radius, {"tube", 1, 0.0}};
    case Shape::box: return {{"size", 3, 0.0}};
    case Shape::cylinder:
    case Shape::cone: return {radius, length};
    case Shape::rod: return {radius};
    case Shape::prism: return {{"outline", 0, 0.0}, {"height", 1, 0.0}};
    case Shape::revolution: return {{"profile", 0, 0.0}};
    case Shape::blade:
    case Shape::sleigh: return {length};
  }
  return {};
}

bool has_axis(Shape shape) {
  constexpr Shape round[]{Shape::disk, Shape::wheel, Shape::torus, Shape::cylinder, Shape::cone, Shape::revolution};
  return std::ranges::find(round, shape) != std::end(round);
}

bool is_colour(const std::string& text) {
  constexpr std::string_view names[]{"blue", "orange", "green", "purple", "yellow",
                                     "sky",  "grey",   "brown", "white",  "black"};
  if (std::ranges::find(names, text) != std::end(names)) return true;
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

class ViewReader {
 public:
  ViewReader(const ModelText& text, const toml::table& section, const State* initial)
      : text_(text), section_(section), initial_(initial) {}

  View read() {
    text_.check_keys(section_, {"bodies", "traces", "ground", "slope"}, "[view]");
    const toml::node& bodies = text_.required(section_, "bodies", "[view]");
    for (const auto& [name, node] :
         ModelText::in_order(text_.table_of(bodies, "bodies", "written as sections [view.bodies.NAME]"))) {
      read_body(name, *node);
    }
    if (view_.bodies.empty() && names_.empty()) text_.fail(bodies, "[view] needs a body to draw");
    read_traces();
    read_ground();
    return std::move(view_);
  }

 private:
  /// The entries of a vector or matrix, or of a list of texts and numbers.
  std::vector<Expression> components(const toml::node& node, const std::string& what) const {
    std::vector<Expression> list;
    const auto add = [&](const toml::node& item) {
      if (item.is_string()) {
        for (Expression& e : text_.entry(item, what, text_.timed_names())) list.push_back(std::move(e));
      } else {
        list.emplace_back(text_.number(item, what));
      }
    };
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& item : *array) add(item);
    } else {
      add(node);
    }
    refuse_velocities(node, list);
    return list;
  }

  void refuse_velocities(const toml::node& node, const std::vector<Expression>& list) const {
    for (const Expression& e : list) {
      for (const Expression& symbol : free_symbols(e)) {
        if (symbol.name().ends_with('\'') || symbol.name().find(angular_velocity_suffix) != std::string::npos)
          text_.fail(node,
                     fmt::format("a view is one of positions: the velocity {} cannot be used in it", symbol.name()));
      }
    }
  }

  /// One point or several; two components are a point of the plane.
  std::vector<Expression> points(const toml::node& node, const std::string& what) const {
    std::vector<Expression> list = components(node, what);
    if (list.size() == 2) list.emplace_back(0.0);
    if (list.empty() || list.size() % 3 != 0) {
      text_.fail(node, fmt::format("{} must be a vector of two or three components, as in \"[x, y, 0]\", found {}",
                                   what, list.size()));
    }
    return list;
  }

  std::vector<Expression> rotation(const toml::node& node, const std::string& what) const {
    std::vector<Expression> list = components(node, what);
    if (list.size() % Rotation::positions != 0 || list.empty()) {
      text_.fail(node, fmt::format("{} must be a 3 by 3 matrix, as in \"rotz(theta)\", found {} number{}", what,
                                   list.size(), list.size() == 1 ? "" : "s"));
    }
    if (initial_ == nullptr) return list;
    const auto values = text_.values_at(*initial_);
    for (std::size_t k = 0; k < list.size(); k += Rotation::positions) {
      RotationMatrix given{};
      for (std::size_t i = 0; i < given.size(); ++i) given[i] = evaluate(list[k + i], values);
      if (const double distance = make_rotation(given); !(distance <= farthest_from_rotation)) {
        text_.fail(node, fmt::format("{} is no rotation at the initial position: its entries differ by up to {:.2g} "
                                     "from those of the nearest one",
                                     what, distance));
      }
    }
    return list;
  }

  void read_body(const std::string& name, const toml::node& node) {
    const std::string what = fmt::format("the body {} of [view]", name);
    const toml::table& table =
        text_.table_of(node, what, "as in { shape = \"ball\", radius = 1, position = \"[x, y, 1]\" }");
    names_.push_back(name);
    View::Body body{.name = name, .shape = text_.choice<Shape>(text_.required(table, "shape", what), "shape")};
    check_keys(table, body.shape, what);
    body.axis = usual_axis(body.shape);
    body.marks = usual_marks(body.shape);
    if (const toml::node* axis = table.get("axis")) body.axis = text_.choice<BodyAxis>(*axis, "axis");
    if (const toml::node* marks = table.get("marks")) body.marks = text_.choice<Marks>(*marks, "marks");
    if (const toml::node* colour = table.get("colour")) {
      body.colour = text_.text_of(*colour, "colour");
      if (!is_colour(body.colour)) {
        text_.fail(*colour, fmt::format("colour must be blue, orange, green, purple, yellow, sky, grey, brown, white, "
                                        "black or \"#rrggbb\", found '{}'",
                                        body.colour));
      }
    }
    const bool is_rod = body.shape == Shape::rod;
    const char* place = is_rod ? "from" : "position";
    const std::vector<Expression> positions =
        points(text_.required(table, place, what), fmt::format("{} of {}", place, what));
    std::vector<Expression> rotations, ends;
    if (is_rod) ends = points(text_.required(table, "to", what), "to of " + what);
    if (const toml::node* turned = table.get("rotation")) rotations = rotation(*turned, "rotation of " + what);
    if (!read_sizes(table, body, what)) return;
    add_copies(node, what, body, positions, rotations, ends);
  }

  /// "[i = 1..n] ..." has as many positions as there are bodies, and as many rotations or one.
  void add_copies(const toml::node& node, const std::string& what, const View::Body& body,
                  const std::vector<Expression>& positions, const std::vector<Expression>& rotations,
                  const std::vector<Expression>& ends) {
    const std::size_t count = std::max({positions.size() / 3, rotations.size() / Rotation::positions, ends.size() / 3});
    const auto part = [&](const std::vector<Expression>& all, std::size_t width, std::size_t k) {
      if (all.size() > width && all.size() != width * count)
        text_.fail(node, fmt::format("{} has {} of one thing and {} of another", what, count, all.size() / width));
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(all.size() > width ? k * width : 0);
      return all.empty() ? all : std::vector<Expression>(begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    for (std::size_t k = 0; k < count; ++k) {
      View::Body& copy = view_.bodies.emplace_back(body);
      if (count > 1) copy.name += std::to_string(k + 1);
      copy.position = part(positions, 3, k);
      copy.rotation = part(rotations, Rotation::positions, k);
      copy.end = part(ends, 3, k);
    }
  }

  void check_keys(const toml::table& table, Shape shape, const std::string& what) const {
    std::vector<std::string> known{"shape", "colour"};
    for (const SizeKey& key : size_keys(shape)) known.emplace_back(key.name);
    if (shape == Shape::rod) {
      known.insert(known.end(), {"from", "to"});
    } else {
      known.insert(known.end(), {"position", "rotation", "marks"});
    }
    if (has_axis(shape)) known.emplace_back("axis");
    text_.check_keys(table, known, fmt::format("{}, a {}", what, word_of(shape)));
  }

  /// False if a size that is an expression is not positive, as of a parameter that was set to 0: there is nothing to
  /// draw.
  bool read_sizes(const toml::table& table, View::Body& body, const std::string& what) const {
    for (const SizeKey& key : size_keys(body.shape)) {
      const toml::node* node = table.get(key.name);
      if (node == nullptr && key.of_radius > 0.0) {
        body.sizes.push_back({key.name, {key.of_radius * body.sizes.front().numbers[0]}});
        continue;
      }
      if (node == nullptr)
        text_.fail(table, fmt::format("{}, a {}, needs the key {}", what, word_of(body.shape), key.name));
      const std::string whose = fmt::format("{} of {}", key.name, what);
      body.sizes.push_back({key.name, key.count == 0 ? outline(*node, whose) : lengths(*node, key, whose)});
      if (key.count == 0) continue;
      if (std::ranges::all_of(body.sizes.back().numbers, [](double size) { return size > 0.0; })) continue;
      const bool from_parameters =
          node->is_string() ||
          (node->is_array() && std::ranges::any_of(*node->as_array(), [](const auto& n) { return n.is_string(); }));
      if (from_parameters) return false;
      text_.fail(*node, fmt::format("{} must be positive, found {}", whose,
                                    *std::ranges::min_element(body.sizes.back().numbers)));
    }
    return true;
  }

  std::vector<double> lengths(const toml::node& node, const SizeKey& key, const std::string& what) const {
    if (key.count == 1) return {text_.constant(node, what)};
    return numbers(node, key.count, what);
  }

  std::vector<double> numbers(const toml::node& node, std::size_t count, const std::string& what) const {
    std::vector<double> list;
    for (const toml::node& item : text_.array_of(node, what))
      list.push_back(text_.constant(item, "an entry of " + what));
    if (list.size() != count) text_.fail(node, fmt::format("{} has {} entries, expected {}", what, list.size(), count));
    return list;
  }

  /// [[x, y], …]: one number after the other.
  std::vector<double> outline(const toml::node& node, const std::string& what) const {
    std::vector<double> list;
    for (const toml::node& point : text_.array_of(node, what)) {
      for (const double number : numbers(point, 2, "a point of " + what)) list.push_back(number);
    }
    constexpr std::size_t fewest = 2;
    if (list.size() < 2 * fewest) text_.fail(node, fmt::format("{} needs more points", what));
    return list;
  }

  // [view.traces]: name = "point", or name = { point = "...", on = "body" }
  void read_traces() {
    const toml::node* traces = section_.get("traces");
    if (traces == nullptr) {
      if (!view_.bodies.empty()) view_.traces.push_back({"path", view_.bodies.front().position});
      return;
    }
    for (const auto& [name, node] : ModelText::in_order(
             text_.table_of(*traces, "traces", "as in [view.traces] and a line contact = \"c + R*r\""))) {
      const std::string what = fmt::format("the trace {} of [view]", name);
      View::Trace trace{name, {}};
      const toml::node* point = node;
      if (const toml::table* table = node->as_table()) {
        text_.check_keys(*table, {"point", "on"}, what);
        point = &text_.required(*table, "point", what);
        if (const toml::node* on = table->get("on")) trace.body = body_named(*on, what);
      }
      trace.point = points(*point, what);
      if (trace.point.size() != 3) text_.fail(*point, what + " must be one point");
      view_.traces.push_back(std::move(trace));
    }
  }

  std::optional<std::size_t> body_named(const toml::node& node, const std::string& what) const {
    const std::string& name = text_.text_of(node, "on");
    const auto found = std::ranges::find(view_.bodies, name, &View::Body::name);
    if (found != view_.bodies.end()) return static_cast<std::size_t>(found - view_.bodies.begin());
    if (std::ranges::find(names_, name) != names_.end()) return std::nullopt;  // without a size
    text_.fail(node, fmt::format("{} is on the body '{}', which is none; the bodies are {}", what, name,
                                 fmt::join(names_, ", ")));
  }

  void read_ground() {
    view_.ground.slope = read_slope(text_, section_);
    const toml::node* node = section_.get("ground");
    if (node == nullptr) return;
    const toml::table* table = node->as_table();
    if (table == nullptr) {
      view_.ground.kind = text_.choice<GroundKind>(*node, "ground");
      if (view_.ground.kind == GroundKind::sphere || view_.ground.kind == GroundKind::bowl) {
        const auto word = word_of(view_.ground.kind);
        text_.fail(*node,
                   fmt::format("a {} has a radius: write ground = {{ {} = 2, centre = [0, 0, 2] }}", word, word));
      }
      return;
    }
    text_.check_keys(*table, {"plane", "sphere", "bowl", "centre"}, "ground");
    const toml::node* size = nullptr;
    for (const GroundKind kind : {GroundKind::plane, GroundKind::sphere, GroundKind::bowl}) {
      const toml::node* found = table->get(word_of(kind));
      if (found == nullptr) continue;
      if (size != nullptr) text_.fail(*found, "ground must be one of plane, sphere and bowl");
      size = found;
      view_.ground.kind = kind;
    }
    if (size == nullptr) text_.fail(*node, "ground must be one of plane, sphere and bowl, as in { sphere = 2 }");
    const double number = text_.constant(*size, "ground");
    if (view_.ground.kind == GroundKind::plane) {
      view_.ground.centre[2] = number;
    } else if (!(number > 0.0)) {
      text_.fail(*size, fmt::format("the radius of the ground must be positive, found {}", number));
    } else {
      view_.ground.radius = number;
    }
    if (const toml::node* centre = table->get("centre")) {
      const std::vector<double> point = numbers(*centre, 3, "centre of the ground");
      std::ranges::copy(point, view_.ground.centre.begin());
    }
  }

  const ModelText& text_;
  const toml::table& section_;
  const State* initial_;
  std::vector<std::string> names_;
  View view_;
};

}  // namespace

BodyAxis usual_axis(Shape shape) {
  return shape == Shape::disk || shape == Shape::wheel || shape == Shape::torus ? BodyAxis::y : BodyAxis::z;
}

Marks usual_marks(Shape shape) {
  if (shape == Shape::ball) return Marks::octants;
  return shape == Shape::ellipsoid || shape == Shape::revolution ? Marks::rings : Marks::none;
}

std::array<double, 2> read_slope(const ModelText& text, const toml::table& section) {
  std::array<double, 2> angles{};
  const toml::node* node = section.get("slope");
  if (node == nullptr) return angles;
  const toml::array& slope = text.array_of(*node, "slope");
  if (slope.size() != 2)
    text.fail(*node, "slope must have two entries: by which angles the ground falls along +x, and rises along +y");
  for (std::size_t i = 0; i < 2; ++i) angles[i] = text.constant(slope[i], "an entry of slope");
  return angles;
}

View read_view(const ModelText& text, const State* initial) {
  return ViewReader(text, *text.table("view"), initial).read();
}

}  // namespace rattleback
