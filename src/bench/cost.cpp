// What it costs to hold the energy of the quadratic particle.

#include <algorithm>
#include <iterator>

#include "src/bench/competitors.hpp"
#include "src/bench/heyoka.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"
#include "src/bench/user_run.hpp"

namespace rattleback::bench {
namespace {

/// Searches one side after the other; settings much dearer than the best of the same side are not followed.
std::optional<std::size_t> search(const Contestants& contestants, Side side, const CostOptions& options, double bound,
                                  const Session& session, std::vector<CostEntry>& entries) {
  std::optional<std::size_t> best;
  for (const auto& contestant : contestants) {
    SearchOptions s;
    s.time = options.time;
    s.bound = bound;
    s.seconds = options.seconds;
    s.progress = session.progress;
    if (best) s.best_known = entries[*best].result.seconds;
    entries.push_back({contestant->name(), side, contestant->setting(), cheapest(*contestant, s)});
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
  return benchmark::compare_seconds(
      their_time, [&] { return theirs.seconds(their_setting, their_time); }, static_cast<double>(steps) * step,
      [&] { return benchmark::undisturbed_seconds([&] { ours(steps, steps); }); });
}

/// The two best once more, taking turns.
Comparison duel(Contestant& theirs, double their_setting, Contestant& ours, double our_setting, double time) {
  const auto stretch = [&](Contestant& c, double setting) {
    constexpr double seconds_of_a_turn = 0.02;
    return std::min(time, seconds_of_a_turn / seconds_per_time(c, setting, time, 0.2).shortest);
  };
  const double their_time = stretch(theirs, their_setting);
  const double our_time = stretch(ours, our_setting);
  return benchmark::compare_seconds(
      their_time, [&] { return theirs.seconds(their_setting, their_time); }, our_time,
      [&] { return ours.seconds(our_setting, our_time); });
}

}  // namespace

CostTable cost(const CostOptions& options, const Session& session) {
  Contestants maps;
  session.progress("compiling");
  for (const char* method : our_methods) maps.push_back(std::make_unique<OurMethod>(method, particle()));
  Contestants flows;
  flows.push_back(std::make_unique<OurFlow>(particle()));
  Contestants theirs = heyoka_contestants(session.heyoka, "particle", particle());
  std::ranges::move(competitors_particle(), std::back_inserter(theirs));
  CostTable table{options, {}};
  for (const auto& [bound, goal] : {std::pair{1e-3, 10.0}, {1e-6, 5.0}, {1e-9, 3.0}, {1e-12, 2.0}}) {
    CostColumn column;
    column.bound = bound;
    column.goal = goal;
    column.best_of_maps = search(maps, Side::our_maps, options, bound, session, column.entries);
    column.best_of_flows = search(flows, Side::our_flows, options, bound, session, column.entries);
    column.best_of_theirs = search(theirs, Side::theirs, options, bound, session, column.entries);
    if (column.best_of_theirs) {
      const std::size_t t = *column.best_of_theirs;
      Contestant& best = *theirs[t - maps.size() - flows.size()];
      const double setting = column.entries[t].result.setting;
      const auto against = [&](Contestant& ours, std::size_t entry) {
        return duel(best, setting, ours, column.entries[entry].result.setting, options.time);
      };
      if (const auto m = column.best_of_maps) {
        column.theirs_over_maps = against(*maps[*m], *m);
        column.theirs_over_run =
            duel_with_run(best, setting, column.entries[*m].name, column.entries[*m].result.setting, options.time);
      }
      if (const auto f = column.best_of_flows) column.theirs_over_flows = against(*flows[*f - maps.size()], *f);
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace rattleback::bench
