#pragma once

#include <atomic>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// What a handle points at. Everything but the bookkeeping is immutable.
struct Node {
  Kind kind = Kind::constant;
  Function function = Function::sin;  ///< for Kind::function
  double value = 0.0;
  std::string name;  ///< for Kind::symbol
  std::vector<Term> operands;
  std::uint64_t hash = 0;

  Node* next_in_bucket = nullptr;
  std::atomic<std::uint32_t> references{1};
};

/// The node with this content: the one that exists already, or a new one. The builders in
/// simplify.cpp are the only callers, so only canonical content gets in.
Expression intern(Kind kind, Function function, double value, std::string_view name, std::vector<Term> operands);

inline Expression intern_constant(double value) { return intern(Kind::constant, {}, value, {}, {}); }

}  // namespace rattleback
