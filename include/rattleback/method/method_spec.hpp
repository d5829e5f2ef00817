#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "rattleback/method/flow.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// A method with its options, as people write it: "dla:trapezoidal:order=4", "reference:tolerance=1e-12". Read once, it
/// is handed on as a value; to derive it costs no reading any more.
class MethodSpec {
 public:
  /// Throws MethodError unless there is such a method with such options.
  MethodSpec(std::string_view text);  // NOLINT(google-explicit-constructor): a text is a method, or throws
  MethodSpec(const std::string& text) : MethodSpec(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  MethodSpec(const char* text) : MethodSpec(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)

  using Equations = std::function<Method(const Problem&)>;
  /// A map that no text describes: other equations, which start as this method does. `name` is its text.
  MethodSpec with_equations(std::string name, Equations equations) const;

  /// As it was written.
  const std::string& text() const;
  /// The motion at any time (flow.hpp), not a map with a step of a given size.
  bool is_flow() const;

  /// The equations of a map for a problem. Throws MethodError, also for flows, which have none.
  Method derive(const Problem& problem) const;
  /// The same with geometry that may be known already.
  Method derive(const Problem& problem, Geometry& geometry) const;
  /// The flow of a problem. Throws MethodError for maps.
  std::unique_ptr<Flow> flow(const Problem& problem) const;

  /// Whether the first step of a map is to come from a reference solution.
  bool starts_from_reference() const;
  /// The option start=…, as it was written; empty if it was not.
  const std::string& start() const;

  friend bool operator==(const MethodSpec& a, const MethodSpec& b) { return a.text() == b.text(); }

 private:
  struct Meaning;
  std::shared_ptr<const Meaning> meaning_;
};

/// As they were written.
std::vector<std::string> texts_of(const std::vector<MethodSpec>& methods);

}  // namespace rattleback
