// One step of ours against steps written by hand, and against one step of explicit methods; variational steps against
// classical ones.

#include <ctime>

#include "rattleback/method/composition.hpp"
#include "rattleback/method/registry.hpp"
#include "src/bench/competitors.hpp"
#include "src/bench/hand_mclachlan_perlmutter.hpp"
#include "src/bench/hand_mclachlan_perlmutter_scalar.hpp"
#include "src/bench/hand_particle.hpp"
#include "src/bench/hand_sleigh.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/processor.hpp"
#include "src/bench/rattlebacks.hpp"
#include "src/bench/tables.hpp"
#include "src/bench/user_run.hpp"

namespace rattleback::bench {
namespace {

using benchmark::keep;

/// Rows of one problem: `steps` steps of ours against as many of theirs.
class Group {
 public:
  Group(const std::string& name, const Problem& problem, std::int64_t steps, const Session& session,
        const std::string& method = "dla:midpoint")
      : method_(method), ours_(method, problem), step_(problem.step), steps_(steps), session_(session) {
    group_.problem = fmt::format("{}, h = {}, {}", name, problem.step, method);
  }

  /// advance(state) is one step from a copy of the start.
  void by_hand(const std::string& what, double goal, const auto& start, auto&& advance) {
    row(what, goal, [&] {
      alignas(64) auto state = start;
      for (std::int64_t k = 0; k < steps_; ++k) advance(state);
      keep(&state);
    });
  }
  /// What looking at residuals costs: a number of iterations that suffices, without.
  void without_looking(const Problem& problem, int iterations) {
    Trajectories blind(fmt::format("dla:midpoint:newton-iterations={}", iterations), problem);
    row(fmt::format("ours: {} iterations, and nothing is compared", iterations), 0.0, [&] { blind.run(steps_); });
  }
  void explicit_methods(const std::vector<ExplicitSteps>& methods) {
    for (const ExplicitSteps& m : methods) row(m.method, 0.0, [&] { m.run(step_, static_cast<long>(steps_)); });
  }
  /// Ours for another model of the same body: the bare step, and a run that watches every node.
  void other_model(const std::string& what, double goal, const Problem& mine, const Problem& other) {
    const CompileAtOnce at_once;
    Trajectories steps(method_, other);
    row("ours: " + what, goal, [&] { steps.run(steps_); });
    UserRun run(method_, mine);
    UserRun other_run(method_, other);
    session_.progress(group_.problem + ": runs, " + what);
    const auto units = static_cast<double>(steps_);
    group_.rows.push_back(
        {"a run: " + what,
         benchmark::compare(units, [&] { run(steps_, steps_); }, units, [&] { other_run(steps_, steps_); }), goal});
  }
  /// CPU seconds to derive and compile; nothing of it may have been derived before.
  void built_in(double seconds, double goal) {
    group_.build = seconds;
    group_.build_goal = goal;
  }
  StepGroup done() {
    group_.iterations = ours_.iterations();
    return std::move(group_);
  }

 private:
  void row(const std::string& what, double goal, auto&& theirs) {
    session_.progress(group_.problem + ": " + what);
    const auto units = static_cast<double>(steps_);
    group_.rows.push_back({what, benchmark::compare(units, [&] { ours_.run(steps_); }, units, theirs), goal});
  }

