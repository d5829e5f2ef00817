// rattleback ensemble: failures, the same bytes whoever computed what, killed and resumed.

#include "ensemble.hpp"
#include "tests/places.hpp"

namespace ensemble_failure_test {

using namespace rattleback::test;

TEST(Ensemble, starts_that_are_impossible_are_reported_and_the_others_run) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.1\ntime = 1\n" +
                    "[[vary]]\nof = \"z'\"\nvalues = [0, 0.5]\n"   // 0.5 violates z' = y x'
                    "[[vary]]\nof = \"w\"\nvalues = [1, -1, 4]\n"  // no root of -1
                    "[start]\ny = \"sqrt(w)\"\n[keep]\ntimes = [0, 1]\nstatistics = [\"energy\"]\n");
  const Answer a = desk("ensemble s.toml");
  expect_ok(a);
  EXPECT_TRUE(contains(a.out, "4 failed"));
  for (const char* part : {"member 1 (z' = 0, w = -1): ", "member 3 (z' = 0.5, w = 1): ", "member 4 (", "member 5 (",
                           "constraint 1", "y is nan", "project = true"}) {
    EXPECT_TRUE(contains(a.out, part));
  }
  EXPECT_FALSE(contains(a.out, "-nan")) << "a number that is none has no sign";
  for (const char* part : {"member 0 (", "member 2 ("}) EXPECT_FALSE(contains(a.out, part));
  const json d = desk.document("ensemble s.toml");
  EXPECT_EQ(d.at("members"), 6);
  EXPECT_EQ(d.at("failed"), 4);
  EXPECT_EQ(d.at("finished"), 2);
  ASSERT_EQ(d.at("failures").size(), 4U);
  EXPECT_TRUE(contains(d.at("failures").at(0), "member 1 ("));
  EXPECT_TRUE(contains(d.at("failures").at(1), "member 3 ("));
  EXPECT_TRUE(contains(d.at("failures").at(1), "constraint 1"));

  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["status"].values, (std::vector<double>{0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(r["varied/w"].values, (std::vector<double>{1, -1, 4, 1, -1, 4}));
  const std::vector<std::string> reasons = lines(r.text("failures"));  // "a line for each"
  ASSERT_EQ(reasons.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(contains(reasons[i].substr(0, 10), std::to_string(std::array{1, 3, 4, 5}[i]) + ": ")) << reasons[i];
  }
  for (const std::size_t m : {1U, 3U, 4U, 5U}) {
    EXPECT_EQ(r["steps"][m], 0);
    EXPECT_TRUE(std::isnan(r["times/q"].at(m, 1, 0)));
    EXPECT_TRUE(std::isnan(r["times/energy"].at(m, 1)));
  }
  EXPECT_EQ(r["steps"][2], 10);
  EXPECT_NEAR(r["times/q"].at(2, 0, 1), 2, 1e-15);
}

TEST(Ensemble, failures_on_the_way_keep_the_last_good_node) {
  const Workplace desk;
  desk.add("well", well);
  desk.add("falls", falls);
  const json d = desk.document("ensemble falls.toml");
  const Result5 r(desk / "falls.h5");
  const Numbers status = r["status"], time = r["last/time"], steps = r["steps"], q = r["last/q"],
                kept = r["times/time"], x = r["varied/x"], energy = r["last/energy"];
  std::size_t failed = 0;
  for (std::size_t m = 0; m < 80; ++m) {
    // From rest at X the wall is reached at T = (4/3) √2 X^(3/4) ∫… = (2√2/3)·2·X^(3/4).
    const double T = 4 * std::numbers::sqrt2 / 3 * std::pow(x[m], 0.75);
    if (T < 1.9) {
      EXPECT_EQ(status[m], 1) << x[m];
    }
    if (T > 2.1) {
      EXPECT_EQ(status[m], 0) << x[m];
    }
    failed += status[m] == 1 ? 1 : 0;
    EXPECT_NEAR(steps[m] * 0.02, time[m], 1e-12);
    // The midpoint rule does not look at nodes: the last one may lie behind the wall, where there is no energy.
    EXPECT_GT(q.at(m, 0), m < 40 ? 0 : -0.02);
    EXPECT_EQ(std::isnan(energy[m]), q.at(m, 0) < 0);
    EXPECT_EQ(std::isnan(kept.at(m, 1)), time[m] < 0.99) << m;
    EXPECT_EQ(std::isnan(kept.at(m, 2)), status[m] == 1) << m;
    EXPECT_EQ(kept.at(m, 0), 0);
    if (status[m] == 1) {
      EXPECT_LT(time[m], std::max(T, 0.03) + 0.02);
      EXPECT_GT(time[m], T - 0.1);
    }
  }
  EXPECT_GT(failed, 15U);
  EXPECT_LT(failed, 30U);
  EXPECT_EQ(d.at("failed"), failed);
  EXPECT_EQ(lines(r.text("failures")).size(), failed);
}

TEST(Ensemble, all_failed_is_a_failure) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.1\ntime = 1\n[[vary]]\nof = \"z'\"\nvalues = [1, 2]\n");
  const Answer a = desk("ensemble s.toml");
  EXPECT_EQ(a.status, numerics_failed);
  EXPECT_TRUE(contains(a.err, "all members failed"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].values, (std::vector<double>{1, 1}));
  const Answer quiet = desk("ensemble s.toml --quiet");
  EXPECT_EQ(quiet.status, numerics_failed);
  EXPECT_EQ(quiet.out, "");
  const Answer document = desk("ensemble s.toml --json");
  EXPECT_EQ(document.status, numerics_failed);
  EXPECT_EQ(json::parse(document.out).at("failed"), 2);
}

