// Loading the compiler, and the cache of what it made.

#include "jit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "../base/plugin.hpp"
#include "base/parts.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

/// There is nothing that could be loaded; anything else that goes wrong with the compiler is an error.
class CompilerMissing : public CompilerError {
 public:
  using CompilerError::CompilerError;
};

Jit* load() {
  if (!built_with_llvm) throw CompilerMissing("this build has no compiler (RATTLEBACK_LLVM=OFF)");
  try {
    return static_cast<Jit*>(load_plugin({"librattleback-jit.so", jit_entry_name}, [](void* entry) -> void* {
      return std::bit_cast<JitEntry>(entry)(jit_layout(), &keep_working);
    }));
  } catch (const PluginMissing& missing) {
    throw CompilerMissing(fmt::format("the compiler library cannot be loaded; tried{}", missing.what()));
  }
}

std::size_t hash_of(const std::vector<Instruction>& code, const std::vector<double>& constants) {
  std::uint64_t h = code.size();
  const auto mix = [&](std::uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15U, h ^= h >> 32; };
  for (const Instruction& i : code) {
    mix(static_cast<std::uint64_t>(i.op) << 32 | i.a);
    mix(static_cast<std::uint64_t>(i.b) << 32 | i.c);
  }
  for (const double c : constants) mix(std::bit_cast<std::uint64_t>(c));
  return h;
}

/// Code that is in use or was made lately, found by its program: one problem is often run many times, with other steps
/// or other starts. Entries nobody uses any more are dropped on the way.
template <class P, class F>
class Cache {
 public:
  Compiled<F> get(const P& program, int lanes) {
    const std::size_t key = hash_of(program.code, program.constants) + static_cast<std::size_t>(lanes);
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = entries_.equal_range(key);
    for (auto e = begin; e != end; ++e) {
      const Entry& found = e->second;
      auto code = found.code.lock();
      if (!code || found.lanes != lanes || found.program != program) continue;
      return {found.function, found.workspace, std::move(code)};
    }
    std::erase_if(entries_, [](const auto& e) { return e.second.code.expired(); });
    Compiled<F> compiled = jit().compile(program, lanes);
    entries_.emplace(key, Entry{program, lanes, compiled.function, compiled.workspace, compiled.code});
    recent_[next_++ % recent_.size()] = compiled.code;
    return compiled;
  }

 private:
  struct Entry {
    P program;
    int lanes;
    F function;
    std::size_t workspace;
    std::weak_ptr<const void> code;
  };
  std::mutex mutex_;
  std::unordered_multimap<std::size_t, Entry> entries_;
  std::array<std::shared_ptr<const void>, 16> recent_;
  std::size_t next_ = 0;
};

}  // namespace

Jit& jit() {
  static Jit* const instance = load();
  return *instance;
}

bool compiler_available() {
  try {
    jit();
    return true;
  } catch (const CompilerMissing&) {
    return false;
  }
}

std::string compiler_target() { return jit().target(); }

Compiled<ProgramFunction> compile_cached(const Program& program, int lanes) {
  static auto& cache = *new Cache<Program, ProgramFunction>;
  return cache.get(program, lanes);
}

Compiled<StepFunction> compile_cached(const StepProgram& program, int lanes) {
  static auto& cache = *new Cache<StepProgram, StepFunction>;
  return cache.get(program, lanes);
}

void check_lanes(int lanes) {
  if (std::find(std::begin(lane_counts), std::end(lane_counts), lanes) == std::end(lane_counts)) {
    throw std::invalid_argument(fmt::format("{} lanes: 1, 4, 8 or 16 are possible", lanes));
  }
}

bool use_compiler(Backend backend) {
  if (backend == Backend::automatic) return compiler_available();
  return backend == Backend::compiled;
}

}  // namespace rattleback
