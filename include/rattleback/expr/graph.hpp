#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// The nodes under a list of roots, each once, operands before the expressions that use them.
/// Every algorithm on expressions is a loop over this list: linear in the graph, no recursion.
class Graph {
 public:
  explicit Graph(std::span<const Expression> roots);

  std::size_t size() const { return nodes_.size(); }
  const Expression& operator[](std::size_t i) const { return nodes_[i]; }
  /// Position of an expression of the graph.
  std::size_t index(const Expression& e) const { return index_.at(e.node()); }
  bool contains(const Expression& e) const { return index_.contains(e.node()); }

 private:
  std::vector<Expression> nodes_;
  std::unordered_map<const Node*, std::size_t> index_;
};

/// The same operation on other operands.
Expression rebuild(const Expression& operation, std::span<const Expression> operands);

using Substitution = std::unordered_map<Expression, Expression>;

/// Replaces symbols, and values of functions like sin(x), all at once: {x → y, y → x} swaps them.
std::vector<Expression> substitute(std::span<const Expression> expressions, const Substitution& replacements);
Expression substitute(const Expression& expression, const Substitution& replacements);

/// The symbols that occur, in the order of compare().
std::vector<Expression> free_symbols(std::span<const Expression> expressions);
std::vector<Expression> free_symbols(const Expression& expression);

/// Additions, multiplications, divisions and function calls that one evaluation needs when every
/// shared subexpression is computed once.
std::size_t operation_count(std::span<const Expression> expressions);
std::size_t operation_count(const Expression& expression);

/// The value at a point, in double precision.
double evaluate(const Expression& expression, const std::unordered_map<Expression, double>& values);

/// How large the terms are that an expression is a sum of: |a| + |b| for a + b, the product of the factors' sizes for a
/// product, |x| for anything else. Errors of a + b are to be compared with it, not with what the terms leave of each
/// other.
double size_of_terms(const Expression& expression, const std::unordered_map<Expression, double>& values);

}  // namespace rattleback
