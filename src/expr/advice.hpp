#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rattleback {

/// What to write instead of a function of other languages and papers.
std::optional<std::string> advice_about_function(std::string_view name);

/// What to write instead of a name that is unknown here; `is_known` says which names there are.
std::optional<std::string> advice_about_name(const std::string& name,
                                             const std::function<bool(const std::string&)>& is_known);

}  // namespace rattleback
