// Generated code against code written by hand, in one run, as ratios.

#include <cmath>
#include <string>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "src/bench/hand_mclachlan_perlmutter.hpp"
#include "src/bench/hand_mclachlan_perlmutter_scalar.hpp"
#include "src/bench/hand_particle_batch.hpp"
#include "src/bench/hand_sleigh.hpp"
#include "trajectories.hpp"

namespace rattleback::benchmark {
namespace {

constexpr std::int64_t particle_steps = 2000;
constexpr std::int64_t sleigh_steps = 250;
constexpr std::int64_t oscillator_steps = 400;

Problem particle() { return problem_of(load_model("quadratic-particle"), 0.2); }
Problem sleigh() { return problem_of(load_model("chaplygin-sleigh"), 0.12); }

/// McLachlan and Perlmutter's particles, n = 6, as in Evensberget's section 3.2.
Problem oscillators() {
  Problem problem = problem_of(load_model("mclachlan-perlmutter", {{"n", 6}}), 0.25);
  problem.start = {{1, 0, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 0}, {0, 1, 0, -1, 1, 0, -1, 0, 1, -1, 1, 1, 1}};
  return problem;
}

hand::ParticleState hand_particle() { return {1, 0, 0, 0, 1, 0}; }
hand::SleighState hand_sleigh() { return {1, 0, 0, 0, 0, 0}; }

/// The sleigh's equations in the new positions themselves, as a person writes them: residual and
/// dense Jacobian of (x₁, y₁, θ₁, λ) in the order of hand::sleigh_residual_jacobian.
Program sleigh_residual_jacobian() {
  const ImplicitSystem s = make_method("dla:midpoint", sleigh().system).step;
  const Expression h = step_symbol();
  std::vector<Expression> unknowns;
  Substitution positions;
  for (std::size_t i = 0; i < 3; ++i) {
    unknowns.push_back(Expression::symbol("new_" + s.data[i].name()));
    positions.emplace(s.unknowns[i], unknowns[i] - s.data[i]);
  }
  unknowns.push_back(s.unknowns[3]);
  auto residuals = substitute(s.residuals, positions);
  residuals[3] /= h;
  std::vector<Expression> inputs = unknowns;
  inputs.insert(inputs.end(), s.data.begin(), s.data.begin() + 6);                                   // q, p
  inputs.insert(inputs.end(), s.data.begin() + static_cast<std::ptrdiff_t>(s.state), s.data.end());  // h, parameters
  std::vector<Expression> outputs = residuals;
  const SparseMatrix j = jacobian(residuals, unknowns);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) outputs.push_back(j.at(row, column));
  }
  return make_program(inputs, outputs);
}

void residual_and_jacobian() {
  fmt::print("residual and Jacobian of the sleigh, ours / by hand\n");
  constexpr std::size_t points = 512;
  const Kernel kernel(sleigh_residual_jacobian(), 1, Backend::compiled);
  std::vector<double> inputs(15 * points);
  for (std::size_t k = 0; k < points; ++k) {
    const double s = std::sin(static_cast<double>(k));
    const double at[] = {1.1 + s, 0.1, 0.2 + s, 0.05, 1.0, 0.0, 0.1 + s, 0.1, -0.2, 0.3, 0.12, 1, 1, 1, 0.1};
    std::copy(std::begin(at), std::end(at), inputs.begin() + static_cast<std::ptrdiff_t>(15 * k));
  }
  std::vector<double> ours(20);
  std::vector<double> theirs(20);
  double difference = 0.0;
  for (std::size_t k = 0; k < points; ++k) {  // the same numbers, before they race
    kernel(&inputs[15 * k], ours.data());
    hand::sleigh_residual_jacobian<hand::libm_sincos>(&inputs[15 * k], &inputs[15 * k + 4], theirs.data(), &theirs[4]);
    for (std::size_t i = 0; i < 20; ++i) difference = std::max(difference, std::abs(ours[i] - theirs[i]));
  }
  if (difference > 1e-12) throw std::runtime_error("generated and hand-written Jacobians differ");
  const auto run_kernel = [&] {
    for (std::size_t k = 0; k < points; ++k) {
      kernel(&inputs[15 * k], ours.data());
      keep(ours.data());
    }
  };
  const auto run_hand = [&]<hand::SinCos (*sincos)(double)>() {
    for (std::size_t k = 0; k < points; ++k) {
      hand::sleigh_residual_jacobian<sincos>(&inputs[15 * k], &inputs[15 * k + 4], theirs.data(), &theirs[4]);
      keep(theirs.data());
    }
  };
  print("libm's sincos", compare(points, run_kernel, points, [&] { run_hand.operator()<hand::libm_sincos>(); }), 1.15);
  print("an inlined sincos", compare(points, run_kernel, points, [&] { run_hand.operator()<hand::fast_sincos>(); }), 0);
}

