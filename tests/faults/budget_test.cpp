// Memory is not taken without a word: what is large is done in little, or refused with what it would take.

#include "chain.hpp"
#include "tests/cli/command.hpp"

namespace rattleback::test {
namespace budget_test {

/// The command with so many gigabytes.
Answer within(const Workplace& desk, const std::string& gigabytes, const std::string& arguments) {
  const int status = shell("cd '" + desk.path() + "' && RATTLEBACK_MEMORY=" + gigabytes + " " + rattleback_command() +
                           " " + arguments + " >out.txt 2>err.txt")
                         .status;
  return {status, content(desk / "out.txt"), content(desk / "err.txt")};
}

TEST(Budget, long_chains_are_shown_in_little_memory) {
  const Workplace desk;
  desk.add("chain", chain);
  const Answer a = within(desk, "0.1", "show chain.toml --set n=400");
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(contains(a.out, "the constraints have rank 400"));
  EXPECT_TRUE(contains(a.out, "the constraints are not integrable"));
}

TEST(Budget, work_that_needs_too_much_memory_is_refused_before_it_begins) {
  const Workplace desk;
  const auto refused = [&](const std::string& arguments, const std::string& what) {
    const Answer a = within(desk, "0.2", arguments);
    EXPECT_EQ(a.status, 4) << arguments;
    EXPECT_TRUE(contains(a.err, what));
    EXPECT_TRUE(contains(a.err, "the limit is 0.2 GB: choose fewer points, or allow more with the environment"));
  };
  const std::string cloud = "measure harmonic-particle --step 0.1 --steps 3 --cloud ";
  refused(cloud + "1000000 -m dla", "a cloud of 1000000 points would take about 1.1 GB of memory");
  refused(cloud + "100000 -m reference", "a cloud of 100000 points would take about 3.01 GB of memory");
  refused(cloud + "100000 -m dla", "the convex hull of 100000 points in 4 dimensions would take about 0.408 GB");
}

// What was not foreseen is noticed on the way.
TEST(Budget, work_that_grows_beyond_the_limit_ends_with_a_sentence) {
  const Workplace desk;
  const Answer a = within(desk, "0.03", "modified free-particle -m pthdel --order 8 --formulas");
  EXPECT_EQ(a.status, 4) << a.out;
  EXPECT_TRUE(contains(a.err, "out of memory: "));
  EXPECT_TRUE(contains(a.err, "RATTLEBACK_MEMORY"));
}

}  // namespace budget_test
}  // namespace rattleback::test
