#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rattleback/base/work.hpp"
#include "rattleback/flow/run.hpp"

namespace rattleback::answer {

/// What happens while somebody waits for an answer. All of it may be absent.
struct Hooks {
  /// Set from outside, it ends the work; the answer then has what was done.
  const std::atomic<bool>* interrupt = nullptr;
  /// A few times each second, with what is being run: a model, a method.
  std::function<void(const std::string& what, const Progress&)> progress = {};
  /// A note as soon as it is known. All of them are in the answer too.
  std::function<void(const std::string&)> note = {};
  /// What is being waited for, if nothing has moved for a while.
  std::function<void(const std::string&)> waiting = {};

  void tell(const std::vector<std::string>& notes) const {
    for (const std::string& n : notes) {
      if (note) note(n);
    }
  }
  /// Until something moves.
  std::unique_ptr<Patience> patience() const {
    if (!waiting) return nullptr;
    return std::make_unique<Patience>([tell = waiting] {
      tell("the equations are being derived and compiled; for large systems that takes a while");
    });
  }
  bool interrupted() const { return interrupt != nullptr && interrupt->load(); }
};

}  // namespace rattleback::answer
