// The methods that there are: what their options mean, and how they are derived.

#include "families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "group_rdla.hpp"
#include "rattleback/method/composition.hpp"
#include "rattleback/method/reference.hpp"

namespace rattleback {
namespace {

/// A method of order 2, or a composition of it.
struct Composed {
  int order = 2;
  int stages = 0;

  Composed(const MethodOptions& options, const Rule& rule) : order(options.order()), stages(options.stages()) {
    composition_coefficients(order, stages);
    if (const auto constraints = options.constraint_rule();
        options.has("order") && constraints && !constraints->is_symmetric()) {
      throw MethodError(
          "order needs a symmetric rule for the constraints too: constraints=midpoint, trapezoidal or sym=...");
    }
    if (options.has("order") && !rule.is_symmetric()) {
      throw MethodError("order needs a symmetric rule: midpoint, trapezoidal or sym=...; alpha has order 1");
    }
  }
  Method operator()(Method method) const {
    return order == 2 && stages == 0 ? std::move(method) : composed(std::move(method), order, stages);
  }
};

/// Of variational methods: their equations have a rule, and are iterated.
std::vector<std::string> with_rules(std::vector<std::string> others) {
  others.insert(others.begin(), {"midpoint", "trapezoidal", "alpha=0.5", "sym=0"});
  others.insert(others.end(), {"newton-tolerance=0", "newton-iterations=1|2|3|4"});
  return others;
}

std::vector<std::string> variational_options(std::vector<std::string> others = {}) {
  others.insert(others.end(), {"order=2|4|6|8|10", "stages=5|9|13|17|21|35", "start=momentum|reference"});
  return with_rules(std::move(others));
}

constexpr const char* projections = "project=energy";
constexpr const char* constraint_rules = "constraints=midpoint|trapezoidal|alpha=0.5|sym=0";

bool starts_from_reference(const MethodOptions& options, const Composed& composed) {
  constexpr const char* starts[] = {"momentum", "reference"};
  const bool from_reference = options.word<int>("start", starts) == 1;
  if (from_reference && composed.order > 2) {
    throw MethodError("a composition cannot start from two positions: drop start=reference or order");
  }
  return from_reference;
}

/// Without constraints nothing else errs.
Method exact_if_free(Method method, const System& system) {
  method.structure.exact = system.velocity_rows().empty();
  return method;
}

Method del_by_exact_lagrangian(const Problem& p) {
  return exact_if_free(del(p.system, exact_discrete_lagrangian(p.system, p.parameters), 2, true), p.system);
}

/// The free motion between nodes is exact; constraints have a rule.
Method dla_by_exact_lagrangian(const Problem& p, const Rule& constraints) {
  return exact_if_free(
      dla(p.system, exact_discrete_lagrangian(p.system, p.parameters),
          discretise(p.system.constraints(), p.system, constraints), constraints.order(), constraints.is_symmetric()),
      p.system);
}

Recipe read_del(const MethodOptions& options) {
  const bool exact = options.exact();
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  return MapRecipe{
      [=](const Problem& p, Geometry&) { return compose(exact ? del_by_exact_lagrangian(p) : del(p.system, rule)); },
      starts_from_reference(options, compose)};
}

Recipe read_dla(const MethodOptions& options) {
  const bool exact = options.exact();
  const Rule rule = options.rule();
  const std::optional<Rule> constraints = options.constraint_rule();
  const Composed compose(options, rule);
  return MapRecipe{[=](const Problem& p, Geometry&) {
                     return compose(exact ? dla_by_exact_lagrangian(p, constraints.value_or(midpoint()))
                                          : dla(p.system, rule, constraints));
                   },
                   starts_from_reference(options, compose)};
}

Recipe read_gni(const MethodOptions& options) {
  constexpr const char* starts[] = {"consistent", "zero", "thesis", "literal"};
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  const auto first = options.word<FirstMultiplier>("start", starts);
  if (first == FirstMultiplier::literal && compose.order > 2) {
    throw MethodError("start=literal has no order that a composition could raise: drop it or order");
  }
  if (compose.order > 4) {
    throw MethodError(
        "compositions raise the order of gni to 4, not further: its multipliers depend on the step size; dla has "
        "orders up to 10");
  }
  return MapRecipe{[=](const Problem& p, Geometry&) { return compose(gni(p.system, rule, first)); }};
}

Recipe read_rdla(const MethodOptions& options) {
  constexpr const char* kinds[] = {"averaged", "general"};
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  const bool from_reference = starts_from_reference(options, compose);
  const auto forces = options.word<DiscreteForces>("forces", kinds);
  const std::optional<Rule> constraints = options.constraint_rule();
  const bool averaged = options.has("forces") && forces == DiscreteForces::averaged;
  return MapRecipe{[=](const Problem& p, Geometry& g) {
                     if (p.system.rotations().empty())
                       return compose(rdla(p.system, g.chaplygin("rdla"), rule, forces, constraints));
                     if (averaged)
                       throw MethodError("with rotations the forces of rdla are those of dla: drop forces=averaged");
                     return compose(rdla(p, rule, constraints));
                   },
                   from_reference};
}

/// What the steps of τ are. The default is equal steps, which end where τ turns back; through, equal times.
TauSteps tau_steps(const MethodOptions& options, std::span<const char* const> quadratures) {
  constexpr const char* nodes[] = {"tau", "t", "reference"};
  TauSteps steps;
  steps.through = options.has("through");
  steps.size = steps.through && !options.has("nodes") ? TauSteps::Size::equal_time
                                                      : options.word<TauSteps::Size>("nodes", nodes);
  steps.quadrature = options.word<Quadrature>("quadrature", quadratures);
  if (steps.size == TauSteps::Size::equal) {
    if (steps.through) {
      throw MethodError(
          "where N changes its sign tau turns back, and equal steps of tau end: give through with nodes=t or "
          "nodes=reference");
    }
    return steps;
  }
  for (const char* other : {"quadrature", "resample"}) {
    if (!options.has(other)) continue;
    throw MethodError(
        fmt::format("{} is for nodes at equal steps of tau, and {} has them at equal steps of t: drop one", other,
                    options.has("nodes") ? "nodes=" + options.text("nodes") : "through"));
  }
  return steps;
}

Recipe read_hdel(const MethodOptions& options) {
  constexpr const char* names[] = {"trapezoidal", "simpson", "boole"};
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  const TauSteps steps = tau_steps(options, names);
  if (steps.size != TauSteps::Size::equal) {  // the times of the nodes are known
    return MapRecipe{
        [=](const Problem& p, Geometry& g) { return compose(hdel(p.system, g.hamiltonization("hdel"), rule, steps)); }};
  }
  const int known = quadrature_order(steps.quadrature);
  if (compose.order > known) {
    throw MethodError(fmt::format("with quadrature={} the time is known to order {} only: give {}",
                                  names[static_cast<std::size_t>(steps.quadrature)], known,
                                  compose.order > 6   ? "order=6 at most"
                                  : compose.order > 4 ? "quadrature=boole"
                                                      : "quadrature=simpson or boole"));
  }
  const bool resampled = options.has("resample");
  return MapRecipe{[=](const Problem& p, Geometry& g) {
    Method method = compose(hdel(p.system, g.hamiltonization("hdel"), rule, steps));
    method.structure.order = std::min(method.structure.order, known);
    if (resampled) method.own_time->nodes = OwnTime::Nodes::resampled;
    return method;
  }};
}

Recipe read_pthdel(const MethodOptions& options) {
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  const bool through = options.has("through");
  return MapRecipe{[=](const Problem& p, Geometry& g) {
                     return compose(pthdel(p.system, g.hamiltonization("pthdel"), {rule}, through));
                   },
                   starts_from_reference(options, compose)};
}

Recipe read_conformal(const MethodOptions& options) {
  const AlteredRule rule = options.altered_rule();
  const Composed compose(options, rule.lagrangian);
  const double ell = options.number("ell", 4, 0, 12);
  if (ell != std::floor(ell)) {
    throw MethodError(fmt::format("ell must be a whole number, found '{}'", options.text("ell")));
  }
  const bool every_step = options.has("every-step");
  return MapRecipe{[=](const Problem& p, Geometry& g) {
    return conformal(compose(pthdel(p.system, g.hamiltonization("conformal"), rule)), p, static_cast<int>(ell),
                     every_step, /*by_formulas=*/every_step);
  }};
}

using FreeMethod = Method (*)(const System&, const SteeredSystem&, const Rule&, const FreeOptions&);

Recipe read_free(const char* name, FreeMethod equations, const MethodOptions& options) {
  constexpr const char* forms[] = {"automatic", "6", "7"};
  constexpr const char* starts[] = {"constraint", "momentum"};
  constexpr const char* means[] = {"direction", "lagrangian"};
  const Rule rule = options.rule();
  const Composed compose(options, rule);
  FreeOptions free;
  const int form = options.word<int>("form", forms);
  free.form = form == 0 ? 0 : form + 5;
  if (options.has("C")) free.constant = options.number("C", 1.0, -1e6, 1e6);
  free.mean = options.word<FreeMean>("mean", means);
  if (free.constant == 0.0) throw MethodError("C must not be 0: the free Lagrangian would not be regular");
  // A composition takes steps of several lengths: its start cannot depend on one of them.
  free.from_momentum = options.word<int>("start", starts) == 1 || compose.order > 2;
  if (options.text("start") == "constraint" && compose.order > 2) {
    throw MethodError("a composition starts from the momentum: drop start=constraint or order");
  }
  return MapRecipe{
      [=](const Problem& p, Geometry& g) { return compose(equations(p.system, g.steered(name), rule, free)); }};
}

std::vector<std::string> free_options() {
  return with_rules({"form=6|7", "C=0.01", "mean=direction|lagrangian", "order=2|4|6|8|10", "stages=5|9|13|17|21|35",
                     "start=constraint|momentum"});
}

Recipe without_options(Method (*equations)(const System&)) {
  return MapRecipe{[=](const Problem& p, Geometry&) { return equations(p.system); }};
}

Recipe read_flow(ReferenceOptions::By by, const MethodOptions& options) {
  ReferenceOptions flow;
  flow.by = by;
  if (options.has("tolerance"))
    flow.tolerance = options.number("tolerance", 0.0, by == ReferenceOptions::By::adams ? 1e-15 : 1e-16, 1e-2);
  if (options.has("order")) {
    const double order = options.number("order", 20, 2, 100);
    if (order != std::floor(order)) {
      throw MethodError(fmt::format("order must be a whole number, found '{}'", options.text("order")));
    }
    flow.order = static_cast<int>(order);
  }
  return FlowRecipe{[=](const Problem& p) { return std::make_unique<ReferenceFlow>(p, flow); }};
}

}  // namespace

const std::vector<Family>& families() {
  using O = const MethodOptions&;
  static const std::vector<Family> all{
      {{"dla", "discrete Lagrange-d'Alembert equations (Cortes & Martinez): order 2, or 4, 6, 8, 10 by composition",
        variational_options({"exact", constraint_rules, projections})},
       read_dla},
      {{"del", "discrete Euler-Lagrange equations, for systems without constraints",
        variational_options({"exact", projections})},
       read_del},
      {{"gni", "geometric nonholonomic integrator (Evensberget's Hd and HdS)",
        with_rules({"order=2|4", "start=consistent|zero|thesis|literal", projections})},
       read_gni},
      {{"rdla",
        "reduced discrete Lagrange-d'Alembert equations of a Chaplygin system (Cortes & Martinez; Fernandez et al.), "
        "or on "
        "Q/G where motions of space act on rotations",
        variational_options({constraint_rules, "forces=averaged|general"})},
       read_rdla},
      {{"hdel", "Hamiltonized discrete Euler-Lagrange equations (Fernandez, Bloch & Olver): steps of tau, dtau = N dt",
        with_rules({"quadrature=trapezoidal|simpson|boole", "nodes=tau|t|reference", "through", "order=2|4|6",
                    "stages=5|9|13", "resample"})},
       read_hdel},
      {{"pthdel", "Hamiltonized equations by the Poincare transformation (Fernandez, Bloch & Olver): steps of t",
        with_rules({"through", "order=2|4|6|8|10", "stages=5|9|13|17|21|35", "start=momentum|reference"})},
       read_pthdel},
      {{"conformal",
        "pthdel with a modified energy, so that a measure is preserved (Garcia-Naranjo & Vermeeren): steps of t",
        with_rules({"M", "MT", "TM", "TT", "T", "ell=4", "every-step", "order=2|4|6|8|10", "stages=5|9|13|17|21|35"})},
       read_conformal},
      {{"free", "discrete Euler-Lagrange equations of a free Lagrangian (Mestdag, Bloch & Fernandez)", free_options()},
       [](O o) { return read_free("free", &free_lagrange, o); }},
      {{"free-modified", "the same for the coordinates r, and discrete constraints for the coordinates s",
        free_options()},
       [](O o) { return read_free("free-modified", &free_modified, o); }},
      {{"rk4", "classical Runge-Kutta of order 4 on the index-1 form", {projections}},
       [](O) { return without_options(&rk4); }},
      {{"rk4-index0", "classical Runge-Kutta of order 4 with the multipliers as a state", {projections}},
       [](O) { return without_options(&rk4_index0); }},
      {{"taylor",
        "Taylor series of the motion by recurrences, of any order, projected onto the constraints",
        {"tolerance=1e-12", "order=20"}},
       [](O o) { return read_flow(ReferenceOptions::By::series, o); }},
      {{"cvode",
        "CVODE (Adams, variable order) on the index-1 form, projected onto the constraints",
        {"tolerance=1e-12"}},
       [](O o) { return read_flow(ReferenceOptions::By::adams, o); }},
      {{"reference",
        "the motion to nearly all digits: taylor at its tightest tolerance, cvode where something is not smooth",
        {"tolerance=1e-12"}},
       [](O o) { return read_flow(ReferenceOptions::By::either, o); }},
  };
  return all;
}

}  // namespace rattleback
