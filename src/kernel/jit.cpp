// Loading the compiler, and the cache of what it made.

#include "jit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "../base/plugin.hpp"
#include "as_compiled.hpp"
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
  Compiled<F> get(const P& program, int lanes, bool may_compile) {
    const std::lock_guard lock(mutex_);
    if (!may_compile && entries_.empty()) return {};
    const std::size_t key = hash_of(program.code, program.constants) + static_cast<std::size_t>(lanes);
    const auto [begin, end] = entries_.equal_range(key);
    for (auto e = begin; e != end; ++e) {
      const Entry& found = e->second;
      auto code = found.code.lock();
      if (!code || found.lanes != lanes || found.program != program) continue;
      return {found.function, found.workspace, std::move(code)};
    }
    if (!may_compile) return {};
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

namespace {

template <class F, class P>
Compiled<F> cached(const P& program, int lanes, bool may_compile) {
  static auto& cache = *new Cache<P, F>;
  return cache.get(program, lanes, may_compile);
}

}  // namespace

Compiled<ProgramFunction> compile_cached(const Program& program, int lanes) {
  return cached<ProgramFunction>(program, lanes, true);
}
Compiled<StepFunction> compile_cached(const StepProgram& program, int lanes) {
  return cached<StepFunction>(program, lanes, true);
}
Compiled<SeriesFunction> compile_cached(const SeriesProgram& program, int lanes) {
  return cached<SeriesFunction>(program, lanes, true);
}
Compiled<ProgramFunction> find_compiled(const Program& program, int lanes) {
  return cached<ProgramFunction>(program, lanes, false);
}
Compiled<StepFunction> find_compiled(const StepProgram& program, int lanes) {
  return cached<StepFunction>(program, lanes, false);
}
Compiled<SeriesFunction> find_compiled(const SeriesProgram& program, int lanes) {
  return cached<SeriesFunction>(program, lanes, false);
}

void check_lanes(int lanes) {
  if (std::find(std::begin(lane_counts), std::end(lane_counts), lanes) == std::end(lane_counts)) {
    throw std::invalid_argument(fmt::format("{} lanes: 1, 4, 8 or 16 are possible", lanes));
  }
}

namespace {

std::atomic<int>& those_in_a_hurry() {
  static std::atomic<int> count = std::getenv("RATTLEBACK_JIT_EAGER") != nullptr ? 1 : 0;
  return count;
}

}  // namespace

CompileAtOnce::CompileAtOnce() { ++those_in_a_hurry(); }
CompileAtOnce::~CompileAtOnce() { --those_in_a_hurry(); }

// Compiling an instruction takes as long as interpreting it ten thousand times or more, and loading LLVM as long as
// some ten million (docs/kernels.md). A third of that may be lost where it turns out that there was more to do.
Warmup::Warmup(const std::vector<Instruction>& code, std::size_t sines, Backend backend)
    : instructions_(static_cast<double>(code.size())), backend_(backend), left_(3e6 + 3000.0 * instructions_) {
  const auto has_to_be_compiled = [&] {
    return those_in_a_hurry() > 0 || !can_be_interpreted_as_compiled(code, sines);
  };
  if (backend == Backend::compiled || (backend == Backend::automatic && has_to_be_compiled())) left_ = -1.0;
  if (backend == Backend::interpreted) left_ = HUGE_VAL;
}

bool Warmup::is_over(std::int64_t executions) {
  return (left_ -= static_cast<double>(executions) * instructions_) < 0.0 && can_end();
}

bool Warmup::can_end() {
  if (backend_ != Backend::automatic) return backend_ == Backend::compiled;
  if (!there_is_no_compiler_ && !compiler_available()) there_is_no_compiler_ = true;
  return !there_is_no_compiler_;
}

}  // namespace rattleback
