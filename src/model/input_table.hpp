#pragma once

#include <string>
#include <string_view>

#include "model_text.hpp"

namespace rattleback {

/// Whether what replaces an input is the name of a file, and not an expression.
bool is_table_file(std::string_view text);

/// { times = [...], values = [...], interpolation = "linear" }, or { file = "...", time = "...", value = "..." }: the
/// table as a function of t.
Expression read_input_table(const ModelText& text, const std::string& name, const toml::table& entry);

/// From a file that replaces what the model declares, and is read as that one would be.
Expression read_table_file(const ModelText& text, const std::string& name, const toml::node* declared,
                           std::string_view path);

}  // namespace rattleback
