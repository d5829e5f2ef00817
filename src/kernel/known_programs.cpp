// Step programs that were derived lately.

#include <bit>

#include "../base/memo.hpp"
#include "step_program.hpp"

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
    numbers.insert(numbers.end(),
                   {std::bit_cast<std::uint64_t>(s.end.tolerance), static_cast<std::uint64_t>(s.end.iterations),
                    s.state, static_cast<std::uint64_t>(constants)});
    for (const double x : s.typical) numbers.push_back(std::bit_cast<std::uint64_t>(x));
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

// A trajectory needs the programs of its maps several times: where it starts, in its steps, in its leaps. Large ones
// are not kept.
StepProgram make_step_program(const ImplicitSystem& system, Constants constants) {
  constexpr std::size_t few_expressions = 1000;
  constexpr std::size_t few_instructions = 10'000;
  static auto& memo = *new Memo<ProgramKey, StepProgram, ProgramKey::Hash>(64);
  if (system.data.size() + system.residuals.size() + system.outputs.size() > few_expressions) {
    return derive_step_program(system, constants);
  }
  ProgramKey key(system, constants);
  if (const auto known = memo.find(key)) return *known;
  const auto made = std::make_shared<const StepProgram>(derive_step_program(system, constants));
  if (made->code.size() <= few_instructions) memo.keep(std::move(key), made);
  return *made;
}

}  // namespace rattleback
