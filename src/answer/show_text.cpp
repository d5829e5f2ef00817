#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equations.hpp"
#include "rattleback/answer/show.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

constexpr std::size_t longest_list = 24;  ///< entries of a list that text shows
constexpr std::size_t longest_text = 400;

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

std::string people(const Expression& e) { return formula(readable(e)); }

/// As it was written, with its local abbreviations below.
std::string sentence(const std::string& left, const WrittenFormula& formula) {
  std::string text = fmt::format("{} = {}", left, shortened(formula.text, longest_text));
  if (!formula.range.empty()) text += fmt::format("   ({})", formula.range);
  for (const std::string& local : formula.where) text += "\n  with " + shortened(local, longest_text);
  return text;
}

/// Rows that are zero, those that have a name with it.
std::vector<std::string> rows(const System& s, std::size_t first, const std::vector<Expression>& list,
                              const std::vector<WrittenFormula>& written) {
  std::vector<std::string> lines;
  for (const WrittenFormula& w : written) lines.push_back(sentence(w.name.empty() ? "0" : w.name + ": 0", w));
  if (!lines.empty()) return lines;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string& name = s.given_name(first + k);
    lines.push_back(fmt::format("{}0 = {}", name.empty() ? "" : name + ": ", people(list[k])));
  }
  return lines;
}

/// Left and right sides, or that nobody would read them.
std::vector<std::string> equations_of(const System& s, const EquationsOfMotion& equations) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    lines.push_back(fmt::format("{} = {}", to_reading_text(equations.left[i]), to_reading_text(equations.right[i])));
    if (lines.back().size() > longest_text) return {"too long to be read; JSON has them"};
  }
  return lines;
}

std::vector<std::string> solutions_of(const System& s, const EquationsOfMotion& equations) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < equations.solved_accelerations.size(); ++i)
    lines.push_back(fmt::format("{} = {}", accelerations_of(s)[i].name(), formula(equations.solved_accelerations[i])));
  for (std::size_t k = 0; k < equations.solved_multipliers.size(); ++k)
    lines.push_back(fmt::format("{} = {}", equations.multipliers[k].name(), formula(equations.solved_multipliers[k])));
  return lines;
}

std::vector<std::string> entries(const char* letter, const SparseMatrix& matrix, bool upper_half) {
  std::vector<std::string> lines;
  for (const auto& e : matrix.entries) {
    if (upper_half && e.row > e.column) continue;
    lines.push_back(fmt::format("{}[{},{}] = {}", letter, e.row + 1, e.column + 1, people(e.value)));
  }
  return lines;
}

/// x, y, z, and what is no number.
std::vector<std::string> coordinates_of(const System& s) {
  std::vector<std::string> lines;
  if (s.space().numbers > 0)
    lines.push_back(names(
        Vector(s.coordinates().begin(), s.coordinates().begin() + static_cast<std::ptrdiff_t>(s.space().numbers))));
  for (const Rotation& rotation : s.rotations()) lines.push_back(rotation.name + ", a rotation");
  return lines;
}

