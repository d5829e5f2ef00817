// What a run costs that a user asks for, against the bare compiled step it is made of.

#include <cmath>
#include <filesystem>

#include "rattleback/io/result_file.hpp"
#include "rattleback/method/registry.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"
#include "src/bench/temporary_folder.hpp"
#include "src/bench/user_run.hpp"

namespace rattleback::bench {

UserRun::UserRun(const std::string& method, const Problem& problem)
    : problem_(problem), stepper_(make_stepper(method, problem)), start_(stepper_->save()) {}

void UserRun::operator()(std::int64_t steps, std::int64_t every, Recorder* recorder) {
  stepper_->restore(start_);
  RunOptions options;
  options.steps = steps;
  options.every = every;
  options.recorder = recorder;
  const RunResult result = rattleback::run(*stepper_, problem_, options);
  if (result.outcome != RunOutcome::finished) throw std::runtime_error(result.failure);
}

namespace {

RunRow run_row(const std::string& name, const std::string& method, const Problem& problem, double goal) {
  Trajectories bare(method, problem);
  UserRun user(method, problem);
  // Long enough that what a run does before its first step does not count.
  const double step = benchmark::seconds([&] { bare.run(1000); }) / 1000;
  const auto steps = static_cast<std::int64_t>(0.1 / step);
  const auto units = static_cast<double>(steps);
  return {fmt::format("{}, {}", name, method),
          benchmark::compare(units, [&] { user(steps, steps); }, units, [&] { bare.run(steps); }), goal};
}

OutputRow output_row(const std::string& ending, const std::string& method, const Problem& problem) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / ("run." + ending)).string();
  constexpr std::int64_t steps = 200000;
  OutputRow row{ending, 0.0, 0.0};
  double best = HUGE_VAL;
  for (int attempt = 0; attempt < 3; ++attempt) {
    UserRun user(method, problem);
    RunDescription description;
    description.method = method;
    best = std::min(best, benchmark::seconds([&] {
                      ResultFile file(path, problem.system, description, ResultFile::Start::forced);
                      user(steps, 1, &file);
                      file.finish({});
                    }));
  }
  row.rows_per_second = static_cast<double>(steps) / best;
  row.bytes_per_second = static_cast<double>(std::filesystem::file_size(path)) / best;
  return row;
}

}  // namespace

RunTable user_runs(const Session& session) {
  RunTable table;
  const auto add = [&](const char* name, const char* method, const Problem& problem, double goal) {
    session.progress(fmt::format("run: {}, {}", name, method));
    table.rows.push_back(run_row(name, method, problem, goal));
  };
  add("quadratic particle", "dla:midpoint", particle(), 3.0);
  add("quadratic particle", "dla:order=8", particle(), 1.5);
  add("quadratic particle", "rk4", particle(), 2.0);
  add("Chaplygin sleigh", "dla", sleigh(), 1.5);
  add("McLachlan and Perlmutter, n = 100", "dla", oscillators(100, 0.1), 1.2);
  for (const char* ending : {"csv", "h5"}) {
    session.progress(fmt::format("run: every node to {}", ending));
    table.outputs.push_back(output_row(ending, "dla", particle()));
  }
  return table;
}

}  // namespace rattleback::bench
