// Our flow beside heyoka: what is measured.

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

Problem rattleback_of_the_catalogue() {
  const Model model = load_model("rattleback");
  return {model.system, model.system.parameter_values(), *model.initial, 0.001};
}

std::vector<Case> cases() {
  return {
      {"quadratic particle", "particle", 0, 100.0, particle, exact_particle, 4000, 0.6, 1.0},
      {"Chaplygin sleigh", "sleigh", 0, 100.0, sleigh, exact_sleigh, 4000, 0.7, 0.9},
      {"McLachlan and Perlmutter, n = 6", "oscillators", 6, 10.0, [] { return oscillators(6); }, exact_oscillators<6>,
       1000, 0.5, 0.6},
      {"rattleback", "rattleback", 0, 5.0, rattleback_of_the_catalogue, exact_rattleback, 4000, 0.0, 0.0},
      {"McLachlan and Perlmutter, n = 6, the model's start", "oscillators", 6, 10.0, oscillators_of_the_model<6>,
       exact_oscillators<6>, 1000, 0.0, 0.0, true},
      {"McLachlan and Perlmutter, n = 100", "oscillators", 100, 10.0, oscillators_of_the_model<100>,
       exact_oscillators<100>, 1000, 0.0, 0.0, true},
      {"McLachlan and Perlmutter, n = 500", "oscillators", 500, 10.0, oscillators_of_the_model<500>,
       exact_oscillators<500>, 1000, 0.0, 0.0, true},
  };
}

/// Decades, so that times at a given error lie between near neighbours; only those that are shown of large systems.
std::vector<double> tolerances(const Case& c) {
  if (c.grows) return {std::begin(shown_tolerances), std::end(shown_tolerances)};
  std::vector<double> all;
  for (int digits = 4; digits <= 16; ++digits) all.push_back(std::pow(10.0, -digits));
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

constexpr double seconds_of_measuring = 0.15;

double shortest(auto&& seconds) {
  double best = HUGE_VAL;
  int turns = 0;
  for (double total = 0.0; total < seconds_of_measuring || turns < 3; ++turns) {
    const double taken = seconds();
    best = std::min(best, taken);
    total += taken;
  }
  return best;
}

/// Reading the model, deriving and compiling, to the end of the first steps.
double our_build(const Case& c) {
  const std::clock_t begin = std::clock();
  const Problem problem = c.problem();
  (void)MethodSpec(our_flow_with(usual_tolerance)).flow(problem)->at(1e-3 * c.time);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

void measure_ours(FlowEntry& entry, OurFlow& flow, double tolerance, const Case& c,
                  const std::vector<long double>& exact, double floor) {
  const std::vector<double> q = flow.end(tolerance, c.time);
  if (q.empty()) return;
  entry.points.push_back({tolerance, std::max(floor, error_of(q, exact)),
                          shortest([&] { return flow.seconds(tolerance, c.time); }) / c.time});
}

/// One after the other: a flow is one trajectory.
double our_batch(const Case& c, const Problem& problem) {
  std::vector<std::unique_ptr<OurFlow>> flows;
  for (const State& start : neighbours(c, problem.start)) {
    Problem one = problem;
    one.start = start;
    flows.push_back(std::make_unique<OurFlow>(one));
    (void)flows.back()->run(usual_tolerance, c.time);
  }
  return shortest([&] {
           double total = 0.0;
           for (const auto& flow : flows) total += flow->seconds(usual_tolerance, c.time);
           return total;
         }) /
         (c.time * flow_batch);
}

/// False if it fails, for reasons that the entry then has.
bool measure_theirs(FlowEntry& entry, Heyoka& heyoka, json question, double tolerance, const Case& c,
                    const std::vector<long double>& exact, double floor) {
  question.update({{"tolerance", tolerance}, {"time", c.time}, {"seconds", seconds_of_measuring}, {"do", "end"}});
  const json end = heyoka.ask(question);
  question["do"] = "seconds";
  const json timed = end.contains("failed") ? end : heyoka.ask(question);
  if (timed.contains("failed")) {
    entry.failure = timed["failed"];
    return false;
  }
  entry.points.push_back({tolerance, std::max(floor, error_of(end["q"], exact)), timed["seconds"].get<double>() / c.time});
  if (tolerance == usual_tolerance) entry.build = end["build"];
  return true;
}

FlowTable measure(const Case& c, const Session& session) {
  const double build = our_build(c);  // first: later, much is known
  const Problem problem = c.problem();
  const auto exact = c.exact(problem.start, c.time, c.steps);
  FlowTable table{c.name, c.time, static_cast<int>(problem.system.coordinates().size()), 0.0, c.grows, {}};
  if (c.size > 0) table.coordinates = 2 * c.size + 1;
  const auto coarser = c.exact(problem.start, c.time, c.steps * 3 / 4);
  table.floor = std::max(1e-17, error_of({coarser.begin(), coarser.end()}, exact));
  table.entries.push_back({.name = our_flow, .side = Side::our_flows, .points = {}, .build = build, .batch = {}, .failure = {}});
  OurFlow ours(problem);
  json question;
  if (session.heyoka != nullptr) {
    question = heyoka_problem(c.heyoka, problem, {&problem.start, 1}, c.size);
    table.entries.push_back({.name = "heyoka", .side = Side::theirs, .goal = c.goal, .points = {}, .build = {}, .batch = {}, .failure = {}});
    table.entries.push_back({.name = "heyoka, fast mathematics", .side = Side::theirs, .goal = c.fast_goal, .points = {}, .build = {}, .batch = {}, .failure = {}});
  }
  for (const double tolerance : tolerances(c)) {
    session.progress(fmt::format("flow: {}, tolerance {:.0e}", c.name, tolerance));
    measure_ours(table.entries[0], ours, tolerance, c, exact, table.floor);
    for (std::size_t k = 1; k < table.entries.size(); ++k) {
      question["fast"] = k == 2;
      measure_theirs(table.entries[k], *session.heyoka, question, tolerance, c, exact, table.floor);
    }
  }
  if (c.grows) return table;
  session.progress(fmt::format("flow: {}, {} at once", c.name, flow_batch));
  table.entries[0].batch = our_batch(c, problem);
  for (std::size_t k = 1; k < table.entries.size(); ++k) {
    json batch = heyoka_problem(c.heyoka, problem, neighbours(c, problem.start), c.size);
    batch.update({{"fast", k == 2}, {"tolerance", usual_tolerance}, {"time", c.time},
                  {"seconds", seconds_of_measuring}, {"do", "seconds"}});
    const json answer = session.heyoka->ask(batch);
    if (answer.contains("seconds")) table.entries[k].batch = answer["seconds"].get<double>() / (c.time * flow_batch);
  }
  return table;
}

}  // namespace

FlowTables flows(const Session& session) {
  FlowTables tables;
  if (session.heyoka != nullptr) tables.heyoka = session.heyoka->version();
  session.progress("loading the compiler");
  const Model other = load_model("knife-edge");
  (void)MethodSpec(our_flow).flow({other.system, other.system.parameter_values(), *other.initial, 0.1})->at(0.1);
  for (const Case& c : cases()) tables.problems.push_back(measure(c, session));
  return tables;
}

}  // namespace rattleback::bench
