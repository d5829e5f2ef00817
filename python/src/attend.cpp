#include "attend.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace rattleback::python {
namespace {

/// Where the thread that works and the one that waits meet.
struct Counter {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool moved = false;
  std::string what;
  Progress progress{};
  std::vector<std::string> notes;
};

answer::Hooks hooks_of(Counter& counter, const std::atomic<bool>& stop, bool with_progress) {
  answer::Hooks hooks;
  hooks.interrupt = &stop;
  hooks.note = [&](const std::string& note) {
    const std::lock_guard lock(counter.mutex);
    counter.notes.push_back(note);
  };
  if (!with_progress) return hooks;
  hooks.progress = [&](const std::string& what, const Progress& p) {
    const std::lock_guard lock(counter.mutex);
    counter.what = what;
    counter.progress = p;
    counter.moved = true;
    counter.changed.notify_one();
  };
  return hooks;
}

}  // namespace

Attendance attend(const py::object& progress, const std::function<void(const answer::Hooks&)>& ask) {
  Attendance result;
  std::atomic<bool> stop = false;
  std::exception_ptr error;
  Counter counter;
  const answer::Hooks hooks = hooks_of(counter, stop, !progress.is_none());
  std::thread worker([&] {
    try {
      ask(hooks);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(counter.mutex);
    counter.done = true;
    counter.changed.notify_one();
  });
  const auto keep = [&](py::error_already_set& raised) {
    if (!stop.exchange(true)) result.stop = raised.value();
  };
  for (bool done = false; !done;) {
    std::optional<std::pair<std::string, Progress>> news;
    {
      const py::gil_scoped_release release;
      std::unique_lock lock(counter.mutex);
      counter.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return counter.done || counter.moved; });
      done = counter.done;
      if (counter.moved) news.emplace(counter.what, counter.progress);
      counter.moved = false;
    }
    if (PyErr_CheckSignals() != 0) {
      py::error_already_set raised;
      keep(raised);
    }
    if (!news || stop) continue;
    try {
      progress(news->first, news->second.step, news->second.steps, news->second.seconds);
    } catch (py::error_already_set& raised) {
      keep(raised);
    }
  }
  worker.join();
  result.notes = std::move(counter.notes);
  if (error && !stop) std::rethrow_exception(error);
  return result;
}

}  // namespace rattleback::python
