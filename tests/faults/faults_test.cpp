// Nothing is lost: commands are ended, refused and left without power at each of their operations on files, and the
// same command brings about what an undisturbed one does, to the byte.
//
// A bounded random part of the cases is tried (--gtest_random_seed chooses another), all of them if the environment
// variable RATTLEBACK_FAULTS is set.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "disk.hpp"
#include "tests/cli/command.hpp"

namespace rattleback::test {
namespace faults_test {

namespace fs = std::filesystem;

/// A command that writes files, and how its user gets what it was to write after it was disturbed.
struct Scenario {
  std::string name;
  std::vector<std::string> before;  ///< commands that make what is there: an old result, a run to be resumed
  std::string command;
  std::string resumed = "";  ///< tried first, if there is a way to continue
  std::string clock = "";    ///< seconds from one look at the clock to the next
  std::vector<std::string> results;
};

void PrintTo(const Scenario& s, std::ostream* out) { *out << s.name; }

const std::string free_run = "run free-particle -m rk4 --step 0.1 --quiet ";
const std::string particle = "measure harmonic-particle -m pthdel --step 0.25 --quiet --cloud 8 ";
const std::string compared = "compare free-particle -m rk4 --quiet --report x.html ";
/// Ends like a killed process: what is there can be continued.
const std::string killed = "FAULTS_CUT=30 ";

std::vector<Scenario> scenarios() {
  return {
      {"run_h5", {free_run + "--steps 4 -o x.h5"}, free_run + "--steps 12 -o x.h5", "--resume", "0.2", {"x.h5"}},
      {"run_csv", {free_run + "--steps 4 -o x.csv"}, free_run + "--steps 12 -o x.csv", "--resume", "0.2", {"x.csv"}},
      {"run_resume_h5",
       {killed + free_run + "--steps 12 -o x.h5"},
       free_run + "--steps 12 -o x.h5 --resume",
       "",
       "0.2",
       {"x.h5"}},
      {"run_resume_csv",
       {killed + free_run + "--steps 12 -o x.csv"},
       free_run + "--steps 12 -o x.csv --resume",
       "",
       "0.2",
       {"x.csv"}},
      {"run_force",
       {free_run + "--steps 4 -o x.csv", killed + free_run + "--steps 12 -o x.csv"},
       free_run + "--steps 8 -o x.csv --force",
       "",
       "0.2",
       {"x.csv"}},
      {"run_report",
       {free_run + "--steps 4 -o x.h5 --report x.html"},
       free_run + "--steps 8 -o x.h5 --report x.html --force",
       "",
       "",
       {"x.h5", "x.html"}},
      {"compare_report", {compared + "--steps 4"}, compared + "--steps 8", "", "", {"x.html"}},
      {"ensemble",
       {"ensemble small.toml -o x.h5 --quiet --threads 1"},
       "ensemble large.toml -o x.h5 --quiet --threads 1",
       "--resume",
       "",
       {"x.h5"}},
      {"ensemble_resume",
       {"FAULTS_CUT=12 ensemble large.toml -o x.h5 --quiet --threads 1"},
       "ensemble large.toml -o x.h5 --quiet --threads 1 --resume",
       "",
       "",
       {"x.h5"}},
      {"measure",
       {particle + "--steps 2 -o x.csv --points p.csv"},
       particle + "--steps 5 -o x.csv --points p.csv",
       "",
       "",
       {"x.csv", "p.csv"}},
      {"reproduce",
       {"reproduce old/skate.toml -o out --markdown x.md --quiet"},
       "reproduce skate.toml -o out --markdown x.md --quiet",
       "",
       "",
       {"out/own/skate.h5", "out/skate.html", "x.md"}},
      {"reproduce_csv",
       {"reproduce old/skate.toml -o out --csv --quiet"},
       "reproduce skate.toml -o out --csv --quiet",
       "",
       "",
       {"out/own/skate/rk4.csv", "out/skate.html"}},
  };
}

std::string experiment(int steps) {
  return "title = \"A free particle\"\n[data.rk4]\nmodel = \"free-particle\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = " +
         std::to_string(steps) + "\n[[claims]]\nsays = \"It moves\"\nquantity = \"count[rk4: x]\"\nabove = 0\n";
}

std::string ensemble(int count) {
  return "model = \"free-particle\"\nmethod = \"rk4\"\nstep = 0.1\nsteps = 10\n[[vary]]\nof = \"x\"\nfrom = 0\n"
         "to = 1\ncount = " +
         std::to_string(count) + "\n[keep]\ntimes = [0, 0.5]\n";
}

/// A scenario without disturbance.
struct Undisturbed {
  Files before;
  Inodes inodes;
  std::vector<Operation> operations;
  Files after;
};

class Faults : public testing::TestWithParam<Scenario> {
 protected:
  Faults() : work_(folder_.path() / "work"), random_(static_cast<unsigned>(GTEST_FLAG_GET(random_seed))) {
    static std::map<std::string, Undisturbed> known;
    const auto found = known.find(GetParam().name);
    undisturbed_ = found != known.end() ? found->second : known[GetParam().name] = undisturbed();
  }

