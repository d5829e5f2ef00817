#include "rattleback/observe/observers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "kinds.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "sections.hpp"

namespace rattleback {
namespace {

void fill_nan(std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
}

std::vector<std::string> numbered(const char* label, std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t k = 1; k <= count; ++k) labels.push_back(fmt::format("{}_{}", label, k));
  return labels;
}

/// Numbers of the last interval.
class IntervalObserver final : public Observer {
 public:
  using Read = std::span<const double> (*)(const IntervalValues&);
  IntervalObserver(ObservedQuantity quantity, Read read, std::int64_t first = 1)
      : Observer(std::move(quantity)), read_(read), first_(first) {}

  std::int64_t first_node() const override { return first_; }

  void observe(const Stepper& stepper, std::span<double> values) override {
    const IntervalValues* const interval = stepper.interval();
    if (interval == nullptr) return fill_nan(values);
    std::ranges::copy(read_(*interval), values.begin());
  }

 private:
  Read read_;
  std::int64_t first_;
};

/// A map of (q, v), at the nodes.
class NodeMapObserver final : public Observer {
 public:
  NodeMapObserver(ObservedQuantity quantity, ImplicitSystem map, const Problem& problem)
      : Observer(std::move(quantity)), map_(typical_at(std::move(map), problem), problem) {}

  void observe(const Stepper& stepper, std::span<double> values) override {
    if (!map_.run(stepper.node())) return fill_nan(values);
    std::ranges::copy(map_.outputs(), values.begin());
  }
  std::string why_undefined() const override { return "the equations at the node have no solution"; }

 private:
  CompiledMap map_;
};

/// Which method, on which problem.
struct Scene {
  const DerivedMethod& derived;
  const Problem& problem;
  std::optional<int> ell;  ///< the option of observers that have it

