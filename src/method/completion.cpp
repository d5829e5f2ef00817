#include "rattleback/method/completion.hpp"

#include <algorithm>

#include "rattleback/method/registry.hpp"

namespace rattleback {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// An option as the registry lists it: "midpoint", "order=2|4|6", or "tolerance=1e-13" with its default.
struct ListedOption {
  explicit ListedOption(const std::string& text) : key(text.substr(0, text.find('='))) {
    if (key.size() < text.size()) values = split(std::string_view(text).substr(key.size() + 1), '|');
    has_any_value = values.size() == 1;
  }
  /// The option with each of its values.
  std::vector<std::string> spellings() const {
    std::vector<std::string> all;
    for (const std::string& value : values) all.push_back(key + "=" + value);
    return values.empty() ? std::vector<std::string>{key} : all;
  }
  std::string key;
  std::vector<std::string> values;
  bool has_any_value;  ///< the one that is listed is its default
};

bool is_accepted(const std::string& name) {
  try {
    MethodSpec{name};
    return true;
  } catch (const MethodError&) {
    return false;
  }
}

/// Whether an option contradicts one that is given: each is accepted alone, and not both. What is refused alone may
/// need an option that is still to come.
bool contradicts(const std::string& method, const std::vector<std::string>& given, const std::string& option) {
  if (!is_accepted(method + ":" + option)) return false;
  return std::any_of(given.begin(), given.end(), [&](const std::string& other) {
    return is_accepted(method + ":" + other) && !is_accepted(method + ":" + other + ":" + option);
  });
}

std::vector<ListedOption> options_left(const MethodInfo& method, const std::vector<std::string>& given) {
  std::vector<ListedOption> left;
  for (const std::string& text : method.options) {
    ListedOption option(text);
    const bool is_given = std::any_of(given.begin(), given.end(), [&](const std::string& other) {
      return other.substr(0, other.find('=')) == option.key;
    });
    if (is_given) continue;
    std::vector<std::string> spellings = option.spellings();
    std::erase_if(spellings, [&](const std::string& s) { return contradicts(method.name, given, s); });
    if (spellings.empty()) continue;
    if (!option.values.empty()) {
      option.values.clear();
      for (const std::string& s : spellings) option.values.push_back(s.substr(option.key.size() + 1));
    }
    left.push_back(std::move(option));
  }
  return left;
}

std::vector<MethodCompletion> complete_option(const MethodInfo& method, std::string_view typed) {
  const std::size_t colon = typed.rfind(':');
  const std::string before(typed.substr(0, colon + 1));
  const std::string last(typed.substr(colon + 1));
  std::vector<std::string> given = split(typed.substr(0, colon), ':');
  given.erase(given.begin());
  const std::vector<ListedOption> options = options_left(method, given);
  const bool has_more = options.size() > 1;
  std::vector<MethodCompletion> found;
  for (const ListedOption& option : options) {
    if (last.find('=') == std::string::npos) {
      if (!option.key.starts_with(last)) continue;
      const std::string text = before + option.key + (option.values.empty() ? "" : "=");
      std::string description;
      for (const std::string& value : option.values) description += (description.empty() ? "" : "|") + value;
      found.push_back({text, option.has_any_value ? description + " if not given" : description,
                       option.values.empty() && has_more});
      continue;
    }
    for (const std::string& spelling : option.spellings()) {
      if (spelling.starts_with(last)) {
        found.push_back({before + spelling, option.has_any_value ? "if not given" : "", has_more});
      }
    }
  }
  return found;
}

}  // namespace

std::vector<MethodCompletion> complete_method(std::string_view typed) {
  const std::string_view name = typed.substr(0, typed.find(':'));
  std::vector<MethodCompletion> found;
  for (const MethodInfo& method : methods()) {
    if (name.size() == typed.size()) {
      if (method.name.starts_with(name)) found.push_back({method.name, method.summary, !method.options.empty()});
    } else if (method.name == name) {
      return complete_option(method, typed);
    }
  }
  return found;
}

}  // namespace rattleback
