// The inverse problem in the answers of `analyse`, and `show --free`.

#include "inverse.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "exit_status.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "request.hpp"

namespace rattleback::cli {
namespace {

constexpr std::size_t longest_text = 400;

std::string text(const Expression& e) { return shortened(e, longest_text); }

std::string moved_name(const System& system, const SteeredSystem& s, std::size_t i) {
  return system.coordinates()[s.moved[i]].name();
}

std::string base_names(const System& system, const SteeredSystem& s) {
  std::vector<std::string> others;
  for (std::size_t i = 1; i < s.moved.size(); ++i) others.push_back(moved_name(system, s, i));
  return fmt::format("r1 = {}, r2 = {}, s = ({})", system.coordinates()[s.steering].name(), moved_name(system, s, 0),
                     fmt::join(others, ", "));
}

void print_class(const System& system, const SteeredSystem& s) {
  const std::string r1 = system.coordinates()[s.steering].name();
  fmt::print("  of the class of Mestdag, Bloch & Fernandez: {}\n", base_names(system, s));
  const auto slopes = s.slopes();
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    fmt::print("    A_{} = {}\n", moved_name(system, s, i + 1), text(slopes[i]));
  }
  fmt::print("    N = {}{}\n", text(s.direction[0]), s.density_is_constant ? ", constant" : "");
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    if (s.shear[i].is_constant(0.0)) continue;
    fmt::print("    {0} is carried along by {1}: {0} - ({2})*{1} is what moves\n", moved_name(system, s, i), r1,
               text(s.shear[i]));
  }
  if (!s.potential_is_constant)
    fmt::print("    with the potential V = {}, with which no free Lagrangian is known\n", text(s.potential));
}

void print_report(const Variationality& v) {
  const HelmholtzReport& r = v.report;
  fmt::print("  {}\n", v.name);
  if (!r.decided) {
    fmt::print("    undecided: {}\n", r.reason);
    return;
  }
  if (r.dimension == 0) {
    fmt::print("    no regular Lagrangian: the Helmholtz conditions leave no multiplier at all\n");
  } else if (!r.regular) {
    std::vector<std::string> idle;
    for (const std::string& name : r.idle) idle.push_back(name + "'");
    fmt::print(
        "    no regular Lagrangian: the Helmholtz conditions leave {} of {} dimensions of multipliers, all singular\n"
        "    (smallest singular value at most {:.1e} of the largest{})\n",
        r.dimension, r.unknowns, r.regularity,
        idle.empty() ? "" : fmt::format(": {} cannot occur", fmt::join(idle, ", ")));
  } else {
    fmt::print(
        "    not excluded: the Helmholtz conditions leave {} of {} dimensions of multipliers, regular ones among them\n"
        "    (smallest singular value {:.1e} of the largest)\n",
        r.dimension, r.unknowns, r.regularity);
  }
  std::vector<std::string> steps;
  const char* const tensors[] = {"Phi", "nabla Phi", "nabla^2 Phi", "nabla^3 Phi", "nabla^4 Phi"};
  for (std::size_t k = 0; k < r.dimensions.size(); ++k)
    steps.push_back(fmt::format("{} after {}", r.dimensions[k], tensors[k]));
  fmt::print("    {}{}\n", fmt::join(steps, ", "), r.exhausted ? "" : "; not examined further");
  if (r.dimension == r.unknowns) {
    fmt::print("    at {} random points: there are no conditions\n", r.points);
  } else {
    fmt::print("    at {} random points, singular values from {:.1e} up count, up to {:.1e} do not\n", r.points,
               r.smallest_counted, r.largest_dropped);
  }
}

/// "residual 2e-16 at 20 random states, tolerance 1e-10"
std::string evidence(const Certificate& c) {
  return fmt::format("residual {:.1e} at {} random states, tolerance {:.0e}", c.residual, c.points, c.tolerance);
}

const char* form_number(FreeForm form) { return form == FreeForm::both_scaled ? "(6)" : "(7)"; }

std::string equations_of(const std::vector<Expression>& zeros) {
  std::vector<std::string> list;
  for (const Expression& z : zeros) list.push_back(text(z) + " = 0");
  return fmt::format("{}", fmt::join(list, " or "));
}

/// The second-order systems with the Lagrangian's own equations.
std::vector<std::pair<std::string, Certificate>> comparisons(const System& system, const InverseProblem& problem,
                                                             const Expression& lagrangian, const State& near) {
  std::vector<std::pair<std::string, Certificate>> list;
  if (system.velocity_rows().empty()) return list;  // nothing is added to what was said of the motion
  for (const Variationality& v : problem.systems) {
    if (v.equations.dimension() != system.dimension()) continue;  // reduced ones
    list.emplace_back(v.name, compare_equations(lagrangian, v.equations, system.parameter_values(), near));
  }
  return list;
}