/// Numbers, and of each rotation the quaternion with what it means, and the angular velocity.
std::vector<std::string> start_of(const System& s, const State& start) {
  const Space space = s.space();
  const auto part = [](const std::vector<double>& all, std::size_t first, std::size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  std::vector<std::string> lines;
  if (space.numbers > 0) lines.push_back("q = " + tuple(part(start.q, 0, space.numbers)));
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const std::string& name = s.rotations()[k].name;
    const std::vector<double> matrix = part(start.q, space.position_of(k), Rotation::positions);
    const Quaternion q = quaternion_of(matrix);
    lines.push_back(fmt::format("({}) = {}", fmt::join(quaternion_names(name), ", "), tuple({q.begin(), q.end()})));
    std::vector<double> axis = AttitudeForm{AttitudeForm::Kind::turn}.numbers_of(matrix);
    const double angle = std::hypot(axis[0], axis[1], axis[2]);
    for (double& component : axis) component /= angle;
    if (angle > 0.0) lines.back() += fmt::format(", turned by {} about {}", number_text(angle), tuple(axis));
  }
  if (space.numbers > 0) lines.push_back("v = " + tuple(part(start.v, 0, space.numbers)));
  for (std::size_t k = 0; k < space.rotations; ++k) {
    lines.push_back(fmt::format("{}{} = {}", s.rotations()[k].name, angular_velocity_suffix,
                                tuple(part(start.v, space.velocity_of(k), Rotation::velocities))));
  }
  if (start.t != 0.0) lines.push_back("t = " + number_text(start.t));
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
  add("Coordinates", coordinates_of(s));
  const WrittenModel& w = a.written;
  std::vector<std::string> definitions;
  for (const WrittenFormula& d : w.definitions) definitions.push_back(sentence(d.name, d));
  add("Definitions", definitions);
  add("Lagrangian", {w.lagrangian ? sentence("L", *w.lagrangian) : "L = " + people(s.lagrangian())});
  add("Constraints", rows(s, 0, s.constraints(), w.constraints));
  add("Holonomic constraints", rows(s, s.constraints().size(), s.holonomic(), w.holonomic));
  std::vector<std::string> forces;
  for (const WrittenFormula& f : w.forces) forces.push_back(sentence("F_" + f.name, f));
  const std::vector<Expression> named = s.named_forces();
  for (std::size_t i = 0; i < named.size() && w.forces.empty(); ++i) {
    forces.push_back(fmt::format("F_{} = {}", s.freedoms()[i].name(), people(named[i])));
  }
  add("Applied forces", forces);
  std::vector<std::string> inputs;
  for (const NamedExpression& input : m.inputs) {
    const bool is_table = rattleback::has_kinks({&input.expression, 1});
    inputs.push_back(
        fmt::format("{} = {}", input.name, is_table ? input_text(input.expression) : formula(input.expression)));
  }
  add("Inputs", inputs);
  std::vector<std::string> events;
  for (const Event& event : m.system.events()) {
    events.push_back(fmt::format("{}: {} passes zero ({})", event.name, formula(event.when), word_of(event.direction)));
    if (event.action == Event::Action::stop) events.back() += ", and the motion stops";
    for (std::size_t i = 0; i < event.velocities.size(); ++i) {
      if (!event.velocities[i]) continue;
      events.back() += fmt::format(", {} becomes {}", m.system.velocities()[i].name(), formula(*event.velocities[i]));
    }
  }
  add("Events", events);
  std::vector<std::string> parameters;
  for (const Parameter& p : s.parameter_list())
    parameters.push_back(fmt::format("{} = {}", p.name, number_text(p.value)));
  add("Parameters", parameters);
  if (m.initial) add("Initial state", start_of(s, *m.initial));

  std::vector<std::string> momenta;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    momenta.push_back(fmt::format("p_{} = {}", s.freedoms()[i].name(), people(s.momenta()[i])));
  }
  add(s.rotations().empty() ? "Momenta, p = L_v" : "Momenta, p = L_v; angular momenta in the body", momenta);
  add("Energy", {"E = " + people(w.energy.value_or(s.energy()))});
  add("Mass matrix, M = L_vv (upper half, without zeros)", entries("M", s.mass_matrix(), true));
  add(s.is_affine() ? "Constraints, A v + b = 0" : "Constraints, A v = 0",
      entries("A", w.constraint_matrix.value_or(s.constraint_matrix()), false));
  if (s.is_affine()) {
    std::vector<std::string> affine;
    for (std::size_t k = 0; k < s.affine_part().size(); ++k) {
      affine.push_back(fmt::format("b[{}] = {}", k + 1, people(s.affine_part()[k])));
    }
    add("Affine part", affine);
  }
  const EquationsOfMotion equations = equations_of_motion(s, w.constraint_matrix);
  add("Equations of motion", equations_of(s, equations));
  add("Solved for accelerations and multipliers", solutions_of(s, equations));
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

}  // namespace rattleback::answer
