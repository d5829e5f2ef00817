#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/not_a_number.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/method/whole_step.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/model/start.hpp"
#include "trouble.hpp"

namespace rattleback {
namespace {

std::vector<Expression> constraint_rows(const System& system) {
  return joined({system.velocity_rows(), system.holonomic()});
}

/// Reasons are lists of lines elsewhere.
std::string in_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const std::size_t next = std::min(text.find_first_not_of(" \n", at), text.size());
    const bool indented = text[next - 1] == ' ';
    text.replace(at, next - at, next == text.size() ? "" : indented ? " " : ". ");
  }
  return text;
}

std::vector<Expression> row_formulas(const System& system) {
  std::vector<Expression> formulas = system.momenta();
  formulas.push_back(system.energy());
  return formulas;
}

}  // namespace

StartCheck::StartCheck(const Ensemble& ensemble, const Problem& nominal)
    : ensemble_(ensemble),
      rows_(make_program_with_magnitudes(state_and_parameters(ensemble.system), constraint_rows(ensemble.system))),
      layout_(map_of_node(ensemble.system).data_layout), constraints_(constraint_rows(ensemble.system).size()),
      data_(layout_.size()), values_(2 * constraints_) {
  if (ensemble.complete) {
    const System& system = ensemble.system;
    const Space space = system.space();
    given_q_.resize(system.coordinates().size());
    given_v_.resize(system.dimension());
    const auto give = [&](const std::string& name) {
      for (std::size_t i = 0; i < space.numbers; ++i) {
        if (system.coordinates()[i].name() == name) given_q_[i] = true;
      }
      for (std::size_t i = 0; i < given_v_.size(); ++i) {
        if (system.velocities()[i].name() == name) given_v_[i] = true;
      }
      if (const auto number = attitude_number(system, name))
        std::fill_n(given_q_.begin() + static_cast<std::ptrdiff_t>(space.position_of(number->rotation)),
                    Rotation::positions, true);
    };
    for (const Axis& axis : ensemble.axes) std::ranges::for_each(axis.names, give);
    for (const NamedExpression& f : ensemble.formulas) give(f.name);
  }
  if (!ensemble.project || constraints_ == 0) return;
  projection_.emplace(typical_at(projection(ensemble.system), nominal), nominal);
}

std::string StartCheck::complete(Member& member) const {
  const System& system = ensemble_.system;
  auto& [q, v, t] = member.start;
  const auto of = [](const std::vector<double>& numbers, const std::vector<bool>& given) {
    SomeNumbers some(numbers.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (given[i]) some[i] = numbers[i];
    }
    return some;
  };
  try {
    if (!system.holonomic().empty()) q = completed_positions(system, member.parameters, of(q, given_q_), q, t);
    v = completed_velocities(system, member.parameters, q, of(v, given_v_), t);
    return {};
  } catch (const RequestError& error) {
    return fmt::format("it cannot start: {}", in_one_line(error.what()));
  }
}

