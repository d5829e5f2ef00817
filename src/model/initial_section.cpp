#include <fmt/format.h>

#include "model_sections.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// A number or an expression of the parameters for every coordinate; zeros if the key is not there.
std::vector<double> read_vector(const ModelText& text, const toml::table& initial, const char* key, std::size_t n) {
  const toml::node* node = initial.get(key);
  if (node == nullptr) return std::vector<double>(n, 0.0);
  std::vector<double> values;
  const std::string what = fmt::format("an entry of {}", key);
  for (const toml::node& item : text.array_of(*node, key)) {
    if (item.is_string()) {
      for (const Expression& e : text.entry(item, what, text.parameter_names())) {
        values.push_back(text.value_of(item, what, e));
      }
    } else {
      values.push_back(text.number(item, what));
    }
  }
  if (values.size() != n) {
    std::string of = fmt::format("one for each of {}", fmt::join(text.listed_coordinates(), ", "));
    if (text.coordinates().empty()) of.clear();
    if (!text.rotations().empty()) {
      of += fmt::format("{}{} for each rotation", of.empty() ? "" : ", and ",
                        key[0] == 'q' ? "a quaternion w, x, y, z" : "three components of the angular velocity");
    }
    text.fail(*node, fmt::format("{} has {} entries, expected {}: {}", key, values.size(), n, of));
  }
  return values;
}

/// A table by name: numbers or expressions of the parameters for some of the coordinates. What stands for rotations is
/// left to `read_rotation`.
SomeNumbers read_some(const ModelText& text, const toml::table& entries, const char* key, auto&& read_rotation) {
  SomeNumbers numbers(text.space().velocities());
  std::vector<std::string> known;
  for (const Rotation& rotation : text.rotations()) {
    if (const toml::node* node = entries.get(rotation.name)) {
      const auto values = read_rotation(known.size(), *node, fmt::format("{} of {}", key, rotation.name));
      for (std::size_t i = 0; i < Rotation::velocities; ++i)
        numbers[text.space().velocity_of(known.size()) + i] = values[i];
    }
    known.push_back(rotation.name);
  }
  for (const Expression& q : text.coordinates()) known.push_back(q.name());
  text.check_keys(entries, known, fmt::format("{} of [initial], whose keys are coordinates", key));
  for (std::size_t i = 0; i < text.coordinates().size(); ++i) {
    const std::string& name = text.coordinates()[i].name();
    if (const toml::node* node = entries.get(name))
      numbers[i] = text.constant(*node, fmt::format("{} of {}", key, name));
  }
  return numbers;
}

/// q̇ = N ∂H/∂p
std::vector<double> velocities(const ModelText& text, const ConformalDefinition& conformal,
                               const std::vector<double>& q, const std::vector<double>& p) {
  std::unordered_map<Expression, double> values;
  for (const Parameter& parameter : text.parameters()) {
    values.emplace(Expression::symbol(parameter.name), parameter.value);
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    values.emplace(text.coordinates()[i], q[i]);
    values.emplace(conformal.momenta[i], p[i]);
  }
  std::vector<double> v;
  for (const Expression& slope : gradient(conformal.hamiltonian, conformal.momenta)) {
    v.push_back(evaluate(conformal.factor * slope, values));
  }
  return v;
}

}  // namespace

std::optional<InitialSection> read_initial(const ModelText& text, const std::optional<ConformalDefinition>& conformal,
                                           const System& system) {
  const toml::table* initial = text.table("initial");
  if (initial == nullptr) return std::nullopt;
  text.check_keys(*initial, {"q", "v", "p", "t"}, "[initial]");
  if (!initial->contains("q")) text.fail(*initial, "q is missing in [initial]");
  const toml::node* momenta = initial->get("p");
  const toml::node* time = initial->get("t");
  const double t = time != nullptr ? text.constant(*time, "t in [initial]") : 0.0;
  const auto completed = [&](const toml::node& node, auto&& complete) {
    try {
      return complete();
    } catch (const ModelError&) {
      throw;
    } catch (const RequestError& error) {
      text.fail(node, error.what());
    }
  };
  std::vector<double> q;
  if (const toml::node& node = *initial->get("q"); node.is_table()) {
    std::vector<double> near = text.space().origin();
    const auto turn = [&](std::size_t k, const toml::node& rotation, const std::string& what) {
      std::ranges::copy(read_attitude(text, rotation, what),
                        near.begin() + static_cast<std::ptrdiff_t>(text.space().position_of(k)));
      return std::vector<double>(Rotation::velocities, 0.0);  // it is given
    };
    const SomeNumbers given = read_some(text, *node.as_table(), "q", turn);
    q = completed(node, [&] { return completed_positions(system, system.parameter_values(), given, near, t); });
  } else {
    q = text.space().from_shown(read_vector(text, *initial, "q", text.space().shown_positions()));
  }
  const toml::node* velocity = initial->get("v");
  if (velocity != nullptr && velocity->is_table() && momenta == nullptr) {
    const auto omega = [&](std::size_t, const toml::node& node, const std::string& what) {
      std::vector<double> values;
      if (node.is_string()) {
        for (const Expression& e : text.entry(node, what, text.parameter_names()))
          values.push_back(text.value_of(node, what, e));
      } else {
        for (const toml::node& item : text.array_of(node, what)) values.push_back(text.constant(item, what));
      }
      if (values.size() != Rotation::velocities)
        text.fail(node, fmt::format("{} has three components, as in [0, 0, 1], found {}", what, values.size()));
      return values;
    };
    const SomeNumbers given = read_some(text, *velocity->as_table(), "v", omega);
    const auto v =
        completed(*velocity, [&] { return completed_velocities(system, system.parameter_values(), q, given, t); });
    return InitialSection{{q, v, t}, given};
  }
  if (momenta == nullptr)
    return InitialSection{{q, read_vector(text, *initial, "v", text.space().velocities()), t}, {}};
  if (!conformal) text.fail(*momenta, "p in [initial] is for models with [conformal]; others have v");
  if (const toml::node* v = initial->get("v")) text.fail(*v, "v and p in [initial] say the same: give one");
  return InitialSection{
      {q, velocities(text, *conformal, q, read_vector(text, *initial, "p", text.coordinates().size())), t}, {}};
}

}  // namespace rattleback
