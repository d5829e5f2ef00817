// heyoka solves the problems of our models, where it is there; and what is said where it is not, or fails.

#include "src/bench/heyoka.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rattleback/base/error.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/rattleback_motion.hpp"
#include "src/bench/solution.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback::bench {
namespace heyoka_test {

using nlohmann::json;

void expect_near(const std::vector<double>& found, const auto& expected, double tolerance) {
  ASSERT_LE(found.size(), expected.size());
  ASSERT_FALSE(found.empty());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], static_cast<double>(expected[i]), tolerance) << i;
  }
}

template <class Motion>
void expect_solution(const Problem& problem, const std::vector<double>& velocities, double time) {
  std::vector<double> state = problem.start.q;
  state.insert(state.end(), velocities.begin(), velocities.end());
  typename Motion::State start{};
  ASSERT_EQ(state.size(), start.size());
  std::ranges::copy(state, start.begin());
  OurFlow flow(problem);
  expect_near(flow.end(1e-15, time), solution<Motion>(start, time, 400), 1e-11);
}

// What errors are measured against, and our flow: equations by hand in long double, and those that are derived.
TEST(Solutions, are_those_of_the_models) {
  expect_solution<ParticleMotion>(particle(), {0, 1}, 10.0);
  expect_solution<SleighMotion>(sleigh(), {0, 0}, 10.0);
  const Problem six = oscillators(6);
  expect_solution<OscillatorMotion<6>>(six, {six.start.v.begin() + 1, six.start.v.end()}, 5.0);
  const Problem stone = rattleback_on_ground();
  expect_solution<RattlebackMotion>(stone, {stone.start.v.begin() + 3, stone.start.v.end()}, 0.5);
}

/// A program that is started as a Python is.
std::string python_that(const test::TemporaryFolder& folder, const char* does) {
  const std::filesystem::path path = folder.path() / "python3";
  std::ofstream(path) << "#!/bin/sh\n" << does << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path.string();
}

std::string failure_of(auto&& work) {
  try {
    work();
  } catch (const SystemFailure& e) {
    return e.what();
  }
  return "";
}

TEST(Heyoka, is_told_apart_from_a_python_without_it) {
  const test::TemporaryFolder folder;
  const std::string without = python_that(folder, "exit 1");
  for (const std::string& python : {without, std::string("/there/is/none")}) {
    EXPECT_EQ(failure_of([&] { (void)Heyoka::find(python); }),
              python + " does not import heyoka ('" + python + " -m pip install heyoka' installs it)");
  }
}

TEST(Heyoka, may_fail_or_end) {
  const test::TemporaryFolder folder;
  const auto heyoka = Heyoka::find(python_that(folder, R"(
echo '{"version": "7.0"}'
while read question; do
  case "$question" in
    *nonsense*) echo sense ;;
    *bye*) exit 0 ;;
    *) echo '{"failed": "too large"}' ;;
  esac
done)"));
  ASSERT_NE(heyoka, nullptr);
  EXPECT_EQ(heyoka->version(), "7.0");
  EXPECT_EQ(heyoka->ask({{"do", "end"}})["failed"], "too large");
  const Contestants failing = heyoka_contestants(heyoka, "particle", particle());
  ASSERT_EQ(failing.size(), 2U);
  EXPECT_TRUE(failing[0]->end(1e-9, 1.0).empty());
  EXPECT_EQ(failing[0]->run(1e-9, 1.0), 0);
  EXPECT_FALSE(failing[0]->hold(1e-9, {1.0, 1e-3}).held);
  EXPECT_EQ(failure_of([&] { (void)heyoka->ask("nonsense"); }), "heyoka answers 'sense'");
  EXPECT_EQ(failure_of([&] { (void)heyoka->ask("bye"); }), "heyoka has ended");
  EXPECT_EQ(failure_of([&] { (void)heyoka->ask("hello"); }), "heyoka has ended");
}

TEST(Heyoka, does_not_compete_where_it_is_not) {
  EXPECT_TRUE(heyoka_contestants(nullptr, "particle", particle()).empty());
}

TEST(Heyoka, solves_the_problems_of_the_models) {
  const auto heyoka = Heyoka::find("");
  if (heyoka == nullptr) GTEST_SKIP() << heyoka_advice;
  struct Case {
    const char* name;
    Problem problem;
    int size;
    double time;
  };
  for (const Case& c : {Case{"particle", particle(), 0, 10.0},
                        {"sleigh", sleigh(), 0, 10.0},
                        {"oscillators", oscillators(6), 6, 5.0},
                        {"rattleback", rattleback_on_ground(), 0, 0.5}}) {
    SCOPED_TRACE(c.name);
    OurFlow ours(c.problem);
    const std::vector<double> expected = ours.end(1e-15, c.time);
    const std::vector<State> lanes(4, c.problem.start);
    for (const std::size_t count : {1, 4}) {
      for (const bool fast : {false, true}) {
        if (count > 1 && fast) continue;  // compiles for long, and says nothing new
        json question = heyoka_problem(c.name, c.problem, {lanes.data(), count}, c.size);
        question.update({{"do", "end"}, {"tolerance", 1e-15}, {"time", c.time}, {"fast", fast}});
        const json answer = heyoka->ask(question);
        ASSERT_FALSE(answer.contains("failed")) << answer;
        expect_near(answer["q"], expected, 1e-11);
      }
    }
  }
}

TEST(Heyoka, holds_the_energy_of_the_models) {
  const auto heyoka = Heyoka::find("");
  if (heyoka == nullptr) GTEST_SKIP() << heyoka_advice;
  const auto expect_held = [&](const char* name, const Problem& problem) {
    for (const auto& c : heyoka_contestants(heyoka, name, problem)) {
      EXPECT_TRUE(c->hold(1e-12, {10.0, 1e-10}).held);
      const Attempt lost = c->hold(1e-2, {1e4, 1e-13});
      EXPECT_FALSE(lost.held);
      EXPECT_LT(lost.fraction, 1.0);
      EXPECT_GT(c->seconds(1e-9, 10.0), 0.0);
    }
  };
  expect_held("particle", particle());
  expect_held("sleigh", sleigh());
}

TEST(OurFlow, holds_the_energy_as_contestants_do) {
  OurFlow flow(particle());
  EXPECT_TRUE(flow.hold(1e-12, {10.0, 1e-10}).held);
  EXPECT_FALSE(flow.hold(1e-2, {1e4, 1e-13}).held);
  // Tolerances that it does not take.
  EXPECT_FALSE(flow.hold(0.1, {10.0, 1.0}).held);
  EXPECT_TRUE(flow.end(1e-17, 1.0).empty());
}

}  // namespace heyoka_test
}  // namespace rattleback::bench
