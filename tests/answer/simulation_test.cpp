// Trajectories that somebody else leads, sweeps, and runs that are saved later.

#include "rattleback/answer/simulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rattleback/answer/motion.hpp"
#include "rattleback/answer/result.hpp"
#include "rattleback/answer/sweep.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "tests/cli/command.hpp"

namespace rattleback::answer {
namespace simulation_test {

using test::contains;
using test::content;
using test::TemporaryFolder;

/// A cart of mass m under a force u, and J that is computed from m. Steps of dla are exact here: x = x₀ + v₀t + ut²/2m.
const ModelSource cart = ModelSource::text(
    "coordinates = ['x']\nlagrangian = \"0.5*J*x'^2/3\"\n[parameters]\nm = 2\nJ = '3*m'\nu = 0\nn = 1\n[forces]\n"
    "x = 'u + sum(i = 1..n, 0*i)'\n[initial]\nq = [0]\nv = [0]\n");
const ModelSource counting = ModelSource::text(
    "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - sum(i = 1..n, i*x)\"\n[parameters]\nn = 2\n[initial]\nq = [0]\n");

TEST(Simulation, follows_its_parameters) {
  Simulation s({.problem = {.model = cart, .step = 0.1}});
  s.set({{"u", 3.0}});
  EXPECT_EQ(s.step(10), 10);
  EXPECT_NEAR(s.node().v[0], 1.5, 1e-13);
  EXPECT_NEAR(s.node().q[0], 0.75, 1e-13);
  s.set({{"m", 4.0}, {"u", 0.0}});  // J = 12: the momentum stays
  EXPECT_EQ(s.parameters(), (std::vector<double>{4, 12, 0, 1}));
  EXPECT_NEAR(s.node().v[0], 0.75, 1e-13);
  EXPECT_NEAR(s.time(), 1.0, 1e-15);
}

TEST(Simulation, goes_back_to_what_was_saved) {
  Simulation s({.problem = {.model = cart, .step = 0.1}});
  s.set({{"u", 3.0}});
  s.step(5);
  const auto saved = s.save();
  const State there = s.node();
  s.set({{"u", -1.0}});
  s.step(7);
  s.restore(saved);
  EXPECT_EQ(s.node().q, there.q);
  EXPECT_EQ(s.steps(), 5);
  EXPECT_EQ(s.parameters()[2], 3.0);
}

TEST(Simulation, refuses_what_cannot_change) {
  const auto refused = [](auto&& act, const std::string& words) {
    try {
      act();
      ADD_FAILURE() << "nothing was refused: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::request);
      EXPECT_TRUE(contains(error.what(), words));
    }
  };
  Simulation s({.problem = {.model = counting, .step = 0.1}});
  refused([&] { s.set({{"n", 3.0}}); }, "the parameter n decides about the shape of the system");
  refused([&] { s.set({{"nn", 3.0}}); }, "has no parameter 'nn'; did you mean 'n'?");
  refused([&] { s.set({{"n", NAN}}); }, "must be finite");
  refused([&] { s.restore({1.0}); }, "belongs to another system");
  refused([&] { Simulation({.problem = {.model = cart, .step = 0.1, .time = 1.0}}); }, "drop `time`");
  Simulation reference({.problem = {.model = cart, .step = 0.1}, .method = "reference"});
  refused([&] { reference.set({{"u", 1.0}}); }, "cannot take other values on the way");
  refused([&] { BatchSimulation({.problem = {.model = cart, .step = 0.1}, .n = 0}); }, "`n` must be positive");
  BatchSimulation batch({.problem = {.model = cart, .step = 0.1}, .n = 2});
  refused([&] { batch.set("m", std::vector<double>{3, 4}); }, "other parameters are computed from m");
  refused([&] { batch.set("u", std::vector<double>{3}); }, "u has 1 values, expected 2");
  refused([&] { batch.start(2); }, "there is no member 2");
}

TEST(Simulation, stays_where_it_is_if_it_cannot_be_restored) {
  Simulation s({.problem = {.model = cart, .step = 0.1}});
  s.set({{"u", 3.0}});
  s.step(5);
  const auto saved = s.save();
  auto undefined = saved;
  undefined[0] = NAN;
  auto countless = saved;
  countless[saved.size() - 5] = 1e300;  // four parameters stand behind the number of steps
  for (const auto& bad : {undefined, countless, std::vector<double>(saved.begin() + 1, saved.end())}) {
    EXPECT_THROW(s.restore(bad), RequestError);
    EXPECT_EQ(s.save(), saved);
  }
}

TEST(Batch, refuses_starts_and_keeps_what_it_has) {
  BatchSimulation batch({.problem = {.model = "chaplygin-sleigh", .step = 0.05}, .n = 3});
  batch.step(5);
  const std::vector<double> before(batch.batch().q().begin(), batch.batch().q().end());
  const State sideways{{0, 0, 0}, {0, 1, 0}};
  EXPECT_THROW(batch.start(1, &sideways), InconsistentStart);
  const State nowhere{{0, 0, NAN}, {0, 0, 0}};
  EXPECT_THROW(batch.start(1, &nowhere), RequestError);
  const State half{{0, 0}, {0, 0, 0}};
  EXPECT_THROW(batch.start(1, &half), RequestError);
  EXPECT_TRUE(std::ranges::equal(batch.batch().q(), before));
  EXPECT_THROW(BatchSimulation({.problem = {.model = cart, .step = 0.1}, .n = std::int64_t{1} << 44}), MemoryError);
}

TEST(Motion, is_known_between_the_nodes_of_a_flow) {
  const auto circle =
      ModelSource::text("coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[initial]\nq = [1]\nv = [0]\n");
  const RunAnswer answer = run({.problem = {.model = circle, .step = 1.0, .time = 6.0}, .samples = 100});
  Motion motion(answer);
  const std::vector<double> times{5.9, 0.0, 3.0, 0.25, 3.0};
  for (int again = 0; again < 2; ++again) {
    const Table table = motion.at(times);
    ASSERT_EQ(table.rows(), times.size());
    EXPECT_EQ(*table.find("time"), times);
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR((*table.find("x"))[i], std::cos(times[i]), 1e-13);
    EXPECT_EQ((*table.find("x"))[2], (*answer.samples.find("x"))[3]);
  }
  EXPECT_THROW(motion.at(std::vector<double>{6.5}), RequestError);
  EXPECT_THROW(motion.at(std::vector<double>{NAN}), RequestError);
  EXPECT_EQ(motion.at({}).rows(), 0U);
  const RunAnswer map = run({.problem = {.model = circle, .step = 1.0, .time = 6.0}, .method = "dla"});
  EXPECT_THROW(Motion{map}, MethodError);
}

TEST(Batch, has_the_same_bits_in_any_number_of_lanes) {
  std::vector<double> u(11);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.1 * static_cast<double>(i);
  std::vector<std::vector<double>> ends;
  for (const std::int64_t lanes : {1, 4, 16}) {
    BatchSimulation batch({.problem = {.model = "chaplygin-sleigh", .step = 0.05}, .n = 11, .lanes = lanes});
    batch.set("a", u);
    batch.step(30);
    ends.emplace_back(batch.batch().q().begin(), batch.batch().q().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(Sweep, has_a_row_for_each_member) {
  const SweepAnswer a = sweep({.problem = {.model = cart, .step = 0.1, .time = 1.0},
                               .names = {"x", "u"},
                               .points = {0, 1, 1, 2, 2, 4},
                               .times = {0.5}});
  ASSERT_EQ(a.members, 3);
  EXPECT_EQ(a.failed, 0);
  EXPECT_FALSE(complaint(a));
  for (std::size_t i = 0; i < 3; ++i) {  // x₀ + u t²/2m
    const double u = std::pow(2.0, static_cast<double>(i));
    EXPECT_NEAR(a.last.q[i], static_cast<double>(i) + u / 4, 1e-13);
    EXPECT_NEAR(a.at_times.q[i], static_cast<double>(i) + u / 16, 1e-13);
  }
  EXPECT_TRUE(contains(to_text(a), "3 done, 0 failed"));
}

TEST(Result, is_saved_and_opened) {
  const TemporaryFolder folder;
  RunRequest request{.problem = {.model = "snakeboard", .step = 0.1, .time = 1.0}, .method = "dla"};
  request.samples = TableRecorder::no_limit;
  request.observe = {"impulses"};
  const RunAnswer answer = run(request);
  request.output = folder / "run.h5";
  run(request);
  save(answer, folder / "later.h5");
  EXPECT_EQ(content(folder / "later.h5"), content(*request.output));
  const OpenAnswer opened = open(*request.output);
  ASSERT_EQ(opened.samples.columns.size(), answer.samples.columns.size());
  for (const Table::Column& column : answer.samples.columns) {
    ASSERT_NE(opened.samples.find(column.name), nullptr) << column.name;
    const auto same = [](double a, double b) {
      return std::bit_cast<std::int64_t>(a) == std::bit_cast<std::int64_t>(b);
    };
    EXPECT_TRUE(std::ranges::equal(*opened.samples.find(column.name), column.values, same)) << column.name;  // NaN too
  }
  EXPECT_EQ(opened.run.description.method, "dla");
  EXPECT_EQ(opened.run.steps, 10);
  EXPECT_THROW(open(folder / "nowhere.h5"), FileError);
  RunRequest few = request;
  few.output.reset();
  few.samples = 4;
  EXPECT_THROW(save(run(few), folder / "few.h5"), RequestError);
}

}  // namespace simulation_test
}  // namespace rattleback::answer
