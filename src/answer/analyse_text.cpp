// What a system is, for people.

#include <algorithm>
#include <cmath>

#include "inverse.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

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

/// "residual 2e-16 at 40 random points, tolerance 1e-09"
std::string evidence(const Certificate& c, const std::string& where) {
  if (c.points == 0) return "it could not be evaluated at any of the random points";
  return c.holds
             ? fmt::format("residual {:.1e} at {} random points, tolerance {:.0e}", c.residual, c.points, c.tolerance)
             : fmt::format("residual {:.2g} at {} = {}, tolerance {:.0e}", c.residual, where, tuple(c.worst, 6),
                           c.tolerance);
}

void add_potential(std::string& out, const char* letter, const Potential& p, const std::vector<Period>& periods) {
  if (p.closed_form) {
    add(out, "  {} = {}\n    closed form, residual of d log {} {:.1e}{}\n", letter, formula(p.exponential), letter,
        p.residual, p.for_all_parameters ? "" : "; for these values of the parameters");
  } else {
    add(out, "  {} = exp of a line integral from the initial position: no closed form was found\n", letter);
    const char* const warning = "it is accurate only near the start, and methods stop where it is not";
    if (!std::isfinite(p.residual)) {
      add(out, "    its slopes are not defined at all random points; {}\n", warning);
    } else {
      add(out, "    residual of d log {} {:.1e}{}{}\n", letter, p.residual, p.residual <= 1e-8 ? "" : "; ",
          p.residual <= 1e-8 ? "" : warning);
    }
  }
  for (const auto& [angle, factor] : periods) {
    add(out, "    local, not single-valued: after a turn of {} it is {:.6g} times as large\n", angle, factor);
  }
}

void add_symmetry(std::string& out, const AnalyseAnswer& a) {
  const SymmetryReport& s = a.analysis.symmetry;
  add(out, "\nSymmetry\n");
  if (s.known.empty()) {
    add(out, "  none is known: no coordinate is missing from L and the constraints, and [symmetry] declares none\n");
    return;
  }
  add(out, "  known: {}\n", listed(s.known));
  if (a.system().velocity_rows().empty() || a.analysis.group) return;
  if (s.inside_constraints == 0) {
    add(out, "  together they span {} dimension{}, none of which lies inside the constraints\n", s.dimension,
        s.dimension == 1 ? "" : "s");
  } else {
    add(out,
        "  together they span {} dimension{}, {} of which lie{} inside the constraints: for all of them this is no "
        "Chaplygin\n"
        "  system, and momenta along directions inside obey the nonholonomic momentum equation; below, part of them is "
        "used\n",
        s.dimension, s.dimension == 1 ? "" : "s", s.inside_constraints, s.inside_constraints == 1 ? "s" : "");
  }
}

void add_group(std::string& out, const SymmetryGroup& g) {
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
      if (!terms.empty()) add(out, "  [{}, {}] = {}\n", g.generators[a].name, g.generators[b].name, terms);
    }
  }
}

void add_chaplygin(std::string& out, const AnalyseAnswer& a) {
  const bool constrained = !a.system().velocity_rows().empty();
  add(out, "\nChaplygin structure\n");
  if (!a.analysis.search.found) {
    add(out, "  none\n");
    for (const std::string& reason : a.analysis.search.reasons) add(out, "  {}\n", reason);
    return;
  }
  const ChaplyginSystem& c = a.chaplygin();
  if (!constrained) {
    add(out, "  no constraints: the system is taken as reduced already\n");
  } else {
    add(out, "  fibre ({}), shape ({}): {} group, {}\n", listed(a.system(), c.fibre), listed(a.system(), c.shape),
        c.group.is_abelian() ? "abelian" : "non-abelian", listed(c.group.generators));
    add_group(out, c.group);
    const auto velocities = c.fibre_velocities(a.system());
    for (std::size_t k = 0; k < velocities.size(); ++k) {
      add(out, "  {} = {}\n", a.system().velocities()[c.fibre[k]].name(), formula(velocities[k]));
    }
    if (!c.transversality.is_constant() && !free_symbols(c.transversality).empty()) {
      add(out, "  solvable where {} is not 0{}\n", formula(c.transversality),
          a.solvable_at_start ? "" : ": not at the initial position, where rdla, hdel and pthdel cannot start");
    }
    add(out, "  reduced and full accelerations differ by {:.1e} at random states\n", a.analysis.reduction_defect);
  }
  add(out, "\nReduced system, d/dt (dl/dr') - dl/dr = F\n  l = {}\n", formula(a.reduced().lagrangian()));
  const auto& forces = a.reduced().applied_forces();
  if (forces.empty()) add(out, "  F = 0\n");
  for (std::size_t i = 0; i < forces.size(); ++i) {
    add(out, "  F_{} = {}\n", a.reduced().coordinates()[i].name(), formula(forces[i]));
  }
}

