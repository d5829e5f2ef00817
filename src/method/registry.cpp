#include "rattleback/method/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "rattleback/expr/parse.hpp"
#include "rattleback/method/composition.hpp"
#include "rattleback/method/method.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/method/time_map.hpp"
#include "tau_stepper.hpp"

namespace rattleback {
namespace {

/// Options by their names; those without a value have an empty one.
using Options = std::map<std::string, std::string>;

/// A method and how to make it with options that are known to exist.
struct Entry {
  MethodInfo info;
  std::function<Method(const Options&, const Problem&)> derive;  ///< not for the reference, which is no one-step method
  std::function<void(const Options&)> check;                     ///< the options' values
  /// How a trajectory starts, where that is not make_one_step.
  std::function<std::unique_ptr<Stepper>(const Options&, const Method&, const Problem&)> start = {};
};

double number_option(const Options& options, const std::string& key, double otherwise, double low, double high) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  double value = 0.0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    throw MethodError(fmt::format("{} must be a number between {} and {}, found '{}'", key, low, high, text));
  }
  return value;
}

int integer_option(const Options& options, const std::string& key, int otherwise, std::string_view expected) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  int value = 0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value > 0) return value;
  throw MethodError(fmt::format("{} must be {}, found '{}'", key, expected, text));
}

int order_option(const Options& options) { return integer_option(options, "order", 2, "2, 4, 6, 8 or 10"); }
int stages_option(const Options& options) { return integer_option(options, "stages", 0, "a positive integer"); }

/// Which of the words is given; the first if none is.
std::size_t word_option(const Options& options, const std::string& key, std::span<const char* const> words) {
  const auto found = options.find(key);
  if (found == options.end()) return 0;
  const auto word = std::ranges::find(words, found->second);
  if (word == words.end()) {
    throw MethodError(fmt::format("{} must be one of {}, found '{}'", key, fmt::join(words, ", "), found->second));
  }
  return static_cast<std::size_t>(word - words.begin());
}

double tolerance(const Options& options) {
  return number_option(options, "tolerance", ReferenceFlow::default_tolerance, 1e-15, 1e-2);
}

/// For coordinates much smaller than 1; as the relative one if not given.
double absolute_tolerance(const Options& options) {
  return number_option(options, "absolute", tolerance(options), 1e-300, 1e-2);
}

constexpr const char* rule_names[] = {"midpoint", "trapezoidal", "alpha", "sym"};
bool is_rule(std::string_view name) { return std::ranges::find(rule_names, name) != std::end(rule_names); }

Rule rule_option(const Options& options) {
  std::vector<std::string> given;
  Rule rule = midpoint();
  for (const char* key : rule_names) {
    if (options.contains(key)) given.emplace_back(key);
  }
  if (given.size() > 1) throw MethodError(fmt::format("{} are two rules: give one", fmt::join(given, " and ")));
  if (options.contains("trapezoidal")) rule = trapezoidal();
  if (options.contains("alpha")) rule = alpha(number_option(options, "alpha", 0.5, 0.0, 1.0));
  if (options.contains("sym")) rule = sym(number_option(options, "sym", 0.0, 0.0, 1.0));
  return rule;
}

/// García-Naranjo & Vermeeren's names of rules for N (l + E), or any rule.
AlteredRule altered_rule(const Options& options) {
  static const std::map<std::string, AlteredRule> products{{"M", {midpoint()}},
                                                           {"MT", {trapezoidal(), midpoint()}},
                                                           {"TM", {midpoint(), trapezoidal()}},
                                                           {"TT", {trapezoidal(), trapezoidal()}},
                                                           {"T", {trapezoidal()}}};
  std::vector<std::string> given;
  for (const auto& [name, value] : options) {
    if (products.contains(name) || is_rule(name)) given.push_back(name);
  }
  if (given.size() > 1) throw MethodError(fmt::format("{} are two rules: give one", fmt::join(given, " and ")));
  if (given.empty() || !products.contains(given[0])) return {rule_option(options)};
  return products.at(given[0]);
}

int ell_option(const Options& options) {
  const double ell = number_option(options, "ell", 4, 0, 12);
  if (ell != std::floor(ell))
    throw MethodError(fmt::format("ell must be a whole number, found '{}'", options.at("ell")));
  return static_cast<int>(ell);
}

bool starts_from_reference(const Options& options) {
  constexpr const char* starts[] = {"momentum", "reference"};
  return word_option(options, "start", starts) == 1;
}

