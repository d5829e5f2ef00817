// How the cost of a model grows with its size: McLachlan and Perlmutter's system from n = 2 to n = 500.

#include <cmath>

#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/model.hpp"
#include "src/bench/ratio.hpp"

namespace rattleback::benchmark {
namespace {

struct Cost {
  double n;
  double load;
  double derive;
  double compile;
  double evaluate;
};

Cost measure(int n) {
  Cost cost{static_cast<double>(n), 0, 0, 0, 0};
  std::optional<Model> model;
  std::vector<double> load_times;
  for (int i = 0; i < (n <= 50 ? 9 : 3); ++i) {
    load_times.push_back(seconds([&] { model = load_model("mclachlan-perlmutter", {{"n", n}}); }));
  }
  cost.load = median(load_times);
  const System& system = model->system;
  ImplicitSystem equations;
  cost.derive = seconds([&] { equations = accelerations(system); });
  equations.typical = model->initial->q;
  equations.typical.insert(equations.typical.end(), model->initial->v.begin(), model->initial->v.end());
  equations.typical.insert(equations.typical.end(), system.parameter_values().begin(), system.parameter_values().end());
  std::vector<double> data = equations.typical;
  std::optional<Step> step;
  cost.compile = seconds([&] { step.emplace(equations, 1, Backend::compiled); });
  // A generic state: at the initial one all y and z vanish.
  for (std::size_t i = 0; i + system.parameters().size() < data.size(); ++i)
    data[i] += 0.1 * std::sin(static_cast<double>(i));
  std::vector<double> outputs(equations.outputs.size());
  const int calls = 1 + 2000000 / (n * 40);
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    times.push_back(seconds([&] {
                      for (int i = 0; i < calls; ++i) {
                        if (step->run(data, outputs) != 1) throw std::runtime_error(step->describe(step->reports()[0]));
                        keep(outputs.data());
                      }
                    }) /
                    calls);
  }
  if (step->reports()[0].pivoted != 0) throw std::runtime_error("the careful solver was needed");
  cost.evaluate = median(times);
  return cost;
}

/// The exponent e of the least-squares fit time ~ nᵉ.
double exponent(const std::vector<Cost>& costs, double Cost::* time) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Cost& c : costs) {
    const double x = std::log(c.n);
    const double y = std::log(c.*time);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto k = static_cast<double>(costs.size());
  return (k * sxy - sx * sy) / (k * sxx - sx * sx);
}

void growth() {
  fmt::print("McLachlan-Perlmutter, 2n + 1 coordinates: accelerations and multiplier\n");
  fmt::print("  {:>5} {:>12} {:>12} {:>12} {:>16}\n", "n", "load, ms", "derive, ms", "compile, ms", "evaluate, us");
  measure(2);  // loads the compiler
  std::vector<Cost> costs;
  for (const int n : {2, 5, 10, 20, 50, 100, 200, 500}) {
    costs.push_back(measure(n));
    const Cost& c = costs.back();
    fmt::print("  {:>5} {:>12.2f} {:>12.2f} {:>12.2f} {:>16.3f}\n", n, 1e3 * c.load, 1e3 * c.derive, 1e3 * c.compile,
               1e6 * c.evaluate);
  }
  const std::vector<Cost> large(costs.end() - 4, costs.end());
  const auto line = [](const char* what, const std::vector<Cost>& c) {
    fmt::print(
        "  {:<16} load n^{:.2f}, derive n^{:.2f}, compile n^{:.2f}, evaluate n^{:.2f}   (goal: at most n^1.30)\n", what,
        exponent(c, &Cost::load), exponent(c, &Cost::derive), exponent(c, &Cost::compile),
        exponent(c, &Cost::evaluate));
  };
  line("n = 2 ... 500", costs);
  line("n = 50 ... 500", large);
}

}  // namespace
}  // namespace rattleback::benchmark

int main() { rattleback::benchmark::growth(); }
