#pragma once

#include <cstdint>

namespace rattleback {

/// What ranks tell each other.
struct RankMessage {
  std::int64_t kind = 0;
  std::int64_t first = 0;
  std::int64_t second = 0;
  double number = 0.0;
  double other = 0.0;
};

/// The processes that work on one ensemble. Called by one thread only.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual void send(int to, const RankMessage& message) = 0;
  /// A message that has arrived, if there is one. Does not wait.
  virtual bool receive(RankMessage& message, int& from) = 0;
  /// Returns when all ranks have called it; sleeps meanwhile.
  virtual void meet() = 0;
  /// The end of the communication, for all ranks.
  virtual void finish() = 0;
  /// Ends all ranks at once.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// The ranks of an MPI job, if the program was started by mpirun or its like; otherwise there is this process only.
/// Loads MPI on the first call. Throws std::runtime_error if it is needed and not there.
Ranks& ranks();

/// The rank that mpirun has given to this process, before MPI is loaded; 0 if it was not started by it.
int started_as_rank();

/// A number that the first rank knows, on all ranks.
std::int64_t told_by_first_rank(std::int64_t number);

/// Entry point of the library with MPI. The object is never destroyed.
using RanksEntry = Ranks* (*)(std::uint64_t layout);
inline constexpr const char* ranks_entry_name = "rattleback_ranks";
constexpr std::uint64_t ranks_layout() { return 1000 * sizeof(RankMessage) + 2; }

}  // namespace rattleback