FirstMultiplier first_multiplier(const Options& options) {
  constexpr const char* names[] = {"consistent", "zero", "thesis"};
  return static_cast<FirstMultiplier>(word_option(options, "start", names));
}

DiscreteForces discrete_forces(const Options& options) {
  constexpr const char* names[] = {"averaged", "general"};
  return static_cast<DiscreteForces>(word_option(options, "forces", names));
}

constexpr const char* quadrature_names[] = {"trapezoidal", "simpson", "boole"};

Quadrature quadrature(const Options& options) {
  return static_cast<Quadrature>(word_option(options, "quadrature", quadrature_names));
}

/// Composes a method if that was asked for.
Method with_order(Method method, const Options& options) {
  const int order = order_option(options);
  const int stages = stages_option(options);
  return order == 2 && stages == 0 ? std::move(method) : composed(std::move(method), order, stages);
}

void check_order(const Options& options, const Rule& rule) {
  const int order = order_option(options);
  composition_coefficients(order, stages_option(options));
  if (options.contains("order") && !rule.is_symmetric()) {
    throw MethodError("order needs a symmetric rule: midpoint, trapezoidal or sym=...; alpha has order 1");
  }
}

FreeOptions free_options(const Options& options) {
  constexpr const char* forms[] = {"automatic", "6", "7"};
  constexpr const char* starts[] = {"constraint", "momentum"};
  FreeOptions result;
  const std::size_t form = word_option(options, "form", forms);
  result.form = form == 0 ? 0 : static_cast<int>(form) + 5;
  if (options.contains("C")) result.constant = number_option(options, "C", 1.0, -1e6, 1e6);
  if (result.constant == 0.0) throw MethodError("C must not be 0: the free Lagrangian would not be regular");
  // A composition takes steps of several lengths: its start cannot depend on one of them.
  result.from_momentum = word_option(options, "start", starts) == 1 || order_option(options) > 2;
  return result;
}

void check_free(const Options& options) {
  check_order(options, rule_option(options));
  free_options(options);
  if (options.contains("start") && options.at("start") == "constraint" && order_option(options) > 2) {
    throw MethodError("a composition starts from the momentum: leave start=constraint or order away");
  }
}

void check_variational(const Options& options) {
  check_order(options, rule_option(options));
  const int order = order_option(options);
  if (starts_from_reference(options) && order > 2) {
    throw MethodError("a composition cannot start from two positions: leave start=reference or order away");
  }
}

std::vector<std::string> with_rules(std::vector<std::string> others) {
  others.insert(others.begin(), {"midpoint", "trapezoidal", "alpha=0.5", "sym=0"});
  return others;
}

