// `rattleback analyse`: what a system is, with what the verdicts rest on.

#include "rattleback/geometry/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "commands.hpp"
#include "exit_status.hpp"
#include "inverse.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "request.hpp"

namespace rattleback::cli {
namespace {

constexpr std::size_t longest_text = 400;  ///< --json has it all

struct Options {
  ModelOptions model;
  OutputOptions output;
  bool latex = false;
  std::optional<std::string> lagrangian;
};

/// A model, the state about which it is looked at, and what was found.
struct Findings {
  Model model;
  State near;
  Analysis analysis;

  const System& system() const { return model.system; }
  const ChaplyginSystem& chaplygin() const { return *analysis.search.found; }
  const System& reduced() const { return chaplygin().reduced; }
  const std::vector<double>& parameters() const { return system().parameter_values(); }
};

std::string listed(const System& s, const std::vector<std::size_t>& which) {
  std::vector<Expression> symbols;
  for (const std::size_t i : which) symbols.push_back(s.coordinates()[i]);
  return names(symbols);
}

std::string listed(const std::vector<Symmetry>& symmetries) {
  std::vector<std::string> list;
  for (const Symmetry& s : symmetries) list.push_back(s.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

/// "residual 2e-16 at 40 random points, below 1e-09"
std::string evidence(const Certificate& c, const std::string& where) {
  return c.holds
             ? fmt::format("residual {:.1e} at {} random points, tolerance {:.0e}", c.residual, c.points, c.tolerance)
             : fmt::format("residual {:.2g} at {} = {}, tolerance {:.0e}", c.residual, where, tuple(c.worst, 6),
                           c.tolerance);
}

std::string text(const Expression& e) { return shortened(e, longest_text); }

std::unordered_map<Expression, double> values_at_start(const Findings& f) {
  std::unordered_map<Expression, double> here;
  for (std::size_t i = 0; i < f.system().dimension(); ++i) here[f.system().coordinates()[i]] = f.near.q[i];
  for (std::size_t i = 0; i < f.parameters().size(); ++i) here[f.system().parameters()[i]] = f.parameters()[i];
  return here;
}
double value_at_start(const Findings& f, const Expression& e) { return evaluate(e, values_at_start(f)); }

/// Factors by which a function changes after one turn of an angle of the shape, where that is not 1.
std::vector<std::pair<std::string, double>> periods(const Findings& f, const Expression& function) {
  std::vector<std::pair<std::string, double>> list;
  const auto here = values_at_start(f);
  const double value = evaluate(function, here);
  for (const Expression& r : f.reduced().coordinates()) {
    if (std::find(f.model.angles.begin(), f.model.angles.end(), r.name()) == f.model.angles.end()) continue;
    auto turned = here;
    turned[r] += 2.0 * std::numbers::pi;
    const double factor = evaluate(function, turned) / value;
    if (std::isfinite(factor) && std::abs(factor - 1.0) > 1e-6) list.emplace_back(r.name(), factor);
  }
  return list;
}

void print_potential(const Findings& f, const char* letter, const Potential& p) {
  if (p.closed_form) {
    fmt::print("  {} = {}\n    closed form, residual of d log {} {:.1e}{}\n", letter, text(p.exponential), letter,
               p.residual, p.for_all_parameters ? "" : "; for these values of the parameters");
  } else {
    fmt::print("  {} = exp of a line integral from the initial position: no closed form was found\n", letter);
    fmt::print("    residual of d log {} {:.1e}{}\n", letter, p.residual,
               p.residual <= 1e-8 ? "" : "; it is accurate only near the start, and methods stop where it is not");
  }
  for (const auto& [angle, factor] : periods(f, p.exponential)) {
    fmt::print("    local, not single-valued: after a turn of {} it is {:.6g} times as large\n", angle, factor);
  }
}

void print_symmetry(const Findings& f) {
  const SymmetryReport& s = f.analysis.symmetry;
  fmt::print("\nSymmetry\n");
  if (s.known.empty()) {
    fmt::print("  none is known: no coordinate is missing from L and the constraints, and [symmetry] declares none\n");
    return;
  }
  fmt::print("  known: {}\n", listed(s.known));
  if (f.system().velocity_rows().empty()) return;
  if (s.inside_constraints == 0) {
    fmt::print("  together they span {} dimension{}, none of which lies inside the constraints\n", s.dimension,
               s.dimension == 1 ? "" : "s");
  } else {
    fmt::print(
        "  together they span {} dimension{}, {} of which lie{} inside the constraints: for all of them this is no "
        "Chaplygin\n"
        "  system, and momenta along directions inside obey the nonholonomic momentum equation; below, part of them is "
        "used\n",
        s.dimension, s.dimension == 1 ? "" : "s", s.inside_constraints, s.inside_constraints == 1 ? "s" : "");
  }
}

void print_group(const SymmetryGroup& g) {
  if (g.is_abelian()) return;
  const std::size_t k = g.dimension();
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      std::string terms;
      for (std::size_t c = 0; c < k; ++c) {
        const double x = g.structure_constants[(a * k + b) * k + c];
        if (x != 0.0)
          terms += fmt::format("{}{} ({})", terms.empty() ? "" : " + ", number_text(x), g.generators[c].name);
      }
      if (!terms.empty()) fmt::print("  [{}, {}] = {}\n", g.generators[a].name, g.generators[b].name, terms);
    }
  }
}

void print_chaplygin(const Findings& f) {
  const Analysis& a = f.analysis;
  const bool constrained = !f.system().velocity_rows().empty();
  fmt::print("\nChaplygin structure\n");
  if (!a.search.found) {
    fmt::print("  none\n");
    for (const std::string& reason : a.search.reasons) fmt::print("  {}\n", reason);
    return;
  }
  const ChaplyginSystem& c = f.chaplygin();
  if (!constrained) {
    fmt::print("  no constraints: the system is taken as reduced already\n");
  } else {
    fmt::print("  fibre ({}), shape ({}): {} group, {}\n", listed(f.system(), c.fibre), listed(f.system(), c.shape),
               c.group.is_abelian() ? "abelian" : "non-abelian", listed(c.group.generators));
    print_group(c.group);
    const auto velocities = c.fibre_velocities(f.system());
    for (std::size_t k = 0; k < velocities.size(); ++k) {
      fmt::print("  {} = {}\n", f.system().velocities()[c.fibre[k]].name(), text(velocities[k]));
    }
    if (!c.transversality.is_constant() && !free_symbols(c.transversality).empty()) {
      fmt::print("  solvable where {} is not 0{}\n", text(c.transversality),
                 value_at_start(f, c.transversality) == 0.0
                     ? ": not at the initial position, where rdla, hdel and pthdel cannot start"
                     : "");
    }
    fmt::print("  reduced and full accelerations differ by {:.1e} at random states\n", a.reduction_defect);
  }
  fmt::print("\nReduced system, d/dt (dl/dr') - dl/dr = F\n  l = {}\n", text(f.reduced().lagrangian()));
  const auto& forces = f.reduced().applied_forces();
  if (forces.empty()) fmt::print("  F = 0\n");
  for (std::size_t i = 0; i < forces.size(); ++i) {
    fmt::print("  F_{} = {}\n", f.reduced().coordinates()[i].name(), text(forces[i]));
  }
}

void print_gyroscopic(const Findings& f) {
  const GyroscopicStructure& g = *f.analysis.gyroscopic;
  fmt::print("\nInvariant measure of the reduced equations\n");
  if (!g.applies) {
    fmt::print("  not examined: {}\n\nHamiltonization by a multiplier, dtau = N dt\n  not examined\n", g.reason);
    return;
  }
  const std::string r = fmt::format("({})", names(f.reduced().coordinates()));
  const std::string both = fmt::format("({}, {})", names(f.reduced().coordinates()), names(f.reduced().velocities()));
  for (std::size_t i = 0; i < g.one_form.size(); ++i) {
    fmt::print("  Theta_{} = {}\n", f.reduced().coordinates()[i].name(), text(g.one_form[i]));
  }
  const bool local = g.measure && !periods(f, g.measure->exponential).empty();
  if (g.closed.holds) {
    fmt::print("  {}, mu(r) dr dp: dTheta = 0, {}\n", local ? "locally" : "yes", evidence(g.closed, r));
  } else {
    fmt::print("  none with a density that depends on the positions alone: dTheta is not 0, {}\n",
               evidence(g.closed, r));
  }
  const bool same = g.multiplier && g.multiplier->exponential == g.measure->exponential;
  if (g.measure && same) fmt::print("  mu = N, see below\n");
  if (g.measure && !same) print_potential(f, "mu", *g.measure);
  fmt::print("\nHamiltonization by a multiplier, dtau = N dt\n");
  if (g.is_hamiltonizable()) {
    fmt::print("  {}: the gyroscopic force is phi-simple, {}\n", local ? "locally" : "yes", evidence(g.simple, both));
    print_potential(f, "N", *g.multiplier);
    if (g.multiplier->closed_form) {
      fmt::print("  l(r, N r') = {}, where ' is d/dtau\n",
                 text(hamiltonized(f.reduced(), g.multiplier->exponential).lagrangian()));
    }
  } else if (g.closed.holds) {
    fmt::print(
        "  no: the gyroscopic force is not phi-simple, {}\n"
        "  No N(r) makes the motion Hamiltonian in (r, N p). Other structures, or a further reduction, are not "
        "excluded.\n",
        evidence(g.simple, both));
  } else {
    fmt::print("  no: it would imply such a measure\n");
  }
}

void print_reduced_measure(const ReducedMeasure& m, const Findings& f) {
  if (m.translations.empty()) return;
  fmt::print("\nInvariant measure after dividing out all translations: {}\n", fmt::join(m.translations, ", "));
  std::vector<Expression> base;
  for (const Expression& q : f.system().coordinates()) {
    if (std::find(m.translations.begin(), m.translations.end(), q.name()) == m.translations.end()) base.push_back(q);
  }
  const std::string where = fmt::format("({})", names(base));
  if (!m.decided) {
    fmt::print("  undecided: {}\n", m.reason);
  } else if (!m.vertical.holds) {
    fmt::print("  no: phase space contracts or expands along symmetry directions inside the constraints, {}\n",
               evidence(m.vertical, where));
  } else if (!m.closed.holds) {
    fmt::print("  no: its one-form is not closed, {}\n", evidence(m.closed, where));
  } else {
    fmt::print("  yes: its one-form is closed, {}\n", evidence(m.closed, where));
  }
}

void print_text(const Findings& f) {
  const System& s = f.system();
  fmt::print("{} ({})\n", f.model.title, f.model.name);
  fmt::print("\nConstraints\n");
  if (!f.analysis.constraints) {
    fmt::print("  none\n");
  } else {
    const ConstraintReport& c = *f.analysis.constraints;
    fmt::print("  rank {} on {} coordinates, {}\n", c.generic_rank, s.dimension(),
               c.all_integrable       ? "integrable: holonomic in disguise"
               : c.integrable.empty() ? "not integrable"
                                      : fmt::format("not integrable; {} of them {} by {}", c.integrable.size(),
                                                    c.integrable.size() == 1 ? "is" : "are",
                                                    c.integrable.size() == 1 ? "itself" : "themselves"));
  }
  print_symmetry(f);
  print_chaplygin(f);
  if (f.analysis.gyroscopic) print_gyroscopic(f);
  if (f.analysis.reduced_measure) print_reduced_measure(*f.analysis.reduced_measure, f);
  print_inverse_problem(s, f.analysis.inverse_problem);
}

void print_latex(const Findings& f) {
  if (!f.analysis.search.found) {
    throw Failure(ExitStatus::answer_is_no,
                  "there is no Chaplygin structure to write down: " + f.analysis.search.reasons.at(0));
  }
  const ChaplyginSystem& c = f.chaplygin();
  std::vector<std::string> lines;
  const auto velocities = c.fibre_velocities(f.system());
  for (std::size_t k = 0; k < velocities.size(); ++k) {
    lines.push_back(fmt::format("{} &= {}", to_latex(f.system().velocities()[c.fibre[k]]), to_latex(velocities[k])));
  }
  lines.push_back("l &= " + to_latex(f.reduced().lagrangian()));
  for (std::size_t i = 0; i < f.reduced().applied_forces().size(); ++i) {
    lines.push_back(fmt::format("F_{{{}}} &= {}", to_latex(f.reduced().coordinates()[i]),
                                to_latex(f.reduced().applied_forces()[i])));
  }
  if (const GyroscopicStructure& g = *f.analysis.gyroscopic; g.applies) {
    for (std::size_t i = 0; i < g.one_form.size(); ++i) {
      lines.push_back(
          fmt::format("\\Theta_{{{}}} &= {}", to_latex(f.reduced().coordinates()[i]), to_latex(g.one_form[i])));
    }
    if (g.measure && g.measure->closed_form) lines.push_back("\\mu &= " + to_latex(g.measure->exponential));
    if (g.multiplier && g.multiplier->closed_form) {
      lines.push_back("N &= " + to_latex(g.multiplier->exponential));
      lines.push_back("\\mathcal{L} &= " + to_latex(hamiltonized(f.reduced(), g.multiplier->exponential).lagrangian()));
    }
  }
  fmt::print("% {}\n\\begin{{align*}}\n  {}\n\\end{{align*}}\n", f.model.title, fmt::join(lines, " \\\\\n  "));
}

nlohmann::json to_json(const Certificate& c) {
  return {{"holds", c.holds},
          {"residual", c.residual},
          {"tolerance", c.tolerance},
          {"points", c.points},
          {c.holds ? "worst" : "counterexample", c.worst}};
}

nlohmann::json to_json(const Potential& p, const Findings& f) {
  nlohmann::json entry{{"closed_form", p.closed_form},
                       {"single_valued", periods(f, p.exponential).empty()},
                       {"for_all_parameters", p.for_all_parameters},
                       {"residual", p.residual},
                       {"periods", nlohmann::json::object()}};
  if (p.closed_form) entry["expression"] = to_text(p.exponential);
  for (const auto& [angle, factor] : periods(f, p.exponential)) entry["periods"][angle] = factor;
  return entry;
}

nlohmann::json names_json(const System& s, const std::vector<std::size_t>& which) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::size_t i : which) list.push_back(s.coordinates()[i].name());
  return list;
}

