#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "mistakes.hpp"

namespace rattleback::test {

/// What the claims of an experiment notice. Tables are made when they are needed; those without a mistake are kept.
class Examination {
 public:
  explicit Examination(Experiment experiment) : experiment_(std::move(experiment)) {}

  /// For each of some claims, counted from 0.
  std::vector<Finding> without_mistake(std::span<const std::size_t> claims);

  /// Whether each of some claims finds a mistake: its criterion is judged and comes out wrong, or a run reaches the end
  /// that it should not reach. A run that ends early, and a number that does not exist, find nothing. Tables that
  /// cannot be made with the mistake are made without.
  std::vector<bool> found(const Mistake& mistake, std::span<const std::size_t> claims);

 private:
  /// A table without mistakes.
  const Data& made(const std::string& name);

  Experiment experiment_;
  std::map<std::string, Data> right_;
};

}  // namespace rattleback::test