const std::vector<Entry>& entries() {
  static const std::vector<std::string> variational_options =
      with_rules({"order=2|4|6|8|10", "stages=5|9|13|17|21|35", "start=momentum|reference"});
  static const std::vector<std::string> free_words =
      with_rules({"form=6|7", "C=0.01", "order=2|4|6|8|10", "stages=5|9|13|17|21|35", "start=constraint|momentum"});
  static const std::vector<Entry> all{
      {{"dla", "discrete Lagrange-d'Alembert equations (Cortes & Martinez): order 2, or 4, 6, 8, 10 by composition",
        variational_options},
       [](const Options& o, const Problem& p) { return with_order(dla(p.system, rule_option(o)), o); },
       check_variational},
      {{"del", "discrete Euler-Lagrange equations, for systems without constraints", variational_options},
       [](const Options& o, const Problem& p) { return with_order(del(p.system, rule_option(o)), o); },
       check_variational},
      {{"gni", "geometric nonholonomic integrator (Evensberget's Hd and HdS)",
        with_rules({"order=2|4", "start=consistent|zero|thesis"})},
       [](const Options& o, const Problem& p) {
         return with_order(gni(p.system, rule_option(o), first_multiplier(o)), o);
       },
       [](const Options& o) {
         check_order(o, rule_option(o));
         first_multiplier(o);
         if (order_option(o) > 4) {
           throw MethodError(
               "compositions raise the order of gni to 4, not further: its multipliers depend on the step size; dla "
               "has orders up to 10");
         }
       }},
      {{"rdla",
        "reduced discrete Lagrange-d'Alembert equations of a Chaplygin system (Cortes & Martinez; Fernandez et al.)",
        with_rules(
            {"forces=averaged|general", "order=2|4|6|8|10", "stages=5|9|13|17|21|35", "start=momentum|reference"})},
       [](const Options& o, const Problem& p) { return with_order(rdla(p, rule_option(o), discrete_forces(o)), o); },
       [](const Options& o) {
         check_variational(o);
         discrete_forces(o);
       }},
      {{"hdel", "Hamiltonized discrete Euler-Lagrange equations (Fernandez, Bloch & Olver): steps of tau, dtau = N dt",
        with_rules({"quadrature=trapezoidal|simpson|boole", "order=2|4|6", "stages=5|9|13", "resample"})},
       [](const Options& o, const Problem& p) {
         Method method = with_order(hdel(p, rule_option(o), quadrature(o)), o);
         method.structure.order = std::min(method.structure.order, quadrature_order(quadrature(o)));
         method.own_time->resampled = o.contains("resample");
         return method;
       },
       [](const Options& o) {
         check_order(o, rule_option(o));
         if (order_option(o) > quadrature_order(quadrature(o))) {
           throw MethodError(fmt::format("with quadrature={} the time is known to order {} only: give {}",
                                         quadrature_names[static_cast<std::size_t>(quadrature(o))],
                                         quadrature_order(quadrature(o)),
                                         order_option(o) > 6   ? "order=6 at most"
                                         : order_option(o) > 4 ? "quadrature=boole"
                                                               : "quadrature=simpson or boole"));
         }
       },
       [](const Options&, const Method& method, const Problem& problem) { return make_tau_stepper(method, problem); }},
      {{"pthdel", "Hamiltonized equations by the Poincare transformation (Fernandez, Bloch & Olver): steps of t",
        variational_options},
       [](const Options& o, const Problem& p) { return with_order(pthdel(p, {rule_option(o)}), o); },
       check_variational},
      {{"conformal",
        "pthdel with a modified energy, so that a measure is preserved (Garcia-Naranjo & Vermeeren): steps of t",
        with_rules({"M", "MT", "TM", "TT", "T", "ell=4", "every-step", "order=2|4|6|8|10", "stages=5|9|13|17|21|35"})},
       [](const Options& o, const Problem& p) {
         return conformal(with_order(pthdel(p, altered_rule(o), "conformal"), o), p, ell_option(o),
                          o.contains("every-step"));
       },
       [](const Options& o) {
         const AlteredRule rule = altered_rule(o);
         check_order(o, rule.lagrangian);
         ell_option(o);
       }},
      {{"free", "discrete Euler-Lagrange equations of a free Lagrangian (Mestdag, Bloch & Fernandez)", free_words},
       [](const Options& o, const Problem& p) {
         return with_order(free_lagrange(p, rule_option(o), free_options(o)), o);
       },
       check_free},
      {{"free-modified", "the same for the coordinates r, and discrete constraints for the coordinates s", free_words},
       [](const Options& o, const Problem& p) {
         return with_order(free_modified(p, rule_option(o), free_options(o)), o);
       },
       check_free},
      {{"rk4", "classical Runge-Kutta of order 4 on the index-1 form", {}},
       [](const Options&, const Problem& p) { return rk4(p.system); },
       [](const Options&) {}},
      {{"rk4-index0", "classical Runge-Kutta of order 4 with the multipliers as a state", {}},
       [](const Options&, const Problem& p) { return rk4_index0(p.system); },
       [](const Options&) {}},
      {{"reference",
        "CVODE (Adams, variable order) on the index-1 form, projected onto the constraints",
        {fmt::format("tolerance={}", ReferenceFlow::default_tolerance),
         fmt::format("absolute={}", ReferenceFlow::default_tolerance)}},
       {},
       [](const Options& o) { tolerance(o), absolute_tolerance(o); }},
  };
  return all;
}

/// Names of Evensberget's thesis.
constexpr std::pair<std::string_view, std::string_view> thesis_names[] = {
    {"ld", "dla:midpoint"}, {"lds", "dla:trapezoidal"}, {"hd", "gni:midpoint"}, {"hds", "gni:trapezoidal"}};

struct Request {
  const Entry* entry;
  Options options;
};

std::string suggestion(std::string_view found, const std::vector<std::string>& known) {
  std::string lower_case(found);
  for (char& c : lower_case) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto meant = closest_name(lower_case, known);
  return meant ? fmt::format("; did you mean '{}'?", *meant)
               : fmt::format("; {} {}", known.size() == 1 ? "there is" : "there are", fmt::join(known, ", "));
}

