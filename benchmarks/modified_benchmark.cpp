// What backward error analysis costs beside the integration: K_mod and N_mod up to h⁴ for a cloud of 120 points along
// 200 steps, García-Naranjo & Vermeeren's experiment, and K_mod from the points of orbits.

#include "rattleback/method/modified.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/cloud.hpp"
#include "src/bench/ratio.hpp"

namespace rattleback::benchmark {
namespace {

constexpr int steps = 200;

void run() {
  const Model model = load_model("harmonic-particle");
  const Problem problem{model.system, model.system.parameter_values(), {{0, 0, 0}, {1, 1, 0}}, 0.25};
  const Method method = make_method("conformal:TT:ell=4", problem);
  ModifiedHamiltonian modified(method, problem);
  const double derivation = seconds([&] { modified.use_formulas(4); });
  std::vector<std::unique_ptr<Stepper>> points;
  std::vector<std::vector<double>> starts;
  for (const auto& d : six_hundred_cell()) {
    Problem own = problem;
    for (std::size_t i = 0; i < 2; ++i) {
      own.start.q[i] += 0.01 * d[i];
      own.start.v[i] += 0.01 * d[i + 2];
    }
    own.start.v[2] = own.start.q[1] * own.start.v[0];
    points.push_back(make_one_step(method, own));
    starts.push_back(points.back()->save());
  }
  const auto integrate = [&](auto&& look) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k]->restore(starts[k]);
      for (int i = 0; i < steps; ++i) {
        if (!points[k]->advance()) throw std::runtime_error(points[k]->failure());
        look(*points[k]);
      }
    }
  };
  const double units = 120.0 * steps;
  fmt::print("Backward error analysis against plain integration, time per step: ratio [quartiles] (ours : plain)\n");
  const auto plain = [&] { integrate([](const Stepper&) {}); };
  double total = 0.0;
  print("with K and N up to h^4 at every node, by formulas",
        compare(
            units,
            [&] {
              integrate([&](const Stepper& s) {
                total += modified.truncated(s.state(), s.node().v, problem.step, 4).value;
                total += modified.truncated_conformal(s.state(), s.node().v, problem.step, 4).factor.value;
              });
            },
            units, plain),
        0.0);
  print("with K from 9 points or more at every node",
        compare(
            units,
            [&] {
              integrate([&](const Stepper& s) { total += modified.value(s.state(), s.node().v, problem.step).value; });
            },
            units, plain),
        0.0);
  fmt::print("  deriving and compiling the formulas took {:.0f} ms\n", 1e3 * derivation);
  keep(&total);
}

}  // namespace
}  // namespace rattleback::benchmark

int main() { rattleback::benchmark::run(); }
