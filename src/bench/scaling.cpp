// Whole ensembles of quadratic particles: on one thread as further engines of the table of throughput, and how their
// throughput grows with threads and ranks.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/base/installation.hpp"
#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"
#include "src/bench/tables.hpp"
#include "src/bench/temporary_folder.hpp"

namespace rattleback::bench {
namespace {

constexpr double h = 0.2;
constexpr std::int64_t scaling_trajectories = 100000;
constexpr std::int64_t scaling_steps = 5000;
constexpr int turns = 5;

class Nobody final : public EnsembleSink {
 public:
  void record(const MemberResult& result) override { benchmark::keep(&result); }
};

Ensemble particles(std::int64_t trajectories, std::int64_t steps) {
  const Model model = load_model("quadratic-particle");
  Ensemble e{model.system, {"dla:midpoint"}, *model.initial, h};
  e.steps = steps;
  e.axes = {uniform_axis({"x", "y"}, {-1.0, -1.0}, {1.0, 1.0}, trajectories, {})};
  e.formulas = {{"z'", parse("y*x'")}};
  return e;
}

double seconds_of(const Ensemble& ensemble, int lanes, int threads) {
  EnsembleOptions options;
  options.lanes = lanes;
  options.threads = threads;
  Nobody sink;
  return run(ensemble, options, sink).seconds;
}

/// The command itself under mpirun, with files and all.
class Mpirun {
 public:
  Mpirun() {
    for (const auto& path : places_to_look("rattleback", Part::program)) {
      std::error_code ignored;
      if (command_.empty() && std::filesystem::exists(path, ignored)) command_ = path.string();
    }
    std::ofstream(folder_.path() / "particles.toml")
        << "model = \"quadratic-particle\"\nmethod = \"dla:midpoint\"\nstep = " << h << "\nsteps = " << scaling_steps
        << "\n[[vary]]\nof = [\"x\", \"y\"]\nrandom = \"uniform\"\nfrom = -1\nto = 1\ncount = " << scaling_trajectories
        << "\n[start]\n\"x'\" = 0\n\"y'\" = 1\n\"z'\" = 0\n";
  }
  Mpirun(const Mpirun&) = delete;
  Mpirun& operator=(const Mpirun&) = delete;
  /// Nothing if there is no mpirun, or it does not run here.
  std::optional<double> operator()(int ranks) const {
    const std::string line = fmt::format(
        "cd '{}' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n {} '{}' ensemble "
        "particles.toml "
        "--threads 1 --lanes 16 --json --force 2>/dev/null",
        folder_.path().string(), ranks, command_);
    FILE* const pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 4096> buffer{};
    for (std::size_t size = 0; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      text.append(buffer.data(), size);
    if (pclose(pipe) != 0) return std::nullopt;
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (document.is_discarded() || document.value("ranks", 0) != ranks) return std::nullopt;
    return document.at("seconds").get<double>();
  }

 private:
  TemporaryFolder folder_;
  std::string command_;
};

}  // namespace

std::vector<Engine> ensemble_engines() {
  std::vector<Engine> engines;
  for (const int lanes : {8, 16}) {
    engines.push_back({fmt::format("ours: ensemble, {} lanes", lanes), [lanes](std::int64_t n, std::int64_t steps) {
                         return seconds_of(particles(n, steps), lanes, 1);
                       }});
  }
  return engines;
}

ScalingTable scaling(const Session& session) {
  const int cores = available_threads();
  const double steps = static_cast<double>(scaling_trajectories) * static_cast<double>(scaling_steps);
  const Ensemble ensemble = particles(scaling_trajectories, scaling_steps);
  const Mpirun mpirun;
  ScalingTable table{scaling_trajectories, scaling_steps, cores, {}};
  std::vector<int> counts{1};
  for (int k = 2; k <= cores; k *= 2) counts.push_back(k);
  for (const bool by_ranks : {false, true}) {
    std::vector<std::vector<double>> times(counts.size());
    for (int turn = 0; turn < turns; ++turn) {  // in turns: noise hits all
      for (std::size_t k = 0; k < counts.size(); ++k) {
        session.progress(fmt::format("{} {}", counts[k], by_ranks ? "ranks" : "threads"));
        const std::optional<double> taken = by_ranks ? mpirun(counts[k]) : seconds_of(ensemble, 16, counts[k]);
        if (taken) times[k].push_back(*taken / steps);
      }
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      ScalingRow row{by_ranks, counts[k], !times[k].empty() && !times[0].empty()};
      if (row.available) {
        std::sort(times[k].begin(), times[k].end());
        row.step = times[k].front();
        row.low = times[k][times[k].size() / 4];
        row.high = times[k][3 * times[k].size() / 4];
        row.speedup = times[0].front() / row.step;
      }
      // What the two cores of a small machine must give.
      if (counts[k] == 2) row.goal = by_ranks ? 1.8 : 1.85;
      table.rows.push_back(row);
    }
  }
  return table;
}

}  // namespace rattleback::bench
