// Whatever the command does, SIGINT and SIGTERM end it within a second: it dies of the signal, or ends with status 130
// and a sentence. Seeds are printed; RATTLEBACK_SEED repeats one. With RATTLEBACK_FAULTS there are more signals, and
// later.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "chain.hpp"
#include "tests/cli/command.hpp"

namespace rattleback::test {
namespace interrupt_test {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// A second is promised of a machine that has nothing else to do.
constexpr Seconds longest_wait(5.0);

const char* const dense = R"toml(
coordinates = ["[i = 1..n] x[i]"]
lagrangian = "0.5*sum(i = 1..n, x[i]'^2) + 0.1/n*sum(i = 1..n, sum(j = 1..n, cos(x[i]-x[j])*x[i]'*x[j]'))"
constraints = ["[i = 1..k] x[i]' - sum(j = k+1..n, sin(x[i])*x[j]')"]
[parameters]
n = 10
k = 2
[initial]
q = ["[i = 1..n] i/n"]
v = ["[i = 1..n] 0"]
)toml";

const char* const ensemble = R"toml(
model = "chaplygin-sleigh"
method = "dla"
step = 0.01
steps = 100000000
[[vary]]
of = "m"
from = 1
to = 2
count = 4
)toml";

struct Case {
  const char* name;
  const char* arguments;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

unsigned seed() {
  const char* given = std::getenv("RATTLEBACK_SEED");
  static const unsigned chosen =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  return chosen;
}

class EachCommand : public testing::TestWithParam<Case> {
 protected:
  EachCommand() {
    desk_.add("chain", chain);
    desk_.add("dense", dense);
    desk_.add("ensemble", ensemble);
  }

  pid_t start() const {
    const pid_t child = fork();
    if (child != 0) return child;
    const std::string line = "exec " + rattleback_command() + " " + GetParam().arguments + " >out.txt 2>err.txt";
    if (chdir(desk_.path().c_str()) == 0) execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }

  /// The status of a process that ends in time; none of one that has to be killed.
  static std::optional<int> status_of(pid_t child) {
    int status = 0;
    for (const auto begin = Clock::now(); Clock::now() - begin < longest_wait;) {
      if (waitpid(child, &status, WNOHANG) == child) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return std::nullopt;
  }

  /// At random moments after the start.
  void send_signals(int rounds, double latest) {
    std::printf("RATTLEBACK_SEED=%u\n", seed());
    std::mt19937 random(seed() + static_cast<unsigned>(std::hash<std::string>()(GetParam().name)));
    std::uniform_real_distribution<double> moment(0.0, latest);
    for (int k = 0; k < rounds && !HasFatalFailure(); ++k) {
      for (const int signal : {SIGINT, SIGTERM}) send(signal, moment(random));
    }
  }

  void send(int signal, double delay) {
    const pid_t child = start();
    std::this_thread::sleep_for(Seconds(delay));
    int early = 0;
    if (waitpid(child, &early, WNOHANG) != 0) {
      std::printf("%s: ended by itself before %.3f s\n", GetParam().name, delay);
      return;
    }
    const auto sent = Clock::now();
    kill(child, signal);
    const std::optional<int> status = status_of(child);
    std::printf("%s: signal %d after %.3f s, ended after %.3f s\n", GetParam().name, signal, delay,
                Seconds(Clock::now() - sent).count());
    ASSERT_TRUE(status) << "still there " << longest_wait.count() << " s after signal " << signal << " at " << delay;
    const bool by_signal = WIFSIGNALED(*status) && WTERMSIG(*status) == signal;
    EXPECT_TRUE(by_signal || (WIFEXITED(*status) && WEXITSTATUS(*status) == 130))
        << "status " << *status << ": " << content(desk_ / "err.txt");
    if (!by_signal) {
      EXPECT_TRUE(contains(content(desk_ / "err.txt"), "interrupted"));
    }
  }

  Workplace desk_;
};

TEST_P(EachCommand, ends_soon_after_a_signal) {
  if (std::getenv("RATTLEBACK_FAULTS") != nullptr) {
    send_signals(5, 6.0);
  } else {
    send_signals(1, 0.8);
  }
}

const auto commands = testing::Values(
    Case{"show", "show chain.toml --set n=2000"}, Case{"analyse", "analyse chain.toml --set n=40"},
    Case{"run", "run quadratic-particle -m dla --steps 1000000000 --every 1000 -o a.h5 --force"},
    Case{"run_compiling", "run dense.toml -m dla --set n=60 --steps 10 --step 0.01 -o a.h5 --force"},
    Case{"run_reference", "run quadratic-particle -m reference --step 0.1 --steps 100000000"},
    Case{"run_long_step", "run quadratic-particle -m reference --step 1e5 --steps 10"},
    Case{"run_observing", "run snakeboard -m dla --observe symplectic --steps 100000000"},
    Case{"compare", "compare quadratic-particle -m reference,dla,rk4 --step 0.1 --steps 100000000"},
    Case{"converge", "converge quadratic-particle -m dla --time 100000"},
    Case{"measure", "measure harmonic-particle -m conformal --ell 2 --step 0.1 --steps 100000000 -o a.csv"},
    Case{"measure_cloud", "measure harmonic-particle -m dla --cloud 30000 --step 0.1 --steps 1000"},
    Case{"modified", "modified free-particle --order 12 --formulas --step 0.1"},
    Case{"ensemble", "ensemble ensemble.toml -o e.h5 --force"}, Case{"reproduce", "reproduce gv -o pages"},
    Case{"bench", "bench cost"});
const auto name_of = [](const auto& one) { return std::string(one.param.name); };
INSTANTIATE_TEST_SUITE_P(Interrupt, EachCommand, commands, name_of);

}  // namespace interrupt_test
}  // namespace rattleback::test