/// "translation of x - 0.5 (rotation about z)"
std::string combination(const SymmetryGroup& group, const std::vector<double>& coefficients) {
  std::string text;
  for (std::size_t a = 0; a < coefficients.size(); ++a) {
    if (std::abs(coefficients[a]) < 1e-9) continue;
    const bool one = std::abs(std::abs(coefficients[a]) - 1.0) < 1e-9;
    if (!text.empty()) text += " + ";
    text += one ? group.generators[a].name : fmt::format("{:.6g} ({})", coefficients[a], group.generators[a].name);
  }
  return text;
}

void add_group_measure(std::string& out, const AnalyseAnswer& a, const GroupMeasure& m) {
  add(out, "\nInvariant measure of the equations on D/G\n");
  const std::string where = fmt::format("({})", names(a.system().position_names()));
  const auto seen = [&](Certificate c) {
    if (!c.worst.empty()) c.worst = a.system().space().shown(c.worst);
    return evidence(c, where);
  };
  if (!m.decided) {
    add(out, "  undecided: {}\n", m.reason);
  } else if (!m.vertical.holds) {
    add(out,
        "  none with a density that depends on Q/G alone: phase space contracts or expands along directions of the "
        "group inside\n  the constraints, {}\n",
        seen(m.vertical));
  } else if (!m.closed.holds) {
    add(out, "  none with a density that depends on Q/G alone: its one-form is not closed, {}\n", seen(m.closed));
  } else {
    add(out, "  yes, with a density that depends on Q/G alone: its one-form is closed, {}\n", seen(m.closed));
  }
  if (m.decided && m.kept > 0) {
    add(out,
        "  constraints and group keep {} of the position, as a distance is kept: examined on the levels of {} "
        "about the start\n",
        m.kept == 1 ? "a function" : fmt::format("{} functions", m.kept), m.kept == 1 ? "it" : "them");
  }
}

