#include "rattleback/answer/analyse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "near.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback::answer {
namespace {

using Values = std::unordered_map<Expression, double>;

Values values_at_start(const AnalyseAnswer& a) {
  const System& s = a.system();
  const std::vector<double>& parameters = s.parameter_values();
  Values here;
  for (std::size_t i = 0; i < s.dimension(); ++i) here[s.coordinates()[i]] = a.near.q[i];
  for (std::size_t i = 0; i < parameters.size(); ++i) here[s.parameters()[i]] = parameters[i];
  return here;
}

/// Where a function changes after one turn of an angle of the shape.
std::vector<Period> periods(const AnalyseAnswer& a, const Expression& function) {
  std::vector<Period> list;
  const Values here = values_at_start(a);
  const double value = evaluate(function, here);
  for (const Expression& r : a.reduced().coordinates()) {
    if (std::ranges::find(a.model.angles, r.name()) == a.model.angles.end()) continue;
    Values turned = here;
    turned[r] += 2.0 * std::numbers::pi;
    const double factor = evaluate(function, turned) / value;
    if (std::isfinite(factor) && std::abs(factor - 1.0) > 1e-6) list.push_back({r.name(), factor});
  }
  return list;
}

void judge_gyroscopic(AnalyseAnswer& a, const GyroscopicStructure& g) {
  if (!g.applies) return;
  a.tensor = gyroscopic_tensor(a.reduced());
  if (g.measure) a.measure_periods = periods(a, g.measure->exponential);
  const Verdict where = a.measure_periods.empty() ? Verdict::yes : Verdict::locally;
  a.measure = g.has_measure() ? where : Verdict::no;
  a.hamiltonizable = g.is_hamiltonizable() ? where : Verdict::no;
  if (!g.multiplier) return;
  a.multiplier_periods = periods(a, g.multiplier->exponential);
  if (g.multiplier->closed_form) a.hamiltonized = hamiltonized_forms(a.reduced(), g.multiplier->exponential);
}

GivenLagrangian compared(const AnalyseAnswer& a, const Expression& lagrangian) {
  const System& s = a.system();
  const std::vector<double>& parameters = s.parameter_values();
  GivenLagrangian given{lagrangian, examine_lagrangian(s, lagrangian, parameters, a.near), {}};
  if (s.velocity_rows().empty()) return given;  // nothing would be added to what was said of the motion
  for (const Variationality& v : a.analysis.inverse_problem.systems) {
    if (v.equations.dimension() != s.dimension()) continue;  // reduced ones
    given.equations.push_back({v.name, compare_equations(lagrangian, v.equations, parameters, a.near)});
  }
  for (std::size_t k = 0; a.associated && k < a.associated->open.size(); ++k) {
    given.equations.push_back({fmt::format("system {} of the search", k + 1),
                               compare_equations(lagrangian, a.associated->open[k].equations, parameters, a.near)});
  }
  return given;
}

Expression parse_lagrangian(const std::string& text, const Model& model) {
  const System& system = model.system;
  ParseOptions options;
  options.source = "`lagrangian`";
  options.names.emplace();
  for (const auto* symbols : {&system.coordinates(), &system.velocities(), &system.parameters()}) {
    for (const Expression& s : *symbols) options.names->push_back(s.name());
  }
  options.definitions = &model.definitions;
  options.unknown_advice = "; coordinates, velocities and parameters of the model may occur";
  return parse(text, options);
}

ReducedUnderRule reduced_under(const AnalyseAnswer& a, const std::string& text, const Rule& rule) {
  const System& s = a.system();
  if (!a.analysis.search.found || a.chaplygin().fibre.empty()) {
    throw MethodError(fmt::format("`rule` is for Chaplygin systems, and this is none: {}; leave it out",
                                  a.analysis.search.found ? "it has no constraints" : a.analysis.search.reasons.at(0)));
  }
  ReducedUnderRule d{text, reduce_discretely(s, a.chaplygin(), rule)};
  const auto is_taken = [](const std::vector<Expression>& symbols) {
    return std::ranges::any_of(symbols, [](const Expression& e) { return e.name() == "h"; });
  };
  if (!d.reduction.formulas || is_taken(s.coordinates()) || is_taken(s.parameters())) return d;
  const Substitution step{{step_symbol(), Expression::symbol("h")}};
  DiscreteReduction::Formulas& f = *d.reduction.formulas;
  f.lagrangian = substitute(f.lagrangian, step);
  for (auto* list : {&f.fibre, &f.minus, &f.plus}) *list = substitute(*list, step);
  return d;
}

}  // namespace

std::string result_of(const AssociatedSearch& search) {
  if (!search.reason.empty()) return search.reason;
  std::string text = fmt::format("{} of {} are excluded by the Helmholtz conditions", search.excluded, search.systems);
  if (search.undecided > 0) text += fmt::format(", {} undecided", search.undecided);
  if (search.tried < search.systems) text += fmt::format(", {} not tried", search.systems - search.tried);
  return text;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::yes: return "yes";
    case Verdict::locally: return "locally";
    case Verdict::no: return "no";
    case Verdict::unknown: return "unknown";
  }
  return "";
}

AnalyseAnswer analyse(const AnalyseRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  const auto patience = hooks.patience();
  Model model = request.model.load(request.parameters);
  const System& s = model.system;
  std::optional<Expression> lagrangian;
  if (request.lagrangian) lagrangian = parse_lagrangian(*request.lagrangian, model);
  std::optional<Rule> rule;
  if (request.associated && *request.associated < 1) {
    throw RequestError(fmt::format("`associated` must be a positive number of systems, found {}", *request.associated));
  }
  if (request.rule) rule = rule_of(*request.rule, "`rule`");
  State near = state_to_look_at(model);
  Analysis analysis = rattleback::analyse(s, s.parameter_values(), near);
  AnalyseAnswer a{.model = std::move(model), .near = std::move(near), .analysis = std::move(analysis)};
  if (a.analysis.search.found && !a.system().velocity_rows().empty())
    a.solvable_at_start = evaluate(a.chaplygin().transversality, values_at_start(a)) != 0.0;
  if (a.analysis.gyroscopic) judge_gyroscopic(a, *a.analysis.gyroscopic);
  if (const auto& m = a.analysis.reduced_measure; m && !m->translations.empty()) {
    a.measure_by_translations = !m->decided ? Verdict::unknown : m->exists() ? Verdict::yes : Verdict::no;
  }
  if (rule) a.discrete = reduced_under(a, *request.rule, *rule);
  if (request.associated) {
    a.associated = search_associated(a.system(), a.system().parameter_values(), a.near,
                                     static_cast<std::size_t>(*request.associated));
  }
  if (lagrangian) a.given = compared(a, *lagrangian);
  return a;
}

std::optional<Error> complaint(const AnalyseAnswer& answer) {
  if (answer.given && !answer.given->report.is_free_lagrangian())
    return Error(Error::Kind::answer_is_no, "the given Lagrangian is no regular free Lagrangian of the system");
  if (answer.associated && answer.associated->open.empty())
    return Error(Error::Kind::answer_is_no,
                 "no associated system with a regular Lagrangian was found: " + result_of(*answer.associated));
  return {};
}

}  // namespace rattleback::answer
