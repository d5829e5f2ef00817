// The inverse problem as JSON.

#include <nlohmann/json.hpp>

#include "inverse.hpp"
#include "json.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {

nlohmann::json class_json(const System& system, const SteeredSystem& s) {
  nlohmann::json others = nlohmann::json::array();
  std::vector<Expression> slopes;
  nlohmann::json directions = nlohmann::json::array();
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    const std::string name = system.coordinates()[s.moved[i]].name();
    if (s.is_base(i)) {
      directions.push_back({{"r", name}, {"s", nlohmann::json::array()}, {"N", to_text(s.direction[i])}});
      continue;
    }
    others.push_back(name);
    directions.back()["s"].push_back(name);
    slopes.push_back(s.slope(i));
  }
  return {{"r1", system.coordinates()[s.steering].name()},
          {"r2", system.coordinates()[s.moved[0]].name()},
          {"s", others},
          {"A", texts(slopes)},
          {"N", to_text(s.direction[0])},
          {"N_is_constant", s.density_is_constant},
          {"directions", directions},
          {"X", texts(s.direction)},
          {"Y", texts(s.shear)},
          {"I1", to_text(s.inertia)},
          {"potential", to_text(s.potential)}};
}

nlohmann::json inverse_problem_json(const System& system, const InverseProblem& problem) {
  nlohmann::json document{
      {"systems", nlohmann::json::array()}, {"class", nullptr}, {"free_lagrangians", nlohmann::json::array()}};
  if (problem.own) {
    document["own_lagrangian"] = {{"is_free_lagrangian", problem.own->is_free_lagrangian()},
                                  {"residual", problem.own->motion.residual},
                                  {"points", problem.own->motion.points},
                                  {"regular", problem.own->regular},
                                  {"regularity", problem.own->regularity}};
  }
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

nlohmann::json associated_json(const AssociatedSearch& search) {
  nlohmann::json document{{"forms", search.forms},         {"systems", search.systems},
                          {"tried", search.tried},         {"excluded", search.excluded},
                          {"undecided", search.undecided}, {"open", nlohmann::json::array()}};
  if (!search.reason.empty()) document["reason"] = search.reason;
  for (const auto& [equations, report, lagrangian] : search.open) {
    document["open"].push_back(
        {{"accelerations", texts(equations.accelerations)},
         {"unknowns", report.unknowns},
         {"dimension", report.dimension},
         {"regularity", report.regularity},
         {"free_lagrangian", lagrangian ? nlohmann::json(static_cast<int>(*lagrangian)) : nlohmann::json(nullptr)}});
  }
  return document;
}

nlohmann::json given_lagrangian_json(const GivenLagrangian& given) {
  const LagrangianReport& r = given.report;
  nlohmann::json document{{"lagrangian", to_text(given.lagrangian)},
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
  for (const auto& [name, c] : given.equations) {
    document["equations"][name] = {{"holds", c.holds}, {"residual", c.residual}};
  }
  return document;
}

}  // namespace rattleback::answer