void add_group_reduction(std::string& out, const AnalyseAnswer& a, const GroupReduction& g) {
  const SymmetryGroup& group = g.motions.group;
  const std::size_t inside = g.inside_constraints;
  add(out, "\nReduction by motions of space\n");
  if (g.motions.empty()) {
    add(out, "  none: no symmetry is known that multiplies a rotation from the left or translates coordinates\n");
  } else {
    add(out, "  G: {}\n", listed(group.generators));
    add_group(out, group);
    add(out, "  dimensions: Q {}, constraints {}, G {}, Q/G {}{}\n", g.dimension, g.dimension - g.admissible,
        group.dimension(), g.reduced_dimension(),
        g.reduced_dimension() == 0 ? "" : ": " + names(g.motions.reduced_positions(a.system())));
  }
  for (const std::string& left : g.motions.left_out) add(out, "  not divided out: {}\n", left);
  if (g.motions.empty()) return;
  if (g.admissible == g.dimension) {
    std::vector<std::string> forced;
    for (std::size_t k = 0; k < g.forced.size(); ++k) {
      if (g.forced[k]) forced.push_back(group.generators[k].name);
    }
    if (forced.empty()) {
      add(out, "  no constraints: momenta of all symmetries are constant\n");
    } else {
      add(out, "  no constraints: momenta of symmetries are constant, but for what applied forces do: {}\n",
          fmt::join(forced, ", "));
    }
  } else if (g.is_kinematic()) {
    add(out,
        "  the purely kinematic case, TQ = D + V with nothing in common: a Chaplygin system, which moves in Q/G\n");
  } else {
    add(out, "  {} of {} directions of the group lie{} inside the constraints{}{}\n", inside, group.dimension(),
        inside == 1 ? "s" : "", inside == 0 ? "" : ": the momentum along each obeys the nonholonomic momentum equation",
        g.spans       ? ""
        : inside == 0 ? ", and with those of the constraints they do not span all"
                      : ";\n  with those of the constraints they do not span all");
  }
  for (std::size_t k = 0; k < g.horizontal.size(); ++k) {
    add(out, "  horizontal, so that its momentum {}: {}\n",
        g.forced[k] ? "changes by the applied forces alone" : "is constant", combination(group, g.horizontal[k]));
  }
  add(out, "  discrete equations pass to Q/G: rdla; no formulas for them, {} being a rotation\n",
      a.system().rotations()[0].name);
  if (g.measure) add_group_measure(out, a, *g.measure);
}

void add_discrete(std::string& out, const AnalyseAnswer& a) {
  const DiscreteReduction& d = a.discrete->reduction;
  add(out, "\nDiscrete reduction, {}: D1 Ld* + D2 Ld* = F- + F+ (Cortes & Martinez, 32), with the step h\n",
      a.discrete->rule);
  if (!d.formulas) {
    add(out,
        "  no formulas: the discrete constraints are not linear in {}; --observe reduced-forces of a run with dla has "
        "the numbers\n",
        names(d.fibre_increments));
    return;
  }
  for (std::size_t k = 0; k < d.fibre_increments.size(); ++k)
    add(out, "  {} = {}\n", d.fibre_increments[k].name(), formula(d.formulas->fibre[k]));
  add(out, "  Ld* = {}\n", formula(d.formulas->lagrangian));
  for (std::size_t i = 0; i < d.shape_increments.size(); ++i)
    add(out, "  F-_{} = {}\n", a.reduced().coordinates()[i].name(), formula(d.formulas->minus[i]));
  for (std::size_t i = 0; i < d.shape_increments.size(); ++i)
    add(out, "  F+_{} = {}\n", a.reduced().coordinates()[i].name(), formula(d.formulas->plus[i]));
}

void add_hamiltonized(std::string& out, const HamiltonizedForms& forms) {
  add(out, "  l(r, N r') = {}, where ' is d/dtau\n", formula(forms.lagrangian));
  if (forms.hamiltonian) add(out, "  H(r, P) = {}, of dr/dtau, dP/dtau\n", formula(*forms.hamiltonian));
  add(out, "  N (l + {}) = {}, in t\n", forms.energy.name(), formula(forms.poincare_lagrangian));
  if (!forms.hamiltonian) return;
  add(out, "  N (H - {0}) = {1}, of dr/dt, dP/dt where H = {0}\n", forms.energy.name(),
      formula(*forms.poincare_hamiltonian));
}

