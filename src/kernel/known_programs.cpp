// Step programs that were derived lately.

#include <bit>
#include <mutex>

#include "../base/memo.hpp"
#include "derivation.hpp"

namespace rattleback {
namespace {

/// All that a program depends on. Expressions are known by what they are, numbers by their bits.
struct ProgramKey {
  std::vector<Expression> expressions;  ///< of all kinds, one after the other
  std::vector<std::uint64_t> numbers;   ///< how many of each, and the rest

  ProgramKey(const ImplicitSystem& s, Constants constants) {
    for (const auto* list : {&s.data, &s.unknowns, &s.residuals, &s.guess, &s.outputs}) {
      expressions.insert(expressions.end(), list->begin(), list->end());
      numbers.push_back(list->size());
    }
    for (const KnownSlopes& known : s.known_slopes) {
      for (const auto* list : {&known.parts, &known.outer.entries, &known.inner.entries, &known.variables}) {
        expressions.insert(expressions.end(), list->begin(), list->end());
        numbers.push_back(list->size());
      }
    }
    numbers.insert(numbers.end(),
                   {std::bit_cast<std::uint64_t>(s.end.tolerance), static_cast<std::uint64_t>(s.end.iterations),
                    s.state, static_cast<std::uint64_t>(constants)});
    numbers.push_back(s.typical.size());
  }
  void add(const std::vector<double>& typical) {
    for (const double x : typical) numbers.push_back(std::bit_cast<std::uint64_t>(x));
  }
  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;

  struct Hash {
    std::size_t operator()(const ProgramKey& key) const {
      HashMix h;
      for (const Expression& e : key.expressions) h.add(std::bit_cast<std::size_t>(e.node()));
      for (const std::uint64_t x : key.numbers) h.add(x);
      return h.value();
    }
  };
};

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
  static auto& programs = *new Memo<ProgramKey, StepProgram, ProgramKey::Hash>(64);
  static auto& derivations = *new Memo<ProgramKey, std::shared_ptr<Shared>, ProgramKey::Hash>(64);
  if (system.data.size() + system.residuals.size() + system.outputs.size() > few_expressions) {
    return derive_step(system, constants).program;
  }
  ProgramKey key(system, constants);
  ProgramKey of_any_data = key;
  key.add(system.typical);
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
