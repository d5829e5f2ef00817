#include "json.hpp"

#include <nlohmann/json.hpp>

#include "rattleback/expr/print.hpp"

namespace rattleback::answer {

nlohmann::json texts(const std::vector<Expression>& expressions) {
  nlohmann::json list = nlohmann::json::array();
  for (const Expression& e : expressions) list.push_back(to_text(e));
  return list;
}

void add(nlohmann::json& document, const char* key, const Largest& largest) {
  document[key] = largest.everywhere();
  if (!largest.end) return;
  nlohmann::json& undefined = document["undefined"] = {{"step", largest.end->at.step}, {"time", largest.end->at.time}};
  if (!largest.end->why.empty()) undefined["reason"] = largest.end->why;
  undefined[std::string(key) + "_before"] = largest.value;
}

void add(nlohmann::json& document, const std::vector<InapplicableMethod>& methods) {
  for (const auto& [method, reason] : methods)
    document["inapplicable"].push_back({{"method", method}, {"reason", reason}});
}

std::string text_of(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rattleback::answer