nlohmann::json class_json(const System& system, const SteeredSystem& s) {
  nlohmann::json others = nlohmann::json::array();
  for (std::size_t i = 1; i < s.moved.size(); ++i) others.push_back(moved_name(system, s, i));
  return {{"r1", system.coordinates()[s.steering].name()},
          {"r2", moved_name(system, s, 0)},
          {"s", others},
          {"A", texts(s.slopes())},
          {"N", to_text(s.direction[0])},
          {"N_is_constant", s.density_is_constant},
          {"X", texts(s.direction)},
          {"Y", texts(s.shear)},
          {"I1", to_text(s.inertia)},
          {"potential", to_text(s.potential)}};
}

struct Found {
  SteeredSystem steered;
  std::vector<FreeLagrangian> lagrangians;
  std::vector<FreeForm> forms;
};

Found find_free(const Model& model) {
  const System& s = model.system;
  State near{std::vector<double>(s.dimension(), 0.0), std::vector<double>(s.dimension(), 0.0)};
  if (model.initial) near = *model.initial;
  SteeredSearch search = find_steered(s, s.parameter_values(), near);
  if (search.found && !search.found->potential_is_constant) {
    search.reason = "it has a potential, with which none is known";
    search.found.reset();
  }
  if (!search.found) {
    throw Failure(ExitStatus::answer_is_no,
                  fmt::format("{}: no free Lagrangian is known: {}", model.name, search.reason));
  }
  Found found{std::move(*search.found), {}, {FreeForm::both_scaled}};
  if (found.steered.density_is_constant) found.forms.push_back(FreeForm::constant_density);
  for (const FreeForm form : found.forms) found.lagrangians.push_back(free_lagrangian(s, found.steered, form));
  return found;
}

}  // namespace

void print_inverse_problem(const System& system, const InverseProblem& problem) {
  fmt::print("\nInverse problem: is it the motion of a regular Lagrangian without constraints?\n");
  if (problem.steered.found) {
    print_class(system, *problem.steered.found);
  } else if (!system.velocity_rows().empty()) {
    fmt::print("  no free Lagrangian is known: {}\n", problem.steered.reason);
  } else if (problem.systems.empty()) {
    fmt::print("  there are no constraints: it is that of its own\n");
  }
  for (const Variationality& v : problem.systems) print_report(v);
  for (const FreeVerdict& f : problem.free) {
    fmt::print(
        "  {}, the free Lagrangian {}: its equations are those of the associated system (5),\n    {};\n"
        "    motions of the system satisfy them, {}\n",
        f.holds() ? "yes" : "no", form_number(f.form), evidence(f.equations), evidence(f.motion));
    fmt::print("    L = {}\n", text(f.lagrangian.system.lagrangian()));
  }
  if (!problem.free.empty())
    fmt::print("  'rattleback show --free' has the Hamiltonians; the method free integrates\n");
}

nlohmann::json inverse_problem_json(const System& system, const InverseProblem& problem) {
  nlohmann::json document{
      {"systems", nlohmann::json::array()}, {"class", nullptr}, {"free_lagrangians", nlohmann::json::array()}};
  for (const Variationality& v : problem.systems) {
    const HelmholtzReport& r = v.report;
    nlohmann::json entry{{"name", v.name}, {"accelerations", texts(v.equations.accelerations)}, {"decided", r.decided}};
    if (r.decided) {
      entry.update({{"regular_multiplier", r.regular},
                    {"unknowns", r.unknowns},
                    {"dimension", r.dimension},
                    {"dimensions", r.dimensions},
                    {"exhausted", r.exhausted},
                    {"smallest_counted", r.smallest_counted},
                    {"largest_dropped", r.largest_dropped},
                    {"regularity", r.regularity},
                    {"idle", r.idle},
                    {"points", r.points},
                    {"where", r.where}});
    } else {
      entry["reason"] = r.reason;
    }
    document["systems"].push_back(entry);
  }
  if (problem.steered.found) {
    document["class"] = class_json(system, *problem.steered.found);
  } else {
    document["reason"] = problem.steered.reason;
  }
  for (const FreeVerdict& f : problem.free) {
    document["free_lagrangians"].push_back({{"form", static_cast<int>(f.form)},
                                            {"lagrangian", to_text(f.lagrangian.system.lagrangian())},
                                            {"hamiltonian", to_text(f.lagrangian.hamiltonian)},
                                            {"residual", f.equations.residual},
                                            {"motion_residual", f.motion.residual},
                                            {"holds", f.holds()}});
  }
  return document;
}

Expression parse_lagrangian(const std::string& given, const System& system) {
  ParseOptions options;
  options.source = "--lagrangian";
  options.names.emplace();
  for (const auto* symbols : {&system.coordinates(), &system.velocities(), &system.parameters()}) {
    for (const Expression& s : *symbols) options.names->push_back(s.name());
  }
  options.unknown_advice = "; coordinates, velocities and parameters of the model may occur";
  try {
    return parse(given, options);
  } catch (const ParseError& error) {
    throw Failure(ExitStatus::wrong_request, error.what());
  }
}

