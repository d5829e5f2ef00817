#pragma once

#include <cctype>
#include <string>

namespace rattleback::test {

/// The name of a case that is known by a text: "max[t: x']" is max_t_x_prime.
inline std::string case_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    if (c == '\'') {
      name += "_prime";
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

/// A case that is worth running once, in one build, says so in its name (tests/CMakeLists.txt).
inline std::string long_case_if(bool is_long, std::string name) { return is_long ? name + "_long" : name; }

}  // namespace rattleback::test