  std::string method_;
  Trajectories ours_;
  double step_;
  std::int64_t steps_;
  const Session& session_;
  StepGroup group_;
};

StepGroup particle_steps(const Session& session) {
  Group group("quadratic particle", particle(), 2000, session);
  const hand::ParticleState start{1, 0, 0, 0, 1, 0};
  const hand::ParticleConstants constants(0.2);
  group.by_hand("by hand: dense Newton", 0, start, [](auto& s) { hand::particle_dense_newton(s, 0.2); });
  group.by_hand("by hand: Newton, Schur complement", 1.0, start, [](auto& s) { hand::particle_schur_newton(s, 0.2); });
  group.by_hand("by hand: closed form", 1.5, start, [&](auto& s) { hand::particle_closed_form(s, constants); });
  group.explicit_methods(explicit_particle());
  return group.done();
}

/// All stages of a composition, one after the other.
StepGroup composed_particle_steps(const Session& session) {
  Group group("quadratic particle", particle(), 200, session, "dla:order=8");
  std::vector<hand::ParticleConstants> stages;
  for (const double fraction : composition_coefficients(8)) stages.emplace_back(0.2 * fraction);
  group.by_hand(fmt::format("by hand: closed form, {} stages", stages.size()), 1.5,
                hand::ParticleState{1, 0, 0, 0, 1, 0}, [&](auto& s) {
                  for (const hand::ParticleConstants& c : stages) hand::particle_closed_form(s, c);
                });
  group.explicit_methods(explicit_particle());
  return group.done();
}

StepGroup sleigh_steps(const Session& session) {
  Group group("Chaplygin sleigh", sleigh(), 250, session);
  const hand::SleighState start{1, 0, 0, 0, 0, 0};
  const hand::SleighParameters p;
  const hand::SleighConstants constants(p);
  group.by_hand("by hand: Newton to 1e-13, libm's sines", 1.25, start,
                [&](auto& s) { hand::sleigh_newton<hand::libm_sincos>(s, p, 1e-13); });
  group.by_hand("by hand: the same, inlined sines", 0, start,
                [&](auto& s) { hand::sleigh_newton<hand::fast_sincos>(s, p, 1e-13); });
  group.by_hand("by hand: one unknown, a series as guess", 0, start,
                [&](auto& s) { hand::sleigh_newton_best<hand::fast_sincos>(s, constants); });
  group.explicit_methods(explicit_sleigh());
  return group.done();
}

template <int n>
hand::MpPlainState<n> plain_start(const State& start) {
  const auto& [q, v, when] = start;
  return {q[0], &q[1], &q[1 + n], v[0], &v[1], &v[1 + n]};
}

StepGroup oscillator_steps_6(const Session& session) {
  const Problem problem = oscillators(6);
  Group group("McLachlan and Perlmutter, n = 6", problem, 400, session);
  const auto& [q, v, when] = problem.start;
  group.by_hand("by hand: Newton to 1e-13", 1.25, plain_start<6>(problem.start),
                [](auto& s) { hand::mp_newton_plain<6>(s, 0.25); });
  group.by_hand("by hand: vectors, one iteration less", 0, hand::MpState<6>(q[0], &q[1], &q[7], v[0], &v[1], &v[7]),
                [](auto& s) { hand::mp_newton<6>(s, 0.25); });
  group.without_looking(problem, 3);
  group.explicit_methods(explicit_oscillators_6());
  return group.done();
}

StepGroup oscillator_steps_100(const Session& session) {
  constexpr double h = 0.1;
  const Problem problem = oscillators(100, h);
  Group group("McLachlan and Perlmutter, n = 100", problem, 200, session);
  group.by_hand("by hand: Newton to 1e-13", 1.5, plain_start<100>(problem.start),
                [](auto& s) { hand::mp_newton_plain<100>(s, h); });
  group.without_looking(problem, 3);
  group.explicit_methods(explicit_oscillators_100());
  return group.done();
}

StepGroup rattleback_steps(const Session& session) {
  const std::clock_t begin = std::clock();
  const Problem problem = rattleback_by_rotation();
  Group group("rattleback, by rotation", problem, 2000, session);
  group.built_in(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.2);
  const hand::RattlebackConstants constants = constants_by_hand(problem);
  group.by_hand("by hand: Newton to 1e-13 in three unknowns", 1.25, start_by_hand(problem, constants),
                [&](auto& s) { hand::rattleback_newton(s, constants); });
  group.other_model("Euler angles", 1.0 / 1.5, problem, rattleback_by_angles());
  return group.done();
}

/// Nodes one after the other from the start of a problem. Chains of compiled steps are faster and have no rescue, which
/// the last steps of Hd on the sleigh need.
class Nodes {
 public:
  Nodes(const std::string& method, const Problem& problem, std::int64_t steps)
      : stepper_(make_stepper(method, problem)), start_(stepper_->save()), steps_(steps) {}

  void operator()() {
    stepper_->restore(start_);
    for (std::int64_t k = 0; k < steps_; ++k) {
      if (!stepper_->advance()) throw std::runtime_error(stepper_->failure());
    }
  }
  double iterations() const { return stepper_->newton().mean(); }

 private:
  std::unique_ptr<Stepper> stepper_;
  std::vector<double> start_;
  std::int64_t steps_;
};

/// "RK4 is exceedingly faster than the variational integrators" (Evensberget, chapter 4): his five methods on his three
/// problems, with the steps and the times of his experiments.
std::vector<StepGroup> steps_of_the_thesis(const Session& session) {
  struct Case {
    const char* name;
    Problem problem;
    std::int64_t steps;
  };
  std::vector<StepGroup> groups;
  for (const Case& c : {Case{"quadratic particle", particle(), 1250}, Case{"Chaplygin sleigh", sleigh(), 250},
                        Case{"McLachlan and Perlmutter, n = 6", oscillators(6), 400}}) {
    const auto units = static_cast<double>(c.steps);
    Nodes classical("rk4-index0", c.problem, c.steps);
    for (const char* method : {"ld", "lds", "hd", "hds"}) {
      StepGroup group{fmt::format("{}, h = {}, {}, step by step", c.name, c.problem.step, method), 0.0, {}};
      session.progress(group.problem);
      Nodes variational(method, c.problem, c.steps);
      group.rows.push_back(
          {"our rk4-index0, step by step", benchmark::compare(units, variational, units, classical), 0.0});
      group.iterations = variational.iterations();
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace

bool hand_written_steps_run_here() { return processor_suffices(); }

std::vector<StepGroup> step(const Session& session) {
  std::vector<StepGroup> groups;
  for (const auto& group : {particle_steps, composed_particle_steps, sleigh_steps, oscillator_steps_6,
                            oscillator_steps_100, rattleback_steps}) {
    groups.push_back(group(session));
  }
  for (StepGroup& group : steps_of_the_thesis(session)) groups.push_back(std::move(group));
  return groups;
}

}  // namespace rattleback::bench