Request read(std::string_view given) {
  std::string text(given);
  const std::size_t name_end = std::min(text.find(':'), text.size());
  for (const auto& [thesis_name, name] : thesis_names) {
    if (given.substr(0, name_end) != thesis_name) continue;
    text.replace(0, name_end, name);
    for (const char* rule : {":midpoint", ":trapezoidal", ":alpha", ":sym"}) {
      if (given.find(rule) == std::string_view::npos) continue;
      throw MethodError(fmt::format("{} is {} and takes no other rule", thesis_name, name));
    }
  }
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Request request{nullptr, {}};
  std::vector<std::string> names;
  for (const Entry& e : entries()) {
    names.push_back(e.info.name);
    if (e.info.name == words[0]) request.entry = &e;
  }
  if (request.entry == nullptr) {
    if (words[0].find(',') != std::string::npos) {
      throw MethodError(fmt::format(
          "there is no method '{}'; 'rattleback compare' takes several, and an ensemble a list of them", words[0]));
    }
    throw MethodError(fmt::format("there is no method '{}'{}", words[0], suggestion(words[0], names)));
  }
  std::vector<std::string> known;
  std::vector<std::string> without_value;
  for (const std::string& o : request.entry->info.options) {
    known.push_back(o.substr(0, o.find('=')));
    if (o.find('=') == std::string::npos) without_value.push_back(o);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw MethodError(fmt::format("the method {} has no option '{}'{}", words[0], key,
                                    known.empty() ? "; it has none" : suggestion(key, known)));
    }
    const bool takes_value = std::ranges::find(without_value, key) == without_value.end();
    if (takes_value != (equals != std::string::npos)) {
      throw MethodError(takes_value ? fmt::format("the option {0} needs a value: {0}=...", key)
                                    : fmt::format("the option {} takes no value, found '{}'", key, words[i]));
    }
    if (!request.options.emplace(key, takes_value ? words[i].substr(equals + 1) : "").second) {
      throw MethodError(fmt::format("the option {} is given twice", key));
    }
  }
  request.entry->check(request.options);
  return request;
}

}  // namespace

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> list;
    for (const Entry& e : entries()) list.push_back(e.info);
    return list;
  }();
  return all;
}

void check_method(std::string_view name) { read(name); }

Method make_method(std::string_view name, const System& system) {
  const std::vector<double> zero(system.dimension(), 0.0);
  return make_method(name, Problem{system, system.parameter_values(), {zero, zero}});
}

Method make_method(std::string_view name, const Problem& problem) {
  const Request request = read(name);
  if (!request.entry->derive) {
    throw MethodError(fmt::format("{} is not a one-step method: it has no equations of its own", name));
  }
  return request.entry->derive(request.options, problem);
}

std::optional<int> promised_order(std::string_view name, const Problem& problem) {
  const Request request = read(name);
  if (!request.entry->derive) return std::nullopt;
  return request.entry->derive(request.options, problem).structure.order;
}

bool has_equations(std::string_view name) { return static_cast<bool>(read(name).entry->derive); }

bool needs_only_maps(std::string_view name, const Method& method) {
  const Request request = read(name);
  if (!request.entry->derive || request.entry->start) return false;
  const auto start = request.options.find("start");
  const bool from_reference = start != request.options.end() && start->second == "reference";
  return !from_reference && method.guards.empty() && !method.adjust && !method.own_time;
}

std::unique_ptr<Stepper> make_stepper(std::string_view name, const Problem& problem) {
  const Request request = read(name);
  if (!request.entry->derive) {
    if (problem.second_position) throw MethodError(fmt::format("{} cannot start from two positions", name));
    return make_reference(problem, tolerance(request.options), absolute_tolerance(request.options));
  }
  const Method method = request.entry->derive(request.options, problem);
  const auto start = request.options.find("start");
  if (problem.second_position) {
    if (!method.from_two_positions) {
      throw MethodError(fmt::format("{} cannot start from two positions; variational methods without order can", name));
    }
    if (start != request.options.end()) {
      throw MethodError(fmt::format("a second position (--q1) and start={} are two starts: give one", start->second));
    }
  }
  if (request.entry->start) return request.entry->start(request.options, method, problem);
  if (start == request.options.end() || start->second != "reference") return make_one_step(method, problem);
  Problem from_reference = problem;
  from_reference.second_position = ReferenceFlow(problem).at(problem.step).q;
  return make_one_step(method, from_reference);
}

}  // namespace rattleback
