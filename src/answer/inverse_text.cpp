// The inverse problem for people.

#include <algorithm>

#include "inverse.hpp"
#include "rattleback/expr/graph.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

std::string moved_name(const System& system, const SteeredSystem& s, std::size_t i) {
  return system.coordinates()[s.moved[i]].name();
}

/// "r2 = y, s = (z)", for the direction with this number.
std::string names_of_direction(const System& system, const SteeredSystem& s, std::size_t direction) {
  std::string base;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    if (s.branch[i] != direction) continue;
    if (s.is_base(i)) {
      base = moved_name(system, s, i);
    } else {
      others.push_back(moved_name(system, s, i));
    }
  }
  return fmt::format("r{} = {}, s = ({})", direction + 2, base, fmt::join(others, ", "));
}

bool depends_on(const Expression& f, const Expression& symbol) {
  const std::vector<Expression> symbols = free_symbols(f);
  return std::ranges::find(symbols, symbol) != symbols.end();
}

void add_report(std::string& out, const Variationality& v) {
  const HelmholtzReport& r = v.report;
  add(out, "  {}\n", v.name);
  if (!r.decided) {
    add(out, "    undecided: {}\n", r.reason);
    return;
  }
  if (r.dimension == 0) {
    add(out, "    no regular Lagrangian: the Helmholtz conditions leave no multiplier at all\n");
  } else if (!r.regular) {
    std::vector<std::string> idle;
    for (const std::string& name : r.idle) idle.push_back(name + "'");
    add(out,
        "    no regular Lagrangian: the Helmholtz conditions leave {} of {} dimensions of multipliers, all singular\n"
        "    (smallest singular value at most {:.1e} of the largest{})\n",
        r.dimension, r.unknowns, r.regularity,
        idle.empty() ? "" : fmt::format(": {} cannot occur", fmt::join(idle, ", ")));
  } else {
    add(out,
        "    not excluded: the Helmholtz conditions leave {} of {} dimensions of multipliers, regular ones among them\n"
        "    (smallest singular value {:.1e} of the largest)\n",
        r.dimension, r.unknowns, r.regularity);
  }
  std::vector<std::string> steps;
  const char* const tensors[] = {"Phi", "nabla Phi", "nabla^2 Phi", "nabla^3 Phi", "nabla^4 Phi"};
  for (std::size_t k = 0; k < r.dimensions.size(); ++k)
    steps.push_back(fmt::format("{} after {}", r.dimensions[k], tensors[k]));
  add(out, "    {}{}\n", fmt::join(steps, ", "), r.exhausted ? "" : "; not examined further");
  if (r.dimension == r.unknowns) {
    add(out, "    at {} random points: there are no conditions\n", r.points);
  } else {
    add(out, "    at {} random points, singular values from {:.1e} up count, up to {:.1e} do not\n", r.points,
        r.smallest_counted, r.largest_dropped);
  }
}

/// "residual 2e-16 at 20 random states, tolerance 1e-10"
std::string evidence(const Certificate& c) {
  return fmt::format("residual {:.1e} at {} random states, tolerance {:.0e}", c.residual, c.points, c.tolerance);
}

std::string equations_of(const std::vector<Expression>& zeros) {
  std::vector<std::string> list;
  for (const Expression& z : zeros) list.push_back(formula(z) + " = 0");
  return fmt::format("{}", fmt::join(list, " or "));
}

}  // namespace

const char* form_number(FreeForm form) { return form == FreeForm::both_scaled ? "(6)" : "(7)"; }

std::string class_text(const System& system, const SteeredSystem& s) {
  std::string out;
  const std::string r1 = system.coordinates()[s.steering].name();
  const bool one = s.directions() == 1;
  add(out, "  of the class of Mestdag, Bloch & Fernandez: r1 = {}, {}\n", r1,
      one ? names_of_direction(system, s, 0) : fmt::format("and {} directions", s.directions()));
  for (std::size_t a = 0; a < s.directions(); ++a) {
    if (!one) add(out, "    {}\n", names_of_direction(system, s, a));
    std::size_t base = 0;
    for (std::size_t i = 0; i < s.moved.size(); ++i) {
      if (s.branch[i] != a) continue;
      if (s.is_base(i)) {
        base = i;
      } else {
        add(out, "    A_{} = {}\n", moved_name(system, s, i), formula(s.slope(i)));
      }
    }
    const bool is_constant = !depends_on(s.direction[base], system.coordinates()[s.steering]);
    add(out, "    N = {}{}\n", formula(s.direction[base]), is_constant ? ", constant" : "");
  }
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    if (s.shear[i].is_constant(0.0)) continue;
    add(out, "    {0} is carried along by {1}: {0} - ({2})*{1} is what moves\n", moved_name(system, s, i), r1,
        formula(s.shear[i]));
  }
  if (!s.potential_is_constant)
    add(out, "    with the potential V = {}, with which no free Lagrangian is known\n", formula(s.potential));
  return out;
}

