// Steps of many quadratic particles on one core.

#include "src/bench/hand_particle_avx2.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

constexpr double h = 0.2;

hand::ParticleState particle_at(std::int64_t k) {
  const double factor = 1.0 + 1e-6 * static_cast<double>(k);
  return {factor, 0, 0, 0, factor, 0};
}

/// Filled anew for every measurement; a few more than asked for, so that blocks of any size fit.
class HandWritten {
 public:
  double operator()(std::int64_t trajectories, std::int64_t steps, int block, auto&& run) {
    const std::int64_t count = (trajectories + block - 1) / block * block;
    states_.resize(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) states_[static_cast<std::size_t>(k)] = particle_at(k);
    const double seconds = benchmark::seconds([&] { run(states_.data(), count, steps); });
    benchmark::keep(states_.data());
    return seconds;
  }

 private:
  std::vector<hand::ParticleState> states_;
};

void scalar_steps(hand::ParticleState* states, std::int64_t count, std::int64_t steps) {
  const hand::ParticleConstants constants(h);
  for (std::int64_t k = 0; k < count; ++k) {
    hand::ParticleState s = states[k];
    for (std::int64_t i = 0; i < steps; ++i) hand::particle_closed_form(s, constants);
    states[k] = s;
  }
}

/// Which number of registers is fastest depends on how many the processor has, and how long it divides.
int best_registers(const std::vector<int>& candidates, const std::function<double(int)>& seconds) {
  double shortest = HUGE_VAL;
  int best = candidates.front();
  for (int turn = 0; turn < 3; ++turn) {
    for (const int registers : candidates) {
      const double taken = seconds(registers);
      if (taken < shortest) shortest = taken, best = registers;
    }
  }
  return best;
}

}  // namespace

ThroughputTable throughput(const Session& session, const std::vector<Engine>& engines) {
  ThroughputTable table{100000, 5000, 0.0, {}, particle_operations, {}};
  session.progress("peak of the core");
  const char* width = "";
  table.peak = peak_operations(width);
  table.peak_width = width;

  HandWritten hand_written;
  std::vector<Engine> all{{"by hand: closed form, one after another", [&](std::int64_t n, std::int64_t steps) {
                             return hand_written(n, steps, 1, scalar_steps);
                           }}};
  const auto add_batch = [&](const char* name, bool available, int lanes, std::vector<int> candidates, auto&& batch) {
    if (!available) {
      table.rows.push_back({fmt::format("by hand: {}, not on this processor", name), false});
      return;
    }
    const auto run = [&hand_written, lanes, batch](std::int64_t n, std::int64_t steps, int registers) {
      return hand_written(n, steps, lanes * registers, [&](auto* states, std::int64_t count, std::int64_t k) {
        batch(states, count, h, k, registers);
      });
    };
    const int best = best_registers(candidates, [&](int registers) { return run(10000, 1000, registers); });
    all.push_back({fmt::format("by hand: {}, {} trajectories at once", name, lanes * best),
                   [run, best](std::int64_t n, std::int64_t steps) { return run(n, steps, best); }});
  };
  add_batch("AVX2 intrinsics", has_avx2(), 4, {1, 2, 3, 4}, particles_avx2);
  add_batch("AVX-512 intrinsics", has_avx512(), 8, {1, 2, 4}, particles_avx512);
  session.progress("compiling");
  for (const int lanes : {4, 8, 16}) {
    auto ours = std::make_shared<Trajectories>("dla:midpoint", particle(), lanes);
    all.push_back({fmt::format("ours: {} lanes", lanes), [ours](std::int64_t n, std::int64_t steps) {
                     return benchmark::seconds([&] {
                       for (std::int64_t first = 0; first < n; first += ours->lanes()) ours->run(steps, first);
                     });
                   }});
  }
  all.insert(all.end(), engines.begin(), engines.end());

  std::vector<std::vector<double>> times(all.size());
  for (int turn = 0; turn < 7; ++turn) {  // in turns: noise hits all
    for (std::size_t k = 0; k < all.size(); ++k) {
      session.progress(all[k].name);
      const double steps = static_cast<double>(table.trajectories) * static_cast<double>(table.steps);
      times[k].push_back(all[k].seconds(table.trajectories, table.steps) / steps);
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (times[k].empty()) continue;
    std::sort(times[k].begin(), times[k].end());
    const std::size_t n = times[k].size();
    const double shortest = times[k].front();
    table.rows.push_back({all[k].name, true, shortest, times[k][n / 4], times[k][3 * n / 4],
                          table.peak > 0.0 ? table.operations / shortest / table.peak : 0.0});
  }
  return table;
}

}  // namespace rattleback::bench
