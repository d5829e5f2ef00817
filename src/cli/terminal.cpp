#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "printable.hpp"

namespace rattleback::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

volatile std::time_t interrupted_at = 0;

/// The first signal ends the work, another one a second later the program. Some who interrupt send it twice at once, to
/// the program and to its group.
extern "C" void on_interrupt(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (!interrupted.load(std::memory_order_relaxed)) {
    interrupted_at = now.tv_sec;
    interrupted.store(true, std::memory_order_relaxed);
  } else if (now.tv_sec - interrupted_at > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

std::string duration(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s < 100) return fmt::format("{} s", s);
  if (s < 6000) return fmt::format("{} min", (s + 59) / 60);
  return fmt::format("{} h", (s + 3599) / 3600);
}

std::string& stored_command_line() {
  static std::string text;
  return text;
}

}  // namespace

bool is_watched() { return isatty(STDERR_FILENO) == 1; }

ProgressBar::ProgressBar(const std::string& label, bool wanted)
    : label_(printable(label)), wanted_(wanted && is_watched()) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::operator()(const Progress& p) {
  if (!wanted_ || (p.seconds < 1.0 && !shown_)) return;
  shown_ = true;
  const double fraction = static_cast<double>(p.step) / static_cast<double>(std::max<std::int64_t>(p.steps, 1));
  const double rate = static_cast<double>(p.step - p.first_step) / std::max(p.seconds, 1e-9);
  const double left = rate > 0.0 ? static_cast<double>(p.steps - p.step) / rate : 0.0;
  constexpr int width = 24;
  const int filled = static_cast<int>(fraction * width);
  fmt::print(stderr, "\r\033[K{} [{}{}] {:3.0f} %  {:.3g} steps/s  {} left", label_,
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(width - filled), '.'), 100.0 * fraction, rate, duration(left));
  std::fflush(stderr);
}

InterruptGuard::InterruptGuard() {
  interrupted = false;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() const { return interrupted; }

void remember_command_line(int argc, char** argv) {
  std::string& text = stored_command_line();
  text = "rattleback";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                            "-_./:=,+@%") == std::string::npos;
    text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
}

const std::string& command_line() { return stored_command_line(); }

}  // namespace rattleback::cli
