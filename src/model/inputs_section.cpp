#include <fmt/format.h>

#include <algorithm>

#include "model_sections.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {

// [inputs]: name = expression of t, coordinates, velocities, parameters, definitions and the inputs before it
std::vector<NamedExpression> read_inputs(ModelText& text, InputTexts replaced) {
  std::vector<NamedExpression> inputs;
  if (const toml::table* section = text.table("inputs")) {
    for (const auto& [name, node] : ModelText::in_order(*section)) {
      text.check_name(name, *node, "an input");
      const ModelText::Names known = text.timed_names();
      const bool defined = text.definitions().find(name) != nullptr;
      if (is_column_name(name) || defined || std::ranges::find(known, name) != known.end()) {
        text.fail(*node, fmt::format("the input {} has a name that is taken; rename it", name));
      }
      const auto replacement = replaced.extract(name);
      const Expression e = replacement ? text.expression(replacement.mapped(), "input " + name, known)
                                       : text.expression(*node, "the input " + name, known);
      text.define(name, e);
      inputs.push_back({name, e});
    }
  }
  if (replaced.empty()) return inputs;
  ModelText::Names names;
  for (const NamedExpression& input : inputs) names.push_back(input.name);
  const std::string& name = replaced.begin()->first;
  const auto meant = closest_name(name, names);
  throw ModelError(fmt::format("{} has no input '{}'; {}", text.source().file(), name,
                               meant           ? fmt::format("did you mean '{}'?", *meant)
                               : names.empty() ? "it has none; inputs are declared in its section [inputs]"
                                               : fmt::format("it has {}", fmt::join(names, ", "))));
}

}  // namespace rattleback