TEST(Ensemble, all_failed_is_a_failure_whatever_the_reason) {
  const Workplace desk;  // not even one position is a number
  desk.add("s", particle_head +
                    "step = 0.1\ntime = 1\n[[vary]]\nof = \"w\"\nvalues = [-1, -2]\n"
                    "[start]\ny = \"sqrt(w)\"\n");
  const Answer a = desk("ensemble s.toml");
  EXPECT_EQ(a.status, numerics_failed) << a.err;
  EXPECT_TRUE(contains(a.err, "all members failed"));
  ASSERT_TRUE(fs::exists(desk / "s.h5"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].values, (std::vector<double>{1, 1}));
}

TEST(Ensemble, few_good_members_after_many_that_fail_run_and_the_first_10000_reasons_are_kept) {
  const Workplace desk;
  desk.add("s", particle_head +
                    "step = 0.1\ntime = 1\n[[vary]]\nof = \"w\"\nfrom = -10039.5\nto = 10.5\n"
                    "count = 10051\n[start]\ny = \"sqrt(w)\"\n");
  const Answer a = desk("ensemble s.toml --quiet");
  ASSERT_EQ(a.status, 0) << a.err;
  const Result5 r(desk / "s.h5");
  const Numbers status = r["status"];
  ASSERT_EQ(status.shape, Shape{10051});
  for (std::size_t m = 0; m < 10051; ++m) ASSERT_EQ(status[m], m < 10040 ? 1 : 0) << m;
  const std::vector<std::string> reasons = lines(r.text("failures"));
  ASSERT_EQ(reasons.size(), 10000U);
  EXPECT_TRUE(contains(reasons.front().substr(0, 10), "0: "));
  EXPECT_TRUE(contains(reasons.back().substr(0, 14), "9999: "));
}

bool have_mpirun() { return shell("command -v mpirun >/dev/null 2>&1").status == 0; }

/// Runs an ensemble with ranks.
Answer with_ranks(const Workplace& desk, int ranks, const std::string& arguments) {
  const int status =
      shell("cd '" + desk.path() + "' && mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(ranks) + " " +
            rattleback::test::rattleback_command() + " " + arguments + " >out.txt 2>err.txt")
          .status;
  return {status, content(desk / "out.txt"), content(desk / "err.txt")};
}

