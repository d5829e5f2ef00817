// The names of constraints as those of their multipliers: in [forces] and nowhere else.

#include <fmt/format.h>

#include <algorithm>

#include "model_text.hpp"

namespace rattleback {

bool is_repeated(const std::string& text) {
  const std::size_t close = text.find(']');
  return text.starts_with('[') && text.substr(0, close).find("..") != std::string::npos;
}

/// The names are read here without their rows, which may be wrong: who reads these will say so.
void ModelText::explain_rows() {
  for (const char* key : {"constraints", "holonomic"}) {
    const toml::array* list = root()[key].as_array();
    if (list == nullptr) continue;
    for (const toml::node& item : *list) {
      if (!item.is_table()) continue;
      for (const auto& [name, row] : *item.as_table()) {
        explanations_.emplace(name.str(),
                              "is a constraint: its multiplier may stand in [forces] only, or be given to a "
                              "function there");
      }
    }
  }
}

void ModelText::define_multipliers(const Names& rows, const std::function<Expression(std::size_t)>& meaning) {
  outside_forces_ = definitions_;
  outside_explanations_ = std::exchange(explanations_, {});
  for (std::size_t k = 0; k < rows.size();) {
    const std::string name = rows[k].substr(0, rows[k].find('['));
    const std::size_t first = k;
    std::vector<Expression> values;
    do {
      values.push_back(meaning(k));
      multipliers_.insert(values.back());
      if (!name.empty()) explain_column(rows[k]);
      ++k;
    } while (k < rows.size() && !name.empty() && rows[k].starts_with(name + "["));
    if (name.empty()) continue;
    definitions_.add(name, rows[first] == name ? Tensor(values[0]) : Tensor(values));
  }
  explain_numbers(rows.size());
}

void ModelText::forget_multipliers() {
  definitions_ = std::move(outside_forces_);
  explanations_ = std::move(outside_explanations_);
  multipliers_.clear();
}

/// What results call it by.
void ModelText::explain_column(const std::string& row) {
  std::string label = row;
  std::erase_if(label, [](char c) { return c == '[' || c == ']'; });
  explanations_.emplace("multiplier_" + label, fmt::format("is a column of results; here this multiplier is {}", row));
}

/// What people may try.
void ModelText::explain_numbers(std::size_t rows) {
  constexpr std::size_t most = 100;
  const std::string text =
      "is not known; the multiplier of a constraint goes by the constraint's name: constraints = [{ slip = \"...\" }]";
  for (const char* word : {"lambda", "λ", "multiplier"}) {
    explanations_.emplace(word, text);
    for (std::size_t k = 1; k <= std::min(rows, most); ++k) {
      for (const char* between : {"", "_"}) explanations_.emplace(fmt::format("{}{}{}", word, between, k), text);
    }
  }
}

}  // namespace rattleback
