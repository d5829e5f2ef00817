#include "mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "experiment/data.hpp"
#include "experiment/ensemble_table.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback::test {
namespace {

using Spec = const std::string&;

/// With what an ensemble says itself, so that mistakes in methods and steps reach it.
DataRecipe spelled_out(DataRecipe table) {
  if (!std::holds_alternative<EnsembleRecipe>(table.kind)) return table;
  const Ensemble ensemble = ensemble_of(table).ensemble;
  table.method = ensemble.methods.front();
  table.step = ensemble.step;
  return table;
}

/// The same mistake in every table. Where there is no such method, nothing is done.
Mistake in_tables(const std::string& name, const std::function<void(DataRecipe&)>& change) {
  return {name, [=](Experiment& experiment) {
            for (DataRecipe& table : experiment.data) {
              const DataRecipe right = spelled_out(table);
              DataRecipe wrong = right;
              try {
                change(wrong);
              } catch (const MethodError&) {
                continue;
              }
              if (wrong.method == right.method) wrong.method = table.method;
              if (wrong.step == right.step) wrong.step = table.step;
              table = wrong;
            }
          }};
}

// --- wrong equations: the maps of a method are expressions, and any of them can be changed

bool is_rk4(Spec spec) { return spec.starts_with("rk4"); }
bool is_reference(Spec spec) { return spec.starts_with("reference"); }
bool is_map(Spec spec) { return !is_reference(spec); }

/// A method with equations: flows have none and give way to rk4, whose errors are small beside those of mistakes.
MethodSpec map_of(const MethodSpec& method) { return method.is_flow() ? "rk4" : method; }

/// Changes the equations of some methods.
Mistake in_equations(const std::string& name, const std::function<void(Method&, const DataRecipe&)>& change,
                     const std::function<bool(Spec)>& which = is_map) {
  return in_tables(name, [=](DataRecipe& table) {
    if (!table.method || !which(table.method->text())) return;
    const MethodSpec right = map_of(*table.method);
    table.method = right.with_equations(right.text() + ", " + name, [=, right_table = table](const Problem& problem) {
      Method method = right.derive(problem);
      change(method, right_table);
      return method;
    });
  });
}

/// Time goes wrong by one power of h, and nothing is symmetric any more.
void lengthen_step(Method& method, const DataRecipe&) {
  const Expression h = step_symbol();
  const Substitution longer{{h, h + 0.2 * h * h}};
  method.step.residuals = substitute(method.step.residuals, longer);
  method.step.outputs = substitute(method.step.outputs, longer);
}

/// Momenta change like e^(rate t), or by e^±5 in all in a run so long that they would underflow: what has come to rest
/// is solved slowly, and what has blown up finds nothing.
void add_friction(Method& method, double rate, const DataRecipe& table) {
  const auto* const run = std::get_if<TrajectoryRecipe>(&table.kind);
  const double time = run == nullptr ? 0.0 : static_cast<double>(run->steps) * table.step;
  if (time * std::abs(rate) > 300.0) rate = std::copysign(5.0 / time, rate);
  const std::size_t state = method.step.output_layout[Slot::state].begin;
  for (const Slot slot : {Slot::momentum, Slot::velocity}) {
    if (!method.state.has(slot)) continue;
    const Layout::Range range = method.state[slot];
    for (std::size_t i = range.begin; i < range.end(); ++i) {
      Expression& next = method.step.outputs[state + i];
      next = next * (1.0 + rate * step_symbol());
    }
  }
}

/// The multiplier that gni starts with is a force, and its impulse has a factor h/2.
void forget_step_of_first_impulse(Method& method, const DataRecipe&) {
  if (!method.state.has(Slot::multipliers)) return;
  const std::size_t state = method.start.output_layout[Slot::state].begin;
  const Layout::Range range = method.state[Slot::multipliers];
  for (std::size_t i = range.begin; i < range.end(); ++i) {
    Expression& first = method.start.outputs[state + i];
    first = first / step_symbol();
  }
}

/// Newton's method begins from nothing instead of an extrapolation: what it leaves after a few iterations is larger.
void begin_from_nothing(Method& method, const DataRecipe&) { std::ranges::fill(method.step.guess, Expression(0.0)); }

// --- wrong systems: the method solves the equations of another one than is looked at

using ChangeOfSystem = std::function<void(SystemDefinition&, const System&)>;

Mistake in_system(const std::string& name, const ChangeOfSystem& change) {
  return in_tables(name, [=](DataRecipe& table) {
    if (!table.method) return;
    const MethodSpec right = map_of(*table.method);
    table.method = right.with_equations(right.text() + ", " + name, [=](const Problem& problem) {
      const System& s = problem.system;
      std::vector<std::string> rotations;
      for (const Rotation& r : s.rotations()) rotations.push_back(r.name);
      const auto numbers = static_cast<std::ptrdiff_t>(s.space().numbers);
      SystemDefinition wrong{.coordinates = {s.coordinates().begin(), s.coordinates().begin() + numbers},
                             .lagrangian = s.lagrangian(),
                             .constraints = s.constraints(),
                             .holonomic = s.holonomic(),
                             .parameters = s.parameter_list(),
                             .symmetries = s.symmetries(),
                             .sections = s.sections(),
                             .conserved = {},
                             .exact = {},
                             .applied_forces = s.applied_forces(),
                             .conformal_factor = s.conformal_factor(),
                             .rotations = rotations};
      change(wrong, s);
      Problem other = problem;
      other.system = System(wrong);
      Method method = right.derive(other);
      method.interval = right.derive(problem).interval;  // what is looked at
      return method;
    });
  });
}

/// The motion in τ under the name of that in t, to a high order: it preserves the canonical symplectic form.
void take_own_time_for_time(DataRecipe& table) {
  if (!table.method || !table.method->is_flow()) return;
  const MethodSpec right = "hdel:order=6:stages=13:quadrature=boole";
  table.method = right.with_equations("tau instead of t", [=](const Problem& problem) {
    Method method = right.derive(problem);
    method.own_time->rate = Expression(1.0);
    return method;
  });
}

/// Of each constraint the first coefficient that depends on the position.
void multiply_in_constraints(SystemDefinition& wrong, const System& system, double factor) {
  std::set<int> done;
  for (const auto& entry : system.constraint_matrix().entries) {
    const std::vector<Expression> symbols = free_symbols(entry.value);
    const bool depends = std::ranges::any_of(system.coordinates(),
                                             [&](const Expression& q) { return std::ranges::count(symbols, q) > 0; });
    const auto row = static_cast<std::size_t>(entry.row);
    if (row >= wrong.constraints.size() || !depends || !done.insert(entry.row).second) continue;
    wrong.constraints[row] = wrong.constraints[row] +
                             (factor - 1.0) * entry.value * system.velocities()[static_cast<std::size_t>(entry.column)];
  }
}

void reverse_potential(SystemDefinition& wrong, const System& system) {
  Substitution at_rest;
  for (const Expression& v : system.velocities()) at_rest.emplace(v, Expression(0.0));
  wrong.lagrangian = system.lagrangian() - 2.0 * substitute(system.lagrangian(), at_rest);
}

// --- wrong names: a method under the name of another one

Mistake in_names(const std::string& name, const std::function<std::string(Spec)>& other) {
  return in_tables(name, [=](DataRecipe& table) {
    if (!table.method) return;
    constexpr std::int64_t most_steps = 100000;  // of the reference, which is slow
    const auto* const run = std::get_if<TrajectoryRecipe>(&table.kind);
    const MethodSpec wrong = other(table.method->text());
    if (wrong.is_flow() && run != nullptr && run->steps > most_steps) return;
    table.method = wrong;
    const std::string& text = table.method->text();
    if (is_rk4(text) || is_reference(text)) table.second_position.reset();
  });
}

/// The same method with another rule; the rule is that of the thesis if the name is.
std::string with_rule(Spec spec, const std::function<std::string(Spec rule)>& other) {
  if (is_reference(spec) || is_rk4(spec)) return spec;
  const std::set<std::string> rules{"midpoint", "trapezoidal", "alpha", "sym", "M", "MT", "TM", "TT", "T"};
  std::istringstream words(spec);
  std::string result;
  std::string rule = "midpoint";
  for (std::string word; std::getline(words, word, ':');) {
    if (result.empty()) {
      if (word == "lds" || word == "hds") rule = "trapezoidal";
      result = word.starts_with("ld") ? "dla" : word.starts_with("hds") || word == "hd" ? "gni" : word;
    } else if (rules.contains(word.substr(0, word.find('=')))) {
      rule = word;
    } else {
      result += ":" + word;
    }
  }
  return result + ":" + other(rule);
}

/// Of one digit.
std::string with_ell(Spec spec, Spec other) {
  const std::size_t at = spec.find("ell=");
  return at == std::string::npos ? spec : spec.substr(0, at) + other + spec.substr(at + 5);
}

/// A solver that compares squares of residuals with the tolerance.
std::string with_tolerance_of_squares(Spec spec) {
  const std::string key = "newton-tolerance=";
  const std::size_t at = spec.find(key);
  if (at == std::string::npos) return spec;
  const std::size_t end = std::min(spec.find(':', at), spec.size());
  const double tolerance = std::stod(spec.substr(at + key.size(), end - at - key.size()));
  return fmt::format("{}{}{}", spec.substr(0, at + key.size()), std::sqrt(tolerance), spec.substr(end));
}

/// Where equations are to be solved to rounding.
std::string with_a_tolerance(Spec spec) {
  const bool has_one = spec.find("newton-") != std::string::npos;
  return has_one || is_rk4(spec) || is_reference(spec) ? spec : spec + ":newton-tolerance=1e-12";
}

/// Two mistakes at once: each of them can be made good by the other half of the solver.
void solve_carelessly(DataRecipe& table) {
  if (!table.method || !is_map(table.method->text())) return;
  const MethodSpec loose = with_tolerance_of_squares(table.method->text());
  table.method = loose.with_equations(loose.text() + ", careless", [=, right = table](const Problem& problem) {
    Method method = loose.derive(problem);
    begin_from_nothing(method, right);
    return method;
  });
}

std::string next_rule(Spec rule) {
  const std::vector<std::string> rows{"midpoint trapezoidal midpoint", "M MT TM TT T M"};
  for (const std::string& row : rows) {
    std::istringstream words(row);
    for (std::string word; words >> word;) {
      if (word == rule && words >> word) return word;
    }
  }
  const double number = std::stod(rule.substr(rule.find('=') + 1));
  return rule.starts_with("sym") ? "midpoint" : fmt::format("alpha={}", number == 0.5 ? 0.1 : 1.0 - number);
}

// --- wrong data

State start_of(const DataRecipe& table) { return table.start ? *table.start : model_of(table).initial.value(); }

void multiply_velocity(DataRecipe& table, double factor) {
  if (std::holds_alternative<EnsembleRecipe>(table.kind)) return;  // its starts are in its file
  table.start = start_of(table);
  for (double& v : table.start->v) v *= factor;
}

/// q₁ − q₀ changes along with what it belongs to.
void multiply_increment(DataRecipe& table, double factor) {
  if (!table.second_position) return;
  const State start = start_of(table);
  for (std::size_t i = 0; i < start.q.size(); ++i) {
    double& q = (*table.second_position)[i];
    q = start.q[i] + factor * (q - start.q[i]);
  }
}

/// A model with the same coordinates, or with the same structure of constraints, and with another potential.
std::string similar_model(const std::string& model) {
  const std::pair<const char*, const char*> pairs[] = {{"free-particle", "harmonic-particle"},
                                                       {"free-particle-x", "harmonic-particle-x"},
                                                       {"knife-edge", "knife-edge-incline"},
                                                       {"rolling-disk", "mobile-robot"},
                                                       {"chaplygin-sleigh", "chaplygin-sleigh-horizontal"}};
  for (const auto& [one, other] : pairs) {
    if (model == one) return other;
    if (model == other) return one;
  }
  return model;
}

/// Of the inverse problem each claim looks at one system, a row of its table.
void look_at_next_row(Experiment& experiment) {
  const auto next = [&](Quantity& quantity) {
    for (Quantity::Part& part : quantity.parts) {
      const auto table = std::ranges::find(experiment.data, part.table, &DataRecipe::name);
      if (!std::holds_alternative<InverseRecipe>(table->kind)) continue;
      for (RowFormula::Window& window : part.formula.windows) {
        window.from += 1.0;
        window.to += 1.0;
      }
    }
  };
  for (Claim& claim : experiment.claims) next(claim.quantity);
}

}  // namespace

