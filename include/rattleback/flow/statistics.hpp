#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/mech/problem.hpp"
#include "rattleback/method/event_record.hpp"

namespace rattleback {

/// A node of a run.
struct NodePlace {
  std::int64_t step = 0;
  double time = 0.0;
};

/// The largest absolute value that something had at the nodes of a run, up to the first node at which it has none:
/// where it is infinite or not a number.
struct Largest {
  struct End {
    NodePlace at;
    std::string why;  ///< if that is known
  };
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN if there was none
  std::optional<End> end;                                   ///< the first node without a value

  void see(double x, const NodePlace& at, const std::string& why = {});
  /// At all nodes; NaN if it did not exist at all of them.
  double everywhere() const { return end ? std::numeric_limits<double>::quiet_NaN() : value; }
  /// In units of a scale. Where that is zero, what is there instead is nothing but error: 1.
  Largest relative_to(double scale) const;
};

/// What a run has measured so far, at all nodes.
struct RunStatistics {
  double initial_energy = 0.0;
  double final_energy = 0.0;
  double work = 0.0;            ///< W, done on the system since the start; 0 where the energy is conserved
  double impact_energy = 0.0;   ///< what impacts have added to the energy: negative where they cost some
  Largest energy_error;         ///< |E − W − E₀|, impacts left out
  double energy_scale = 0.0;    ///< T + |V|, at the start or at the end, whichever is larger
  Largest constraint{0.0, {}};  ///< largest row in absolute value; 0 where there is none
  std::vector<double> initial_conserved;
  std::vector<double> impact_conserved;  ///< what impacts have added to each; empty if there were none
  std::vector<Largest> conserved_error;  ///< |C − C₀|, each, impacts left out
  std::vector<double> conserved_scale;   ///< the size of the terms of C, at the start or at the end
  /// Smallest and largest energy at the midpoints of intervals; empty for methods without them.
  std::vector<double> midpoint_energy;
  std::vector<Largest> observed;           ///< each number of the observers, one after the other
  std::vector<EventRecord> events;         ///< the first of them
  std::vector<std::int64_t> event_counts;  ///< of each, of all; empty for systems without events
  double seconds = 0.0;

  static constexpr std::size_t most_events = 10000;  ///< that are listed

  /// Relative to the scales.
  Largest relative_energy_error() const { return energy_error.relative_to(energy_scale); }
  Largest relative_conserved_error(std::size_t k) const { return conserved_error[k].relative_to(conserved_scale[k]); }
  double max_energy_error() const { return relative_energy_error().everywhere(); }

  /// With the values at the start.
  void begin(double energy, std::span<const double> conserved);
  /// Energy, constraints and conserved quantities at a node, or the least and the largest at several: errors grow with
  /// the distance on either side.
  void see(std::span<const double> values, const NodePlace& at);
  /// The scales grow to those of a state.
  void measure_scales(const Problem& problem, const State& node);
};

}  // namespace rattleback
