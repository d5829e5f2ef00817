// Ranks as processes of an MPI job. The only file that includes MPI.

#include "rattleback/ensemble/ranks.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace rattleback {
namespace {

/// MPI waits by spinning, which takes the time of a core from the threads that compute.
void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  void send(int to, const RankMessage& message) override {
    // Small messages are buffered: this does not wait for the receiver.
    MPI_Send(&message, sizeof message, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  }

  bool receive(RankMessage& message, int& from) override {
    int found = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
    if (found == 0) return false;
    from = status.MPI_SOURCE;
    MPI_Recv(&message, sizeof message, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  void meet() override {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0) nap();
    }
  }

  void finish() override { MPI_Finalize(); }
  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::exit(status);
  }

 private:
  int rank_ = 0;
  int count_ = 1;
};

}  // namespace
}  // namespace rattleback

extern "C" __attribute__((visibility("default"))) rattleback::Ranks* rattleback_ranks(std::uint64_t layout) {
  if (layout != rattleback::ranks_layout()) return nullptr;
  return new rattleback::MpiRanks;
}
