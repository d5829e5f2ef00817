#include <fmt/format.h>

#include <algorithm>

#include "rattleback/answer/show.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

constexpr std::size_t longest_list = 24;  ///< entries of a list that text shows

std::string list(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), longest_list); ++i) {
    text += "  ";
    for (const char c : lines[i]) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
    text += '\n';
  }
  if (lines.size() > longest_list) text += fmt::format("  ... ({} in all; JSON has them)\n", lines.size());
  return text;
}

std::vector<std::string> equations(const char* left, const std::vector<Expression>& right) {
  std::vector<std::string> lines;
  for (const Expression& e : right) lines.push_back(fmt::format("{}{}", left, formula(e)));
  return lines;
}

/// Rows that are zero, those that have a name with it.
std::vector<std::string> rows(const System& s, std::size_t first, const std::vector<Expression>& list) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string& name = s.given_name(first + k);
    lines.push_back(fmt::format("{}0 = {}", name.empty() ? "" : name + ": ", formula(list[k])));
  }
  return lines;
}

std::vector<std::string> entries(const char* letter, const SparseMatrix& matrix, bool upper_half) {
  std::vector<std::string> lines;
  for (const auto& e : matrix.entries) {
    if (upper_half && e.row > e.column) continue;
    lines.push_back(fmt::format("{}[{},{}] = {}", letter, e.row + 1, e.column + 1, formula(e.value)));
  }
  return lines;
}

}  // namespace

std::string to_text(const ShowAnswer& a) {
  const Model& m = a.model;
  const System& s = m.system;
  std::string text = fmt::format("{} ({})\n", m.title, m.name);
  const auto add = [&](const std::string& title, const std::vector<std::string>& lines) { text += list(title, lines); };
  if (!m.description.empty()) text += m.description + "\n";
  if (!m.source.empty()) text += "Source: " + m.source + "\n";
  add("Coordinates", {names(s.coordinates())});
  std::vector<std::string> definitions;
  for (const Definition& d : m.definitions.list())
    definitions.push_back(fmt::format("{} = {}", d.header(), d.is_function() ? d.text : formula(d.value)));
  add("Definitions", definitions);
  add("Lagrangian", equations("L = ", {s.lagrangian()}));
  add("Constraints", rows(s, 0, s.constraints()));
  add("Holonomic constraints", rows(s, s.constraints().size(), s.holonomic()));
  std::vector<std::string> forces;
  for (std::size_t i = 0; i < s.applied_forces().size(); ++i) {
    forces.push_back(fmt::format("F_{} = {}", s.coordinates()[i].name(), formula(s.applied_forces()[i])));
  }
  add("Applied forces", forces);
  std::vector<std::string> inputs;
  for (const NamedExpression& input : m.inputs) {
    inputs.push_back(fmt::format("{} = {}", input.name, formula(input.expression)));
  }
  add("Inputs", inputs);
  std::vector<std::string> parameters;
  for (const Parameter& p : s.parameter_list())
    parameters.push_back(fmt::format("{} = {}", p.name, number_text(p.value)));
  add("Parameters", parameters);
  if (m.initial) {
    std::vector<std::string> start{"q = " + tuple(m.initial->q), "v = " + tuple(m.initial->v)};
    if (m.initial->t != 0.0) start.push_back("t = " + number_text(m.initial->t));
    add("Initial state", start);
  }

  std::vector<std::string> momenta;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    momenta.push_back(fmt::format("p_{} = {}", s.coordinates()[i].name(), formula(s.momenta()[i])));
  }
  add("Momenta, p = L_v", momenta);
  add("Energy", equations("E = ", {s.energy()}));
  add("Mass matrix, M = L_vv (upper half, without zeros)", entries("M", s.mass_matrix(), true));
  add(s.is_affine() ? "Constraints, A v + b = 0" : "Constraints, A v = 0", entries("A", s.constraint_matrix(), false));
  if (s.is_affine()) {
    std::vector<std::string> affine;
    for (std::size_t k = 0; k < s.affine_part().size(); ++k) {
      affine.push_back(fmt::format("b[{}] = {}", k + 1, formula(s.affine_part()[k])));
    }
    add("Affine part", affine);
  }
  std::vector<std::string> conserved;
  for (const NamedExpression& c : s.conserved())
    conserved.push_back(fmt::format("{} = {}", c.name, formula(c.expression)));
  add("Also conserved", conserved);
  std::vector<std::string> exact;
  for (std::size_t i = 0; i < s.exact().size(); ++i) {
    if (s.exact()[i]) exact.push_back(fmt::format("{}(t) = {}", s.coordinates()[i].name(), formula(*s.exact()[i])));
  }
  add("Exact solution, in the initial values", exact);

  add("Diagnosis", a.findings);
  add("Problems", a.problems);
  if (m.step && m.time) add("By default a run takes", {fmt::format("step = {}, time = {}", *m.step, *m.time)});
  return text;
}

std::string to_latex(const ShowAnswer& a) {
  const System& s = a.model.system;
  std::vector<std::string> lines{"L &= " + latex_if_short(s.lagrangian())};
  for (const Expression& c : s.constraints()) lines.push_back("0 &= " + latex_if_short(c));
  for (const Expression& g : s.holonomic()) lines.push_back("0 &= " + latex_if_short(g));
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    lines.push_back(fmt::format("p_{{{}}} &= {}", to_latex(s.coordinates()[i]), latex_if_short(s.momenta()[i])));
  }
  for (std::size_t i = 0; i < s.applied_forces().size(); ++i) {
    lines.push_back(fmt::format("F_{{{}}} &= {}", to_latex(s.coordinates()[i]), latex_if_short(s.applied_forces()[i])));
  }
  lines.push_back("E &= " + latex_if_short(s.energy()));
  for (const auto& e : s.mass_matrix().entries) {
    if (e.row <= e.column)
      lines.push_back(fmt::format("M_{{{}{}}} &= {}", e.row + 1, e.column + 1, latex_if_short(e.value)));
  }
  for (std::size_t k = 0; k < s.affine_part().size(); ++k) {
    if (s.is_affine()) lines.push_back(fmt::format("b_{{{}}} &= {}", k + 1, latex_if_short(s.affine_part()[k])));
  }
  for (const auto& e : s.constraint_matrix().entries) {
    lines.push_back(fmt::format("A_{{{}{}}} &= {}", e.row + 1, e.column + 1, latex_if_short(e.value)));
  }
  return aligned(a.model.title, lines);
}

}  // namespace rattleback::answer
