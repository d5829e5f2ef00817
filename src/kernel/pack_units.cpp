#include "pack_units.hpp"

#include <algorithm>
#include <compare>
#include <utility>

namespace rattleback {
namespace {

/// A value with more readers is one that many share, not one of many.
constexpr std::uint32_t many_readers = 32;
/// A use of a smaller part of the values of one shape does not count.
constexpr std::size_t fewest_of_all = 4;
/// Terms above which a sum becomes a loop.
constexpr std::size_t shortest_chain = 16;
constexpr Value nowhere = ~Value{0};

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15U;
  return h ^ (h >> 29);
}

std::uint64_t tagged(std::uint64_t tag, std::uint64_t x) { return tag << 32 | x; }

}  // namespace

UnitFinder::UnitFinder(const PackingTask& task)
    : task_(task), code_(task.code), is_root_(code_.size(), 0), is_local_(code_.size(), 1), readers_(code_.size(), 0),
      range_of_(code_.size(), 0), packed_entry_(code_.size(), no_entry), shape_(code_.size(), 0),
      depth_(code_.size(), 0), position_(code_.size(), no_entry) {
  for (const Value v : task.roots) is_root_[v] = 1;
  for (const Value v : task.in_place) is_root_[v] = 0;
  for (const Instruction& i : code_) {
    for (std::size_t k = 0; k < read_count(i); ++k) ++readers_[operand(i, k)];
  }
  for (std::size_t r = 0; r < task.ranges.size(); ++r) {
    for (Value v = task.ranges[r].begin; v < task.ranges[r].end; ++v) range_of_[v] = static_cast<std::uint32_t>(r);
  }
  for (const Value v : task.roots) is_local_[v] = 0;
  for (Value v = 0; v < code_.size(); ++v) {
    for (std::size_t k = 0; k < read_count(code_[v]); ++k) {
      const Value u = operand(code_[v], k);
      if (range_of_[u] != range_of_[v]) is_local_[u] = 0;
    }
  }
}

std::vector<Unit> UnitFinder::find(std::size_t range_number) {
  range_ = static_cast<std::uint32_t>(range_number);
  const CodeRange& range = task_.ranges[range_number];
  find_shapes(range);
  std::vector<char> is_taken(range.end - range.begin, 0);
  std::vector<Unit> units = find_vector_sums(range, is_taken);
  const bool has_vector_sums = !units.empty();
  std::vector<Value> singles;
  for (Unit& group : find_groups(range, is_taken, singles)) units.push_back(std::move(group));
  for (Unit& chain : find_chains(range, singles)) units.push_back(std::move(chain));
  for (const Value v : singles) units.push_back({Unit::Kind::single, depth_[v], {v}, 0});
  // Depth is an order of execution: what a chain reads is less deep than its end, and only its end is read.
  std::ranges::stable_sort(units, {}, [](const Unit& u) { return std::pair(u.depth, u.members.front()); });
  return has_vector_sums ? in_order(range, std::move(units)) : units;
}

std::size_t UnitFinder::ShapeHash::operator()(const std::array<std::uint64_t, 4>& key) const {
  std::uint64_t h = 0;
  for (const std::uint64_t x : key) h = mix(h, x);
  return h;
}

std::uint64_t UnitFinder::shape_of_operand(Value v) const {
  const Instruction& i = code_[v];
  if (const Taken what = taken(v); what != Taken::itself) {
    return shape_of_operand(i.a) | static_cast<std::uint64_t>(what) << 48;
  }
  const bool is_shared = readers_[v] > many_readers;
  switch (i.op) {
    case Opcode::constant: return tagged(1, i.a);
    case Opcode::input: return is_shared || i.a >= task_.state ? tagged(2, i.a) : tagged(3, 0);
    case Opcode::variable: return is_shared ? tagged(4, i.a) : tagged(5, 0);
    default: break;
  }
  const bool is_one_of_many = range_of_[v] == range_ || packed_entry_[v] != no_entry;
  return is_one_of_many && !is_shared ? tagged(0, shape_[v]) : tagged(6, v);
}

