#include "kernel/block_structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace rattleback {
namespace block_structure_test {

std::vector<std::vector<int>> unknowns_of(const BlockStructure& s) {
  std::vector<std::vector<int>> all;
  for (auto b : s.blocks) {
    std::sort(b.unknowns.begin(), b.unknowns.end());
    all.push_back(b.unknowns);
  }
  return all;
}

TEST(BlockStructure, orders_a_triangular_system) {
  const auto s = block_triangular_form({{0, 1, 2}, {1}, {1, 2}}, 3);
  EXPECT_EQ(unknowns_of(s), (std::vector<std::vector<int>>{{1}, {2}, {0}}));
}

TEST(BlockStructure, keeps_cycles_together) {
  const auto s = block_triangular_form({{0, 1}, {1, 2}, {2, 0}, {3, 0}}, 4);
  ASSERT_EQ(s.blocks.size(), 2U);
  EXPECT_EQ(s.blocks[0].equations.size(), 3U);
  EXPECT_EQ(s.blocks[1].unknowns, std::vector<int>{3});
}

TEST(BlockStructure, finds_what_cannot_be_matched) {
  const auto s = block_triangular_form({{0}, {0}, {0, 1, 2}}, 3);
  EXPECT_TRUE(s.blocks.empty());
  EXPECT_EQ(s.unmatched_equations.size(), 1U);
  EXPECT_EQ(s.unmatched_unknowns.size(), 1U);
}

/// Size of a maximum matching by the subset formula of Hall and Ore: n − max over sets of equations of
/// (equations − unknowns they touch). Exponential, independent of augmenting paths.
int maximum_matching(const Incidence& incidence) {
  const int n = static_cast<int>(incidence.size());
  int deficiency = 0;
  for (unsigned set = 0; set < (1U << n); ++set) {
    std::set<int> touched;
    int members = 0;
    for (int e = 0; e < n; ++e) {
      if ((set >> e & 1U) == 0) continue;
      ++members;
      touched.insert(incidence[static_cast<std::size_t>(e)].begin(), incidence[static_cast<std::size_t>(e)].end());
    }
    deficiency = std::max(deficiency, members - static_cast<int>(touched.size()));
  }
  return n - deficiency;
}

TEST(BlockStructure, random_systems_are_matched_and_ordered) {
  std::mt19937 random(3);
  int solvable = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 2 + static_cast<int>(random() % 7);
    Incidence incidence(static_cast<std::size_t>(n));
    for (auto& row : incidence) {
      for (int u = 0; u < n; ++u) {
        if (random() % 3 == 0) row.push_back(u);
      }
    }
    const auto s = block_triangular_form(incidence, n);
    const int matched = maximum_matching(incidence);
    ASSERT_EQ(n - static_cast<int>(s.unmatched_equations.size()), matched);
    if (matched < n) continue;
    ++solvable;
    std::set<int> known;
    std::size_t equations = 0;
    for (const auto& block : s.blocks) {
      ASSERT_EQ(block.equations.size(), block.unknowns.size());
      equations += block.equations.size();
      known.insert(block.unknowns.begin(), block.unknowns.end());
      for (const int e : block.equations) {
        for (const int u : incidence[static_cast<std::size_t>(e)]) ASSERT_TRUE(known.contains(u)) << "block order";
      }
    }
    ASSERT_EQ(equations, static_cast<std::size_t>(n));
    ASSERT_EQ(known.size(), static_cast<std::size_t>(n));
  }
  EXPECT_GT(solvable, 20);
}

}  // namespace block_structure_test
}  // namespace rattleback
