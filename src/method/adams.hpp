#pragma once

#include <cstdint>
#include <memory>

namespace rattleback {

/// A system y' = f(t, y) to be integrated.
struct AdamsProblem {
  std::size_t size = 0;
  /// False where f is not defined: the integrator then tries a smaller step.
  bool (*rates)(double t, const double* y, double* slopes, void* self) = nullptr;
  /// One over the error that each number of y may have in a step that begins there.
  void (*weights)(const double* y, double* weights, void* self) = nullptr;
  void* self = nullptr;
  double longest_step = 0.0;  ///< if it is not 0
};

/// Adams methods of variable order and step with the interpolation that belongs to them, by CVODE. They live in a
/// library of their own: only those who ask for a reference solution load SUNDIALS.
class AdamsIntegrator {
 public:
  virtual ~AdamsIntegrator() = default;
  /// Forgets what came before.
  virtual void restart(double t, const double* y) = 0;
  /// One step of its own choice; `towards` says how large steps are at first. Null, or for people what went wrong.
  virtual const char* step(double towards) = 0;
  /// After the last step.
  virtual double time() const = 0;
  virtual double last_step() const = 0;
  virtual const double* state() const = 0;
  /// The solution inside the last step.
  virtual bool interpolate(double t, double* y) = 0;
};

/// Loads CVODE on the first call. Throws std::runtime_error if it is not there.
std::unique_ptr<AdamsIntegrator> make_adams(const AdamsProblem& problem);

/// Entry point of the library: null if the layouts differ.
using AdamsFactory = AdamsIntegrator* (*)(const AdamsProblem& problem);
using AdamsEntry = AdamsFactory (*)(std::uint64_t layout);
inline constexpr const char* adams_entry_name = "rattleback_adams";
constexpr std::uint64_t adams_layout() { return 1000 * sizeof(AdamsProblem) + 3; }

}  // namespace rattleback
