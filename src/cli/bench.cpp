// `rattleback bench`: the benchmark a sceptic would run.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench_options.hpp"
#include "commands.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "request.hpp"
#include "src/answer/check.hpp"
#include "src/bench/competitors.hpp"
#include "src/bench/flow_table.hpp"
#include "src/bench/heyoka.hpp"
#include "src/bench/tables.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

/// One line on standard error that says what is being measured: only on a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : wanted_(wanted && is_watched()) {}
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

void run_bench(const BenchOptions& o) {
  if (!compiler_available()) {
    throw SystemFailure("there is nothing to measure: the compiler library cannot be loaded");
  }
  const CompileAtOnce at_once;  // compiled code is compared
  ProgressLine line(o.output.talks());
  bench::Session session;
  session.progress = [&](const std::string& what) { line(what); };
  bench::CostOptions cost;
  cost.time = answer::require_positive(o.time, "time");
  cost.seconds = answer::require_positive(o.limit, "limit");

  const auto wanted = [&](const char* name) {
    return o.tables.empty() || std::ranges::find(o.tables, name) != o.tables.end();
  };
  const bool can_compete = bench::odeint_runs_here() && bench::hand_written_steps_run_here();
  if (!can_compete && (wanted("cost") || wanted("precision") || wanted("step"))) {
    throw SystemFailure(
        "what Rattleback is compared with was compiled for a processor that has more instructions than this "
        "one: build it here, or ask for throughput and growth only");
  }
  if (wanted("cost") || wanted("precision") || wanted("flow")) {
    session.heyoka = bench::Heyoka::find(o.heyoka);
    if (session.heyoka == nullptr && o.output.talks()) fmt::print("{}\n\n", bench::heyoka_advice);
  }
  std::string missed;
  nlohmann::json document{{"target", compiler_target()}};
  const auto show = [&](const char* name, auto&& measure) {
    if (!wanted(name)) return;
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
  show("flow", [&] { return bench::flows(session); });  // first: others would have compiled what it compiles
  show("cost", [&] { return bench::cost(cost, session); });
  show("precision", [&] { return bench::precision(session); });
  show("step", [&] { return bench::step(session); });
  show("run", [&] { return bench::user_runs(session); });
  show("throughput", [&] { return bench::throughput(session, bench::ensemble_engines()); });
  show("scaling", [&] { return bench::scaling(session); });
  show("growth", [&] { return bench::growth(session); });
  if (o.output.json) fmt::print("{}\n", document.dump(2));
  if (!missed.empty()) throw Error(Error::Kind::answer_is_no, "goals that were missed:" + missed);
}

}  // namespace

Command bench_command() {
  auto o = std::make_shared<BenchOptions>();
  Command command = describe_bench(*o);
  command.action = [o] { run_bench(*o); };
  return command;
}

/// The program behind `rattleback bench` has no other command.
std::vector<Command> commands() { return {bench_command()}; }

}  // namespace rattleback::cli
