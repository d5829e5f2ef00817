#include "src/bench/heyoka.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "rattleback/base/error.hpp"
#include "rattleback/base/installation.hpp"
#include "src/bench/our_flow.hpp"

namespace rattleback::bench {
namespace {

using nlohmann::json;

constexpr const char* program = "heyoka_competitor.py";

std::vector<std::string> pythons_on_the_path() {
  std::vector<std::string> found;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (std::filesystem::path(folder) / "python3").string();
    if (access(candidate.c_str(), X_OK) == 0 && std::ranges::find(found, candidate) == found.end()) {
      found.push_back(candidate);
    }
  }
  return found;
}

/// Relative and absolute tolerance are one number for heyoka.
class HeyokaContestant final : public Contestant {
 public:
  HeyokaContestant(std::shared_ptr<Heyoka> heyoka, json problem, bool fast)
      : Contestant(fast ? "heyoka, fast mathematics" : "heyoka", Setting::tolerance, 1.0), heyoka_(std::move(heyoka)),
        problem_(std::move(problem)) {
    problem_["fast"] = fast;
  }

  Attempt hold(double tolerance, const Goal& goal) override {
    const json answer = ask(tolerance, goal.time,
                            {{"do", "hold"},
                             {"bound", goal.bound},
                             {"between", time_between_looks},
                             {"limit", std::min(goal.seconds, 1e9)}});
    Attempt attempt;
    if (answer.contains("failed")) return attempt;
    attempt.steps = answer["nodes"];
    attempt.worst = answer["worst"];
    attempt.given_up = answer["given_up"];
    attempt.fraction = std::clamp(static_cast<double>(attempt.steps) * time_between_looks / goal.time, 0.0, 1.0);
    attempt.held = !answer["lost"] && !attempt.given_up;
    return attempt;
  }
  std::int64_t run(double tolerance, double time) override {
    const json answer = ask(tolerance, time, {{"do", "end"}});
    return answer.value("steps", std::int64_t{0});
  }
  std::vector<double> end(double tolerance, double time) override {
    const json answer = ask(tolerance, time, {{"do", "end"}});
    return answer.value("q", std::vector<double>{});
  }
  double seconds(double tolerance, double time) override {
    return ask(tolerance, time, {{"do", "seconds"}, {"turns", 1}}).value("seconds", HUGE_VAL);
  }

 private:
  json ask(double tolerance, double time, const json& what) {
    json question = problem_;
    question.update(what);
    question["tolerance"] = tolerance;
    question["time"] = time;
    return heyoka_->ask(question);
  }

  std::shared_ptr<Heyoka> heyoka_;
  json problem_;
};

}  // namespace

std::shared_ptr<Heyoka> Heyoka::started(const std::string& python) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return nullptr;
  const auto [ours, theirs] = sockets;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, theirs, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, theirs, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string script = shared_data(program).string();
  std::string name = python;
  char* arguments[] = {name.data(), script.data(), nullptr};
  pid_t process = 0;
  const int failed = posix_spawnp(&process, name.c_str(), &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  close(theirs);
  if (failed != 0) {
    close(ours);
    return nullptr;
  }
  std::shared_ptr<Heyoka> heyoka(new Heyoka(process, ours));
  const auto greeting = heyoka->line();  // none if it ends, because it cannot import what it needs
  const json said = greeting ? json::parse(*greeting, nullptr, false) : json();
  if (!said.is_object() || !said.contains("version")) return nullptr;
  heyoka->version_ = said["version"];
  return heyoka;
}

std::shared_ptr<Heyoka> Heyoka::find(const std::string& python) {
  if (!python.empty()) {
    if (auto heyoka = started(python)) return heyoka;
    throw SystemFailure(
        fmt::format("{} does not import heyoka ('{} -m pip install heyoka' installs it)", python, python));
  }
  for (const std::string& candidate : pythons_on_the_path()) {
    if (auto heyoka = started(candidate)) return heyoka;
  }
  return nullptr;
}

Heyoka::~Heyoka() {
  close(socket_);  // it ends where there are no more questions
  waitpid(process_, nullptr, 0);
}

std::optional<std::string> Heyoka::line() {
  while (true) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string text = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return text;
    }
    char buffer[65536];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    unread_.append(buffer, static_cast<std::size_t>(count));
  }
}

json Heyoka::ask(const json& question) {
  const std::string text = question.dump() + '\n';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw SystemFailure("heyoka has ended");
    sent += static_cast<std::size_t>(count);
  }
  const auto answer = line();
  if (!answer) throw SystemFailure("heyoka has ended");
  json said = json::parse(*answer, nullptr, false);
  if (!said.is_object()) throw SystemFailure(fmt::format("heyoka answers '{}'", *answer));
  return said;
}

json heyoka_problem(const char* name, const Problem& problem, std::span<const State> starts, int size) {
  json parameters = json::object();
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    parameters[problem.system.parameters()[i].name()] = problem.parameters[i];
  }
  json question{{"problem", name},        {"size", size},       {"parameters", std::move(parameters)},
                {"lanes", starts.size()}, {"q", json::array()}, {"v", json::array()}};
  for (const State& start : starts) {
    question["q"].push_back(start.q);
    question["v"].push_back(start.v);
  }
  return question;
}

Contestants heyoka_contestants(const std::shared_ptr<Heyoka>& heyoka, const char* name, const Problem& problem,
                               int size) {
  Contestants list;
  if (heyoka == nullptr) return list;
  const json question = heyoka_problem(name, problem, {&problem.start, 1}, size);
  for (const bool fast : {true, false}) list.push_back(std::make_unique<HeyokaContestant>(heyoka, question, fast));
  return list;
}

}  // namespace rattleback::bench
