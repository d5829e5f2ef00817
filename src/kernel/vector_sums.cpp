// Long sums, which the builder makes of eight that are added up in the end, as vectors of eight.

#include <algorithm>
#include <set>
#include <utility>

#include "pack_units.hpp"

namespace rattleback {
namespace {

/// Sums that run side by side, and their terms. Longer ones become loops, whose code does not grow.
constexpr std::size_t sums_at_once = 8;
constexpr std::size_t shortest_vector_sum = 4;
constexpr std::size_t longest_vector_sum = 32;

}  // namespace

/// Whether only v reads u, which does the same.
bool UnitFinder::continues(Value v, Value u) const {
  return is_here(u) && code_[u].op == code_[v].op && readers_[u] == 1 && !is_root(u);
}

/// The operations of a sum, the last one first.
std::vector<Value> UnitFinder::sum_up_to(Value v) const {
  std::vector<Value> members{v};
  if (!can_accumulate(code_[v].op)) return members;
  const Opcode op = code_[v].op;
  const std::size_t first = op == Opcode::fma ? 2 : 0;
  const std::size_t last = op == Opcode::subtract ? 1 : read_count(code_[v]);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = last; k-- > first && !found;) {
      const Value u = operand(code_[members.back()], k);
      found = continues(members.back(), u);
      if (found) members.push_back(u);
    }
  }
  return members;
}

/// Eight sums that are added up in the end, which is how the builder makes long ones: a vector of sums, in the order of
/// their data. That some of their terms are computed elsewhere, or in another way, does not matter.
///
/// Such units have members of different depth, and there must not be circles: no term of a vector of sums is as deep as
/// one of its results. On any way from one vector to another the least depth of a result then grows.
std::vector<Unit> UnitFinder::find_vector_sums(const CodeRange& range, std::vector<char>& is_taken) const {
  std::vector<Unit> units;
  for (Value v = range.begin; v < range.end; ++v) {
    std::vector<Value> ends{v};
    while (ends.size() < sums_at_once) {
      std::vector<Value> next;
      for (const Value u : ends) {
        const bool is_inside = u == v || (is_here(u) && readers_[u] == 1 && !is_root(u));
        if (is_inside && code_[u].op == Opcode::add) next.insert(next.end(), {code_[u].a, code_[u].b});
      }
      if (next.size() != 2 * ends.size()) break;
      ends = std::move(next);
    }
    if (ends.size() < sums_at_once || !is_active(v)) continue;
    struct Sum {
      std::size_t position;  ///< of the data that its last term comes from
      std::vector<Value> members;
    };
    std::vector<Sum> sums;
    std::uint32_t deepest = 0;
    std::uint32_t least = ~std::uint32_t{0};
    std::size_t length = longest_vector_sum + 1;
    for (const Value end : ends) {
      if (!is_here(end) || readers_[end] != 1 || is_root(end)) break;
      sums.push_back({no_entry, sum_up_to(end)});
      length = std::min(length, sums.back().members.size());
      least = std::min(least, depth_[end]);
    }
    if (sums.size() < sums_at_once || length < shortest_vector_sum || length > longest_vector_sum) continue;
    for (Sum& sum : sums) {
      sum.members.resize(length);
      for (std::size_t m = 0; m < length; ++m) {
        const Instruction& i = code_[sum.members[m]];
        for (std::size_t k = 0; k < read_count(i); ++k) {
          const Value u = operand(i, k);
          if (m + 1 < length && u == sum.members[m + 1]) continue;
          if (sum.position == no_entry) sum.position = position_of_operand(u);
          if (is_here(u)) deepest = std::max(deepest, depth_[u]);
        }
      }
    }
    if (deepest >= least) continue;
    std::ranges::stable_sort(sums, {}, &Sum::position);
    for (std::size_t m = length; m-- > 0;) {
      Unit unit{Unit::Kind::group, 0, {}, 0, true};
      for (const Sum& sum : sums) unit.members.push_back(sum.members[m]);
      add_with_terms(range, std::move(unit), is_taken, units);
    }
  }
  return units;
}

/// A vector, and what only it reads, as vectors too: it need not be stored.
void UnitFinder::add_with_terms(const CodeRange& range, Unit unit, std::vector<char>& is_taken,
                                std::vector<Unit>& units) const {
  std::vector<Unit> all{std::move(unit)};
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const Value v : all[n].members) {
      all[n].depth = std::max(all[n].depth, depth_[v]);
      is_taken[v - range.begin] = 1;
    }
    for (std::size_t k = 0; k < read_count(code_[all[n].members.front()]); ++k) {
      Unit terms{Unit::Kind::group, 0, {}, 0, true};
      const Opcode op = code_[operand(code_[all[n].members.front()], k)].op;
      for (const Value v : all[n].members) {
        const Value u = operand(code_[v], k);
        const bool is_own = is_here(u) && readers_[u] == 1 && !is_root(u) && is_taken[u - range.begin] == 0;
        if (is_own && code_[u].op == op && (op == Opcode::multiply || op == Opcode::fma || op == Opcode::add)) {
          terms.members.push_back(u);
        }
      }
      if (terms.members.size() == all[n].members.size()) all.push_back(std::move(terms));
    }
  }
  for (Unit& each : all) units.push_back(std::move(each));
}

/// Units after those that they read, otherwise in the order in which they are.
std::vector<Unit> UnitFinder::in_order(const CodeRange& range, std::vector<Unit> units) const {
  std::vector<std::size_t> unit_of(range.end - range.begin, units.size());
  for (std::size_t n = 0; n < units.size(); ++n) {
    for (const Value v : units[n].members) unit_of[v - range.begin] = n;
  }
  std::vector<std::vector<std::size_t>> readers(units.size());
  std::vector<std::size_t> waits_for(units.size(), 0);
  for (std::size_t n = 0; n < units.size(); ++n) {
    for (const Value v : units[n].members) {
      for (std::size_t k = 0; k < read_count(code_[v]); ++k) {
        const Value u = operand(code_[v], k);
        if (!is_here(u) || unit_of[u - range.begin] == n) continue;
        readers[unit_of[u - range.begin]].push_back(n);
        ++waits_for[n];
      }
    }
  }
  std::set<std::size_t> ready;
  for (std::size_t n = 0; n < units.size(); ++n) {
    if (waits_for[n] == 0) ready.insert(n);
  }
  std::vector<Unit> ordered;
  while (!ready.empty()) {
    const std::size_t n = ready.extract(ready.begin()).value();
    for (const std::size_t reader : readers[n]) {
      if (--waits_for[reader] == 0) ready.insert(reader);
    }
    ordered.push_back(std::move(units[n]));
  }
  return ordered;
}

}  // namespace rattleback