// Those that find most, and those that concern few tables, come first.
const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    const auto friction = [](Method& m, const DataRecipe& t) { add_friction(m, -0.02, t); };
    const auto negative_friction = [](Method& m, const DataRecipe& t) { add_friction(m, 0.02, t); };
    std::vector<Mistake> list{
        in_equations("a step of first order", lengthen_step),
        in_equations("friction", friction),
        in_equations("negative friction", negative_friction),
        in_names("rules of first order", [](Spec s) { return with_rule(s, [](Spec) { return "alpha=0.3"; }); }),
        in_names("other rules", [](Spec s) { return with_rule(s, next_rule); }),
        in_names("ell=0 instead of others", [](Spec s) { return with_ell(s, "ell=0"); }),
        in_names("ell=4 instead of others", [](Spec s) { return with_ell(s, "ell=4"); }),
    };
    for (const char* family : {"dla", "hd", "rdla", "hdel", "pthdel", "free", "rk4", "reference"}) {
      list.push_back(in_equations(fmt::format("negative friction in {} alone", family), negative_friction,
                                  [=](Spec s) { return s.substr(0, s.find(':')) == family; }));
    }
    for (const char* option : {"trapezoidal", "hds", "ell=0", "ell=4"}) {
      list.push_back(in_equations(fmt::format("negative friction with {} alone", option), negative_friction,
                                  [=](Spec s) { return s.find(option) != std::string::npos; }));
    }
    const std::vector<Mistake> others{
        in_names("rk4 instead of all methods", [](Spec) { return "rk4"; }),
        in_names("dla instead of all methods", [](Spec) { return "dla"; }),
        in_names("rk4 and dla exchanged", [](Spec s) { return is_rk4(s) ? "dla" : "rk4"; }),
        in_names("order 4 instead of 2", [](Spec s) { return is_rk4(s) || is_reference(s) ? s : s + ":order=4"; }),
        in_names("a coarse reference", [](Spec s) { return is_reference(s) ? "reference:tolerance=1e-3" : s; }),
        in_system("a wrong coefficient in constraints", [](auto& d, auto& s) { multiply_in_constraints(d, s, 1.1); }),
        in_system("a wrong sign in constraints", [](auto& d, auto& s) { multiply_in_constraints(d, s, -1.0); }),
        in_system("a wrong sign of the potential", reverse_potential),
        in_system("a wrong mass", [](auto& d, auto& s) { d.lagrangian = d.lagrangian + 0.1 * sq(s.velocities()[0]); }),
        in_system("no constraints", [](auto& d, auto&) { d.constraints.clear(); }),
        in_tables("another model", [](DataRecipe& t) { t.model = similar_model(t.model); }),
        {"another system of the inverse problem", look_at_next_row},
        {"another system of another model",
         [](Experiment& e) {
           look_at_next_row(e);
           for (DataRecipe& t : e.data) t.model = similar_model(t.model);
         }},
        in_tables("tau instead of t", take_own_time_for_time),
        in_equations("an impulse instead of a force", forget_step_of_first_impulse),
        in_equations("a solver that begins from nothing", begin_from_nothing),
        in_names("a tolerance for squares of residuals", with_tolerance_of_squares),
        in_names("a tolerance that nobody asked for", with_a_tolerance),
        in_tables("a careless solver", solve_carelessly),
        in_tables("a faster start",
                  [](DataRecipe& t) {
                    multiply_velocity(t, 1.2);
                    multiply_increment(t, 1.2);
                  }),
        in_tables("a start almost at rest", [](DataRecipe& t) { multiply_velocity(t, 1e-3); }),
        in_tables("another second position", [](DataRecipe& t) { multiply_increment(t, 1.02); }),
        in_tables("twice the step",
                  [](DataRecipe& t) {
                    t.step *= 2.0;
                    multiply_increment(t, 2.0);
                  }),
        in_tables("a hundredth of the step",
                  [](DataRecipe& t) {
                    if (std::holds_alternative<EnsembleRecipe>(t.kind)) return;  // hours
                    t.step *= 0.01;
                    t.second_position.reset();
                  }),
        {"one step for all",
         [](Experiment& e) {
           for (DataRecipe& t : e.data) t.step = e.data.front().step;
         }},
        in_tables("half the time",
                  [](DataRecipe& t) {
                    if (auto* r = std::get_if<TrajectoryRecipe>(&t.kind)) r->steps = (r->steps + 1) / 2;
                  }),
        in_tables("other parameters",
                  [](DataRecipe& t) {
                    const Model model = model_of(t);
                    for (const Parameter& p : model.system.parameter_list())
                      t.parameters.try_emplace(p.name, 1.5 * p.value);
                  }),
        in_tables("parameters of the model instead of those that were set",
                  [](DataRecipe& t) { t.parameters.clear(); }),
        in_names("exact solutions instead of rk4", [](Spec s) { return is_rk4(s) ? "reference" : s; }),
        in_names("exact solutions instead of methods", [](Spec) { return "reference"; }),
    };
    list.insert(list.end(), others.begin(), others.end());
    return list;
  }();
  return all;
}

}  // namespace rattleback::test
