// The inverse problem as JSON.

#include <nlohmann/json.hpp>

#include "inverse.hpp"
#include "json.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {

nlohmann::json class_json(const System& system, const SteeredSystem& s) {
  nlohmann::json others = nlohmann::json::array();
  for (std::size_t i = 1; i < s.moved.size(); ++i) others.push_back(system.coordinates()[s.moved[i]].name());
  return {{"r1", system.coordinates()[s.steering].name()},
          {"r2", system.coordinates()[s.moved[0]].name()},
          {"s", others},
          {"A", texts(s.slopes())},
          {"N", to_text(s.direction[0])},
          {"N_is_constant", s.density_is_constant},
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
