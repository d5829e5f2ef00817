#pragma once

// Our flow as a contestant.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/flow.hpp"
#include "src/bench/contestant.hpp"

namespace rattleback::bench {

/// The one that is compared with other adaptive integrators of high order.
inline constexpr const char* our_flow = "taylor";

/// Its text.
std::string our_flow_with(double tolerance);

/// Flows have no nodes: their energy is looked at twice in a unit of time. Between, they go by steps of their own.
inline constexpr double time_between_looks = 0.5;

class OurFlow final : public Contestant {
 public:
  explicit OurFlow(const Problem& problem);

  Attempt hold(double tolerance, const Goal& goal) override;
  std::int64_t run(double tolerance, double time) override;
  std::vector<double> end(double tolerance, double time) override;
  /// Of its own, where it counts them; in the last run.
  std::optional<std::int64_t> own_steps() const;

 private:
  /// With this tolerance, at the start; nothing if there is no such flow.
  Flow* begin(double tolerance);
  /// Nothing if it ends before. The second forgets what is behind it.
  static std::optional<State> at(Flow& flow, double time);
  static std::optional<State> go(Flow& flow, double time);

  Problem problem_;
  CompiledMap energy_;
  double tolerance_ = 0.0;
  std::unique_ptr<Flow> flow_;
  std::vector<double> start_;
  std::int64_t steps_before_ = 0;
};

}  // namespace rattleback::bench