struct Spec {
  const char* name;
  std::string text;
};
void PrintTo(const Spec& spec, std::ostream* out) { *out << spec.name; }
std::string name_of(const testing::TestParamInfo<Spec>& spec) { return spec.param.name; }

class SameBytes : public testing::TestWithParam<Spec> {
 protected:
  void SetUp() override {
    desk.add("s", GetParam().text);
    desk.add("well", well);
    const Answer a = desk("ensemble s.toml --quiet -o one.h5 --lanes 1 --threads 1");
    ASSERT_EQ(a.status, 0) << a.err;
    expected = content(desk / "one.h5");
    EXPECT_GT(expected.size(), 10000U);
    // It is worth comparing only if there is something of everything.
    const Result5 r(desk / "one.h5");
    EXPECT_GE(r["status"].size(), 40U);
    EXPECT_GT(std::ranges::count(r["status"].values, 1.0), 0);
    EXPECT_GT(std::ranges::count(r["status"].values, 0.0), 20);
    if (r.has("sections")) {
      const std::string name = r.has("sections/level") ? "level" : "returns";
      EXPECT_GT(r["sections/" + name + "/time"].size(), 20U);
    }
  }
  Workplace desk;
  std::string expected;
};

class SameBytesByLanes : public SameBytes {};
class SameBytesByRanks : public SameBytes {};

TEST_P(SameBytesByLanes, for_any_lanes_and_threads) {
  for (const char* lanes : {"1", "4", "8", "16"}) {
    for (const char* threads : {"1", "2"}) {
      expect_ok(desk("ensemble s.toml --quiet -o two.h5 --lanes " + std::string(lanes) + " --threads " + threads));
      EXPECT_TRUE(content(desk / "two.h5") == expected) << lanes << " lanes, " << threads << " threads";
    }
  }
}

