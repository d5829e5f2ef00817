// Loading MPI: nobody waits for it, nor needs it, who runs on one machine.

#include "rattleback/ensemble/ranks.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "../base/plugin.hpp"
#include "base/parts.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

class Alone final : public Ranks {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  void send(int, const RankMessage&) override {}
  bool receive(RankMessage&, int&) override { return false; }
  void meet() override {}
  void finish() override {}
  [[noreturn]] void abort(int status) override { std::exit(status); }
};

/// Open MPI, MPICH and its relatives, and launchers with PMIx tell the processes they start.
bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

Ranks* load() {
  if (!built_with_mpi) {
    throw SystemFailure(
        "started by mpirun, but this build has no MPI (RATTLEBACK_MPI=OFF): each process would do all the work");
  }
  try {
    // MPI loads its own components, which look for its symbols among the global ones.
    return static_cast<Ranks*>(load_plugin({"librattleback-mpi.so", ranks_entry_name, true}, [](void* entry) -> void* {
      return std::bit_cast<RanksEntry>(entry)(ranks_layout());
    }));
  } catch (const PluginMissing& missing) {
    throw SystemFailure(
        fmt::format("started by mpirun, but the library for MPI cannot be loaded; tried{}", missing.what()));
  }
}

}  // namespace

Ranks& ranks() {
  static Ranks* const instance = started_by_mpi() ? load() : new Alone;
  return *instance;
}

int started_as_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return 0;
}

std::int64_t told_by_first_rank(std::int64_t number) {
  RankMessage message{0, number, 0, 0.0};
  if (ranks().rank() == 0) {
    for (int r = 1; r < ranks().count(); ++r) ranks().send(r, message);
  } else {
    int from = 0;
    while (!ranks().receive(message, from)) {
      keep_working();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return message.first;
}

}  // namespace rattleback