nlohmann::json chaplygin_json(const Findings& f) {
  const ChaplyginSystem& c = f.chaplygin();
  nlohmann::json group{{"abelian", c.group.is_abelian()},
                       {"generators", nlohmann::json::array()},
                       {"structure_constants", c.group.structure_constants}};
  for (const Symmetry& s : c.group.generators)
    group["generators"].push_back({{"name", s.name}, {"generator", texts(s.generator)}});
  nlohmann::json connection = nlohmann::json::array();
  for (const auto& row : c.connection) connection.push_back(texts(row));
  return {{"fibre", names_json(f.system(), c.fibre)},
          {"shape", names_json(f.system(), c.shape)},
          {"group", group},
          {"connection", connection},
          {"transversality", to_text(c.transversality)},
          {"reduced_lagrangian", to_text(f.reduced().lagrangian())},
          {"force", texts(f.reduced().applied_forces())},
          {"reduction_defect", f.analysis.reduction_defect}};
}

nlohmann::json to_json(const Findings& f) {
  const Analysis& a = f.analysis;
  nlohmann::json known = nlohmann::json::array();
  for (const Symmetry& s : a.symmetry.known) known.push_back(s.name);
  nlohmann::json document{
      {"model", f.model.name},
      {"symmetry",
       {{"known", known}, {"dimension", a.symmetry.dimension}, {"inside_constraints", a.symmetry.inside_constraints}}},
      {"chaplygin", nullptr}};
  if (a.constraints) {
    document["constraints"] = {{"rank", a.constraints->generic_rank},
                               {"integrable", a.constraints->integrable},
                               {"all_integrable", a.constraints->all_integrable}};
  }
  if (a.search.found) {
    document["chaplygin"] = chaplygin_json(f);
  } else {
    document["reasons"] = a.search.reasons;
  }
  if (a.gyroscopic && !a.gyroscopic->applies) document["not_examined"] = a.gyroscopic->reason;
  if (a.gyroscopic && a.gyroscopic->applies) {
    const GyroscopicStructure& g = *a.gyroscopic;
    document["chaplygin"]["tensor"] = texts(gyroscopic_tensor(f.reduced()));
    document["measure"] = {{"exists", g.has_measure()}, {"one_form", texts(g.one_form)}, {"closed", to_json(g.closed)}};
    if (g.measure) document["measure"]["density"] = to_json(*g.measure, f);
    document["hamiltonizable"] = {{"holds", g.is_hamiltonizable()}, {"phi_simple", to_json(g.simple)}};
    if (g.multiplier) {
      document["hamiltonizable"]["multiplier"] = to_json(*g.multiplier, f);
      if (g.multiplier->closed_form) {
        document["hamiltonizable"]["lagrangian"] =
            to_text(hamiltonized(f.reduced(), g.multiplier->exponential).lagrangian());
      }
    }
  }
  if (const auto& m = a.reduced_measure; m && m->decided) {
    document["measure_by_translations"] = {{"translations", m->translations},
                                           {"exists", m->exists()},
                                           {"vertical", to_json(m->vertical)},
                                           {"closed", to_json(m->closed)}};
  }
  document["inverse_problem"] = inverse_problem_json(f.system(), a.inverse_problem);
  return document;
}

