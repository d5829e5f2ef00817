// `rattleback show`: a model and what follows from it.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "inverse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "request.hpp"

namespace rattleback::cli {
namespace {

constexpr std::size_t longest_list = 24;   ///< entries of a list that text shows
constexpr std::size_t longest_text = 400;  ///< bytes of an expression that text shows

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool latex = false;
  bool free = false;
};

/// What is known of the system beyond its definition, each with the words for it.
struct Findings {
  std::vector<std::string> good;
  std::vector<std::string> bad;
  nlohmann::json json;
};

std::string listed_rows(const System& s, const std::vector<std::size_t>& rows) {
  std::vector<std::string> texts;
  for (const std::size_t k : rows) texts.push_back(s.row_name(k));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void find_about_constraints(const Model& m, const std::vector<double>& q, Findings& f) {
  const System& s = m.system;
  const std::size_t rows = s.velocity_rows().size();
  if (rows == 0) return;
  const ConstraintReport c = examine_constraints(s, s.parameter_values(), q);
  f.json["rank"] = c.generic_rank;
  f.json["redundant"] = c.redundant;
  f.json["integrable"] = c.integrable;
  f.json["all_integrable"] = c.all_integrable;
  if (!c.judged) {
    f.good.emplace_back(
        "the constraints could not be judged: they are not defined at the random points about the initial position");
    return;
  }
  if (!c.contradictory.empty()) {
    f.bad.push_back(fmt::format("contradicted by the constraints before: {}", listed_rows(s, c.contradictory)));
  }
  if (!c.redundant.empty()) {
    f.bad.push_back(fmt::format("redundant everywhere: {}", listed_rows(s, c.redundant)));
  } else if (c.rank_drop && c.contradictory.empty()) {
    f.json["rank_drop"] = {{"q", c.rank_drop->q}, {"rows", c.rank_drop->rows}};
    f.good.push_back(fmt::format("the constraints have rank {}, but not everywhere: {} dependent at q = {}",
                                 c.generic_rank,
                                 c.rank_drop->rows.size() == 1 ? listed_rows(s, c.rank_drop->rows) + " vanishes, it is"
                                                               : listed_rows(s, c.rank_drop->rows) + " become",
                                 tuple(c.rank_drop->q, 4)));
  } else {
    f.good.push_back(
        fmt::format("the constraints have rank {}; no configuration with a lower rank was found", c.generic_rank));
  }
  if (c.all_integrable) {
    f.good.emplace_back("the constraints are integrable: the system is holonomic in disguise");
  } else if (!c.integrable.empty()) {
    f.good.push_back(fmt::format("integrable by itself, holonomic in disguise: {}", listed_rows(s, c.integrable)));
  } else if (!s.constraints().empty()) {
    f.good.emplace_back("the constraints are not integrable: the system is nonholonomic");
  }
}

Findings find(const Model& m) {
  const System& s = m.system;
  Findings f;
  f.json = nlohmann::json::object();
  State state{std::vector<double>(s.dimension(), 0.0), std::vector<double>(s.dimension(), 0.0)};
  if (m.initial) state = *m.initial;
  find_about_constraints(m, state.q, f);
  f.good.emplace_back(s.is_affine() ? "the constraints are affine and do work: the energy is not conserved in general"
                      : s.conserves_energy() ? "the energy is conserved"
                                             : "applied forces do work: the energy is not conserved in general");
  if (m.initial) {
    try {
      require_regular_start(s, s.parameter_values(), state);
      f.good.emplace_back("the Lagrangian is regular at the initial state, which satisfies the constraints");
      f.json["start"] = "regular";
    } catch (const StartError& error) {
      f.bad.emplace_back(error.what());
      f.json["start"] = error.what();
    }
  }
  const auto broken = broken_symmetries(s, s.parameter_values(), state);
  f.bad.insert(f.bad.end(), broken.begin(), broken.end());
  if (!s.symmetries().empty() && broken.empty()) {
    std::vector<std::string> texts;
    for (const Symmetry& symmetry : s.symmetries()) texts.push_back(symmetry.name);
    f.good.push_back(fmt::format("symmetries, verified at random points: {}", fmt::join(texts, ", ")));
  }
  f.json["broken_symmetries"] = broken;
  const auto changing = broken_conservation(s, s.parameter_values(), state);
  f.bad.insert(f.bad.end(), changing.begin(), changing.end());
  if (!s.conserved().empty() && changing.empty()) {
    f.good.emplace_back("the declared quantities are conserved, verified at random admissible states");
  }
  f.json["not_conserved"] = changing;
  return f;
}

void print_list(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(lines.size(), longest_list); ++i) {
    std::string indented;
    for (const char c : lines[i]) indented += c == '\n' ? std::string("\n    ") : std::string(1, c);
    fmt::print("  {}\n", indented);
  }
  if (lines.size() > longest_list) fmt::print("  ... ({} in all; --json has them)\n", lines.size());
}

std::vector<std::string> equations(const char* left, const std::vector<Expression>& right) {
  std::vector<std::string> lines;
  for (const Expression& e : right) lines.push_back(fmt::format("{}{}", left, shortened(e, longest_text)));
  return lines;
}

std::vector<std::string> entries(const char* letter, const SparseMatrix& matrix, bool upper_half) {
  std::vector<std::string> lines;
  for (const auto& e : matrix.entries) {
    if (upper_half && e.row > e.column) continue;
    lines.push_back(fmt::format("{}[{},{}] = {}", letter, e.row + 1, e.column + 1, shortened(e.value, longest_text)));
  }
  return lines;
}

void print_text(const Model& m) {
  const System& s = m.system;
  fmt::print("{} ({})\n", m.title, m.name);
  if (!m.description.empty()) fmt::print("{}\n", m.description);
  if (!m.source.empty()) fmt::print("Source: {}\n", m.source);
  print_list("Coordinates", {names(s.coordinates())});
  print_list("Lagrangian", equations("L = ", {s.lagrangian()}));
  print_list("Constraints", equations("0 = ", s.constraints()));
  print_list("Holonomic constraints", equations("0 = ", s.holonomic()));
  std::vector<std::string> forces;
  for (std::size_t i = 0; i < s.applied_forces().size(); ++i) {
    forces.push_back(
        fmt::format("F_{} = {}", s.coordinates()[i].name(), shortened(s.applied_forces()[i], longest_text)));
  }
  print_list("Applied forces", forces);
  std::vector<std::string> parameters;
  for (const Parameter& p : s.parameter_list())
    parameters.push_back(fmt::format("{} = {}", p.name, number_text(p.value)));
  print_list("Parameters", parameters);
  if (m.initial) print_list("Initial state", {"q = " + tuple(m.initial->q), "v = " + tuple(m.initial->v)});

  std::vector<std::string> momenta;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    momenta.push_back(fmt::format("p_{} = {}", s.coordinates()[i].name(), shortened(s.momenta()[i], longest_text)));
  }
  print_list("Momenta, p = L_v", momenta);
  print_list("Energy", equations("E = ", {s.energy()}));
  print_list("Mass matrix, M = L_vv (upper half, without zeros)", entries("M", s.mass_matrix(), true));
  print_list(s.is_affine() ? "Constraints, A v + b = 0" : "Constraints, A v = 0",
             entries("A", s.constraint_matrix(), false));
  if (s.is_affine()) {
    std::vector<std::string> affine;
    for (std::size_t k = 0; k < s.affine_part().size(); ++k) {
      affine.push_back(fmt::format("b[{}] = {}", k + 1, shortened(s.affine_part()[k], longest_text)));
    }
    print_list("Affine part", affine);
  }
  std::vector<std::string> conserved;
  for (const NamedExpression& c : s.conserved())
    conserved.push_back(fmt::format("{} = {}", c.name, shortened(c.expression, longest_text)));
  print_list("Also conserved", conserved);
  std::vector<std::string> exact;
  for (std::size_t i = 0; i < s.exact().size(); ++i) {
    if (s.exact()[i])
      exact.push_back(fmt::format("{}(t) = {}", s.coordinates()[i].name(), shortened(*s.exact()[i], longest_text)));
  }
  print_list("Exact solution, in the initial values", exact);

