// [[vary]]: what is varied in an ensemble.

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/model/attitude_form.hpp"
#include "spec_sections.hpp"

namespace rattleback {
namespace {

enum class Randomness : std::uint8_t { uniform, normal, sphere, ball };

}  // namespace

template <>
inline constexpr auto words<Randomness> = std::to_array<Word<Randomness>>({{Randomness::uniform, "uniform"},
                                                                           {Randomness::normal, "normal"},
                                                                           {Randomness::sphere, "sphere"},
                                                                           {Randomness::ball, "ball"}});

namespace {

class AxisReader {
 public:
  AxisReader(const SpecFile& file, const toml::table& axis, const Model& model, RandomStream stream)
      : file_(file), axis_(axis), model_(model), stream_(stream),
        of_(file.names(file.required(axis, "of", "[[vary]]"), "of")) {
    for (const std::string& name : of_) {
      if (std::ranges::count(of_, name) > 1) fail(fmt::format("'{}' is varied twice", name));
    }
  }

  Axis read() const {
    try {
      if (axis_.contains("values")) return read_list();
      if (axis_.contains("polytope")) return read_polytope();
      return axis_.contains("random") ? read_random() : read_line();
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& summary) const { file_.fail(axis_, summary); }

  void check_keys(const std::vector<std::string>& known, const std::string& what) const {
    file_.check_keys(axis_, known, what);
  }
  std::vector<double> values(const char* key, const std::string& what) const {
    return file_.values(file_.required(axis_, key, what), key, of_.size());
  }
  std::int64_t count(const std::string& what) const {
    return file_.count(file_.required(axis_, "count", what), "count");
  }
  double radius(const std::string& what) const {
    return file_.positive(file_.required(axis_, "radius", what), "radius");
  }

  Axis read_list() const {
    check_keys({"of", "values"}, "[[vary]] with values");
    const toml::node& node = *axis_.get("values");
    std::vector<std::vector<double>> points;
    for (const toml::node& entry : file_.array_of(node, "values")) {
      if (of_.size() > 1 && !entry.is_array()) {
        file_.fail(entry,
                   fmt::format("a point of values is a list of {} numbers, for {}", of_.size(), fmt::join(of_, ", ")));
      }
      points.push_back(file_.values(entry, "a point of values", of_.size()));
    }
    if (points.empty()) file_.fail(node, "values is empty");
    return list_axis(of_, std::move(points));
  }

  Axis read_polytope() const {
    check_keys({"of", "polytope", "center", "radius"}, "[[vary]] with a polytope");
    return polytope_axis(of_, center(), radius("a polytope"), file_.text_of(*axis_.get("polytope"), "polytope"));
  }

  Axis read_line() const {
    if (!axis_.contains("from") && !axis_.contains("to")) {
      check_keys({"of", "values", "from", "to", "count", "spacing", "random", "polytope"}, "[[vary]]");
    }
    check_keys({"of", "from", "to", "count", "spacing"}, "[[vary]] from ... to");
    if (!axis_.contains("from")) {
      fail("[[vary]] needs one of: values = [...], from/to/count, random = \"...\", polytope = \"...\"");
    }
    const std::string what = "[[vary]] with from";
    const auto from = values("from", what);
    const auto to = values("to", what);
    const toml::node* const node = axis_.get("spacing");
    const Spacing spacing = node == nullptr ? Spacing::linear : file_.choice<Spacing>(*node, "spacing");
    for (std::size_t i = 0; spacing == Spacing::logarithmic && i < of_.size(); ++i) {
      if (!(from[i] * to[i] > 0.0)) {
        fail(fmt::format("logarithmic spacing needs ends with the same sign, neither of them zero, found {} and {}",
                         from[i], to[i]));
      }
    }
    return line_axis(of_, from, to, count(what), spacing);
  }

  Axis read_random() const {
    const auto kind = file_.choice<Randomness>(*axis_.get("random"), "random");
    const std::string what = "a random axis";
    switch (kind) {
      case Randomness::uniform: {
        check_keys({"of", "random", "from", "to", "count"}, "uniform random values");
        const auto from = values("from", "uniform");
        return uniform_axis(of_, from, values("to", "uniform"), count(what), stream_);
      }
      case Randomness::normal: {
        check_keys({"of", "random", "mean", "deviation", "count"}, "normal random values");
        const auto deviation = values("deviation", "normal");
        for (const double d : deviation) {
          if (d >= 0.0) continue;
          file_.fail(*axis_.get("deviation"), fmt::format("a deviation cannot be negative, found {}", d));
        }
        return normal_axis(of_, axis_.contains("mean") ? values("mean", "normal") : center(), deviation, count(what),
                           stream_);
      }
      case Randomness::sphere:
      case Randomness::ball: break;
    }
    const std::string name(word_of(kind));
    check_keys({"of", "random", "center", "radius", "count"}, "random points of a " + name);
    const double r = radius(name);
    return kind == Randomness::sphere ? sphere_axis(of_, center(), r, count(what), stream_)
                                      : ball_axis(of_, center(), r, count(what), stream_);
  }

  /// Where points lie around: the model's own values if nothing else is given.
  std::vector<double> center() const {
    if (const toml::node* node = axis_.get("center")) return file_.values(*node, "center", of_.size());
    const System& system = model_.system;
    std::vector<double> result;
    for (const std::string& name : of_) {
      std::optional<double> found;
      for (std::size_t i = 0; i < system.space().numbers; ++i) {
        if (system.coordinates()[i].name() == name && model_.initial) found = model_.initial->q[i];
      }
      if (const auto number = attitude_number(system, name); number && model_.initial) {
        const auto matrix =
            std::span(model_.initial->q).subspan(system.space().position_of(number->rotation), Rotation::positions);
        found = number->form.numbers_of(matrix)[number->index];
      }
      for (std::size_t i = 0; i < system.dimension(); ++i) {
        if (system.velocities()[i].name() == name && model_.initial) found = model_.initial->v[i];
      }
      for (std::size_t i = 0; i < system.parameters().size(); ++i) {
        if (system.parameters()[i].name() == name) found = system.parameter_values()[i];
      }
      if (!found) fail(fmt::format("the model has no value of '{}': give a center (or a mean)", name));
      result.push_back(*found);
    }
    return result;
  }

  const SpecFile& file_;
  const toml::table& axis_;
  const Model& model_;
  RandomStream stream_;
  std::vector<std::string> of_;
};

}  // namespace

Axis read_axis(const SpecFile& file, const toml::table& axis, const Model& model, RandomStream stream) {
  return AxisReader(file, axis, model, stream).read();
}

}  // namespace rattleback