std::string StartCheck::operator()(Member& member) {
  auto& [q, v, t] = member.start;
  const auto undefined = [&](std::span<const double> numbers, std::span<const Expression> names) -> std::string {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i])) return fmt::format("it cannot start: {} is nan", names[i].name());
      if (!std::isfinite(numbers[i])) return fmt::format("it cannot start: {} is {}", names[i].name(), numbers[i]);
    }
    return {};
  };
  for (const std::string& trouble :
       {undefined(q, ensemble_.system.coordinates()), undefined(v, ensemble_.system.velocities()),
        undefined(std::span(&t, ensemble_.system.time().size()), ensemble_.system.time()),
        undefined(member.parameters, ensemble_.system.parameters())}) {
    if (!trouble.empty()) return trouble;
  }
  if (constraints_ == 0) return {};
  if (ensemble_.complete) return complete(member);
  if (projection_) {
    projection_->set(Slot::parameters, member.parameters);
    if (!projection_->run(member.start)) {
      return fmt::format("it cannot start: there is no state on the constraints near it, {}", projection_->failure());
    }
    std::ranges::copy((*projection_)(Slot::position), q.begin());
    std::ranges::copy((*projection_)(Slot::velocity), v.begin());
    return {};
  }
  std::ranges::copy(q, layout_.of(data_, Slot::position).begin());
  std::ranges::copy(v, layout_.of(data_, Slot::velocity).begin());
  std::ranges::fill(layout_.of(data_, Slot::time), t);
  std::ranges::copy(member.parameters, layout_.of(data_, Slot::parameters).begin());
  rows_(data_, values_);
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  bool doubtful = false;
  for (std::size_t k = 0; k < constraints_; ++k) {
    doubtful = doubtful || !(std::abs(values_[k]) <= rounding * values_[constraints_ + k]);
  }
  if (!doubtful) return {};
  try {  // slower, and it finds words
    require_regular_start(ensemble_.system, member.parameters, member.start);
    return {};
  } catch (const StartError& error) {
    return fmt::format("it cannot start: {}", in_one_line(error.what()));
  }
}

namespace {

/// In the names of node_quantities, as they are made of the motion.
std::vector<Expression> in_terms_of_motion(const std::vector<Expression>& formulas, const System& system) {
  Substitution meanings;
  for (const NamedExpression& q : node_quantities(system)) meanings.emplace(Expression::symbol(q.name), q.expression);
  return substitute(formulas, meanings);
}

}  // namespace

std::vector<Event> watched_events(const Ensemble& ensemble) {
  std::vector<Event> events = ensemble.system.events();
  if (events.empty()) return events;
  using Direction = Event::Direction;
  for (const Section& s : ensemble.sections) {
    const Direction direction = s.direction == Section::Direction::both ? Direction::either
                                : s.direction == Section::Direction::up ? Direction::rising
                                                                        : Direction::falling;
    events.push_back({s.name, in_terms_of_motion({s.function}, ensemble.system)[0], direction});
  }
  return events;
}

Program watched_program(const Ensemble& ensemble) {
  std::vector<Expression> formulas;
  for (const NamedExpression& s : ensemble.statistics) formulas.push_back(s.expression);
  for (const Section& s : ensemble.sections) formulas.push_back(s.function);
  formulas = in_terms_of_motion(formulas, ensemble.system);
  for (const Expression& e : EventFunctions::formulas(ensemble.system, watched_events(ensemble))) formulas.push_back(e);
  return make_program(state_and_parameters(ensemble.system), formulas);
}

NodeReader::NodeReader(const Ensemble& ensemble)
    : n_(ensemble.system.dimension()), space_(ensemble.system.space()), statistics_(ensemble.statistics.size()),
      row_(make_program(state_and_parameters(ensemble.system), row_formulas(ensemble.system))),
      watched_(watched_program(ensemble)), layout_(map_of_node(ensemble.system).data_layout), data_(layout_.size()),
      row_values_(n_ + 1), watched_values_(watched_program(ensemble).outputs.size()) {}

void NodeReader::place(double time, std::span<const double> q, std::span<const double> v,
                       std::span<const double> parameters) {
  std::ranges::copy(q, layout_.of(data_, Slot::position).begin());
  std::ranges::copy(v, layout_.of(data_, Slot::velocity).begin());
  std::ranges::fill(layout_.of(data_, Slot::time), time);
  std::ranges::copy(parameters, layout_.of(data_, Slot::parameters).begin());
}

NodeRow NodeReader::row(double time, std::span<const double> q, std::span<const double> v,
                        std::span<const double> parameters) {
  place(time, q, v, parameters);
  row_(data_, row_values_);
  return {time,
          space_.shown(q),
          {v.begin(), v.end()},
          {row_values_.begin(), row_values_.begin() + static_cast<std::ptrdiff_t>(n_)},
          row_values_[n_]};
}