void UnitFinder::find_shapes(const CodeRange& range) {
  shapes_.clear();
  for (Value v = range.begin; v < range.end; ++v) {
    if (!is_active(v)) continue;
    const Instruction& i = code_[v];
    std::array<std::uint64_t, 4> key{tagged(7, static_cast<std::uint64_t>(i.op)), 0, 0, 0};
    depth_[v] = 1;
    position_[v] = no_entry;
    if (is_leaf(i.op)) key[1] = shape_of_operand(v);
    for (std::size_t k = 0; k < read_count(i); ++k) {
      const Value u = operand(i, k);
      if (position_[v] == no_entry) position_[v] = position_of_operand(u);
      key[k + 1] = shape_of_operand(u);
      if (is_here(u)) depth_[v] = std::max(depth_[v], depth_[u] + 1);
    }
    const auto [found, is_new] = shapes_.try_emplace(key, static_cast<std::uint32_t>(members_of_shape_.size()));
    if (is_new) members_of_shape_.push_back(0);
    shape_[v] = found->second;
    ++members_of_shape_[shape_[v]];
  }
}

/// Values that are one of many are ordered by the data they come from.
std::size_t UnitFinder::position_of_operand(Value v) const {
  if (taken(v) != Taken::itself) v = code_[v].a;
  if (code_[v].op == Opcode::constant || readers_[v] > many_readers) return no_entry;
  if (code_[v].op == Opcode::input) return code_[v].a < task_.state ? task_.inputs + code_[v].a : no_entry;
  if (code_[v].op == Opcode::variable) return task_.variables + code_[v].a;
  return range_of_[v] == range_ ? position_[v] : packed_entry_[v];
}

/// Numbers that are equal for values of one shape which are used in the same way. A use does not count if it would
/// tear neighbours apart, as a sum of eight terms at a time does: its first term is every eighth number. Nor does the
/// use of a few, as in a sum of vectors of eight: they would leave the loop of all.
std::vector<std::uint64_t> UnitFinder::find_uses(const CodeRange& range, std::vector<Value> common) const {
  std::ranges::sort(common, [&](Value v, Value w) {  // readers first; values of one shape in the order of their data
    if (depth_[v] != depth_[w]) return depth_[v] > depth_[w];
    if (shape_[v] != shape_[w]) return shape_[v] < shape_[w];
    return position_[v] != position_[w] ? position_[v] < position_[w] : v < w;
  });
  struct Use {
    std::uint64_t reader;
    std::size_t rank;  ///< of the value that is read, among those of its shape
    auto operator<=>(const Use&) const = default;
  };
  std::vector<std::size_t> rank(range.end - range.begin, 0);
  std::vector<std::uint64_t> use(range.end - range.begin, 0);
  std::unordered_map<std::uint32_t, std::vector<Use>> uses_of_shape;
  for (std::size_t k = 0; k < common.size(); ++k) rank[common[k] - range.begin] = k;
  for (std::size_t begin = 0, end = 0; begin < common.size(); begin = end) {
    const std::uint32_t shape = shape_[common[begin]];
    while (end < common.size() && shape_[common[end]] == shape) ++end;
    auto& uses = uses_of_shape[shape];
    std::ranges::sort(uses);
    for (std::size_t first = 0, last = 0; first < uses.size(); first = last) {
      std::size_t runs = 0;
      for (; last < uses.size() && uses[last].reader == uses[first].reader; ++last) {
        runs += last == first || uses[last].rank > uses[last - 1].rank + 1 ? 1 : 0;
      }
      if (runs * task_.shortest_loop > last - first || fewest_of_all * (last - first) < end - begin) continue;
      for (std::size_t k = first; k < last; ++k) use[common[uses[k].rank] - range.begin] += mix(uses[k].reader, 1);
    }
    uses_of_shape.erase(shape);
    for (std::size_t k = begin; k < end; ++k) {
      const Value v = common[k];
      std::uint64_t& mine = use[v - range.begin];
      mine = mix(shape, mine);
      for (std::size_t o = 0; o < read_count(code_[v]); ++o) {
        const Value u = operand(code_[v], o);
        if (!is_here(u) || readers_[u] > many_readers || !has_common_shape(u)) continue;
        uses_of_shape[shape_[u]].push_back({mix(mine, o + 1), rank[u - range.begin]});
      }
    }
  }
  return use;
}