bool print_given_lagrangian(const System& system, const InverseProblem& problem, const Expression& lagrangian,
                            const LagrangianReport& r, const State& near) {
  fmt::print("\nThe given Lagrangian\n  L = {}\n", text(lagrangian));
  if (r.motion.points == 0) {
    fmt::print("  is defined at none of the random states about the start\n");
    return false;
  }
  if (r.motion.holds) {
    fmt::print("  every motion of the system satisfies its Euler-Lagrange equations, {}\n", evidence(r.motion));
  } else {
    fmt::print("  the system does not move by its Euler-Lagrange equations: residual {:.2g} at (q, v) = {}\n",
               r.motion.residual, tuple(r.motion.worst, 6));
  }
  fmt::print("  {}: the smallest singular value of its Hessian is {}{:.1e} of the largest\n",
             r.regular ? "regular" : "singular", r.regular ? "at least " : "", r.regularity);
  if (!r.poles.empty()) fmt::print("  its Hessian is infinite where {}\n", equations_of(r.poles));
  if (!r.zeros.empty()) fmt::print("  its Hessian is singular where {}\n", equations_of(r.zeros));
  for (const auto& [name, c] : comparisons(system, problem, lagrangian, near)) {
    fmt::print("  for all velocities {}, residual {:.1e}\n",
               r.regular ? fmt::format("its equations are {} {}", c.holds ? "those of" : "not those of", name)
                         : fmt::format("{} {} its equations", name, c.holds ? "satisfies" : "does not satisfy"),
               c.residual);
  }
  return r.is_free_lagrangian();
}

nlohmann::json given_lagrangian_json(const System& system, const InverseProblem& problem, const Expression& lagrangian,
                                     const LagrangianReport& r, const State& near) {
  nlohmann::json document{{"lagrangian", to_text(lagrangian)},
                          {"is_free_lagrangian", r.is_free_lagrangian()},
                          {"motion",
                           {{"holds", r.motion.holds},
                            {"residual", r.motion.residual},
                            {"points", r.motion.points},
                            {"worst", r.motion.worst}}},
                          {"regular", r.regular},
                          {"regularity", r.regularity},
                          {"poles", texts(r.poles)},
                          {"zeros", texts(r.zeros)},
                          {"determinant", to_text(r.determinant)},
                          {"equations", nlohmann::json::object()}};
  for (const auto& [name, c] : comparisons(system, problem, lagrangian, near)) {
    document["equations"][name] = {{"holds", c.holds}, {"residual", c.residual}};
  }
  return document;
}

void print_free_lagrangians(const Model& model) {
  const System& s = model.system;
  const Found found = find_free(model);
  fmt::print("{} ({})\n\n", model.title, model.name);
  print_class(s, found.steered);
  for (std::size_t k = 0; k < found.forms.size(); ++k) {
    const FreeLagrangian& free = found.lagrangians[k];
    fmt::print("\nFree Lagrangian {}\n  L = {}\n", form_number(found.forms[k]), text(free.system.lagrangian()));
    fmt::print("  H = {}\n", text(free.hamiltonian));
    for (const Expression& c : free.constraints) fmt::print("  0 = {}\n", text(c));
  }
  fmt::print("\nThe constants C are any numbers other than 0, to be put in where L is used; {}' must not vanish.\n",
             s.coordinates()[found.steered.steering].name());
}

void print_free_lagrangians_as_latex(const Model& model) {
  const Found found = find_free(model);
  std::vector<std::string> lines;
  for (const FreeLagrangian& free : found.lagrangians) {
    lines.push_back("\\tilde{L} &= " + to_latex(free.system.lagrangian()));
    lines.push_back("\\tilde{H} &= " + to_latex(free.hamiltonian));
    for (const Expression& c : free.constraints) lines.push_back("0 &= " + to_latex(c));
  }
  fmt::print("% {}\n\\begin{{align*}}\n  {}\n\\end{{align*}}\n", model.title, fmt::join(lines, " \\\\\n  "));
}

nlohmann::json free_lagrangians_json(const Model& model) {
  const Found found = find_free(model);
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t k = 0; k < found.forms.size(); ++k) {
    const FreeLagrangian& free = found.lagrangians[k];
    nlohmann::json constants = nlohmann::json::array();
    for (const Expression& c : free.constants) {
      if (c.is_symbol()) constants.push_back(c.name());
    }
    list.push_back({{"form", static_cast<int>(found.forms[k])},
                    {"lagrangian", to_text(free.system.lagrangian())},
                    {"hamiltonian", to_text(free.hamiltonian)},
                    {"constraints", texts(free.constraints)},
                    {"constants", constants}});
  }
  return {{"name", model.name}, {"class", class_json(model.system, found.steered)}, {"free_lagrangians", list}};
}

}  // namespace rattleback::cli
