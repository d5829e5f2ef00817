#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback {

/// How a name of a method that is being typed can go on.
struct MethodCompletion {
  std::string text;         ///< the whole name: "dla:midpoint:order="
  std::string description;  ///< empty where the text says it all
  bool has_more = false;    ///< ":" and another option may follow
};

/// All ways in which "dla:midpoint:or" can go on, in the order of the registry: methods, their options after colons,
/// the values these may have. Options that are there already, and those that contradict them, are left out.
std::vector<MethodCompletion> complete_method(std::string_view typed);

}  // namespace rattleback
