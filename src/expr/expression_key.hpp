#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "../base/memo.hpp"
#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// What a function depends on that is remembered: expressions are known by what they are, numbers by their bits.
class ExpressionKey {
 public:
  void add(std::span<const Expression> list) {
    expressions_.insert(expressions_.end(), list.begin(), list.end());
    numbers_.push_back(list.size());
  }
  void add(std::uint64_t number) { numbers_.push_back(number); }
  void add(double number) { numbers_.push_back(std::bit_cast<std::uint64_t>(number)); }

  friend bool operator==(const ExpressionKey&, const ExpressionKey&) = default;
  struct Hash {
    std::size_t operator()(const ExpressionKey& key) const {
      HashMix h;
      for (const Expression& e : key.expressions_) h.add(std::bit_cast<std::size_t>(e.node()));
      for (const std::uint64_t x : key.numbers_) h.add(x);
      return h.value();
    }
  };

 private:
  std::vector<Expression> expressions_;  ///< of all lists, one after the other
  std::vector<std::uint64_t> numbers_;
};

}  // namespace rattleback
