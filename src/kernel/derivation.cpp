#include "derivation.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {

Builder::Sample sample_of_data(std::span<const double> typical, std::size_t i) {
  Builder::Sample sample;
  for (std::size_t s = 0; s < Builder::samples; ++s) {
    const double golden = std::fmod(0.6180339887498949 * static_cast<double>(1 + i + 7 * s), 1.0);
    sample[s] = typical.empty()
                    ? 0.5 + golden
                    : typical[i] + 0.1 * static_cast<double>(s) * (golden - 0.5) * std::max(1e-3, std::abs(typical[i]));
  }
  return sample;
}

Builder::Sample sample_of_variable(Builder::Sample guess, int unknown) {
  for (std::size_t s = 0; s < guess.size(); ++s) {  // away from where the guess makes terms vanish
    guess[s] += 1e-2 * std::cos(static_cast<double>(1 + unknown) + 2.0 * static_cast<double>(s));
  }
  return guess;
}

// Eliminations are carried out once more with the new samples. If each emits what it emitted, all others did too.
bool Derivation::is_that_of(const ImplicitSystem& system) {
  if (!std::ranges::all_of(system.typical, [](double x) { return std::isfinite(x); })) return false;
  builder.resample([&](const Instruction& i) {
    if (i.op == Opcode::input) return sample_of_data(system.typical, i.a);
    return sample_of_variable(builder.sample(variables[i.a].guess), variables[i.a].unknown);
  });
  return std::ranges::all_of(solutions, [&](const Solution& s) {
    try {
      builder.replay(s.begin);
      return eliminate(builder, s.linear, s.forms) == s.result;
    } catch (const Builder::Different&) {
      return false;
    } catch (const LinearlyDependent&) {
      return false;
    }
  });
}

}  // namespace rattleback
