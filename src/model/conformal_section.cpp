#include <fmt/format.h>

#include <algorithm>

#include "model_sections.hpp"

namespace rattleback {

ModelText::Names momentum_names(const ModelText& text) {
  ModelText::Names names;
  const toml::table* const conformal = text.table("conformal");
  const toml::node* const momenta = conformal == nullptr ? nullptr : conformal->get("momenta");
  if (momenta == nullptr) return names;
  for (const toml::node& node : text.array_of(*momenta, "momenta")) {
    for (const Expression& momentum : text.declared(node, "a momentum")) names.push_back(momentum.name());
  }
  return names;
}

std::optional<ConformalDefinition> read_conformal(const ModelText& text) {
  const toml::table* const conformal = text.table("conformal");
  if (conformal == nullptr) return std::nullopt;
  text.check_keys(*conformal, {"momenta", "hamiltonian", "factor"}, "[conformal]");
  for (const char* other : {"lagrangian", "constraints", "holonomic", "forces"}) {
    if (const toml::node* node = text.root().get(other)) {
      text.fail(*node, fmt::format("{} and [conformal] describe two systems: give one", other));
    }
  }
  const auto part = [&](const char* key) -> const toml::node& {
    if (const toml::node* node = conformal->get(key)) return *node;
    text.fail(*conformal, fmt::format("[conformal] needs the key {}: it has momenta, hamiltonian and factor", key));
  };
  ConformalDefinition definition;
  definition.coordinates = text.coordinates();
  definition.parameters = text.parameters();
  std::vector<std::string> names = text.position_names();
  for (const toml::node& node : text.array_of(part("momenta"), "momenta")) {
    for (const Expression& momentum : text.declared(node, "a momentum")) {
      const std::string& name = momentum.name();
      if (std::ranges::find(names, name) != names.end()) text.fail(node, fmt::format("the name {} is taken", name));
      definition.momenta.push_back(momentum);
      names.push_back(name);
    }
  }
  definition.hamiltonian = text.expression(part("hamiltonian"), "hamiltonian", names);
  if (conformal->contains("factor")) definition.factor = text.expression(part("factor"), "factor", names);
  return definition;
}

}  // namespace rattleback