std::span<const double> NodeReader::watched(double time, std::span<const double> q, std::span<const double> v,
                                            std::span<const double> parameters) {
  place(time, q, v, parameters);
  if (!watched_values_.empty()) watched_(data_, watched_values_);
  return watched_values_;
}

MemberResult empty_result(const Ensemble& ensemble, const Member& member, std::size_t observed) {
  MemberResult result;
  result.member = member.index;
  result.varied = member.varied;
  const std::vector<double> undefined(ensemble.system.dimension(), not_a_number);
  const std::vector<double> nowhere(ensemble.system.space().shown_positions(), not_a_number);
  result.last = {not_a_number, nowhere, undefined, undefined, not_a_number};
  result.nodes.assign(ensemble.times.size(), result.last);
  result.statistics.assign(ensemble.statistics.size() + observed, {not_a_number, not_a_number, not_a_number});
  result.crossings.resize(ensemble.sections.size() + ensemble.system.events().size());
  result.undefined.assign(result.statistics.size() + ensemble.sections.size(), not_a_number);
  return result;
}

void check_node(const NodeRow& row, MemberResult& result) {
  const auto check = [&](const char* what, std::span<const double> numbers) {
    const auto found = std::ranges::find_if(numbers, [](double x) { return !std::isfinite(x); });
    if (found == numbers.end() || !result.failure.empty()) return;
    result.failure = fmt::format("{} is {} at t = {:.10g}: the motion has left the domain of the model", what,
                                 std::isnan(*found) ? not_a_number : *found, row.time);
  };
  check("the energy", {&row.energy, 1});
  check("a coordinate", row.q);
  check("a velocity", row.v);
  check("a momentum", row.p);
}

void require_times(const Ensemble& ensemble, const Members& members, const DerivedMethod& method) {
  if (!members.early_end() || (method.map && method.map->own_time)) return;
  throw EnsembleError(fmt::format("the time {} is after the end of a trajectory at {:.10g}", ensemble.times.back(),
                                  *members.early_end()));
}

Problem nominal_problem(const Ensemble& ensemble, const Members& members, const MethodSpec& method) {
  const Problem first = members.nominal();
  StartCheck check(ensemble, first);
  constexpr std::int64_t enough = 100;
  int attempts = 0;
  for (std::int64_t k = 0; k < std::min(members.count(), enough) && attempts < 5; ++k) {
    Member member = members.at(k);
    if (!check(member).empty()) continue;
    const Problem problem{ensemble.system, member.parameters, member.start, member.step};
    ++attempts;
    const std::string trouble = trouble_of([&] {
      const DerivedMethod derived(method, problem);
      if (derived.needs_only_maps()) maps_of(*derived.map, problem);
    });
    if (trouble.empty()) return problem;  // otherwise maybe another one
  }
  return first;
}

MethodPlan::MethodPlan(const Ensemble& ensemble, const Members& members, std::size_t number)
    : index(number), nominal(nominal_problem(ensemble, members, ensemble.methods[number])),
      method(ensemble.methods[number], nominal) {
  require_times(ensemble, members, method);
  if (!ensemble.system.events().empty()) require_events(method, nominal);
  if (ensemble.observers.empty() && method.needs_only_maps()) maps = maps_of(*method.map, nominal);
}

const MethodPlan& MethodPlans::operator[](std::size_t method) {
  const std::lock_guard lock(mutex_);
  if (!plans_[method]) plans_[method] = std::make_unique<MethodPlan>(ensemble_, members_, method);
  return *plans_[method];
}

std::unique_ptr<Engine> make_engine(const Ensemble& ensemble, const Members& members, const MethodPlan& plan,
                                    int lanes) {
  if (plan.maps) {
    if (auto engine = make_lane_engine(ensemble, members, plan, lanes)) return engine;
  }
  return make_single_engine(ensemble, members, plan.index);
}

}  // namespace rattleback
