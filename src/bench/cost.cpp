// What it costs to hold the energy of the quadratic particle.

#include "src/bench/competitors.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"
#include "src/bench/user_run.hpp"

namespace rattleback::bench {
namespace {

/// Searches one side after the other; settings much dearer than the best of the same side are not followed.
std::optional<std::size_t> search(const Contestants& side, bool ours, const CostOptions& options, double bound,
                                  const Session& session, std::vector<CostEntry>& entries) {
  std::optional<std::size_t> best;
  for (const auto& contestant : side) {
    SearchOptions s;
    s.time = options.time;
    s.bound = bound;
    s.seconds = options.seconds;
    s.progress = session.progress;
    if (best) s.best_known = entries[*best].result.seconds;
    entries.push_back({contestant->name(), ours, contestant->setting(), cheapest(*contestant, s)});
    const SearchResult& result = entries.back().result;
    if (result.holds() && (!best || result.seconds < entries[*best].result.seconds)) best = entries.size() - 1;
  }
  return best;
}

/// The best of theirs against a run with our best, which watches every node.
Comparison duel_with_run(Contestant& theirs, double their_setting, const std::string& method, double step,
                         double time) {
  Problem problem = particle();
  problem.step = step;
  UserRun ours(method, problem);
  constexpr double seconds_of_a_turn = 0.05;
  const double their_time =
      std::min(time, seconds_of_a_turn / seconds_per_time(theirs, their_setting, time, 0.2).shortest);
  constexpr std::int64_t few = 10000;
  const double one = benchmark::seconds([&] { ours(few, few); }) / few;
  const auto steps = static_cast<std::int64_t>(std::min(time / step, seconds_of_a_turn / one));
  return benchmark::compare(
      their_time, [&] { theirs.run(their_setting, their_time); }, static_cast<double>(steps) * step,
      [&] { ours(steps, steps); });
}

/// The two best once more, taking turns.
Comparison duel(Contestant& theirs, double their_setting, Contestant& ours, double our_setting, double time) {
  const auto stretch = [&](Contestant& c, double setting) {
    constexpr double seconds_of_a_turn = 0.02;
    return std::min(time, seconds_of_a_turn / seconds_per_time(c, setting, time, 0.2).shortest);
  };
  const double their_time = stretch(theirs, their_setting);
  const double our_time = stretch(ours, our_setting);
  return benchmark::compare(
      their_time, [&] { theirs.run(their_setting, their_time); }, our_time, [&] { ours.run(our_setting, our_time); });
}

}  // namespace

CostTable cost(const CostOptions& options, const Session& session) {
  Contestants ours;
  session.progress("compiling");
  for (const char* method : our_methods) ours.push_back(std::make_unique<OurMethod>(method, particle()));
  const Contestants theirs = competitors_particle();
  CostTable table{options, {}};
  for (const auto& [bound, goal] : {std::pair{1e-3, 10.0}, {1e-6, 5.0}, {1e-9, 3.0}}) {
    CostColumn column{bound, goal, {}, {}, {}, {}, {}};
    column.best_of_ours = search(ours, true, options, bound, session, column.entries);
    column.best_of_theirs = search(theirs, false, options, bound, session, column.entries);
    if (column.best_of_ours && column.best_of_theirs) {
      const std::size_t o = *column.best_of_ours, t = *column.best_of_theirs;
      column.theirs_over_ours = duel(*theirs[t - ours.size()], column.entries[t].result.setting, *ours[o],
                                     column.entries[o].result.setting, options.time);
      column.theirs_over_run = duel_with_run(*theirs[t - ours.size()], column.entries[t].result.setting,
                                             column.entries[o].name, column.entries[o].result.setting, options.time);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace rattleback::bench