void particle_step() {
  fmt::print("\nstep of the quadratic particle (DLA, midpoint), one trajectory, ours / by hand\n");
  Trajectories ours("dla:midpoint", particle());
  const auto run = [&] { ours.run(particle_steps); };
  const auto against = [&](auto&& step) {
    return compare(particle_steps, run, particle_steps, [&] {
      auto state = hand_particle();
      for (std::int64_t k = 0; k < particle_steps; ++k) step(state);
      keep(&state);
    });
  };
  const hand::ParticleConstants constants(0.2);
  print("dense Newton, partial pivoting", against([](auto& s) { hand::particle_dense_newton(s, 0.2); }), 0);
  print("Newton with a Schur complement", against([](auto& s) { hand::particle_schur_newton(s, 0.2); }), 1.0);
  print("closed form", against([&](auto& s) { hand::particle_closed_form(s, constants); }), 1.5);
}

void sleigh_step() {
  fmt::print("\nstep of the sleigh (DLA, midpoint), one trajectory, ours / by hand\n");
  Trajectories ours("dla:midpoint", sleigh());
  const auto run = [&] { ours.run(sleigh_steps); };
  double iterations = 0.0;
  const auto against = [&](auto&& step) {
    return compare(sleigh_steps, run, sleigh_steps, [&] {
      auto state = hand_sleigh();
      double total = 0.0;
      for (std::int64_t k = 0; k < sleigh_steps; ++k) total += step(state);
      iterations = total / static_cast<double>(sleigh_steps);
      keep(&state);
    });
  };
  const hand::SleighParameters p;
  const hand::SleighConstants constants(p);
  const auto line = [&](const std::string& what, const Comparison& c, double goal) {
    print(fmt::format("{} ({:.2f} iterations)", what, iterations), c, goal);
  };
  line("Newton to 1e-13, structure by hand, libm",
       against([&](auto& s) { return hand::sleigh_newton<hand::libm_sincos>(s, p, 1e-13); }), 1.25);
  line("the same, an inlined sincos",
       against([&](auto& s) { return hand::sleigh_newton<hand::fast_sincos>(s, p, 1e-13); }), 0);
  line("the same, stopping one iteration early at 1e-8",
       against([&](auto& s) { return hand::sleigh_newton<hand::fast_sincos>(s, p, 1e-8); }), 0);
  line("one unknown by insight, series as guess",
       against([&](auto& s) { return hand::sleigh_newton_best<hand::fast_sincos>(s, constants); }), 0);
  fmt::print("  ours: {:.2f} iterations\n",
             static_cast<double>(ours.report().iterations) / static_cast<double>(sleigh_steps));
}

void oscillator_step() {
  fmt::print("\nstep of McLachlan and Perlmutter's particles, n = 6 (DLA, midpoint), one trajectory, ours / by hand\n");
  const Problem problem = oscillators();
  Trajectories ours("dla:midpoint", problem);
  const std::vector<double>& q = problem.start.q;
  const std::vector<double>& v = problem.start.v;
  double iterations = 0.0;
  const auto against = [&]<class State>(auto&& step) {
    return compare(
        oscillator_steps, [&] { ours.run(oscillator_steps); }, oscillator_steps,
        [&] {
          State state(q[0], &q[1], &q[7], v[0], &v[1], &v[7]);
          double total = 0.0;
          for (std::int64_t k = 0; k < oscillator_steps; ++k) total += step(state);
          iterations = total / static_cast<double>(oscillator_steps);
          keep(&state);
        });
  };
  const auto line = [&](const std::string& what, const Comparison& c, double goal) {
    print(fmt::format("{} ({:.2f} iterations)", what, iterations), c, goal);
  };
  line("Newton to 1e-13, structure by hand",
       against.operator()<hand::MpPlainState<6>>([](auto& s) { return hand::mp_newton_plain<6>(s, 0.25, 1e-13); }),
       1.25);
  line("the same in vector types of eight lanes",
       against.operator()<hand::MpState<6>>([](auto& s) { return hand::mp_newton<6>(s, 0.25, 1e-13, 0.0); }), 0);
  line("… stopping one iteration early, kept factors",
       against.operator()<hand::MpState<6>>([](auto& s) { return hand::mp_newton<6>(s, 0.25); }), 0);
  fmt::print("  ours: {:.2f} iterations\n",
             static_cast<double>(ours.report().iterations) / static_cast<double>(oscillator_steps));
}

