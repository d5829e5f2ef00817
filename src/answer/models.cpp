#include "rattleback/answer/models.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::answer {

ModelsAnswer models() {
  ModelsAnswer answer;
  for (const std::string& name : catalogue()) {
    const Model model = load_model(name);
    const System& s = model.system;
    answer.models.push_back({name, model.title, model.description, model.source, s.dimension(), s.constraints().size(),
                             s.holonomic().size(), s.is_affine(), !s.exact().empty()});
  }
  return answer;
}

std::string to_text(const ModelsAnswer& answer) {
  std::string text;
  for (const ModelSummary& m : answer.models) {
    text += fmt::format("{:<28} {}; {} coordinates, {} constraint{}{}{}\n", m.name, m.title, m.coordinates,
                        m.constraints, m.constraints == 1 ? "" : "s", m.affine ? " (affine)" : "",
                        m.holonomic > 0 ? fmt::format(", {} holonomic", m.holonomic) : "");
  }
  return text;
}

std::string to_json(const ModelsAnswer& answer) {
  nlohmann::json document = nlohmann::json::array();
  for (const ModelSummary& m : answer.models) {
    document.push_back({{"name", m.name},
                        {"title", m.title},
                        {"description", m.description},
                        {"source", m.source},
                        {"coordinates", m.coordinates},
                        {"constraints", m.constraints},
                        {"holonomic", m.holonomic},
                        {"affine", m.affine},
                        {"exact", m.exact}});
  }
  return text_of(document);
}

}  // namespace rattleback::answer
