// Our flow beside heyoka: what is measured.

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <iterator>

#include "rattleback/method/method_spec.hpp"
#include "rattleback/model/model.hpp"
#include "src/bench/flow_table.hpp"
#include "src/bench/heyoka.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/rattleback_motion.hpp"
#include "src/bench/solution.hpp"

namespace rattleback::bench {
namespace {

using nlohmann::json;

struct Case {
  std::string name;
  const char* heyoka;  ///< what it calls the problem
  int size;
  double time;
  std::function<Problem()> problem;
  std::function<std::vector<long double>(const State& start, double time, long steps)> exact;  ///< q at the end
  long steps;                                                                                  ///< of `exact`
  double goal, fast_goal;
  bool grows = false;
};

/// Where rates begin with those of `positions`, and the state is q, followed by `rest` of the start.
template <class Motion>
std::vector<long double> exact_end(std::vector<double> q, const std::vector<double>& rest, double time, long steps) {
  const std::size_t positions = q.size();
  q.insert(q.end(), rest.begin(), rest.end());
  typename Motion::State start{};
  std::copy_n(q.begin(), start.size(), start.begin());
  std::vector<long double> end = solution<Motion>(start, time, steps);
  end.resize(positions);
  return end;
}

std::vector<long double> exact_particle(const State& s, double time, long steps) {
  return exact_end<ParticleMotion>(s.q, {s.v[0], s.v[1]}, time, steps);
}
std::vector<long double> exact_sleigh(const State& s, double time, long steps) {
  return exact_end<SleighMotion>(s.q, {s.v[0] * std::cos(s.q[2]) + s.v[1] * std::sin(s.q[2]), s.v[2]}, time, steps);
}
template <std::size_t n>
std::vector<long double> exact_oscillators(const State& s, double time, long steps) {
  return exact_end<OscillatorMotion<n>>(s.q, {s.v.begin() + 1, s.v.end()}, time, steps);
}
std::vector<long double> exact_rattleback(const State& s, double time, long steps) {
  return exact_end<RattlebackMotion>(s.q, {s.v.begin() + 3, s.v.end()}, time, steps);
}

/// As in the model, which is the same for all n.
template <int n>
Problem oscillators_of_the_model() {
  const Model model = load_model("mclachlan-perlmutter", {{"n", n}});
  return {model.system, model.system.parameter_values(), *model.initial, 0.1};
}

std::vector<Case> cases() {
  return {
      {"quadratic particle", "particle", 0, 100.0, particle, exact_particle, 4000, 0.6, 1.0},
      {"Chaplygin sleigh", "sleigh", 0, 100.0, sleigh, exact_sleigh, 4000, 0.7, 0.9},
      {"McLachlan and Perlmutter, n = 6", "oscillators", 6, 10.0, [] { return oscillators(6); }, exact_oscillators<6>,
       1000, 0.5, 0.6},
      {"rattleback", "rattleback", 0, 5.0, rattleback_on_ground, exact_rattleback, 8000, 0.0, 0.0},
      {"McLachlan and Perlmutter, n = 6, the model's start", "oscillators", 6, 10.0, oscillators_of_the_model<6>,
       exact_oscillators<6>, 1000, 0.0, 0.0, true},
      {"McLachlan and Perlmutter, n = 100", "oscillators", 100, 10.0, oscillators_of_the_model<100>,
       exact_oscillators<100>, 1500, 0.0, 0.0, true},
      {"McLachlan and Perlmutter, n = 500", "oscillators", 500, 10.0, oscillators_of_the_model<500>,
       exact_oscillators<500>, 2000, 0.0, 0.0, true},
  };
}

/// Decades, so that times at a given error lie between near neighbours; only those that are shown of large systems.
std::vector<double> tolerances(const Case& c) {
  if (c.grows) return {std::begin(shown_tolerances), std::end(shown_tolerances)};
  std::vector<double> all;
  for (int digits = 2; digits <= 16; ++digits) all.push_back(std::pow(10.0, -digits));
  return all;
}

double error_of(const std::vector<double>& q, const std::vector<long double>& exact) {
  if (q.size() != exact.size()) return HUGE_VAL;
  long double most = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const long double difference = std::abs(q[i] - exact[i]) / std::max(1.0L, std::abs(exact[i]));
    if (!(difference <= most)) most = difference;
  }
  return std::isnan(most) ? HUGE_VAL : static_cast<double>(most);
}

/// Trajectories of one batch: all start a little faster than the one before, the sleigh, which starts at rest, turned.
std::vector<State> neighbours(const Case& c, const State& start) {
  std::vector<State> all;
  for (int k = 0; k < flow_batch; ++k) {
    State s = start;
    for (double& v : s.v) v *= 1.0 + 1e-3 * k;
    if (std::string_view(c.heyoka) == "sleigh") s.q[2] += 1e-2 * k;
    all.push_back(std::move(s));
  }
  return all;
}

/// Times are the shortest of several turns, at several moments: noise only adds to them.
constexpr double seconds_of_a_moment = 0.1;
constexpr int moments = 3;

double shortest(auto&& seconds) {
  std::vector<double> turns;
  for (double total = 0.0; total < seconds_of_a_moment || turns.size() < 3; total += turns.back()) {
    turns.push_back(seconds());
    if (!std::isfinite(turns.back())) return HUGE_VAL;
  }
  // A clock that was wrong, as those of virtual machines are now and then, is no short time.
  const double typical = benchmark::median(turns);
  std::erase_if(turns, [&](double t) { return t < 0.5 * typical; });
  return *std::ranges::min_element(turns);
}

/// Reading the model, deriving and compiling, to the end of the first steps.
double our_build(const Case& c) {
  const std::clock_t begin = std::clock();
  const Problem problem = c.problem();
  (void)MethodSpec(our_flow_with(usual_tolerance)).flow(problem)->at(1e-3 * c.time);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// One of those who are compared, at one tolerance.
struct Setting {
  double tolerance;
  std::size_t entry;
  std::function<std::vector<double>()> end;
  std::function<double()> seconds;  ///< of a run
  double error = HUGE_VAL;
  double shortest = HUGE_VAL;
};

class Comparing {
 public:
  Comparing(const Case& c, const Session& session)
      : case_(c), session_(session), table_{c.name, c.time, 0, 0.0, c.grows, {}} {
    add(our_flow, Side::our_flows, 0.0);
    table_.entries[0].build = our_build(c);  // first: later, much is known
    problem_ = c.problem();
    table_.coordinates = c.size > 0 ? 2 * c.size + 1 : static_cast<int>(problem_->system.coordinates().size());
    const auto exact = c.exact(problem_->start, c.time, c.steps);
    const auto coarser = c.exact(problem_->start, c.time, c.steps * 3 / 4);
    table_.floor = std::max(1e-17, error_of({coarser.begin(), coarser.end()}, exact));
    if (session.heyoka != nullptr) {
      add("heyoka", Side::theirs, c.goal);
      add("heyoka, fast mathematics", Side::theirs, c.fast_goal);
    }
    for (const double tolerance : tolerances(c)) prepare(tolerance);
    for (Setting& s : settings_) {
      session.progress(fmt::format("flow: {}, tolerance {:.0e}", c.name, s.tolerance));
      s.error = std::max(table_.floor, error_of(s.end(), exact));
    }
    std::erase_if(settings_, [](const Setting& s) { return std::isinf(s.error); });
  }

  FlowTable done() {
    for (int moment = 0; moment < moments; ++moment) {
      session_.progress(fmt::format("flow: {}, times, {} of {}", case_.name, moment + 1, moments));
      for (Setting& s : settings_) s.shortest = std::min(s.shortest, s.seconds());
      if (!case_.grows) batches();
    }
    for (const Setting& s : settings_) {
      table_.entries[s.entry].points.push_back({s.tolerance, s.error, s.shortest / case_.time});
    }
    return std::move(table_);
  }

 private:
  void add(const char* name, Side side, double goal) {
    FlowEntry entry;
    entry.name = name;
    entry.side = side;
    entry.goal = goal;
    table_.entries.push_back(std::move(entry));
  }

  void prepare(double tolerance) {
    const auto flow = std::make_shared<OurFlow>(*problem_);
    settings_.push_back(
        {tolerance, 0,
         [this, flow, tolerance] {
           auto q = flow->end(tolerance, case_.time);
           if (tolerance == usual_tolerance) count_steps(0, flow->own_steps());
           return q;
         },
         [this, flow, tolerance] { return shortest([&] { return flow->seconds(tolerance, case_.time); }); }});
    for (std::size_t k = 1; k < table_.entries.size(); ++k) {
      const json question =
          with_setting(heyoka_problem(case_.heyoka, *problem_, {&problem_->start, 1}, case_.size), k, tolerance);
      settings_.push_back({tolerance, k, [this, k, question] { return their_end(k, question); },
                           [this, question] { return ask("seconds", question).value("seconds", HUGE_VAL); }});
    }
  }

  json with_setting(json question, std::size_t entry, double tolerance) const {
    question.update(
        {{"tolerance", tolerance}, {"time", case_.time}, {"seconds", seconds_of_a_moment}, {"fast", entry == 2}});
    return question;
  }
  json ask(const char* what, json question) const {
    question["do"] = what;
    return session_.heyoka->ask(question);
  }

  std::vector<double> their_end(std::size_t k, const json& question) {
    const json answer = ask("end", question);
    if (answer.contains("failed")) {
      table_.entries[k].failure = answer["failed"];
      return {};
    }
    if (question["tolerance"] == usual_tolerance) {
      table_.entries[k].build = answer["build"];
      count_steps(k, answer["steps"].get<std::int64_t>());
    }
    return answer["q"];
  }

  void count_steps(std::size_t k, std::optional<std::int64_t> steps) {
    if (steps) table_.entries[k].steps = static_cast<double>(*steps) / case_.time;
  }

  void batches() {
    const std::vector<State> starts = neighbours(case_, problem_->start);
    const auto keep = [&](std::size_t k, double seconds) {
      const double one = seconds / (case_.time * flow_batch);
      auto& best = table_.entries[k].batch;
      if (std::isfinite(one)) best = best ? std::min(*best, one) : one;
    };
    if (together_.empty()) {  // one after the other: a flow is one trajectory
      for (const State& start : starts) {
        Problem one = *problem_;
        one.start = start;
        together_.push_back(std::make_unique<OurFlow>(one));
        (void)together_.back()->run(usual_tolerance, case_.time);
      }
    }
    keep(0, shortest([&] {
           double total = 0.0;
           for (const auto& flow : together_) total += flow->seconds(usual_tolerance, case_.time);
           return total;
         }));
    for (std::size_t k = 1; k < table_.entries.size(); ++k) {
      const json question =
          with_setting(heyoka_problem(case_.heyoka, *problem_, starts, case_.size), k, usual_tolerance);
      keep(k, ask("seconds", question).value("seconds", HUGE_VAL));
    }
  }

  const Case& case_;
  const Session& session_;
  FlowTable table_;
  std::optional<Problem> problem_;
  std::vector<Setting> settings_;
  std::vector<std::unique_ptr<OurFlow>> together_;
};

}  // namespace

FlowTables flows(const Session& session) {
  FlowTables tables;
  if (session.heyoka != nullptr) tables.heyoka = session.heyoka->version();
  session.progress("loading the compiler");
  const Model other = load_model("knife-edge");
  (void)MethodSpec(our_flow).flow({other.system, other.system.parameter_values(), *other.initial, 0.1})->at(0.1);
  const std::vector<Case> all = cases();
  for (const Case& c : all) tables.problems.push_back(Comparing(c, session).done());
  return tables;
}

}  // namespace rattleback::bench