/// Values of one shape that are used in the same way: their lines fit into the same loops. Where too few agree, the
/// shape alone decides.
std::vector<Unit> UnitFinder::find_groups(const CodeRange& range, const std::vector<char>& is_taken,
                                          std::vector<Value>& singles) const {
  std::vector<Value> common;
  for (Value v = range.begin; v < range.end; ++v) {
    if (is_active(v) && is_taken[v - range.begin] == 0) (has_common_shape(v) ? common : singles).push_back(v);
  }
  const std::vector<std::uint64_t> use = find_uses(range, common);
  std::ranges::sort(common, [&](Value v, Value w) {
    if (shape_[v] != shape_[w]) return shape_[v] < shape_[w];
    const auto a = use[v - range.begin];
    const auto b = use[w - range.begin];
    return a != b ? a < b : v < w;
  });
  std::vector<Unit> groups;
  std::vector<Value> rest;
  const auto add_group = [&](std::vector<Value> members) {
    groups.push_back({Unit::Kind::group, depth_[members.front()], std::move(members), 0});
  };
  for (std::size_t begin = 0; begin < common.size();) {
    std::size_t end = begin;
    const auto first_use = use[common[begin] - range.begin];
    const auto shape = shape_[common[begin]];
    const auto is_alike = [&](Value v) { return shape_[v] == shape && use[v - range.begin] == first_use; };
    while (end < common.size() && is_alike(common[end])) ++end;
    const auto first = common.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = common.begin() + static_cast<std::ptrdiff_t>(end);
    if (end - begin >= task_.shortest_loop) {
      add_group({first, last});
    } else {
      rest.insert(rest.end(), first, last);
    }
    if (end == common.size() || shape_[common[end]] != shape) {
      if (rest.size() >= task_.shortest_loop) {
        add_group(std::move(rest));
      } else {
        singles.insert(singles.end(), rest.begin(), rest.end());
      }
      rest.clear();
    }
    begin = end;
  }
  std::ranges::sort(singles);
  return groups;
}

/// Long sums: each operation reads the result of the last one, which nobody else reads.
std::vector<Unit> UnitFinder::find_chains(const CodeRange& range, std::vector<Value>& singles) const {
  constexpr std::uint8_t no_link = 3;
  std::vector<std::uint8_t> link(range.end - range.begin, no_link);
  std::vector<Value> last_link(range.end - range.begin, nowhere);
  std::vector<char> is_single(range.end - range.begin, 0);
  std::vector<char> is_inside(range.end - range.begin, 0);
  for (const Value v : singles) {
    const Instruction& i = code_[v];
    is_single[v - range.begin] = 1;
    if (!can_accumulate(i.op)) continue;
    const std::size_t n = read_count(i);
    const std::size_t first = i.op == Opcode::fma ? 2 : 0;
    const std::size_t last = i.op == Opcode::subtract ? 1 : n;
    for (std::size_t k = last; k-- > first;) {
      const Value u = operand(i, k);
      if (!is_here(u) || is_single[u - range.begin] == 0 || code_[u].op != i.op || readers_[u] != 1 || is_root(u)) {
        continue;
      }
      const std::uint8_t before = link[u - range.begin];
      if (before != no_link && before != k) continue;
      link[u - range.begin] = link[v - range.begin] = static_cast<std::uint8_t>(k);
      last_link[v - range.begin] = u;
      is_inside[u - range.begin] = 1;
      break;
    }
  }
  std::vector<Unit> chains;
  std::vector<char> is_taken(range.end - range.begin, 0);
  for (const Value v : singles) {
    if (is_inside[v - range.begin] != 0 || last_link[v - range.begin] == nowhere) continue;
    std::vector<Value> members;
    for (Value u = v; u != nowhere; u = last_link[u - range.begin]) members.push_back(u);
    if (members.size() < shortest_chain) continue;
    std::ranges::reverse(members);
    for (const Value u : members) is_taken[u - range.begin] = 1;
    chains.push_back({Unit::Kind::chain, depth_[v], std::move(members), link[v - range.begin]});
  }
  std::erase_if(singles, [&](Value v) { return is_taken[v - range.begin] != 0; });
  return chains;
}

}  // namespace rattleback
