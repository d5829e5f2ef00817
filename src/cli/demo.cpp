// `rattleback demo`: from a Lagrangian in text to native code, and how fast that is.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

#include "commands.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Variant {
  std::string label;
  int lanes;
  Backend backend;
};

constexpr std::int64_t sleigh_steps = 250;

struct Run {
  std::vector<double> data;
  std::vector<double> outputs;
};

/// All lanes from the start of the model, at rest.
Run start(const Step& step, const Model& model) {
  std::vector<double> data(step.system().state, 0.0);
  std::copy(model.initial->q.begin(), model.initial->q.end(), data.begin());
  data.push_back(*model.step);
  for (const double p : model.system.parameter_values()) data.push_back(p);
  const auto lanes = static_cast<std::size_t>(step.lanes());
  Run run{{}, std::vector<double>(step.system().outputs.size() * lanes)};
  for (const double x : data) run.data.insert(run.data.end(), lanes, x);
  return run;
}

void take_steps(Step& step, Run& run, std::int64_t steps) {
  if (step.run(run.data, run.outputs, steps) == steps) return;
  for (const LaneReport& report : step.reports()) {
    if (report.outcome != Outcome::converged) throw NumericalError(step.describe(report));
  }
}

/// Steps of one trajectory per second, the best of a few runs.
double rate(Step& step, const Model& model) {
  double best = 0.0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    Run run = start(step, model);
    const auto begin = Clock::now();
    take_steps(step, run, sleigh_steps);
    best = std::max(best, static_cast<double>(sleigh_steps * step.lanes()) / seconds_since(begin));
  }
  return best;
}

nlohmann::json run_demo(bool quiet) {
  const auto say = [&](const std::string& text) {
    if (!quiet) fmt::print("{}\n", text);
  };
  const Model model = load_model("chaplygin-sleigh");
  nlohmann::json result;
  say(fmt::format("Rattleback {}: the Chaplygin sleigh on an incline, from text to native code\n", version));

  const Expression& lagrangian = model.system.lagrangian();
  say(fmt::format("  parsed         L = {}", to_text(lagrangian)));
  const Expression torque = derivative(lagrangian, Expression::symbol("theta"));
  say(fmt::format("  differentiated dL/dtheta = {}", to_text(torque)));

  const ImplicitSystem system = make_method("dla:midpoint", model.system).step;
  const auto begin = Clock::now();
  Step step(system);
  const double build_ms = 1e3 * seconds_since(begin);
  const bool compiled = compiler_available();
  say(fmt::format("  derived        {} equations of the DLA step (midpoint rule), {} data, {} outputs",
                  system.residuals.size(), system.data.size(), system.outputs.size()));
  say(fmt::format("  compiled       {} in {:.1f} ms",
                  compiled ? "for " + compiler_target() : "not: no compiler, interpreted", build_ms));

  Run run = start(step, model);
  take_steps(step, run, sleigh_steps);
  const LaneReport& report = step.reports()[0];
  const double mean = static_cast<double>(report.iterations) / static_cast<double>(sleigh_steps);
  say(fmt::format("  solved         {} steps of h = 0.12, {:.2f} Newton iterations each", sleigh_steps, mean));
  say(fmt::format("                 (x, y, theta)(30) = ({:.5f}, {:.5f}, {:.5f})", run.data[0], run.data[1],
                  run.data[2]));
  say("                 without error it would be (-1.32195, -38.49751, -1.63613)\n");

  std::vector<Variant> variants{{"interpreted", 1, Backend::interpreted}};
  if (compiled) {
    for (const int lanes : lane_counts) {
      variants.push_back({fmt::format("compiled, {} lane{}", lanes, lanes == 1 ? "" : "s"), lanes, Backend::compiled});
    }
  }
  double reference = 0.0;
  say("  trajectory-steps per second, as a ratio to the interpreter");
  for (const Variant& variant : variants) {
    Step candidate(system, variant.lanes, variant.backend);
    const double steps_per_second = rate(candidate, model);
    if (reference == 0.0) reference = steps_per_second;
    say(fmt::format("    {:<20} {:8.1f}", variant.label, steps_per_second / reference));
    result["speed_ratio"][variant.label] = steps_per_second / reference;
  }
  result["version"] = version;
  result["compiled"] = compiled;
  result["steps"] = sleigh_steps;
  result["q"] = std::vector<double>(run.data.begin(), run.data.begin() + 3);
  result["newton"] = {{"mean", mean}, {"max", report.max_iterations}};
  return result;
}

}  // namespace

Command demo_command() {
  Command command{"demo", "From a Lagrangian in text to native code, and how fast that is"};
  auto json = std::make_shared<bool>(false);
  command.add({.names = "--json", .help = "One JSON document instead of text", .target = json.get()});
  auto quiet = std::make_shared<bool>(false);
  command.add({.names = "--quiet", .help = "No text: the exit status is the answer", .target = quiet.get()});
  command.examples = {"rattleback demo --json"};
  command.action = [json, quiet] {
    const nlohmann::json result = run_demo(*json || *quiet);
    if (*json) fmt::print("{}\n", result.dump(2));
  };
  return command;
}

}  // namespace rattleback::cli
