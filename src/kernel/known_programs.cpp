// Step programs that were derived lately.

#include <mutex>

#include "../expr/expression_key.hpp"
#include "derivation.hpp"

namespace rattleback {
namespace {

/// All that a program depends on but typical data.
ExpressionKey key_of(const ImplicitSystem& s, Constants constants) {
  ExpressionKey key;
  for (const auto* list : {&s.data, &s.unknowns, &s.residuals, &s.guess, &s.outputs}) key.add(*list);
  for (const KnownSlopes& known : s.known_slopes) {
    for (const auto* list : {&known.parts, &known.outer.entries, &known.inner.entries, &known.variables})
      key.add(*list);
  }
  key.add(s.end.tolerance);
  for (const std::size_t n :
       {static_cast<std::size_t>(s.end.iterations), s.state, static_cast<std::size_t>(constants), s.typical.size()}) {
    key.add(n);
  }
  return key;
}

}  // namespace

// A trajectory needs the programs of its maps several times: where it starts, in its steps, in its leaps. Those of
// another start or of other parameters differ in typical data only. Large ones are not kept.
StepProgram make_step_program(const ImplicitSystem& system, Constants constants) {
  constexpr std::size_t few_expressions = 1000;
  constexpr std::size_t few_instructions = 10'000;
  struct Shared {
    Derivation derivation;
    std::mutex mutex = {};
  };
  static auto& programs = *new Memo<ExpressionKey, StepProgram, ExpressionKey::Hash>(64);
  static auto& derivations = *new Memo<ExpressionKey, std::shared_ptr<Shared>, ExpressionKey::Hash>(64);
  if (system.data.size() + system.residuals.size() + system.outputs.size() > few_expressions) {
    return derive_step(system, constants).program;
  }
  ExpressionKey of_any_data = key_of(system, constants);
  ExpressionKey key = of_any_data;
  for (const double x : system.typical) key.add(x);
  if (const auto known = programs.find(key)) return *known;
  if (const auto similar = derivations.find(of_any_data)) {
    const std::lock_guard lock((*similar)->mutex);
    Derivation& derivation = (*similar)->derivation;
    if (derivation.is_that_of(system)) {
      programs.keep(std::move(key), std::make_shared<const StepProgram>(derivation.program));
      return derivation.program;
    }
  }
  auto made = std::make_shared<Shared>(derive_step(system, constants));
  StepProgram program = made->derivation.program;
  if (program.code.size() > few_instructions) return program;
  programs.keep(std::move(key), std::make_shared<const StepProgram>(program));
  derivations.keep(std::move(of_any_data), std::make_shared<const std::shared_ptr<Shared>>(std::move(made)));
  return program;
}

}  // namespace rattleback
