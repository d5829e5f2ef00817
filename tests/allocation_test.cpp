// A step allocates nothing, on the fast path and on the careful one.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "kernel/dla_midpoint.hpp"
#include "method/conforming_methods.hpp"
#include "method/trajectory.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/step.hpp"

namespace {
std::atomic<long> allocations{0};
}

// Not inlined: g++ would pair the malloc inside with the delete outside and complain.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rattleback {
namespace {

long allocations_of(Step& step, std::vector<double> data) {
  std::vector<double> outputs(step.system().outputs.size() * static_cast<std::size_t>(step.lanes()));
  // What allocates does so every time; something else in the process may, once.
  long least = std::numeric_limits<long>::max();
  for (int turn = 0; turn < 3; ++turn) {
    const long before = allocations;
    for (int n = 0; n < 10; ++n) step.run(data, outputs, 5);
    least = std::min<long>(least, allocations - before);
  }
  return least;
}

TEST(Allocation, the_counter_counts) {
  const long before = allocations;
  auto* const p = new int(1);
  EXPECT_EQ(allocations - before, 1);
  delete p;
}

TEST(Allocation, steps_allocate_nothing) {
  for (const Backend backend : {Backend::compiled, Backend::interpreted}) {
    for (const int lanes : {1, 8}) {
      Step step(test::dla_midpoint(test::chaplygin_sleigh()), lanes, backend);
      std::vector<double> data;
      for (const double v : {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.12, 1.0, 1.0, 1.0, 0.1}) {
        data.insert(data.end(), static_cast<std::size_t>(lanes), v);
      }
      EXPECT_EQ(allocations_of(step, data), 0);
      EXPECT_EQ(step.reports()[0].outcome, Outcome::converged);
    }
  }
}

TEST(Allocation, rescued_steps_allocate_nothing) {
  ImplicitSystem s;
  s.data = {Expression::symbol("d")};
  s.unknowns = {Expression::symbol("u")};
  s.residuals = {parse("atan(u) - d")};
  s.guess = {Expression(20.0)};
  s.outputs = s.unknowns;
  Step step(s);
  allocations_of(step, {0.5});  // the careful solver is derived when it is first needed
  EXPECT_EQ(allocations_of(step, {0.5}), 0);
  EXPECT_EQ(step.reports()[0].pivoted, 5);
}

TEST(Allocation, methods_allocate_nothing_once_they_are_on_their_way) {
  for (const std::string& name : test::conforming_methods) {
    // dla without constraints; and a method with a time of its own, which keeps several nodes
    if (name.starts_with("del") || name.starts_with("hdel")) continue;
    for (const char* model : {"quadratic-particle", "chaplygin-sleigh", "rolling-disk"}) {
      std::unique_ptr<Stepper> stepper;
      try {
        stepper = make_stepper(name, test::problem_of(model));
      } catch (const MethodError&) {
        continue;  // not for this system
      }
      test::take(*stepper, 3);
      const long before = allocations;
      bool good = true;
      for (int k = 0; k < 20; ++k) good = stepper->advance() && good;
      EXPECT_EQ(allocations - before, 0) << name << " on " << model;
      EXPECT_TRUE(good);
    }
  }
}

TEST(Allocation, tables_and_conditions_allocate_nothing) {
  const Model model = read_model(R"toml(coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2)"
constraints = ["y' - x*x'"]
[inputs]
u = { times = [0, 0.1, 0.7, 5], values = [0, 1, 0.5, -2], interpolation = "cubic" }
[forces]
x = "u - 0.1*abs(x')*x' + if(y > 0, sqrt(y), 0)"
[initial]
q = [0.1, 0]
v = [1, 0.1]
)toml",
                                 "tables.toml");
  for (const char* method : {"dla", "rk4", "gni"}) {
    const auto stepper = make_stepper(method, test::problem_of(model, 0.01));
    test::take(*stepper, 20);
    const long before = allocations;
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(stepper->advance()) << stepper->failure();
    EXPECT_EQ(allocations - before, 0) << method;
  }
}

TEST(Allocation, forces_with_multipliers_allocate_nothing) {
  const Model model = read_model(R"toml(coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - y"
holonomic = [{ wire = "x^2 + y^2 - 1" }]
[forces]
x = "-0.1*abs(wire)*x'"
y = "-0.1*abs(wire)*y'"
[initial]
q = [1, 0]
v = [0, 2]
)toml",
                                 "wire.toml");
  for (const char* method : {"dla", "rk4", "gni"}) {
    const auto stepper = make_stepper(method, test::problem_of(model, 0.01));
    test::take(*stepper, 20);
    const long before = allocations;
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(stepper->advance()) << stepper->failure();
    EXPECT_EQ(allocations - before, 0) << method;
  }
}

}  // namespace
}  // namespace rattleback
