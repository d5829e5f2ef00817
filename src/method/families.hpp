#pragma once

#include <functional>
#include <variant>

#include "method_options.hpp"
#include "rattleback/method/flow.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {

/// What a method with its options is.
struct MapRecipe {
  std::function<Method(const Problem&, Geometry&)> derive;
  bool starts_from_reference = false;
};
struct FlowRecipe {
  std::function<std::unique_ptr<Flow>(const Problem&)> begin;
};
using Recipe = std::variant<MapRecipe, FlowRecipe>;

/// All methods with one name.
struct Family {
  MethodInfo info;
  /// What the options mean; they are known to exist. Throws MethodError.
  std::function<Recipe(const MethodOptions&)> read;
};

/// In the order in which they are listed to people.
const std::vector<Family>& families();

}  // namespace rattleback