  Undisturbed undisturbed() const {
    put_files({{"small.toml", ensemble(3)},
               {"large.toml", ensemble(20)},
               {"old/", ""},
               {"old/skate.toml", experiment(2)},
               {"skate.toml", experiment(6)}},
              work_);
    for (const std::string& command : GetParam().before) {
      const Answer a = run(command);
      EXPECT_TRUE(a.status == 0 || command.starts_with("FAULTS_CUT")) << command << "\n" << a.err;
    }
    Undisturbed result{files_in(work_), {}, {}, {}};
    result.inodes = inodes_of(result.before, work_);
    EXPECT_EQ(run("FAULTS_LOG=" + (folder_ / "log") + " " + GetParam().command).status, 0) << err();
    result.operations = recorded_operations(folder_ / "log", work_.string());
    result.after = files_in(work_);
    return result;
  }

  /// A command line with what stands before it of the disk.
  Answer run(const std::string& line) const {
    std::size_t at = 0;
    while (line.compare(at, 7, "FAULTS_") == 0) at = line.find(' ', at) + 1;
    const std::string clock = GetParam().clock.empty() ? "" : " FAULTS_CLOCK=" + GetParam().clock;
    const Result r = shell("cd '" + work_.string() + "' && timeout 60 env LD_PRELOAD=" + fault_library() +
                           " FAULTS_FOLDER='" + work_.string() + "'" + clock + " " + line.substr(0, at) +
                           rattleback_command() + " " + line.substr(at) + " >../out.txt 2>../err.txt");
    return {r.status, "", err()};
  }
  std::string err() const { return content(folder_.path() / "err.txt"); }

  /// Numbers from 1 to n, or some of them.
  std::vector<std::size_t> chosen(std::size_t n, std::size_t few) {
    std::vector<std::size_t> all(n);
    for (std::size_t k = 0; k < n; ++k) all[k] = k + 1;
    if (std::getenv("RATTLEBACK_FAULTS") != nullptr) return all;
    std::vector<std::size_t> some;
    std::ranges::sample(all, std::back_inserter(some), static_cast<std::ptrdiff_t>(few), random_);
    return some;
  }

  /// Each result is the old one or the new one, and the command, given again, makes the new ones.
  void expect_nothing_lost(const std::string& where) {
    const Files found = files_in(work_);
    for (const std::string& name : GetParam().results) {
      const auto file = found.find(name);
      if (file == found.end()) {
        EXPECT_FALSE(undisturbed_.before.contains(name)) << where << ": " << name << " is gone";
        continue;
      }
      EXPECT_TRUE(file->second == undisturbed_.after.at(name) ||
                  (undisturbed_.before.contains(name) && file->second == undisturbed_.before.at(name)))
          << where << ": " << name << " is neither the old nor the new one, " << file->second.size() << " bytes";
    }
    Answer a = recover();
    EXPECT_EQ(a.status, 0) << where << "\n" << a.err;
    if (files_in(work_) == undisturbed_.after) return;
    std::string names;
    for (const auto& [name, text] : files_in(work_)) {
      names += " " + name +
               (undisturbed_.after.contains(name) && undisturbed_.after.at(name) == text
                    ? ""
                    : " (" + std::to_string(text.size()) + " bytes, wrong)");
    }
    ADD_FAILURE() << where << ": after doing it again there is" << names;
  }

  Answer recover() const {
    const std::string& command = GetParam().command;
    const bool resumes = command.ends_with(" --resume");
    if (resumes || !GetParam().resumed.empty()) {
      const Answer a = run(resumes ? command : command + " " + GetParam().resumed);
      const bool nothing_to_resume =
          a.status == wrong_request &&
          (a.err.find("no checkpoint") != std::string::npos || a.err.find("nothing to resume") != std::string::npos);
      if (!nothing_to_resume) return a;
    }
    return run(resumes ? command.substr(0, command.rfind(' ')) : command);
  }