template <int W>
Comparison batch(Trajectories& ours) {
  const hand::ParticleConstants constants(0.2);
  return compare(
      particle_steps * W, [&] { ours.run(particle_steps); }, particle_steps * W,
      [&] {
        hand::ParticleBatch<W> state;
        for (int l = 0; l < W; ++l) {
          auto s = hand_particle();
          s.x *= 1.0 + 1e-3 * l;
          s.py *= 1.0 + 1e-3 * l;
          state.set(l, s);
        }
        for (std::int64_t k = 0; k < particle_steps; ++k) {
          hand::particle_closed_form_batch<W>(state, constants);
          keep(&state);
        }
      });
}

void lanes() {
  fmt::print("\nlanes: time of one trajectory's step with one lane / with W lanes (larger is better)\n");
  Trajectories particle_one("dla:midpoint", particle());
  Trajectories sleigh_one("dla:midpoint", sleigh());
  const auto speedup = [](Trajectories& one, Trajectories& many, std::int64_t steps, int width) {
    return compare(
        static_cast<double>(steps), [&] { one.run(steps); }, static_cast<double>(steps * width),
        [&] { many.run(steps); });
  };
  const auto line = [](const std::string& what, const Comparison& c, double goal) {
    fmt::print("  {:<62} {:6.2f}  [{:.2f}, {:.2f}]  {}\n", what, c.ratio, c.low, c.high,
               goal <= 0 ? "" : fmt::format("goal {:.2f} {}", goal, c.ratio >= goal ? "ok" : "NO"));
  };
  for (const int width : {4, 8, 16}) {
    Trajectories many("dla:midpoint", particle(), width);
    line(fmt::format("arithmetic (quadratic particle), {} lanes", width),
         speedup(particle_one, many, particle_steps, width), width == 4 ? 3.0 : 0);
    Trajectories many_sleighs("dla:midpoint", sleigh(), width);
    line(fmt::format("sines and iterations (sleigh), {} lanes", width),
         speedup(sleigh_one, many_sleighs, sleigh_steps, width), width == 4 ? 2.0 : 0);
  }
  fmt::print("\nquadratic particle in lanes, ours / closed form by hand in vector intrinsics\n");
  Trajectories eight("dla:midpoint", particle(), 8);
  Trajectories sixteen("dla:midpoint", particle(), 16);
  print("8 lanes", batch<8>(eight), 0);
  print("16 lanes", batch<16>(sixteen), 0);
}

void latency() {
  fmt::print("\ncompiling\n");
  std::vector<double> small;
  std::vector<double> steps;
  const Expression x = Expression::symbol("x");
  for (int k = 0; k < 21; ++k) {  // kernels that differ, so that none is found in the cache
    const Program p = make_program(std::vector{x}, std::vector{sq(x) * (k + 2) + sqrt(1 + sq(x)), exp(x) - k});
    small.push_back(seconds([&] { const Kernel kernel(p, 4, Backend::compiled); }));
    auto system = make_method("dla:midpoint", particle().system).step;
    system.outputs.push_back(Expression(k + 0.5) * system.unknowns[0]);
    steps.push_back(seconds([&] { const Step step(system, 1, Backend::compiled); }));
  }
  fmt::print("  small kernel, 4 lanes: {:.1f} ms   goal 10 {}\n", 1e3 * median(small),
             median(small) < 0.010 ? "ok" : "NO");
  fmt::print("  step of the quadratic particle, derived and compiled: {:.1f} ms\n", 1e3 * median(steps));
}

/// A ring of springs, (nonlinear) nearest neighbours: one sparse block of n equations.
ImplicitSystem ring(int n) {
  ImplicitSystem s;
  const Expression h = Expression::symbol("h");
  for (int i = 0; i < n; ++i) {
    s.data.push_back(Expression::symbol("x" + std::to_string(i)));
    s.unknowns.push_back(Expression::symbol("u" + std::to_string(i)));
  }
  s.guess = s.data;
  s.state = s.data.size();
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int k) { return s.unknowns[static_cast<std::size_t>((k + n) % n)]; };
    const Expression stretch = at(i + 1) - 2 * at(i) + at(i - 1);
    s.residuals.push_back(at(i) - s.data[static_cast<std::size_t>(i)] - h * (stretch + 0.1 * pow(stretch, 3) - at(i)));
  }
  s.data.push_back(h);
  s.outputs = s.unknowns;
  return s;
}

