#pragma once

// What `rattleback analyse` is asked for.

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.hpp"
#include "tests/analysed_document.hpp"

namespace rattleback::test {

/// A folder with models in which the command runs.
class Desk : public Workplace {
 public:
  /// An expression as the program itself evaluates it.
  double value(const std::string& expression, const std::map<std::string, double>& symbols) const {
    std::string text = "coordinates = ['q_0']\nlagrangian = \"q_0'^2\"\n[parameters]\n";
    for (const auto& [name, number] : symbols) text += name + " = " + json(number).dump() + "\n";
    add("value", text + "answer = \"" + expression + "\"\n");
    return document("show value.toml").at("parameters").at("answer");
  }
};

inline void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(contains(message, part));
}

}  // namespace rattleback::test
