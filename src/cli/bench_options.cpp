#include "bench_options.hpp"

namespace rattleback::cli {

Command describe_bench(BenchOptions& options) {
  Command command{"bench", "Speed against other integrators and code written by hand"};
  command.add(
      {.names = "tables",
       .value = "TABLE...",
       .help = "cost, precision, flow, step, run, throughput, scaling, growth; all if none is given",
       .target = &options.tables,
       .values = {Values::Kind::word, {"cost", "precision", "flow", "step", "run", "throughput", "scaling", "growth"}},
       .only_words = true});
  command.add(
      {.names = "--time", .value = "T", .help = "cost: how long the energy has to be held", .target = &options.time});
  command.add({.names = "--limit",
               .value = "SECONDS",
               .help = "cost: how many seconds the search of one setting may take",
               .target = &options.limit});
  command.add(
      {.names = "--heyoka",
       .value = "PYTHON",
       .help = "cost, precision, flow: a Python that imports heyoka; without, any python3 on the path that does",
       .target = &options.heyoka});
  options.output.add_to(command);
  command.notes = {
      "The other integrators are SUNDIALS (CVODE, IDA), Boost.odeint and, where it is there, heyoka, with right-hand "
      "sides written by hand.",
      "All tables but scaling are measured on one core; leave the machine alone meanwhile."};
  command.examples = {"rattleback bench cost --time 1e7", "rattleback bench step throughput --json"};
  return command;
}

}  // namespace rattleback::cli
