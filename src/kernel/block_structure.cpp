#include "block_structure.hpp"

#include <algorithm>

namespace rattleback {
namespace {

constexpr int none = -1;

/// Augmenting paths, depth first with an explicit stack; equations that have a free unknown take it
/// at once.
class Matching {
 public:
  Matching(const Incidence& incidence, int unknowns)
      : incidence_(incidence), unknown_of(incidence.size(), none),
        equation_of(static_cast<std::size_t>(unknowns), none), visited_(incidence.size(), none) {
    for (int e = 0; e < static_cast<int>(incidence.size()); ++e) {
      for (const int u : incidence_[idx(e)]) {
        if (equation_of[idx(u)] == none) {
          match(e, u);
          break;
        }
      }
    }
    for (int e = 0; e < static_cast<int>(incidence.size()); ++e) {
      if (unknown_of[idx(e)] == none) augment(e);
    }
  }

 private:
  static std::size_t idx(int i) { return static_cast<std::size_t>(i); }

  void match(int e, int u) {
    unknown_of[idx(e)] = u;
    equation_of[idx(u)] = e;
  }

  void augment(int root) {
    struct Visit {
      int equation;
      std::size_t next;
    };
    std::vector<Visit> path{{root, 0}};
    visited_[idx(root)] = root;
    while (!path.empty()) {
      Visit& top = path.back();
      const auto& candidates = incidence_[idx(top.equation)];
      if (top.next == candidates.size()) {
        path.pop_back();
        continue;
      }
      const int u = candidates[top.next++];
      const int owner = equation_of[idx(u)];
      if (owner == none) {  // each equation on the path takes the unknown it was looking at
        for (const Visit& v : path) match(v.equation, incidence_[idx(v.equation)][v.next - 1]);
        return;
      }
      if (visited_[idx(owner)] != root) {
        visited_[idx(owner)] = root;
        path.push_back({owner, 0});
      }
    }
  }

  const Incidence& incidence_;

 public:
  std::vector<int> unknown_of;   ///< by equation
  std::vector<int> equation_of;  ///< by unknown

 private:
  std::vector<int> visited_;
};

/// Tarjan's algorithm on equations; e points to the equations that own the unknowns in e. Components
/// come out after all components they point to, which is the order of solving.
std::vector<std::vector<int>> strong_components(const Incidence& incidence, const Matching& matching) {
  const auto idx = [](int i) { return static_cast<std::size_t>(i); };
  const int n = static_cast<int>(incidence.size());
  std::vector<int> order(idx(n), none);
  std::vector<int> low(idx(n), 0);
  std::vector<bool> on_stack(idx(n), false);
  std::vector<int> stack;
  std::vector<std::vector<int>> components;
  struct Visit {
    int equation;
    std::size_t next;
  };
  int counter = 0;
  for (int root = 0; root < n; ++root) {
    if (order[idx(root)] != none) continue;
    std::vector<Visit> path{{root, 0}};
    while (!path.empty()) {
      const int e = path.back().equation;
      if (path.back().next == 0 && order[idx(e)] == none) {
        order[idx(e)] = low[idx(e)] = counter++;
        stack.push_back(e);
        on_stack[idx(e)] = true;
      }
      if (path.back().next < incidence[idx(e)].size()) {
        const int other = matching.equation_of[idx(incidence[idx(e)][path.back().next++])];
        if (order[idx(other)] == none) {
          path.push_back({other, 0});
        } else if (on_stack[idx(other)]) {
          low[idx(e)] = std::min(low[idx(e)], order[idx(other)]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[idx(path.back().equation)] = std::min(low[idx(path.back().equation)], low[idx(e)]);
      if (low[idx(e)] == order[idx(e)]) {
        components.emplace_back();
        int member = none;
        do {
          member = stack.back();
          stack.pop_back();
          on_stack[idx(member)] = false;
          components.back().push_back(member);
        } while (member != e);
        std::sort(components.back().begin(), components.back().end());
      }
    }
  }
  return components;
}

}  // namespace

BlockStructure block_triangular_form(const Incidence& incidence, int unknowns) {
  const Matching matching(incidence, unknowns);
  BlockStructure structure;
  for (int e = 0; e < static_cast<int>(incidence.size()); ++e) {
    if (matching.unknown_of[static_cast<std::size_t>(e)] == none) structure.unmatched_equations.push_back(e);
  }
  for (int u = 0; u < unknowns; ++u) {
    if (matching.equation_of[static_cast<std::size_t>(u)] == none) structure.unmatched_unknowns.push_back(u);
  }
  if (!structure.unmatched_equations.empty() || !structure.unmatched_unknowns.empty()) return structure;
  for (const auto& component : strong_components(incidence, matching)) {
    EquationBlock block{component, {}};
    for (const int e : component) block.unknowns.push_back(matching.unknown_of[static_cast<std::size_t>(e)]);
    structure.blocks.push_back(std::move(block));
  }
  return structure;
}

}  // namespace rattleback
