#include <algorithm>

#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

ParseOptions options_of_motion(const Model& model, const std::string& source, Definitions& definitions) {
  const System& system = model.system;
  definitions = model.definitions;
  for (const NamedExpression& input : model.inputs) definitions.add(input.name, Tensor(input.expression));
  ParseOptions options;
  options.source = source;
  options.definitions = &definitions;
  options.names.emplace();
  for (const auto* list : {&system.coordinates(), &system.velocities(), &system.parameters()}) {
    for (const Expression& s : *list) options.names->push_back(s.name());
  }
  if (std::ranges::find(*options.names, time_symbol().name()) == options.names->end()) {
    options.names->push_back(time_symbol().name());
    options.time = time_symbol().name();
  }
  return options;
}

}  // namespace rattleback