TEST_P(SameBytesByRanks, for_any_number_of_ranks) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  for (const int ranks : {1, 2, 3}) {
    const Answer a =
        with_ranks(desk, ranks, "ensemble s.toml --json -o two.h5 --threads " + std::to_string(ranks % 2 + 1));
    EXPECT_EQ(a.status, 0) << a.err;
    const json d = json::parse(a.out, nullptr, false);
    ASSERT_TRUE(d.is_object()) << a.out;  // one document, not one of each rank
    EXPECT_EQ(d.at("ranks"), ranks);
    EXPECT_TRUE(content(desk / "two.h5") == expected) << ranks << " ranks";
    EXPECT_FALSE(fs::exists(desk / "two.h5.parts"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ensemble, SameBytesByLanes,
                         testing::Values(Spec{"sleigh", everything_sleigh}, Spec{"particle", everything_particle},
                                         Spec{"gni", everything_gni()}, Spec{"falls", falls}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Ensemble, SameBytesByRanks,
                         testing::Values(Spec{"sleigh", everything_sleigh}, Spec{"particle", everything_particle}),
                         name_of);

TEST(Ensemble, a_wrong_spec_is_complained_about_by_one_rank) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  const Workplace desk;
  desk.add("s", particle_head + "stepp = 0.1\n");
  const Answer wrong = with_ranks(desk, 2, "ensemble s.toml --quiet");
  EXPECT_EQ(wrong.status, wrong_request);
  const std::size_t first = wrong.err.find("unknown key 'stepp'");
  ASSERT_NE(first, std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("unknown key 'stepp'", first + 1), std::string::npos) << "said more than once";
}

const std::string long_spec = R"toml(model = "quadratic-particle"
method = ["dla:midpoint", "rk4"]
step = 0.05
steps = 40000

[[vary]]
of = "x"
from = 0.5
to = 1.5
count = 200

[[vary]]
of = "z'"
values = [0, 1]

[keep]
times = [0, 100, 2000]
statistics = ["energy"]

[[section]]
name = "up"
of = "x"
direction = "up"
)toml";

/// A process of ours, with its output in files.
class Process {
 public:
  Process(const std::string& folder, const std::vector<std::string>& command) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (chdir(folder.c_str()) != 0) _exit(126);
    const int out = open("process.out", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int err = open("process.err", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(out, 1);
    dup2(err, 2);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Process() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  bool running() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return !ended_;
  }
  int wait() {
    if (!ended_) waitpid(pid_, &status_, 0);
    ended_ = true;
    return status_;
  }
  /// Those that it has started.
  std::vector<pid_t> children() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
    std::vector<pid_t> ids;
    for (pid_t id = 0; file >> id;) ids.push_back(id);
    return ids;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

std::uintmax_t journals(const std::string& parts) {
  std::error_code none;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(parts, none)) {
    const auto size = entry.file_size(none);
    if (!none) bytes += size;
  }
  return bytes;
}

/// Waits until the journals hold something; false if the process ends before, or if nothing ever happens.
bool under_way(Process& process, const std::string& parts, std::uintmax_t bytes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (!process.running()) return false;
    if (journals(parts) >= bytes) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// The bytes of an undisturbed run, made once.
class Interrupted : public testing::Test {
 protected:
  Interrupted() {
    static const std::string undisturbed = [] {
      const Workplace other;
      other.add("s", long_spec);
      expect_ok(other("ensemble s.toml --quiet --threads 1"));
      return content(other / "s.h5");
    }();
    expected = undisturbed;
    EXPECT_GT(expected.size(), 100000U);
    desk.add("s", long_spec);
  }
  std::vector<std::string> command(int threads = 1) const {
    return {
        rattleback::test::rattleback_command(), "ensemble", "s.toml", "--quiet", "--threads", std::to_string(threads)};
  }
  std::vector<std::string> command_of_ranks(int ranks) const {
    std::vector<std::string> words{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(ranks)};
    for (const std::string& word : command()) words.push_back(word);
    return words;
  }
  void expect_the_same_bytes() const {
    EXPECT_TRUE(content(desk / "s.h5") == expected);
    EXPECT_FALSE(fs::exists(desk / "s.h5.parts"));
  }
  Workplace desk;
  std::string expected;
  const std::uintmax_t some = 400000;  ///< bytes of journals, a small part of all
};

TEST_F(Interrupted, by_a_kill_it_is_refused_without_resume_and_resumed_to_the_same_bytes) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    const int status = process.wait();
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended before it was killed";
  }
  const std::uintmax_t kept = journals(desk / "s.h5.parts");
  ASSERT_GE(kept, some);

  const Answer again = desk("ensemble s.toml");
  EXPECT_EQ(again.status, wrong_request);
  for (const char* part : {"s.h5.parts", "unfinished", "--resume", "--force"}) EXPECT_TRUE(contains(again.err, part));
  EXPECT_EQ(again.out, "") << "standard output is for answers";
  EXPECT_EQ(journals(desk / "s.h5.parts"), kept) << "what was computed is lost";

  // With another spec it is refused too, and nothing is lost.
  std::string changed = long_spec;
  changed.replace(changed.find("steps = 40000"), 13, "steps = 40001");
  desk.add("s", changed);
  const Answer other = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(other.status, wrong_request);
  EXPECT_TRUE(contains(other.err, "another ensemble"));
  EXPECT_EQ(journals(desk / "s.h5.parts"), kept);
  desk.add("s", long_spec);

  expect_ok(desk("ensemble s.toml --resume --quiet --threads 2 --lanes 4"));
  expect_the_same_bytes();

  const Answer finished = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(finished.status, wrong_request);
  EXPECT_TRUE(contains(finished.err, "nothing to resume"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_kills_again_and_again_it_goes_on_where_it_was) {
  std::uintmax_t goal = some;
  std::map<std::string, std::string> before;
  for (int round = 0; round < 3; ++round, goal += some) {
    std::vector<std::string> words = command(round % 2 + 1);
    if (round > 0) words.push_back("--resume");
    Process process(desk.path(), words);
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", goal)) << round << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    process.wait();
    ASSERT_GE(journals(desk / "s.h5.parts"), goal);
    // Nothing that was there is thrown away. (A record that was being written may be.)
    for (const auto& [name, text] : before) {
      EXPECT_EQ(content(name).substr(0, text.size() / 2), text.substr(0, text.size() / 2)) << name;
    }
    for (const auto& entry : fs::directory_iterator(desk / "s.h5.parts")) {
      before[entry.path().string()] = content(entry.path());
    }
  }
  // A kill may come in the middle of a record: the journal then ends with a part of it.
  std::uintmax_t largest = 0;
  fs::path file;
  for (const auto& entry : fs::directory_iterator(desk / "s.h5.parts")) {
    if (entry.file_size() > largest) largest = entry.file_size(), file = entry.path();
  }
  fs::resize_file(file, largest - 37);
  expect_ok(desk("ensemble s.toml --resume --quiet"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, force_gives_up_what_is_there) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some));
    kill(process.id(), SIGKILL);
    process.wait();
  }
  std::string other = particle_head + "step = 0.1\ntime = 1\n";
  desk.add("s", other);
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, wrong_request);
  expect_ok(desk("ensemble s.toml --quiet --force"));
  EXPECT_FALSE(fs::exists(desk / "s.h5.parts"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].size(), 1U);
}

