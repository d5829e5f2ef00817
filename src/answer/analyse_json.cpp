#include <nlohmann/json.hpp>

#include "inverse.hpp"
#include "json.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

nlohmann::json certificate_json(const Certificate& c) {
  return {{"holds", c.holds},
          {"residual", c.residual},
          {"tolerance", c.tolerance},
          {"points", c.points},
          {c.holds ? "worst" : "counterexample", c.worst}};
}

nlohmann::json potential_json(const Potential& p, const std::vector<Period>& periods) {
  nlohmann::json entry{{"closed_form", p.closed_form},
                       {"single_valued", periods.empty()},
                       {"for_all_parameters", p.for_all_parameters},
                       {"residual", p.residual},
                       {"periods", nlohmann::json::object()}};
  if (p.closed_form) entry["expression"] = to_text(p.exponential);
  for (const auto& [angle, factor] : periods) entry["periods"][angle] = factor;
  return entry;
}

nlohmann::json names_json(const System& s, const std::vector<std::size_t>& which) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::size_t i : which) list.push_back(s.coordinates()[i].name());
  return list;
}

nlohmann::json chaplygin_json(const AnalyseAnswer& a) {
  const ChaplyginSystem& c = a.chaplygin();
  nlohmann::json group{{"abelian", c.group.is_abelian()},
                       {"generators", nlohmann::json::array()},
                       {"structure_constants", c.group.structure_constants}};
  for (const Symmetry& s : c.group.generators)
    group["generators"].push_back({{"name", s.name}, {"generator", texts(s.generator)}});
  nlohmann::json connection = nlohmann::json::array();
  for (const auto& row : c.connection) connection.push_back(texts(row));
  return {{"fibre", names_json(a.system(), c.fibre)},
          {"shape", names_json(a.system(), c.shape)},
          {"group", group},
          {"connection", connection},
          {"transversality", to_text(c.transversality)},
          {"reduced_lagrangian", to_text(a.reduced().lagrangian())},
          {"force", texts(a.reduced().applied_forces())},
          {"reduction_defect", a.analysis.reduction_defect}};
}

nlohmann::json group_json(const System& system, const GroupReduction& g) {
  nlohmann::json generators = nlohmann::json::array();
  for (const Symmetry& s : g.motions.group.generators) generators.push_back(s.name);
  nlohmann::json document{{"generators", generators},
                          {"structure_constants", g.motions.group.structure_constants},
                          {"not_divided_out", g.motions.left_out},
                          {"dimension", g.dimension},
                          {"group_dimension", g.motions.group.dimension()},
                          {"reduced_dimension", g.reduced_dimension()},
                          {"reduced_positions", g.motions.reduced_positions(system)},
                          {"constraints", g.dimension - g.admissible},
                          {"inside_constraints", g.inside_constraints},
                          {"spans", g.spans},
                          {"kinematic", g.is_kinematic()},
                          {"horizontal", g.horizontal},
                          {"forced", g.forced}};
  if (g.measure && g.measure->decided) {
    document["measure"] = {{"exists", g.measure->exists()},
                           {"kept", g.measure->kept},
                           {"vertical", certificate_json(g.measure->vertical)},
                           {"closed", certificate_json(g.measure->closed)}};
  }
  return document;
}

nlohmann::json discrete_json(const ReducedUnderRule& d) {
  nlohmann::json document{{"rule", d.rule}, {"closed_form", d.reduction.formulas.has_value()}};
  if (const auto& f = d.reduction.formulas) {
    document["fibre_increments"] = texts(f->fibre);
    document["lagrangian"] = to_text(f->lagrangian);
    document["force_minus"] = texts(f->minus);
    document["force_plus"] = texts(f->plus);
  }
  return document;
}

/// What follows from the gyroscopic force.
void add_gyroscopic(nlohmann::json& document, const AnalyseAnswer& a) {
  const GyroscopicStructure& g = *a.analysis.gyroscopic;
  if (!g.applies) {
    document["not_examined"] = g.reason;
    return;
  }
  document["chaplygin"]["tensor"] = texts(a.tensor);
  nlohmann::json& measure = document["measure"];
  measure = {{"exists", g.has_measure()}, {"one_form", texts(g.one_form)}, {"closed", certificate_json(g.closed)}};
  if (g.measure) measure["density"] = potential_json(*g.measure, a.measure_periods);
  nlohmann::json& hamiltonizable = document["hamiltonizable"];
  hamiltonizable = {{"holds", g.is_hamiltonizable()}, {"phi_simple", certificate_json(g.simple)}};
  if (g.multiplier) hamiltonizable["multiplier"] = potential_json(*g.multiplier, a.multiplier_periods);
  if (!a.hamiltonized) return;
  const HamiltonizedForms& forms = *a.hamiltonized;
  hamiltonizable["lagrangian"] = to_text(forms.lagrangian);
  hamiltonizable["momenta"] = texts(forms.momenta);
  hamiltonizable["energy"] = to_text(forms.energy);
  hamiltonizable["poincare_lagrangian"] = to_text(forms.poincare_lagrangian);
  if (!forms.hamiltonian) return;
  hamiltonizable["hamiltonian"] = to_text(*forms.hamiltonian);
  hamiltonizable["poincare_hamiltonian"] = to_text(*forms.poincare_hamiltonian);
}

}  // namespace

std::string to_json(const AnalyseAnswer& answer) {
  const Analysis& a = answer.analysis;
  nlohmann::json known = nlohmann::json::array();
  for (const Symmetry& s : a.symmetry.known) known.push_back(s.name);
  nlohmann::json document{
      {"model", answer.model.name},
      {"symmetry",
       {{"known", known}, {"dimension", a.symmetry.dimension}, {"inside_constraints", a.symmetry.inside_constraints}}},
      {"chaplygin", nullptr}};
  if (a.constraints) {
    document["constraints"] = {{"rank", a.constraints->generic_rank},
                               {"integrable", a.constraints->integrable},
                               {"all_integrable", a.constraints->all_integrable}};
  }
  if (a.group) document["group_reduction"] = group_json(answer.system(), *a.group);
  if (a.search.found) {
    document["chaplygin"] = chaplygin_json(answer);
  } else {
    document["reasons"] = a.search.reasons;
  }
  if (answer.discrete) document["discrete_reduction"] = discrete_json(*answer.discrete);
  if (a.gyroscopic) add_gyroscopic(document, answer);
  if (const auto& m = a.reduced_measure; m && m->decided) {
    document["measure_by_translations"] = {{"translations", m->translations},
                                           {"exists", m->exists()},
                                           {"vertical", certificate_json(m->vertical)},
                                           {"closed", certificate_json(m->closed)}};
  }
  document["inverse_problem"] = inverse_problem_json(answer.system(), a.inverse_problem);
  if (answer.associated) document["associated_search"] = associated_json(*answer.associated);
  if (answer.given) document["given_lagrangian"] = given_lagrangian_json(*answer.given);
  return text_of(document);
}

}  // namespace rattleback::answer
