#include "json.hpp"

#include <nlohmann/json.hpp>

#include "rattleback/expr/print.hpp"

namespace rattleback::answer {

nlohmann::json texts(const std::vector<Expression>& expressions) {
  nlohmann::json list = nlohmann::json::array();
  for (const Expression& e : expressions) list.push_back(to_text(e));
  return list;
}

}  // namespace rattleback::answer