void growth() {
  fmt::print("\ngrowth with the size of a sparse system (a ring of n nonlinear springs, implicit Euler)\n");
  double last_build = 0.0;
  double last_step = 0.0;
  int last_n = 0;
  for (const int n : {25, 50, 100, 200, 400}) {
    std::unique_ptr<Step> step_of_ring;
    std::vector<double> outputs(static_cast<std::size_t>(n));
    std::vector<double> start(static_cast<std::size_t>(n) + 1, 0.1);
    for (int i = 0; i < n; ++i) start[static_cast<std::size_t>(i)] = std::sin(0.7 * i);
    const double build = seconds([&] { step_of_ring = std::make_unique<Step>(ring(n), 1, Backend::compiled); });
    std::vector<double> times;
    for (int k = 0; k < 15; ++k) {
      std::vector<double> data = start;
      times.push_back(seconds([&] {
                        if (step_of_ring->run(data, outputs, 20) != 20) throw std::runtime_error("the ring failed");
                      }) /
                      20);
    }
    const double step = median(times);
    fmt::print("  n = {:4}: derive and compile {:8.1f} ms, step {:8.2f} us", n, 1e3 * build, 1e6 * step);
    if (last_n > 0) {
      const double ratio = std::log(static_cast<double>(n) / last_n);
      fmt::print(", exponents {:.2f} and {:.2f}", std::log(build / last_build) / ratio,
                 std::log(step / last_step) / ratio);
    }
    fmt::print("\n");
    last_build = build;
    last_step = step;
    last_n = n;
  }
}

/// A particle with a force, by a table of many rows or by a formula.
Problem pushed(const Expression& force) {
  SystemDefinition d;
  const auto [x, y, z] = coordinates("x", "y", "z");
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))) - 0.5 * (sq(x) + sq(y));
  d.constraints = {dot(z) - y * dot(x)};
  d.applied_forces = {force, Expression(0.0), Expression(0.0)};
  return {System(d), {}, {{1, 0, 0}, {0, 1, 0}}, 0.01};
}

/// Steps that lie 50 rows apart, so that every one finds its row anew.
void input_tables() {
  constexpr std::size_t rows = 100000;
  constexpr double step = 0.01;
  constexpr double goal = 5.0;  // ns
  fmt::print("\nstep with an input from a table of {} rows (DLA, midpoint), ns more than with the input 0.3*t\n", rows);
  Trajectories by_formula("dla:midpoint", pushed(0.3 * time_symbol()));
  for (const bool on_a_grid : {true, false}) {
    std::vector<double> times;
    std::vector<double> values;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto at = static_cast<double>(k);
      times.push_back(step / 50.0 * (on_a_grid ? at : at + 0.4 * std::sin(at)));
      values.push_back(std::sin(1e-3 * at));
    }
    for (const auto& [name, interpolation] :
         {std::pair("hold", Interpolation::hold), std::pair("linear", Interpolation::linear),
          std::pair("cubic", Interpolation::cubic)}) {
      const NumberTable& table = make_number_table("u", times, values, interpolation);
      Trajectories by_table("dla:midpoint", pushed(interpolated(table, time_symbol())));
      const Comparison c = compare(
          particle_steps, [&] { by_table.run(particle_steps); }, particle_steps,
          [&] { by_formula.run(particle_steps); });
      const double more = 1e9 * (c.ours - c.theirs);
      fmt::print("  {:<7} {:<9} {:5.1f} ns more than {:.1f} ns (goal {:g}){}\n", name,
                 on_a_grid ? "on a grid" : "uneven", more, 1e9 * c.theirs, goal, more <= goal ? "" : "   missed");
    }
  }
}

}  // namespace
}  // namespace rattleback::benchmark

int main() {
  using namespace rattleback::benchmark;
  const rattleback::CompileAtOnce at_once;
  fmt::print(
      "ratio of shortest times [quartiles of the ratios of neighbours]; below 1 the generated code is faster; {}\n\n",
      rattleback::compiler_target());
  residual_and_jacobian();
  particle_step();
  sleigh_step();
  oscillator_step();
  lanes();
  latency();
  input_tables();
  growth();
}
