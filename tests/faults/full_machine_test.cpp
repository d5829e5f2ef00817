// Ensembles on a machine that becomes full while they compute: they end, say why, and are resumed to the same bytes.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/cli/command.hpp"

namespace rattleback::test {
namespace full_machine_test {

namespace fs = std::filesystem;

class FullMachine : public testing::Test {
 protected:
  FullMachine() {
    desk.add("s",
             "model = \"quadratic-particle\"\nmethod = \"dla\"\nstep = 0.1\nsteps = 2000\n"
             "[[vary]]\nof = \"x\"\nfrom = 0\nto = 1\ncount = 800\n");
    EXPECT_EQ(run("", "good.h5").status, 0);
    expected = content(desk / "good.h5");
    EXPECT_GT(expected.size(), 50000U);
  }

  /// With so many seconds that only those who wait for ever need more.
  Answer run(const std::string& options, const std::string& output = "x.h5", const std::string& before = "") const {
    const Result r = shell("cd '" + desk.path() + "' && timeout -k 5 60 " + before + " " + rattleback_command() +
                           " ensemble s.toml --quiet -o " + output + " " + options + " >out.txt 2>err.txt");
    return {r.status, "", content(desk / "err.txt")};
  }
  std::string with_room_for(std::size_t bytes) const {
    return "env LD_PRELOAD=" + fault_library() + " FAULTS_FOLDER='" + desk.path() +
           "' FAULTS_DISK=" + std::to_string(bytes);
  }

  void expect_told_and_resumed(const Answer& a, const std::string& where) const {
    EXPECT_EQ(a.status, 4) << where << "\n" << a.err;
    for (const char* part : {"cannot write to x.h5", "No space left on device", "free some space"}) {
      EXPECT_TRUE(contains(a.err, part)) << where;
    }
    EXPECT_FALSE(fs::exists(desk / "x.h5")) << where;
    EXPECT_FALSE(fs::exists(desk / "x.h5.new")) << where;
    const bool kept = fs::exists(desk / "x.h5.parts");
    EXPECT_EQ(run(kept ? "--resume" : "").status, 0) << where;
    EXPECT_TRUE(content(desk / "x.h5") == expected) << where;
    EXPECT_FALSE(fs::exists(desk / "x.h5.parts")) << where;
    fs::remove(desk / "x.h5");
  }

  Workplace desk;
  std::string expected;
};

TEST_F(FullMachine, ensembles_without_space_end_and_are_resumed) {
  // No room for a journal, for the first records, for later ones; for all of them, but not for the result.
  std::vector<std::size_t> sizes{0, 50, 10000, 120000, 150000};
  if (std::getenv("RATTLEBACK_FAULTS") != nullptr) {
    for (std::size_t size = 0; size < 180000; size += 2000) sizes.push_back(size);
  }
  for (const std::size_t size : sizes) {
    for (const int threads : {1, 2}) {
      const std::string where = std::to_string(size) + " bytes, " + std::to_string(threads) + " threads";
      expect_told_and_resumed(run("--threads " + std::to_string(threads), "x.h5", with_room_for(size)), where);
      if (HasFailure()) return;
    }
  }
}

TEST_F(FullMachine, threads_that_cannot_start_are_told) {
  const Answer a = run("--threads 500", "x.h5", "prlimit --as=1500000000 --stack=8388608");
  EXPECT_EQ(a.status, 4) << a.err;
  EXPECT_TRUE(contains(a.err, "cannot start 500 threads"));
  EXPECT_TRUE(contains(a.err, "--threads"));
}

TEST_F(FullMachine, all_ranks_without_space_end) {
  if (shell("command -v mpirun >/dev/null 2>&1").status != 0) GTEST_SKIP() << "there is no mpirun";
  for (const int ranks : {2, 3}) {
    const std::string where = std::to_string(ranks) + " ranks";
    expect_told_and_resumed(
        run("--threads 1", "x.h5",
            "mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(ranks) + " " + with_room_for(8000)),
        where);
  }
}

}  // namespace full_machine_test
}  // namespace rattleback::test