/// A Lagrangian that was given, against the system. False if it is none for it.
bool check_lagrangian(const Findings& f, const Expression& lagrangian, const OutputOptions& output,
                      nlohmann::json& document) {
  const LagrangianReport report = examine_lagrangian(f.system(), lagrangian, f.parameters(), f.near);
  const InverseProblem& problem = f.analysis.inverse_problem;
  if (output.json) {
    document["given_lagrangian"] = given_lagrangian_json(f.system(), problem, lagrangian, report, f.near);
  } else if (output.talks()) {
    print_given_lagrangian(f.system(), problem, lagrangian, report, f.near);
  }
  return report.is_free_lagrangian();
}

void analyse_model(const Options& o) {
  if (o.latex && o.output.json)
    throw Failure(ExitStatus::wrong_request, "--latex and --json are two answers: give one");
  if (o.latex && o.lagrangian)
    throw Failure(ExitStatus::wrong_request, "--latex writes down what was found, --lagrangian checks: give one");
  Model model = o.model.load();
  std::optional<Expression> lagrangian;
  if (o.lagrangian) lagrangian = parse_lagrangian(*o.lagrangian, model.system);
  State near{std::vector<double>(model.system.dimension(), 0.0), std::vector<double>(model.system.dimension(), 0.0)};
  if (model.initial) near = *model.initial;
  try {
    Analysis analysis = analyse(model.system, model.system.parameter_values(), near);
    const Findings findings{std::move(model), std::move(near), std::move(analysis)};
    nlohmann::json document;
    if (o.output.json) {
      document = to_json(findings);
    } else if (o.latex && !o.output.quiet) {
      print_latex(findings);
    } else if (o.output.talks()) {
      print_text(findings);
    }
    const bool is_one = !lagrangian || check_lagrangian(findings, *lagrangian, o.output, document);
    if (o.output.json) fmt::print("{}\n", document.dump(2));
    if (!is_one)
      throw Failure(ExitStatus::answer_is_no, "the given Lagrangian is no regular free Lagrangian of the system");
  } catch (const GeometryError& error) {
    throw Failure(ExitStatus::wrong_request, fmt::format("{}: {}", o.model.model, error.what()));
  }
}

}  // namespace

Command analyse_command() {
  Command command{"analyse",
                  "Says what a system is: symmetry, Chaplygin reduction, measure, multiplier, free Lagrangians"};
  auto o = std::make_shared<Options>();
  o->model.add_to(command);
  command.add({.names = "--latex", .help = "The reduced system and the multiplier in LaTeX", .target = &o->latex});
  command.add({.names = "--lagrangian",
               .value = "TEXT",
               .help = "Checks a Lagrangian without constraints: do its equations describe the motion, is it regular",
               .target = &o->lagrangian});
  o->output.add_to(command);
  command.notes = {
      "Verdicts are judged at random points about the initial position and print the residuals they rest on."};
  command.examples = {
      "rattleback analyse knife-edge-incline",
      "rattleback analyse free-particle-x --lagrangian \"0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))\""};
  command.action = [o] { analyse_model(*o); };
  return command;
}

}  // namespace rattleback::cli
