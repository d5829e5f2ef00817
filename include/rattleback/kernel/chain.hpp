#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback {

/// A number in a chain: one of its data, or an output of one of its links, times a factor.
struct ChainValue {
  static constexpr std::uint32_t data = ~std::uint32_t{0};
  std::uint32_t link = data;
  std::uint32_t index = 0;
  double factor = 1.0;
};

/// Maps one after the other as one step: each takes data of the chain and outputs of maps before it. Every map keeps
/// the code it has by itself, so that a chain gives the bits of its maps.
struct Chain {
  struct Link {
    ImplicitSystem map;  ///< or
    Program program;     ///< functions, if the map has no outputs
    std::vector<ChainValue>
        takes;               ///< one for each of its data. Those that it keeps constant must be constant here too
    bool is_counted = true;  ///< its iterations are those of one solution
  };
  /// The least and the largest value so far, which are entries of the state.
  struct Extremes {
    std::vector<ChainValue> of;  ///< of all these together
    std::uint32_t least;
    std::uint32_t largest;
  };

  std::size_t data = 0;
  std::size_t state = 0;  ///< the first outputs are the new values of the first data
  std::vector<Link> links;
  std::vector<ChainValue> outputs;  ///< where the state has extremes, what stands there does not matter
  std::vector<Extremes> extremes;

  /// Adds a link; its number.
  std::uint32_t add(ImplicitSystem map, std::vector<ChainValue> takes, bool is_counted = true);
  std::uint32_t add(Program program, std::vector<ChainValue> takes);
};

class StepRunner;

/// A chain as native code for `lanes` trajectories at once. Arrays are those of Step.
///
/// There is no rescue: a step that needs one is not taken.
class ChainStep {
 public:
  /// Nothing if the maps could not keep their bits: those with many sines compute them in another way.
  static std::optional<ChainStep> make(const Chain& chain, int lanes = 1, Backend backend = Backend::automatic);
  ChainStep(ChainStep&&) noexcept;
  ChainStep& operator=(ChainStep&&) noexcept;
  ~ChainStep();

  /// Takes up to `steps` steps, fewer if one fails in some lane: then no lane has taken it, data are those before it
  /// and outputs undefined.
  std::int64_t run(std::span<double> data, std::span<double> outputs, std::int64_t steps = 1);

  /// Of the last call.
  bool has_failed(int lane) const;
  std::int64_t iterations(int lane) const;  ///< in all steps
  int max_iterations(int lane) const;       ///< of one solution

  int lanes() const;
  std::size_t data_size() const;     ///< of one lane
  std::size_t outputs_size() const;  ///< of one lane

 private:
  explicit ChainStep(std::unique_ptr<StepRunner> runner);
  std::unique_ptr<StepRunner> runner_;
};

}  // namespace rattleback
