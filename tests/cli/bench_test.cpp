#include "command.hpp"

namespace bench_test {

using namespace rattleback::test;

// Measuring takes its time; here is what can be said at once.
TEST(Bench, is_a_program_that_the_command_starts) {
  const Workplace desk;
  const Answer help = desk("bench --help");
  EXPECT_EQ(help.status, 0);
  for (const char* part : {"cost", "precision", "flow", "step", "run", "throughput", "scaling", "growth", "--time",
                           "--heyoka", "Example:"}) {
    EXPECT_TRUE(contains(help.out, part));
  }
  const Answer wrong = desk("bench speed");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "speed"));
  EXPECT_EQ(desk("bench cost --time -1").status, 2);
  const Answer without = desk("bench flow --heyoka /there/is/none");
  EXPECT_NE(without.status, 0);
  EXPECT_TRUE(contains(without.err, "/there/is/none does not import heyoka"));
  EXPECT_TRUE(contains(desk("--help").out, "bench"));
}

}  // namespace bench_test
