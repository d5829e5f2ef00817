#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "step_program.hpp"
#include "value_places.hpp"

namespace rattleback {

inline constexpr std::size_t no_entry = ~std::size_t{0};

/// What one line of a loop reads in iteration i.
struct LoopOperand {
  enum class From : std::uint8_t {
    constant,  ///< constant `at` of the program
    memory,    ///< entry at + stride · i of the workspace
    table,     ///< entry tables[at + i] of the workspace
    here,      ///< what line `at` has computed in this iteration
    previous,  ///< what this line computed in the last iteration; in the first one, what is at `start`
  };
  From from = From::memory;
  std::size_t at = 0;
  std::int64_t stride = 0;
  Taken taken = Taken::itself;
  ValuePlace start;
};

/// One instruction of a loop: it stands for as many instructions of the program as the loop has iterations.
struct LoopLine {
  Opcode op;
  std::array<LoopOperand, 3> operands;
  std::size_t operand_count = 0;
  /// The result of iteration i goes to entry result + i, unless nobody else reads it. A line that reads its previous
  /// result keeps the last one only.
  std::size_t result = no_entry;
  std::size_t cosine = no_entry;  ///< the same for the cosine of Opcode::sincos
};

/// Instructions that run one after the other, or a loop.
struct CodePart {
  std::vector<Value> straight;
  std::size_t count = 0;  ///< iterations of the loop
  bool in_order = false;  ///< the iterations depend on each other
  std::vector<LoopLine> lines;
};

/// A program whose instructions were sorted into loops. Each of them is the same operation on the same numbers as
/// before; only the order of operations that do not depend on each other has changed.
struct Packing {
  std::vector<std::vector<CodePart>> ranges;
  std::vector<std::size_t> entry_of;         ///< of values that are read from memory, else no_entry
  std::vector<std::size_t> cosine_entry_of;  ///< of sincos instructions whose cosine is
  std::vector<std::uint32_t> tables;
  std::size_t entries = 0;  ///< of the workspace
};

/// What is packed. Inputs and variables stand in the workspace already.
struct PackingTask {
  std::span<const Instruction> code;
  std::span<const CodeRange> ranges;
  std::span<const Value> roots;     ///< values that are read from outside; they get entries, copies of inputs too
  std::span<const Value> in_place;  ///< inputs and variables among them that can be read where they are: no copies
  std::uint32_t state = 0;          ///< the first inputs are many of a kind, the others are not
  std::size_t inputs = 0;           ///< entry of the first one
  std::size_t variables = 0;        ///< entry of the first one
  std::size_t first_free = 0;       ///< entry
  std::size_t shortest_loop = 8;    ///< iterations
  std::size_t longest_part = 256;   ///< instructions
  /// Signs and absolute values of what is in memory are taken by whoever reads them, instead of being kept.
  bool takes_signs = true;
};

Packing pack(const PackingTask& task);

}  // namespace rattleback
