// `rattleback bench`: the benchmark a sceptic would run.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "request.hpp"
#include "src/bench/competitors.hpp"
#include "src/bench/tables.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  std::vector<std::string> tables;
  std::string time = "1e6";
  std::string limit = "60";
  OutputOptions output;
};

constexpr const char* table_names[] = {"cost", "precision", "step", "throughput", "scaling", "growth"};

/// One line on standard error that says what is being measured: only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(const std::string& what) {
    if (!wanted_) return;
    fmt::print(stderr, "\r\033[K{}", what);
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  bool wanted_;
  bool shown_ = false;
};

void run_bench(const Options& o) {
  if (!compiler_available()) {
    throw Failure(ExitStatus::system, "there is nothing to measure: the compiler library cannot be loaded");
  }
  const InterruptGuard guard;
  ProgressLine line(o.output.talks());
  bench::Session session;
  session.interrupt = &guard.flag();
  session.progress = [&](const std::string& what) { line(what); };
  bench::CostOptions cost;
  cost.time = positive(o.time, "--time");
  cost.seconds = positive(o.limit, "--limit");

  const auto wanted = [&](const char* name) {
    return o.tables.empty() || std::ranges::find(o.tables, name) != o.tables.end();
  };
  const bool can_compete = bench::odeint_runs_here() && bench::hand_written_steps_run_here();
  if (!can_compete && (wanted("cost") || wanted("precision") || wanted("step"))) {
    throw Failure(ExitStatus::system,
                  "what Rattleback is compared with was compiled for a processor that has more instructions than this "
                  "one: build it here, or ask for throughput and growth only");
  }
  std::string missed;
  nlohmann::json document{{"target", compiler_target()}};
  const auto show = [&](const char* name, auto&& measure) {
    if (!wanted(name) || session.interrupted()) return;
    const auto table = measure();
    line.clear();
    document[name] = bench::to_json(table);
    if constexpr (requires { bench::missed(table); }) {
      for (const std::string& goal : bench::missed(table)) missed += "\n  " + goal;
    }
    if (!o.output.talks()) return;
    bench::print(table);
    fmt::print("\n");
    std::fflush(stdout);
  };
  if (o.output.talks()) fmt::print("{}\n\n", compiler_target());
  show("cost", [&] { return bench::cost(cost, session); });
  show("precision", [&] { return bench::precision(session); });
  show("step", [&] { return bench::step(session); });
  show("throughput", [&] { return bench::throughput(session, bench::ensemble_engines()); });
  show("scaling", [&] { return bench::scaling(session); });
  show("growth", [&] { return bench::growth(session); });
  if (o.output.json) fmt::print("{}\n", document.dump(2));
  if (session.interrupted()) throw Failure(ExitStatus::interrupted, "interrupted; what was measured is above");
  if (!missed.empty()) throw Failure(ExitStatus::answer_is_no, "goals that were missed:" + missed);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", bench_summary);
  auto o = std::make_shared<Options>();
  command->add_option("tables", o->tables, "cost, precision, step, throughput, scaling, growth; all if none is given")
      ->type_name("TABLE...")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(table_names), std::end(table_names))));
  command->add_option("--time", o->time, "cost: how long the energy has to be held")
      ->type_name("T")
      ->capture_default_str();
  command->add_option("--limit", o->limit, "cost: how many seconds the search of one setting may take")
      ->type_name("SECONDS")
      ->capture_default_str();
  o->output.add_to(*command);
  command->footer(
      "The other integrators are SUNDIALS (CVODE, IDA) and Boost.odeint with right-hand sides written by hand.\n"
      "All tables but scaling are measured on one core; leave the machine alone meanwhile.\n"
      "Example:\n  rattleback bench cost --time 1e7\n  rattleback bench step throughput --json");
  command->callback([o] { run_bench(*o); });
}

}  // namespace rattleback::cli