  const System& system() const { return problem.system; }
  const std::string& name() const { return derived.spec.text(); }
  const Method& method() const {
    require(derived.map.has_value(),
            fmt::format("{} is not a one-step method: it has no equations of its own", name()));
    require(!derived.map->own_time || derived.map->own_time->nodes != OwnTime::Nodes::resampled,
            "resampled nodes lie between those of the method; drop resample");
    return *derived.map;
  }
  /// For what follows from the equations of one step, of the size that the problem has.
  const Method& method_with_equal_steps() const {
    require(!derived.map || !derived.map->own_time || derived.map->own_time->nodes != OwnTime::Nodes::of_reference,
            "the steps of tau follow a reference solution and differ from each other; drop nodes=reference");
    return method();
  }
  void require(bool condition, const std::string& what) const {
    if (!condition) throw MethodError(what);
  }
  void require_rows() const { require(!system().velocity_rows().empty(), "this system has no constraints"); }
  void require_interval() const {
    require(method().interval.has_value(), fmt::format("{} knows nothing between its nodes", name()));
  }
  void require_one_stage() const {
    require(method().stages.size() == 1, "a composition has several stages between its nodes");
  }
};

struct Entry {
  ObserverInfo info;
  std::function<std::unique_ptr<Observer>(const Scene&)> make;
  bool takes_ell = false;
};

std::unique_ptr<Observer> node_constraint(const Scene& s) {
  s.require_rows();
  ImplicitSystem map = map_of_node(s.system());
  map.give(Slot::constraints, s.system().velocity_rows());
  return make_node_observer({"node-constraint", numbered("node_constraint", map.outputs.size())}, map, s.problem);
}

std::unique_ptr<Observer> constraint_forces(const Scene& s) {
  s.require_rows();
  const ImplicitSystem motion = accelerations(s.system());
  std::vector<std::string> labels;
  for (const Expression& q : s.system().freedoms()) labels.push_back("constraint_force_" + q.name());
  std::vector<Expression> forces(s.system().dimension());
  add_constraint_forces(s.system(), multiplier_symbols(s.system()), 1.0, forces);
  ImplicitSystem map = map_of_node(s.system());
  map.solve_as(motion);
  map.give(Slot::others, forces);
  return make_node_observer({"constraint-forces", labels}, map, s.problem);
}

std::unique_ptr<Observer> momentum(const Scene& s) {
  if (s.derived.map && !s.derived.map->momentum_of.empty()) return make_momentum_observer(s.method(), s.problem);
  s.require(!s.system().symmetries().empty(), "the model declares no symmetry");
  require_sections(s.problem);
  std::vector<std::string> labels;
  std::vector<Expression> momenta;
  const auto add = [&](const std::string& name, const std::vector<Expression>& field) {
    labels.push_back("momentum of " + name);
    Expression& momentum = momenta.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) momentum += s.system().momenta()[i] * field[i];
  };
  for (const Symmetry& symmetry : s.system().symmetries()) add(symmetry.name, symmetry.generator);
  for (const SymmetrySection& section : s.system().sections()) add(section.name, s.system().field_of(section));
  ImplicitSystem map = map_of_node(s.system());
  map.give(Slot::conserved, momenta);
  return make_node_observer({"momentum", labels}, map, s.problem);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {{"midpoint-energy", "energy at the midpoint of the interval before the node, (q + q')/2 and (q' - q)/h"},
       [](const Scene& s) -> std::unique_ptr<Observer> {
         s.require_interval();
         s.require_one_stage();
         return std::make_unique<IntervalObserver>(ObservedQuantity{"midpoint-energy", {"midpoint_energy"}},
                                                   [](const IntervalValues& i) { return std::span(&i.energy, 1); });
       }},
      {{"discrete-constraint", "the velocity constraints under the method's rule, between two nodes"},
       [](const Scene& s) -> std::unique_ptr<Observer> {
         s.require_interval();
         s.require(!s.system().constraints().empty(), "this system has no velocity constraints");
         return std::make_unique<IntervalObserver>(
             ObservedQuantity{"discrete-constraint", numbered("discrete_constraint", s.system().constraints().size())},
             [](const IntervalValues& i) { return std::span(i.constraints); });
       }},
      {{"node-constraint", "the velocity constraints at the node"}, node_constraint},
      {{"impulses", "the multipliers of the step before the node, impulses (tend to -h times the continuous ones)"},
       [](const Scene& s) -> std::unique_ptr<Observer> {
         s.require_rows();
         const std::size_t count = s.method().multipliers();
         s.require(count > 0, fmt::format("{} has no multipliers that belong to a step", s.name()));
         s.require_one_stage();
         return std::make_unique<IntervalObserver>(
             ObservedQuantity{"impulses", numbered("impulse", count)},
             [](const IntervalValues& i) { return std::span(i.multipliers); }, first_step_of_method(s.problem));
       }},
      {{"constraint-forces", "the forces of the constraints, A^T lambda, at the node"}, constraint_forces},
      {{"momentum",
        "the momenta of the declared symmetries and sections: by the method's own p or P, or at the node where it has "
        "none"},
       momentum},
      {{"momentum-equation",
        "residual of the discrete nonholonomic momentum equation (Cortes & Martinez, 24), and of each declared "
        "section"},
       [](const Scene& s) { return make_momentum_equation_observer(s.method_with_equal_steps(), s.problem); }},
      {{"symplectic",
        "defect of the symplectic form: DPhi^T Omega DPhi - Omega - d(beta) (Cortes & Martinez, 22); on a shape space "
        "that of dr dP"},
       [](const Scene& s) { return make_symplectic_observer(s.method_with_equal_steps(), s.problem); }},
      {{"reduced-forces",
        "discrete Lagrangian L_d* and discrete forces F-, F+ of a Chaplygin system (Cortes & Martinez, 32)"},
       [](const Scene& s) {
         s.require_interval();
         s.require_one_stage();
         return make_reduced_forces_observer(s.method(), s.problem);
       }},
      {{"reduced-equation", "residual of the reduced discrete equations of L_d*, F-, F+ (Cortes & Martinez, 32)"},
       [](const Scene& s) {
         s.require_interval();
         s.require_one_stage();
         return make_reduced_equation_observer(s.method(), s.problem);
       }},
      {{"spectral-radius", "largest absolute eigenvalue of the tangent map of the step before the node"},
       [](const Scene& s) { return make_spectral_radius_observer(s.method_with_equal_steps(), s.problem); }},
      {{"time-error", "error of the time of hdel's nodes: in all, by its quadrature, by the nodes themselves"},
       [](const Scene& s) {
         const Method& method = s.method_with_equal_steps();
         s.require(method.own_time.has_value(), fmt::format("{} takes steps of t itself", s.name()));
         return make_time_error_observer(method, s.problem);
       }},
      {{"reversibility", "how far a step back misses the node before"},
       [](const Scene& s) { return make_reversibility_observer(s.method_with_equal_steps(), s.problem); }},
      {{"modified", "the modified Hamiltonian of variational methods; :ell=4 for its series up to h^4"},
       [](const Scene& s) { return make_modified_observer(s.method_with_equal_steps(), s.problem, s.ell); },
       true},
      {{"modified-energy", "modified conformal Hamiltonian and factor (Garcia-Naranjo & Vermeeren); :ell=4"},
       [](const Scene& s) { return make_conformal_observer(s.method_with_equal_steps(), s.problem, s.ell); },
       true},
      {{"modified-flow", "how far a step of pthdel or conformal leads from the flow of its modified equation; :ell=4"},
       [](const Scene& s) { return make_modified_flow_observer(s.method_with_equal_steps(), s.problem, s.ell); },
       true},
      {{"measure", "by how much the invariant measure has changed since the start; :ell=4 for the modified measure"},
       [](const Scene& s) { return make_measure_observer(s.method_with_equal_steps(), s.problem, s.ell); },
       true},
  };
  return all;
}

