#include "attend.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "unlocked.hpp"

namespace rattleback::python {
namespace {

/// Where the thread that works and the one that waits meet.
struct Counter {
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool moved = false;  ///< there is news
  std::string what;
  Progress progress{};
  std::vector<std::string> notes;
  std::vector<std::string> waiting;
  std::exception_ptr error;
};

answer::Hooks hooks_of(Counter& counter, bool with_progress) {
  answer::Hooks hooks;
  hooks.interrupt = &counter.stop;
  hooks.note = [&](const std::string& note) {
    const std::lock_guard lock(counter.mutex);
    counter.notes.push_back(note);
  };
  hooks.waiting = [&](const std::string& what) {
    const std::lock_guard lock(counter.mutex);
    counter.waiting.push_back(what);
    counter.changed.notify_one();
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

/// For those who log; without the module, nobody does.
void log(const std::string& message) {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (modules.contains("logging")) modules["logging"].attr("getLogger")("rattleback").attr("info")(message);
}

/// The thread that works; nobody leaves without it.
class Worker {
 public:
  Worker(Counter& counter, const std::function<void(const answer::Hooks&)>& ask, bool with_progress)
      : counter_(counter), thread_([&counter, &ask, with_progress] {
          try {
            ask(hooks_of(counter, with_progress));
          } catch (...) {
            counter.error = std::current_exception();
          }
          const std::lock_guard lock(counter.mutex);
          counter.done = true;
          counter.changed.notify_one();
        }) {}
  ~Worker() {
    if (!thread_.joinable()) return;
    counter_.stop = true;
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  void join() { thread_.join(); }

 private:
  Counter& counter_;
  std::thread thread_;
};

}  // namespace

void Attendance::raise() const {
  if (stop.is_none()) return;
  PyErr_SetObject(py::type::of(stop).ptr(), stop.ptr());
  throw py::error_already_set();
}

Attendance attend(const py::object& progress, const std::function<void(const answer::Hooks&)>& ask) {
  const Away away;
  Attendance result;
  Counter counter;
  Worker worker(counter, ask, !progress.is_none());
  const auto keep = [&](py::error_already_set& raised) {
    if (!counter.stop.exchange(true)) result.stop = raised.value();
  };
  for (bool done = false; !done;) {
    std::optional<std::pair<std::string, Progress>> news;
    std::vector<std::string> waiting;
    {
      const py::gil_scoped_release release;
      std::unique_lock lock(counter.mutex);
      counter.changed.wait_for(lock, std::chrono::milliseconds(50),
                               [&] { return counter.done || counter.moved || !counter.waiting.empty(); });
      done = counter.done;
      if (counter.moved) news.emplace(counter.what, counter.progress);
      counter.moved = false;
      waiting.swap(counter.waiting);
    }
    if (must_stop()) {
      py::error_already_set raised;
      keep(raised);
    }
    if (counter.stop) continue;
    try {
      for (const std::string& message : waiting) log(message);
      if (news) progress(news->first, news->second.step, news->second.steps, news->second.seconds);
    } catch (py::error_already_set& raised) {
      keep(raised);
    }
  }
  worker.join();
  result.notes = std::move(counter.notes);
  if (counter.error && !counter.stop) std::rethrow_exception(counter.error);
  return result;
}

}  // namespace rattleback::python