std::string inverse_problem_text(const System& system, const InverseProblem& problem) {
  std::string out;
  add(out, "\nInverse problem: is it the motion of a regular Lagrangian without constraints?\n");
  if (problem.own && problem.own->is_free_lagrangian()) {
    add(out,
        "  yes, its own: the forces of the constraints vanish, {},\n    so that motions that begin on the constraints "
        "are "
        "those of the same Lagrangian without them\n",
        evidence(problem.own->motion));
  }
  if (problem.steered.found) {
    out += class_text(system, *problem.steered.found);
  } else if (!system.velocity_rows().empty()) {
    add(out, "  no {}free Lagrangian is known: {}\n", problem.own && problem.own->is_free_lagrangian() ? "other " : "",
        problem.steered.reason);
  } else if (problem.systems.empty()) {
    add(out, "  {}\n",
        system.applied_forces().empty() ? "there are no constraints: it is that of its own"
                                        : "not examined: the system depends on time explicitly");
  }
  for (const Variationality& v : problem.systems) add_report(out, v);
  for (const FreeVerdict& f : problem.free) {
    add(out,
        "  {}, the free Lagrangian {}: its equations are those of the associated system (5),\n    {};\n"
        "    motions of the system satisfy them, {}\n",
        f.holds() ? "yes" : "no", form_number(f.form), evidence(f.equations), evidence(f.motion));
    add(out, "    L = {}\n", formula(f.lagrangian.system.lagrangian()));
  }
  if (!problem.free.empty()) add(out, "  'rattleback show --free' has the Hamiltonians; the method free integrates\n");
  return out;
}

std::string associated_text(const System& system, const AssociatedSearch& search) {
  std::string out = "\nSearch among associated systems: each acceleration by velocities that tell the others\n";
  if (!search.reason.empty()) {
    add(out, "  none: {}\n", search.reason);
    return out;
  }
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < search.forms.size(); ++i)
    counts.push_back(fmt::format("{} of {}''", search.forms[i], system.coordinates()[i].name()));
  add(out, "  forms: {}; {} system{}\n", fmt::join(counts, ", "), search.systems, search.systems == 1 ? "" : "s");
  add(out, "  {}{}\n", result_of(search),
      search.open.empty() ? search.is_complete() ? ": none of them has a regular Lagrangian" : ""
                          : fmt::format("; {} not:", search.open.size()));
  for (std::size_t k = 0; k < search.open.size(); ++k) {
    const auto& [equations, report, lagrangian] = search.open[k];
    add(out, "  {}. the Helmholtz conditions leave {} of {} dimensions of multipliers, regular ones among them{}\n",
        k + 1, report.dimension, report.unknowns,
        lagrangian ? fmt::format("; it is that of the free Lagrangian {}", form_number(*lagrangian)) : "");
    for (std::size_t i = 0; i < equations.dimension(); ++i)
      add(out, "     {}'' = {}\n", equations.coordinates[i].name(), formula(equations.accelerations[i]));
  }
  return out;
}

std::string given_lagrangian_text(const GivenLagrangian& given) {
  std::string out;
  const LagrangianReport& r = given.report;
  add(out, "\nThe given Lagrangian\n  L = {}\n", formula(given.lagrangian));
  if (r.motion.points == 0) {
    add(out, "  is defined at none of the random states about the start\n");
    return out;
  }
  if (r.motion.holds) {
    add(out, "  every motion of the system satisfies its Euler-Lagrange equations, {}\n", evidence(r.motion));
  } else {
    add(out, "  the system does not move by its Euler-Lagrange equations: residual {:.2g} at (q, v) = {}\n",
        r.motion.residual, tuple(r.motion.worst, 6));
  }
  add(out, "  {}: the smallest singular value of its Hessian is {}{:.1e} of the largest\n",
      r.regular ? "regular" : "singular", r.regular ? "at least " : "", r.regularity);
  if (!r.poles.empty()) add(out, "  its Hessian is infinite where {}\n", equations_of(r.poles));
  if (!r.zeros.empty()) add(out, "  its Hessian is singular where {}\n", equations_of(r.zeros));
  for (const auto& [name, c] : given.equations) {
    add(out, "  for all velocities {}, residual {:.1e}\n",
        r.regular ? fmt::format("its equations are {} {}", c.holds ? "those of" : "not those of", name)
                  : fmt::format("{} {} its equations", name, c.holds ? "satisfies" : "does not satisfy"),
        c.residual);
  }
  return out;
}

}  // namespace rattleback::answer
