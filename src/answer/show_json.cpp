#include <nlohmann/json.hpp>

#include "equations.hpp"
#include "json.hpp"
#include "rattleback/answer/show.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback::answer {
namespace {

nlohmann::json matrix_json(const SparseMatrix& matrix) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& e : matrix.entries)
    list.push_back({{"row", e.row}, {"column", e.column}, {"value", to_text(e.value)}});
  return {{"rows", matrix.rows}, {"columns", matrix.columns}, {"entries", list}};
}

/// A text, a list of texts, or one of such lists.
nlohmann::json tensor_json(const Tensor& value) {
  if (const auto* e = std::get_if<Expression>(&value)) return to_text(*e);
  if (const auto* vector = std::get_if<Vector>(&value)) return texts(*vector);
  nlohmann::json rows = nlohmann::json::array();
  const Matrix& matrix = std::get<Matrix>(value);
  for (std::size_t i = 0; i < matrix.rows; ++i) rows.push_back(texts(matrix.row(i)));
  return rows;
}

/// What columns of results call the rows of constraints by.
std::vector<std::string> row_labels(const System& s) {
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < s.velocity_rows().size(); ++k) labels.push_back(s.row_label(k));
  return labels;
}

/// Those that do not belong to rotations.
Vector numbers_of(const System& s, const Vector& all) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(s.space().numbers)};
}

nlohmann::json diagnosis(const ShowAnswer& a) {
  nlohmann::json document{{"broken_symmetries", a.broken_symmetries},
                          {"broken_sections", a.broken_sections},
                          {"not_conserved", a.not_conserved}};
  if (a.model.initial) document["start"] = a.start_error.empty() ? "regular" : a.start_error;
  if (!a.constraints) return document;
  const ConstraintReport& c = *a.constraints;
  document["rank"] = c.generic_rank;
  document["redundant"] = c.redundant;
  document["integrable"] = c.integrable;
  document["all_integrable"] = c.all_integrable;
  if (c.judged && a.rank_drop && c.redundant.empty() && c.contradictory.empty()) {
    document["rank_drop"] = {{"q", a.model.system.space().shown(a.rank_drop->q)}, {"rows", a.rank_drop->rows}};
  }
  return document;
}

}  // namespace

std::string to_json(const ShowAnswer& a) {
  const Model& m = a.model;
  const System& s = m.system;
  nlohmann::json document{{"name", m.name},
                          {"title", m.title},
                          {"description", m.description},
                          {"source", m.source},
                          {"coordinates", texts(numbers_of(s, s.coordinates()))},
                          {"angles", m.angles},
                          {"lagrangian", to_text(s.lagrangian())},
                          {"constraints", texts(s.constraints())},
                          {"holonomic", texts(s.holonomic())},
                          {"rows", row_labels(s)},
                          {"applied_forces", texts(s.named_forces())},
                          {"parameters", nlohmann::json::object()},
                          {"momenta", texts(s.momenta())},
                          {"energy", to_text(s.energy())},
                          {"mass_matrix", matrix_json(s.mass_matrix())},
                          {"constraint_matrix", matrix_json(s.constraint_matrix())},
                          {"affine_part", texts(s.affine_part())},
                          {"conserved", nlohmann::json::object()},
                          {"exact", nlohmann::json::object()},
                          {"definitions", nlohmann::json::array()},
                          {"symmetries", nlohmann::json::array()},
                          {"sections", nlohmann::json::array()},
                          {"diagnosis", diagnosis(a)}};
  for (const Rotation& rotation : s.rotations()) document["rotations"].push_back(rotation.name);
  if (!s.rotations().empty()) {  // what q, v and p are called
    document["positions"] = s.position_names();
    document["velocities"] = texts(s.velocities());
    document["freedoms"] = texts(s.freedoms());
  }
  for (const Parameter& p : s.parameter_list()) document["parameters"][p.name] = p.value;
  for (const NamedExpression& c : s.conserved()) document["conserved"][c.name] = to_text(c.expression);
  for (std::size_t i = 0; i < s.exact().size(); ++i) {
    if (s.exact()[i]) document["exact"][s.coordinates()[i].name()] = to_text(*s.exact()[i]);
  }
  for (const Definition& d : m.definitions.list()) {
    if (d.text.empty()) continue;  // a rotation
    nlohmann::json entry{{"name", d.name}, {"text", d.text}};
    if (d.is_function()) {
      entry["arguments"] = d.arguments;
    } else {
      entry["value"] = tensor_json(d.value);
    }
    document["definitions"].push_back(std::move(entry));
  }
  for (const Symmetry& y : s.symmetries())
    document["symmetries"].push_back({{"name", y.name}, {"generator", texts(y.generator)}});
  for (const SymmetrySection& section : s.sections()) {
    nlohmann::json coefficients = nlohmann::json::object();
    for (std::size_t i = 0; i < s.symmetries().size(); ++i) {
      if (!section.coefficients[i].is_constant(0.0))
        coefficients[s.symmetries()[i].name] = to_text(section.coefficients[i]);
    }
    document["sections"].push_back(
        {{"name", section.name}, {"coefficients", coefficients}, {"field", texts(s.field_of(section))}});
  }
  if (m.initial) document["initial"] = {{"q", s.space().shown(m.initial->q)}, {"v", m.initial->v}};
  if (m.initial && m.initial->t != 0.0) document["initial"]["t"] = m.initial->t;
  for (const Event& event : m.system.events()) {
    nlohmann::json& entry = document["events"][event.name];
    entry = {{"when", to_text(event.when)}, {"direction", word_of(event.direction)}};
    entry["action"] = event.action == Event::Action::set ? "set" : word_of(event.action);
    for (std::size_t i = 0; i < event.velocities.size(); ++i) {
      const Expression& name = i < s.space().numbers ? s.coordinates()[i] : s.velocities()[i];
      if (event.velocities[i]) entry["set"][name.name()] = to_text(*event.velocities[i]);
    }
  }
  for (const NamedExpression& input : m.inputs) document["inputs"][input.name] = input_text(input.expression);
  const EquationsOfMotion equations = equations_of_motion(s);
  for (std::size_t i = 0; i < s.dimension(); ++i)
    document["equations"].push_back({{"left", to_text(equations.left[i])}, {"right", to_text(equations.right[i])}});
  if (!equations.solved_accelerations.empty()) {
    document["accelerations"] = texts(equations.solved_accelerations);
    document["multipliers"] = texts(equations.solved_multipliers);
  }
  if (s.depends_on_time()) document["depends_on_time"] = true;
  if (m.step) document["run"]["step"] = *m.step;
  if (m.time) document["run"]["time"] = *m.time;
  return text_of(document);
}

}  // namespace rattleback::answer