TEST_F(Interrupted, it_is_not_resumed_with_another_model) {
  desk.add("well", well);
  desk.add("s",
           "model = \"well.toml\"\nmethod = \"rk4\"\nstep = 0.00001\ntime = 1\n"
           "[[vary]]\nof = \"x\"\nfrom = 2\nto = 4\ncount = 10000\n");
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", 5000)) << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    process.wait();
  }
  std::string other = well;
  other.replace(other.find("k = 1"), 5, "k = 2");
  desk.add("well", other);
  const Answer a = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_TRUE(contains(a.err, "another ensemble"));
}

TEST_F(Interrupted, by_the_user_it_writes_what_is_there_and_can_be_resumed) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some));
    kill(process.id(), SIGINT);
    const int status = process.wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  EXPECT_TRUE(contains(content(desk / "process.err"), "--resume"));
  {
    const Result5 r(desk / "s.h5");
    const Numbers status = r["status"], energy = r["last/energy"], x = r["varied/x"], member = r["sections/up/member"];
    ASSERT_EQ(status.shape, Shape{800});
    const auto missing = std::ranges::count(status.values, 2.0);
    EXPECT_GT(missing, 0);
    EXPECT_LT(missing, 800);
    EXPECT_EQ(missing + std::ranges::count(status.values, 0.0) + std::ranges::count(status.values, 1.0), 800);
    for (std::size_t m = 0; m < status.size(); ++m) {
      EXPECT_FALSE(std::isnan(x[m]));
      if (status[m] == 2) {
        EXPECT_TRUE(std::isnan(energy[m]));
      }
    }
    for (const double m : member.values) ASSERT_EQ(status[static_cast<std::size_t>(m)], 0);
  }
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, wrong_request);
  expect_ok(desk("ensemble s.toml --resume --quiet"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_the_death_of_one_rank_it_is_resumed_by_other_numbers_of_ranks) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  {
    Process process(desk.path(), command_of_ranks(3));
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    const std::vector<pid_t> ranks = process.children();
    ASSERT_EQ(ranks.size(), 3U);
    kill(ranks[1], SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  ASSERT_TRUE(fs::exists(desk / "s.h5.parts")) << "it ended before it was killed";
  EXPECT_GE(journals(desk / "s.h5.parts"), some);
  const Answer a = with_ranks(desk, 2, "ensemble s.toml --quiet --resume");
  EXPECT_EQ(a.status, 0) << a.err;
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_the_death_of_all_ranks_it_is_resumed_by_one_process) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  {
    Process process(desk.path(), command_of_ranks(2));
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    const std::vector<pid_t> ranks = process.children();
    ASSERT_EQ(ranks.size(), 2U);
    for (const pid_t rank : ranks) kill(rank, SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  ASSERT_TRUE(fs::exists(desk / "s.h5.parts")) << "it ended before it was killed";
  expect_ok(desk("ensemble s.toml --quiet --resume --lanes 16"));
  expect_the_same_bytes();
}

}  // namespace ensemble_failure_test
