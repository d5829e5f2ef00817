// Expressions of the motion as observers: --observe "R[3,3],tilt=euler_zxy(R)[2]".

#include <fmt/format.h>

#include <algorithm>

#include "kinds.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {
namespace {

struct WrittenQuantity {
  std::string name;  ///< of its column
  std::string expression;
  bool is_named = false;
};

/// NAME=EXPRESSION, or an expression whose name is its text without spaces.
WrittenQuantity written_quantity(std::string_view text) {
  std::string name(text);
  std::erase(name, ' ');
  const std::size_t equals = text.find('=');
  const bool defines = text.find(';') != std::string_view::npos;
  if (equals == std::string_view::npos || defines ||
      text.substr(0, equals).find_first_of("<>(") != std::string_view::npos)
    return {name, std::string(text)};
  name.resize(name.find('='));
  return {name, std::string(text.substr(equals + 1)), true};
}

std::vector<std::string> labels_of(const std::string& name, const Tensor& value, bool is_named) {
  if (std::holds_alternative<Expression>(value)) return {name};
  const auto* matrix = std::get_if<Matrix>(&value);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < entries_of(value).size(); ++i) {
    if (matrix != nullptr) {
      labels.push_back(fmt::format("{}[{},{}]", name, i / matrix->columns + 1, i % matrix->columns + 1));
    } else {
      labels.push_back(fmt::format(fmt::runtime(is_named ? "{}{}" : "{}[{}]"), name, i + 1));
    }
  }
  return labels;
}

/// Names that results can have, beside those that they have anyway.
void require_new_columns(const System& system, const std::vector<std::string>& names, bool is_named) {
  std::vector<std::string> taken = system.position_names();
  for (const Expression& v : system.velocities()) taken.push_back(v.name());
  for (const NamedExpression& c : system.conserved()) taken.push_back(c.name);
  for (const std::string& name : names) {
    if (is_column_name(name) || std::ranges::find(taken, name) != taken.end())
      throw MethodError(fmt::format("{} is a column of every result; leave it out{}", name,
                                    is_named ? ", or choose another name" : ""));
    if (!is_named && name.find('/') != std::string::npos)
      throw MethodError(fmt::format("'{}' cannot be the name of a column; give it one, as in ratio={}", name, name));
  }
}

}  // namespace

std::unique_ptr<Observer> make_quantity_observer(std::string_view text, const Problem& problem, const Model& model) {
  const auto [name, expression, is_named] = written_quantity(text);
  Definitions definitions;
  const ParseOptions options = options_of_motion(model, "`observe`", definitions);
  if (is_named) {
    const Expression symbol = parse(name);
    if (!symbol.is_symbol() || symbol.name() != name || name.find_first_of(".['") != std::string::npos)
      throw MethodError(fmt::format("'{}' cannot be the name of a column: names are letters, digits and _", name));
  }
  const Tensor value = parse_tensor(expression, options);
  const std::vector<std::string> labels = labels_of(name, value, is_named);
  require_new_columns(problem.system, labels, is_named);
  ImplicitSystem map = map_of_node(problem.system);
  map.give(Slot::others, {entries_of(value).begin(), entries_of(value).end()});
  return make_node_observer({name, labels}, std::move(map), problem);
}

}  // namespace rattleback
