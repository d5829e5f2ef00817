// Loading the compiler, and the cache of what it made.

#include "jit.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "config.hpp"
#include "rattleback/kernel/installation.hpp"

namespace rattleback {
namespace {

/// There is nothing that could be loaded; anything else that goes wrong with the compiler is an error.
class CompilerMissing : public CompilerError {
 public:
  using CompilerError::CompilerError;
};

Jit* load() {
  if (!built_with_llvm) throw CompilerMissing("this build has no compiler (RATTLEBACK_LLVM=OFF)");
  std::string tried;
  for (const auto& path : places_to_look(jit_library_name, jit_install_directory, jit_absolute_directory)) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      tried += fmt::format("\n  {}: no such file", path.string());
      continue;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* entry = library == nullptr ? nullptr : dlsym(library, jit_entry_name);
    if (entry == nullptr) {
      tried += fmt::format("\n  {}: {}", path.string(), dlerror());
    } else if (Jit* jit = std::bit_cast<JitEntry>(entry)(jit_layout())) {
      return jit;
    } else {
      tried += fmt::format("\n  {}: belongs to another version of Rattleback", path.string());
    }
  }
  throw CompilerMissing("the compiler library cannot be loaded; tried" + tried);
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
