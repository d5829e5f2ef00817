#include <fmt/format.h>

#include <algorithm>

#include "input_table.hpp"
#include "model_sections.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {

// [inputs]: name = expression of t, coordinates, velocities, parameters, definitions and the inputs before it, or a
// table of numbers
std::vector<NamedExpression> read_inputs(ModelText& text, InputTexts replaced) {
  std::vector<NamedExpression> inputs;
  ModelText::Names names;
  if (const toml::table* section = text.table("inputs")) {
    for (const auto& [name, node] : ModelText::in_order(*section)) {
      const auto replacement = replaced.extract(name);
      if (node->is_number() && !replacement) {  // it is a parameter
        names.push_back(name);
        continue;
      }
      text.check_name(name, *node, "an input");
      const ModelText::Names known = text.timed_names();
      const bool defined = text.definitions().find(name) != nullptr;
      if (is_column_name(name) || defined || std::ranges::find(known, name) != known.end()) {
        text.fail(*node, fmt::format("the input {} has a name that is taken; rename it", name));
      }
      names.push_back(name);
      const bool is_table = replacement ? is_table_file(replacement.mapped()) : node->is_table();
      if (is_table && !text.names_time()) {
        text.fail(*node, fmt::format("the input {} is a table of the time, but the model calls something else t; "
                                     "rename that",
                                     name));
      }
      const Expression e = !is_table     ? (replacement ? text.expression(replacement.mapped(), "input " + name, known)
                                                        : text.expression(*node, "the input " + name, known))
                           : replacement ? read_table_file(text, name, node, replacement.mapped())
                                         : read_input_table(text, name, *node->as_table());
      text.define(name, e);
      inputs.push_back({name, e});
    }
  }
  if (replaced.empty()) return inputs;
  const std::string& name = replaced.begin()->first;
  const auto meant = closest_name(name, names);
  throw ModelError(fmt::format("{} has no input '{}'; {}", text.source().file(), name,
                               meant           ? fmt::format("did you mean '{}'?", *meant)
                               : names.empty() ? "it has none; inputs are declared in its section [inputs]"
                                               : fmt::format("it has {}", fmt::join(names, ", "))));
}

}  // namespace rattleback
