// What it costs to hold the energy: the quadratic particle over T = 10⁵, the largest step (or tolerance) with which the
// node energy stays within a bound all the time.

#include <cmath>
#include <functional>
#include <optional>

#include "ratio.hpp"
#include "rattleback/io/model.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback::benchmark {
namespace {

constexpr double end_time = 1e5;
constexpr double most_steps = 1.2e8;

struct Attempt {
  bool held;
  double fraction;  ///< of the time that was reached
  double seconds;
};

/// The energy along a trajectory, until it leaves the bound.
class EnergyWatch {
 public:
  explicit EnergyWatch(const Problem& problem)
      : problem_(problem), data_(problem.start_data()),
        energy_(make_program(state_and_parameters(problem.system), std::vector{problem.system.energy()})) {}

  /// A run to the given time, or until the energy leaves the bound.
  Attempt hold(const std::string& method, double step, double time, double bound) {
    Problem problem = problem_;
    problem.step = step;
    const auto stepper = make_stepper(method, problem);
    const double initial = energy(stepper->node());
    const auto steps = static_cast<std::int64_t>(std::round(time / step));
    std::int64_t k = 0;
    bool held = true;
    double fastest = 1.0;  // seconds of one step: the best of many stretches, noise only adds
    while (held && k < steps) {
      const std::int64_t stretch = std::min<std::int64_t>(steps - k, 4096);
      const double taken = seconds([&] {
        for (std::int64_t i = 0; held && i < stretch; ++i) {
          held = stepper->advance() && std::abs(energy(stepper->node()) - initial) <= bound;
        }
      });
      if (held) fastest = std::min(fastest, taken / static_cast<double>(stretch));
      k += stretch;
    }
    return {held, static_cast<double>(k) / static_cast<double>(steps), fastest * static_cast<double>(steps)};
  }

 private:
  double energy(const State& node) {
    std::copy(node.v.begin(), node.v.end(), std::copy(node.q.begin(), node.q.end(), data_.begin()));
    double value = 0.0;
    energy_(data_.data(), &value);
    return value;
  }

  Problem problem_;
  std::vector<double> data_;
  Kernel energy_;
};

struct Cost {
  double parameter;  ///< step, or tolerance
  double seconds;
};

/// The largest parameter that holds over the whole time, to five per cent: first over a short time, then downwards,
/// faster where the energy is lost early, as an error that grows with time suggests.
std::optional<Cost> cheapest(const std::function<Attempt(double, double)>& hold, double largest, double smallest) {
  double parameter = largest;
  while (parameter > smallest && !hold(parameter, 1e-3 * end_time).held) parameter *= 0.9;
  while (parameter > smallest) {
    const Attempt attempt = hold(parameter, end_time);
    if (attempt.held) return Cost{parameter, attempt.seconds};
    parameter *= std::clamp(std::pow(attempt.fraction, 0.2), 0.5, 0.95);
  }
  return std::nullopt;
}

}  // namespace
}  // namespace rattleback::benchmark

int main() {
  using namespace rattleback;
  using namespace rattleback::benchmark;
  const Model model = load_model("quadratic-particle");
  EnergyWatch watch({model.system, model.system.parameter_values(), *model.initial, 0.1});
  fmt::print("quadratic particle, T = 1e5: cost to hold the node energy within a bound, relative to rk4\n");
  fmt::print("  {:<24} {:>22} {:>22} {:>22}\n", "", "1e-3", "1e-6", "1e-9");
  std::vector<double> rk4_seconds;
  for (const char* method : {"rk4", "dla:midpoint", "dla:order=4", "dla:order=6", "dla:order=6:stages=13",
                             "dla:order=8", "dla:order=8:stages=21", "dla:order=10", "reference"}) {
    std::string line = fmt::format("  {:<24}", method);
    const bool is_reference = method == std::string("reference");
    std::size_t column = 0;
    for (const double bound : {1e-3, 1e-6, 1e-9}) {
      const auto cost =
          is_reference ? cheapest(
                             [&](double tolerance, double time) {
                               return watch.hold(fmt::format("reference:tolerance={}", tolerance), 1.0, time, bound);
                             },
                             1e-4, 1e-15)
                       : cheapest([&](double h, double time) { return watch.hold(method, h, time, bound); }, 2.0,
                                  end_time / most_steps);
      if (column == rk4_seconds.size()) rk4_seconds.push_back(cost ? cost->seconds : 1.0);
      const std::string text = cost ? fmt::format("{:.2f} ({} {:.2g})", cost->seconds / rk4_seconds[column],
                                                  is_reference ? "tol" : "h", cost->parameter)
                                    : "-";
      line += fmt::format(" {:>22}", text);
      ++column;
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
}