  const Findings f = find(m);
  print_list("Diagnosis", f.good);
  print_list("Problems", f.bad);
  if (m.step && m.time) print_list("By default a run takes", {fmt::format("step = {}, time = {}", *m.step, *m.time)});
}

void print_latex(const Model& m) {
  const System& s = m.system;
  std::vector<std::string> lines{"L &= " + to_latex(s.lagrangian())};
  for (const Expression& c : s.constraints()) lines.push_back("0 &= " + to_latex(c));
  for (const Expression& g : s.holonomic()) lines.push_back("0 &= " + to_latex(g));
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    lines.push_back(fmt::format("p_{{{}}} &= {}", to_latex(s.coordinates()[i]), to_latex(s.momenta()[i])));
  }
  for (std::size_t i = 0; i < s.applied_forces().size(); ++i) {
    lines.push_back(fmt::format("F_{{{}}} &= {}", to_latex(s.coordinates()[i]), to_latex(s.applied_forces()[i])));
  }
  lines.push_back("E &= " + to_latex(s.energy()));
  for (const auto& e : s.mass_matrix().entries) {
    if (e.row <= e.column) lines.push_back(fmt::format("M_{{{}{}}} &= {}", e.row + 1, e.column + 1, to_latex(e.value)));
  }
  for (std::size_t k = 0; k < s.affine_part().size(); ++k) {
    if (s.is_affine()) lines.push_back(fmt::format("b_{{{}}} &= {}", k + 1, to_latex(s.affine_part()[k])));
  }
  for (const auto& e : s.constraint_matrix().entries) {
    lines.push_back(fmt::format("A_{{{}{}}} &= {}", e.row + 1, e.column + 1, to_latex(e.value)));
  }
  fmt::print("% {}\n\\begin{{align*}}\n  {}\n\\end{{align*}}\n", m.title, fmt::join(lines, " \\\\\n  "));
}