/// An observer as it was asked for.
struct Wanted {
  const Entry& entry;
  std::optional<int> ell;
};

bool is_observer(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  return std::ranges::any_of(entries(), [&](const Entry& k) { return k.info.name == name; });
}

/// What looks like a name of an observer, or like one with its option.
bool is_word(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos ||
         text.find(':') != std::string_view::npos;
}

const Entry& find(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& k : entries()) {
    if (k.info.name == name) return k;
    names.push_back(k.info.name);
  }
  const auto meant = closest_name(name, names);
  throw MethodError(fmt::format(
      "there is no observer '{}'; {}", name,
      meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("there are {}", fmt::join(names, ", "))));
}

Wanted read(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  Wanted wanted{find(text.substr(0, colon)), std::nullopt};
  if (colon == text.size()) return wanted;
  const std::string_view option = text.substr(colon + 1);
  if (!wanted.entry.takes_ell) {
    throw MethodError(fmt::format("the observer {} has no option '{}'; it has none", wanted.entry.info.name, option));
  }
  constexpr std::string_view key = "ell=";
  int ell = -1;
  if (option.starts_with(key)) {
    const std::string_view digits = option.substr(key.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ell);
    if (error != std::errc() || end != digits.data() + digits.size()) ell = -1;
  }
  if (ell < 0 || ell > 12) {
    throw MethodError(
        fmt::format("the option of {} is ell=0 to ell=12, the power of h after which series end; found '{}'",
                    wanted.entry.info.name, option));
  }
  wanted.ell = ell;
  return wanted;
}

}  // namespace

std::unique_ptr<Observer> make_node_observer(ObservedQuantity quantity, ImplicitSystem map, const Problem& problem) {
  return std::make_unique<NodeMapObserver>(std::move(quantity), std::move(map), problem);
}

std::span<const ObserverInfo> observers() {
  static const std::vector<ObserverInfo> all = [] {
    std::vector<ObserverInfo> list;
    for (const Entry& k : entries()) list.push_back(k.info);
    return list;
  }();
  return all;
}

void check_observer(std::string_view name) { read(name); }

std::unique_ptr<Observer> make_observer(std::string_view name, const MethodSpec& method, const Problem& problem) {
  read(name);  // before the method is derived
  return make_observer(name, DerivedMethod(method, problem), problem);
}

std::unique_ptr<Observer> make_observer(std::string_view name, const DerivedMethod& method, const Problem& problem) {
  const auto [entry, ell] = read(name);
  try {
    return entry.make({method, problem, ell});
  } catch (const MethodError& error) {
    throw MethodError(fmt::format("{} cannot be observed here: {}", name, error.what()));
  }
}

std::unique_ptr<Observer> make_observer(std::string_view text, const DerivedMethod& method, const Problem& problem,
                                        const Model& model) {
  if (is_observer(text)) return make_observer(text, method, problem);
  try {
    return make_quantity_observer(text, problem, model);
  } catch (const ParseError& error) {
    if (is_word(text)) read(text);  // says what there is
    throw RequestError(error.what());
  }
}

void check_observer_or_quantity(std::string_view text) {
  if (is_observer(text) || is_word(text)) read(text);
}

}  // namespace rattleback