  void tell(std::size_t tried, std::size_t of, const char* what) const {
    std::cout << "    " << GetParam().name << ": " << tried << " of " << of << " " << what << ", seed "
              << GTEST_FLAG_GET(random_seed) << "\n";
  }

  TemporaryFolder folder_;
  fs::path work_;
  Undisturbed undisturbed_;
  std::mt19937 random_;
};

TEST_P(Faults, ended_at_any_operation_nothing_is_lost) {
  const auto points = chosen(undisturbed_.operations.size(), 2);
  for (const std::size_t k : points) {
    put_files(undisturbed_.before, work_);
    const int status = run("FAULTS_CUT=" + std::to_string(k) + " " + GetParam().command).status;
    EXPECT_TRUE(status == 86 || status == 0) << "cut " << k << ": " << status << "\n" << err();
    expect_nothing_lost("cut " + std::to_string(k));
    if (HasFailure()) break;
  }
  tell(points.size(), undisturbed_.operations.size(), "cut points");
}

/// A failed operation is told, or does not matter.
TEST_P(Faults, refused_at_any_operation_nothing_is_lost) {
  const auto points = chosen(undisturbed_.operations.size(), 1);
  for (const std::size_t k : points) {
    for (const char* const how : {" FAULTS_ERROR=EIO ", "+ FAULTS_ERROR=ENOSPC "}) {
      put_files(undisturbed_.before, work_);
      const std::string where = "FAULTS_FAIL=" + std::to_string(k) + how;
      const Answer a = run(where + GetParam().command);
      EXPECT_TRUE(a.status == 4 || a.status == 0) << where << a.status << "\n" << a.err;
      EXPECT_TRUE(a.status != 4 || contains(a.err, "cannot ")) << where << a.err;
      for (const char* const internal : {"filesystem error", "std::", "terminate"})
        EXPECT_EQ(a.err.find(internal), std::string::npos) << where << a.err;
      expect_nothing_lost(where);
      if (HasFailure()) return;
    }
  }
  tell(2 * points.size(), 2 * undisturbed_.operations.size(), "failures");
}

TEST_P(Faults, on_a_disk_of_any_size_nothing_is_lost) {
  std::size_t written = 0;
  for (const Operation& o : undisturbed_.operations) written += o.data.size();
  std::uniform_int_distribution<std::size_t> sizes(0, written);
  const std::size_t tries = std::getenv("RATTLEBACK_FAULTS") != nullptr ? 30 : 1;
  for (std::size_t k = 0; k < tries; ++k) {
    put_files(undisturbed_.before, work_);
    const std::string where = "FAULTS_DISK=" + std::to_string(sizes(random_)) + " ";
    const Answer a = run(where + GetParam().command);
    EXPECT_TRUE(a.status == 4 || a.status == 0) << where << a.status << "\n" << a.err;
    expect_nothing_lost(where);
    if (HasFailure()) return;
  }
  tell(tries, written + 1, "sizes of the disk");
}

TEST_P(Faults, without_power_at_any_operation_nothing_is_lost) {
  const bool all = std::getenv("RATTLEBACK_FAULTS") != nullptr;
  PowerlessDisk disk(undisturbed_.before, undisturbed_.inodes);
  std::map<Files, std::size_t> states;
  for (std::size_t k = 0; k < undisturbed_.operations.size(); ++k) {
    disk.apply(undisturbed_.operations[k]);
    for (const Files& state : disk.states(all)) states.emplace(state, k + 1);
  }
  for (const Files& state : disk.states(false)) {
    for (const std::string& name : GetParam().results)
      EXPECT_TRUE(state.contains(name) && state.at(name) == undisturbed_.after.at(name))
          << name << " was not on the disk at the end";
  }
  const auto points = chosen(states.size(), 2);
  for (const std::size_t n : points) {
    const auto& [state, k] = *std::next(states.begin(), static_cast<std::ptrdiff_t>(n) - 1);
    put_files(state, work_);
    expect_nothing_lost("power lost after operation " + std::to_string(k));
    if (!HasFailure()) continue;
    std::string names;
    for (const auto& [name, text] : state) names += " " + name + " (" + std::to_string(text.size()) + ")";
    ADD_FAILURE() << "there was" << names;
    break;
  }
  tell(points.size(), states.size(), "states after a loss of power");
}

INSTANTIATE_TEST_SUITE_P(Of, Faults, testing::ValuesIn(scenarios()), [](const auto& test) { return test.param.name; });

}  // namespace faults_test
}  // namespace rattleback::test