nlohmann::json to_json(const SparseMatrix& matrix) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& e : matrix.entries)
    list.push_back({{"row", e.row}, {"column", e.column}, {"value", to_text(e.value)}});
  return {{"rows", matrix.rows}, {"columns", matrix.columns}, {"entries", list}};
}

void print_json(const Model& m) {
  const System& s = m.system;
  nlohmann::json document{{"name", m.name},
                          {"title", m.title},
                          {"description", m.description},
                          {"source", m.source},
                          {"coordinates", texts(s.coordinates())},
                          {"angles", m.angles},
                          {"lagrangian", to_text(s.lagrangian())},
                          {"constraints", texts(s.constraints())},
                          {"holonomic", texts(s.holonomic())},
                          {"applied_forces", texts(s.applied_forces())},
                          {"parameters", nlohmann::json::object()},
                          {"momenta", texts(s.momenta())},
                          {"energy", to_text(s.energy())},
                          {"mass_matrix", to_json(s.mass_matrix())},
                          {"constraint_matrix", to_json(s.constraint_matrix())},
                          {"affine_part", texts(s.affine_part())},
                          {"conserved", nlohmann::json::object()},
                          {"exact", nlohmann::json::object()},
                          {"symmetries", nlohmann::json::array()},
                          {"diagnosis", find(m).json}};
  for (const Parameter& p : s.parameter_list()) document["parameters"][p.name] = p.value;
  for (const NamedExpression& c : s.conserved()) document["conserved"][c.name] = to_text(c.expression);
  for (std::size_t i = 0; i < s.exact().size(); ++i) {
    if (s.exact()[i]) document["exact"][s.coordinates()[i].name()] = to_text(*s.exact()[i]);
  }
  for (const Symmetry& y : s.symmetries())
    document["symmetries"].push_back({{"name", y.name}, {"generator", texts(y.generator)}});
  if (m.initial) document["initial"] = {{"q", m.initial->q}, {"v", m.initial->v}};
  if (m.step) document["run"]["step"] = *m.step;
  if (m.time) document["run"]["time"] = *m.time;
  fmt::print("{}\n", document.dump(2));
}

void show_free(const Model& model, const Options& o) {
  if (o.output.json) {
    fmt::print("{}\n", free_lagrangians_json(model).dump(2));
  } else if (o.latex && !o.output.quiet) {
    print_free_lagrangians_as_latex(model);
  } else if (o.output.talks()) {
    print_free_lagrangians(model);
  }
}

void show(const Options& o) {
  if (o.latex && o.output.json)
    throw Failure(ExitStatus::wrong_request, "--latex and --json are two answers: give one");
  const Model model = o.model.load();
  if (o.free) {
    show_free(model, o);
  } else if (o.output.json) {
    print_json(model);
  } else if (o.latex && !o.output.quiet) {
    print_latex(model);
  } else if (o.output.talks()) {
    print_text(model);
  }
}

}  // namespace

Command show_command() {
  Command command{"show", "Shows a model, what follows from it, and what may be wrong with it"};
  auto o = std::make_shared<Options>();
  o->model.add_to(command);
  command.add({.names = "--latex", .help = "The formulas in LaTeX", .target = &o->latex});
  command.add({.names = "--free",
               .help = "Free Lagrangians, their Hamiltonians and the constraints in T*Q instead",
               .target = &o->free});
  o->output.add_to(command);
  command.examples = {"rattleback show snakeboard", "rattleback show rolling-disk --free"};
  command.action = [o] { show(*o); };
  return command;
}

}  // namespace rattleback::cli