void add_gyroscopic(std::string& out, const AnalyseAnswer& a) {
  const GyroscopicStructure& g = *a.analysis.gyroscopic;
  add(out, "\nInvariant measure of the reduced equations\n");
  if (!g.applies) {
    add(out, "  not examined: {}\n\nHamiltonization by a multiplier, dtau = N dt\n  not examined\n", g.reason);
    return;
  }
  const std::string r = fmt::format("({})", names(a.reduced().coordinates()));
  const std::string both = fmt::format("({}, {})", names(a.reduced().coordinates()), names(a.reduced().velocities()));
  for (std::size_t i = 0; i < g.one_form.size(); ++i) {
    add(out, "  Theta_{} = {}\n", a.reduced().coordinates()[i].name(), formula(g.one_form[i]));
  }
  if (a.measure != Verdict::no) {
    add(out, "  {}, mu(r) dr dp: dTheta = 0, {}\n", verdict_name(a.measure), evidence(g.closed, r));
  } else {
    add(out, "  none with a density that depends on the positions alone: dTheta is not 0, {}\n", evidence(g.closed, r));
  }
  const bool same = g.multiplier && g.multiplier->exponential == g.measure->exponential;
  if (g.measure && same) add(out, "  mu = N, see below\n");
  if (g.measure && !same) add_potential(out, "mu", *g.measure, a.measure_periods);
  add(out, "\nHamiltonization by a multiplier, dtau = N dt\n");
  if (a.hamiltonizable != Verdict::no) {
    add(out, "  {}: the gyroscopic force is phi-simple, {}\n", verdict_name(a.hamiltonizable),
        evidence(g.simple, both));
    add_potential(out, "N", *g.multiplier, a.multiplier_periods);
    if (a.hamiltonized) add_hamiltonized(out, *a.hamiltonized);
  } else if (a.measure != Verdict::no) {
    add(out,
        "  no: the gyroscopic force is not phi-simple, {}\n"
        "  No N(r) makes the motion Hamiltonian in (r, N p). Other structures, or a further reduction, are not "
        "excluded.\n",
        evidence(g.simple, both));
  } else {
    add(out, "  no: it would imply such a measure\n");
  }
}

void add_measure_by_translations(std::string& out, const AnalyseAnswer& a) {
  const ReducedMeasure& m = *a.analysis.reduced_measure;
  add(out, "\nInvariant measure after dividing out all translations: {}\n", fmt::join(m.translations, ", "));
  std::vector<Expression> base;
  for (const Expression& q : a.system().coordinates()) {
    if (std::find(m.translations.begin(), m.translations.end(), q.name()) == m.translations.end()) base.push_back(q);
  }
  const std::string where = fmt::format("({})", names(base));
  if (!m.decided) {
    add(out, "  undecided: {}\n", m.reason);
  } else if (!m.vertical.holds) {
    add(out, "  no: phase space contracts or expands along symmetry directions inside the constraints, {}\n",
        evidence(m.vertical, where));
  } else if (!m.closed.holds) {
    add(out, "  no: its one-form is not closed, {}\n", evidence(m.closed, where));
  } else {
    add(out, "  yes: its one-form is closed, {}\n", evidence(m.closed, where));
  }
}

void add_constraints(std::string& out, const AnalyseAnswer& a) {
  add(out, "\nConstraints\n");
  if (!a.analysis.constraints) {
    add(out, "  none\n");
    return;
  }
  const ConstraintReport& c = *a.analysis.constraints;
  const std::size_t some = c.integrable.size();
  add(out, "  rank {} on {} coordinates, {}\n", c.generic_rank, a.system().dimension(),
      c.all_integrable ? "integrable: holonomic in disguise"
      : some == 0      ? "not integrable"
                       : fmt::format("not integrable; {} of them {} by {}", some, some == 1 ? "is" : "are",
                                some == 1 ? "itself" : "themselves"));
}

}  // namespace

std::string to_text(const AnalyseAnswer& a) {
  std::string out = fmt::format("{} ({})\n", a.model.title, a.model.name);
  add_constraints(out, a);
  add_symmetry(out, a);
  if (a.analysis.group) {
    add_group_reduction(out, a, *a.analysis.group);
  } else {
    add_chaplygin(out, a);
  }
  if (a.discrete) add_discrete(out, a);
  if (a.analysis.gyroscopic) add_gyroscopic(out, a);
  if (a.measure_by_translations) add_measure_by_translations(out, a);
  out += inverse_problem_text(a.system(), a.analysis.inverse_problem);
  if (a.associated) out += associated_text(a.system(), *a.associated);
  if (a.given) out += given_lagrangian_text(*a.given);
  return out;
}

}  // namespace rattleback::answer
