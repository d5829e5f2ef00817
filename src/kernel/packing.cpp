#include "packing.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "pack_units.hpp"

namespace rattleback {
namespace {

/// Lines of one loop: beyond this, registers do not suffice anyway.
constexpr std::size_t most_lines = 96;
/// While packing, entries from here on are those that ranges use one after the other.
constexpr std::size_t shared_entries = std::size_t{1} << 31;
/// Packs begin where a cache line of one lane does.
constexpr std::size_t next_line(std::size_t entry) { return (entry + 7) / 8 * 8; }
constexpr std::uint32_t no_part = ~std::uint32_t{0};

/// A loop reads entries of the workspace in any order, but no more than one constant, and takes the same of all.
bool can_be_read(const std::vector<ValuePlace>& column) {
  return is_affine(column) || std::ranges::all_of(column, [&](const ValuePlace& place) {
           return !place.is_constant && place.taken == column[0].taken;
         });
}

class Packer {
 public:
  explicit Packer(const PackingTask& task)
      : task_(task), code_(task.code), units_(task), part_of_(code_.size(), no_part), pack_of_(code_.size(), no_part),
        index_in_pack_(code_.size(), 0), is_stored_(code_.size(), 0), is_cosine_stored_(code_.size(), 0) {
    result_.entry_of.assign(code_.size(), no_entry);
    result_.cosine_entry_of.assign(code_.size(), no_entry);
    result_.entries = task.first_free;
    for (const Value v : task.in_place) result_.entry_of[v] = place_of_leaf(v).at;
  }

  Packing run() && {
    result_.ranges.resize(task_.ranges.size());
    packs_.resize(task_.ranges.size());
    next_shared_entry_.assign(task_.ranges.size(), shared_entries);
    for (std::size_t r = 0; r < task_.ranges.size(); ++r) pack_range(r);
    settle_entries();
    for (std::size_t r = 0; r < task_.ranges.size(); ++r) finish(r);
    return std::move(result_);
  }

 private:
  /// Members of one line of a loop, in the order of iterations.
  struct Pack {
    std::size_t part;
    std::vector<Value> members;
    LoopLine line;
    bool is_chain = false;
  };

  void pack_range(std::size_t r) {
    range_ = static_cast<std::uint32_t>(r);
    const CodeRange& range = task_.ranges[r];
    const std::vector<Unit> units = units_.find(r);
    std::size_t packed = 0;
    std::size_t singles = 0;
    for (const Unit& unit : units) (unit.kind == Unit::Kind::single ? singles : packed) += unit.members.size();
    last_straight_ = no_part;
    if (packed < singles) {  // not worth another order
      for (Value v = range.begin; v < range.end; ++v) {
        if (units_.is_active(v)) add_straight(v);
      }
      return;
    }
    for (const Unit& unit : units) {
      switch (unit.kind) {
        case Unit::Kind::single: add_straight(unit.members.front()); break;
        case Unit::Kind::group: add_group(unit.members, unit.together); break;
        case Unit::Kind::chain: add_chain(unit.members, unit.carried); break;
      }
    }
  }

  std::vector<CodePart>& parts() { return result_.ranges[range_]; }

  /// The last part that the operands of an instruction come from, or `no_part`.
  std::uint32_t last_part_read(Value v, std::uint32_t last = no_part) const {
    const Instruction& i = code_[v];
    for (std::size_t k = 0; k < read_count(i); ++k) {
      const Value u = operand(i, k);
      if (!units_.is_here(u) || part_of_[u] == no_part) continue;
      if (last == no_part || part_of_[u] > last) last = part_of_[u];
    }
    return last;
  }

  void add_straight(Value v) {
    const std::uint32_t after = last_part_read(v);
    const bool fits = last_straight_ != no_part && (after == no_part || after <= last_straight_) &&
                      parts()[last_straight_].straight.size() < task_.longest_part;
    if (!fits) {
      last_straight_ = static_cast<std::uint32_t>(parts().size());
      parts().emplace_back();
    }
    parts()[last_straight_].straight.push_back(v);
    part_of_[v] = last_straight_;
  }

  /// Entries for values, and for their cosines. What only its own range reads need not outlive it: all ranges keep
  /// such values in the same place, which stays in the cache.
  std::size_t new_entries(const std::vector<Value>& values) {
    const bool is_local = std::ranges::all_of(values, [&](Value v) { return units_.is_local(v); });
    std::size_t& next = is_local ? next_shared_entry_[units_.range_of(values.front())] : result_.entries;
    if (values.size() > 1) next = next_line(next);
    return std::exchange(next, next + values.size());
  }

  void give_entry(Value v) {
    if (result_.entry_of[v] == no_entry) result_.entry_of[v] = new_entries({v});
  }
  void give_cosine_entry(Value v) {
    if (result_.cosine_entry_of[v] == no_entry) result_.cosine_entry_of[v] = new_entries({v});
  }

  ValuePlace place_of_leaf(Value v) const {
    const Instruction& i = code_[v];
    if (i.op == Opcode::constant) return {true, i.a};
    return {false, (i.op == Opcode::input ? task_.inputs : task_.variables) + i.a};
  }

  /// Where an instruction in a loop finds an operand.
  ValuePlace place_of_operand(const Instruction& i, std::size_t k) {
    const Value u = operand(i, k);
    if (i.op == Opcode::cosine_of) {
      give_cosine_entry(u);
      return {false, result_.cosine_entry_of[u]};
    }
    const Taken taken = units_.taken(u);
    ValuePlace place = place_of_value(taken == Taken::itself ? u : code_[u].a);
    place.taken = taken;
    return place;
  }

  ValuePlace place_of_value(Value v) {
    if (is_leaf(code_[v].op)) return place_of_leaf(v);
    give_entry(v);
    return {false, result_.entry_of[v]};
  }

  std::vector<std::vector<ValuePlace>> columns_of(const std::vector<Value>& members) {
    const Instruction& first = code_[members.front()];
    std::vector<std::vector<ValuePlace>> columns(is_leaf(first.op) ? 1 : read_count(first));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k].reserve(members.size());
      for (const Value v : members) {
        columns[k].push_back(is_leaf(code_[v].op) ? place_of_leaf(v) : place_of_operand(code_[v], k));
      }
    }
    return columns;
  }

  /// Cuts a group into packs. Members in the order of their operands make long runs.
  void add_group(const std::vector<Value>& unordered, bool together) {
    const auto places = columns_of(unordered);
    std::vector<std::size_t> order(unordered.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) {
      for (const auto& column : places) {
        if (column[x].at != column[y].at) return column[x].at < column[y].at;
      }
      return false;
    });
    std::vector<Value> members;
    for (const std::size_t k : order) members.push_back(unordered[k]);
    const auto columns = columns_of(members);
    std::vector<Value> rest;
    for (const PlaceRun& run : affine_runs(columns, task_.shortest_loop)) {
      const auto first = members.begin() + static_cast<std::ptrdiff_t>(run.begin);
      const auto last = first + static_cast<std::ptrdiff_t>(run.count);
      if (run.affine) {
        add_pack({first, last});
      } else {
        rest.insert(rest.end(), first, last);
      }
    }
    if (together && rest.size() == unordered.size()) {
      add_pack(unordered);
    } else if (rest.size() >= 2 * task_.shortest_loop) {
      add_pack(std::move(rest));
    } else {
      for (const Value v : rest) add_straight(v);
    }
  }

  LoopOperand operand_of(const std::vector<ValuePlace>& column) {
    LoopOperand result;
    result.taken = column[0].taken;
    if (is_affine(column)) {
      result.from = column[0].is_constant ? LoopOperand::From::constant : LoopOperand::From::memory;
      result.at = column[0].at;
      if (column.size() > 1) {
        result.stride = static_cast<std::int64_t>(column[1].at) - static_cast<std::int64_t>(column[0].at);
      }
      return result;
    }
    result.from = LoopOperand::From::table;
    result.at = result_.tables.size();
    for (const ValuePlace& place : column) result_.tables.push_back(static_cast<std::uint32_t>(place.at));
    return result;
  }

  /// Iteration i of the pack reads iteration i of what it reads from this part.
  bool reads_in_step(const std::vector<Value>& members, std::uint32_t part) const {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const Instruction& i = code_[members[m]];
      for (std::size_t k = 0; k < read_count(i); ++k) {
        const Value u = operand(i, k);
        const Value first = operand(code_[members[0]], k);
        const bool is_inside = units_.is_here(u) && part_of_[u] == part;
        if (is_inside != (units_.is_here(first) && part_of_[first] == part)) return false;
        if (!is_inside) continue;
        if (pack_of_[u] == no_part || pack_of_[u] != pack_of_[first] || index_in_pack_[u] != m) return false;
      }
    }
    return true;
  }

  /// The first loop that can take another line with these members, or a new one.
  std::uint32_t find_loop(const std::vector<Value>& members, bool in_order) {
    std::uint32_t after = no_part;
    for (const Value v : members) after = last_part_read(v, after);
    const std::size_t first = after == no_part ? 0 : after;
    for (std::size_t p = std::max(first, parts().size() - std::min<std::size_t>(parts().size(), 64));
         p < parts().size(); ++p) {
      const CodePart& part = parts()[p];
      if (part.count != members.size() || part.in_order != in_order || part.lines.size() >= most_lines) continue;
      if (p == after && (in_order || !reads_in_step(members, after))) continue;
      return static_cast<std::uint32_t>(p);
    }
    CodePart part;
    part.count = members.size();
    part.in_order = in_order;
    parts().push_back(std::move(part));
    return static_cast<std::uint32_t>(parts().size() - 1);
  }

  void add_pack(std::vector<Value> members) {
    const auto columns = columns_of(members);
    const Opcode op = code_[members.front()].op;
    if (!std::ranges::all_of(columns, can_be_read)) {
      for (const Value v : members) add_straight(v);
      return;
    }
    const std::uint32_t part = find_loop(members, false);
    Pack pack{part, std::move(members), {}, false};
    pack.line.op = op;
    pack.line.operand_count = columns.size();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Value u = is_leaf(op) ? pack.members[0] : operand(code_[pack.members[0]], k);
      if (units_.is_here(u) && part_of_[u] == part) {
        pack.line.operands[k].from = LoopOperand::From::here;
        pack.line.operands[k].at = pack_of_[u];
      } else {
        pack.line.operands[k] = operand_of(columns[k]);
      }
    }
    const std::size_t count = pack.members.size();
    const std::size_t result = new_entries(pack.members);
    const std::size_t cosine = op == Opcode::sincos ? new_entries(pack.members) : no_entry;
    for (std::size_t m = 0; m < count; ++m) {
      const Value v = pack.members[m];
      result_.entry_of[v] = result + m;
      if (cosine != no_entry) result_.cosine_entry_of[v] = cosine + m;
      part_of_[v] = part;
      pack_of_[v] = static_cast<std::uint32_t>(packs_[range_].size());
      index_in_pack_[v] = static_cast<std::uint32_t>(m);
      units_.set_packed(v, result + m);
    }
    add_line(std::move(pack));
  }

  void add_chain(const std::vector<Value>& members, std::size_t carried) {
    const auto columns = columns_of(members);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k == carried || can_be_read(columns[k])) continue;
      for (const Value v : members) add_straight(v);
      return;
    }
    Pack pack{find_loop(members, true), members, {}, true};
    pack.line.op = code_[members.front()].op;
    pack.line.operand_count = columns.size();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k == carried) {
        pack.line.operands[k].from = LoopOperand::From::previous;
        pack.line.operands[k].start = columns[k][0];
      } else {
        pack.line.operands[k] = operand_of(columns[k]);
      }
    }
    for (const Value v : members) part_of_[v] = static_cast<std::uint32_t>(pack.part);
    give_entry(members.back());
    add_line(std::move(pack));
  }

  void add_line(Pack pack) {
    parts()[pack.part].lines.emplace_back();  // counted now, filled in by finish()
    packs_[range_].push_back(std::move(pack));
  }

  /// A value is stored if another part or somebody outside reads it.
  void choose_stored() {
    for (Value v = 0; v < code_.size(); ++v) {
      if (!units_.is_active(v)) continue;
      if (units_.is_root(v)) is_stored_[v] = 1;
      const Instruction& i = code_[v];
      for (std::size_t k = 0; k < read_count(i); ++k) {
        Value u = operand(i, k);
        if (units_.taken(u) != Taken::itself) u = code_[u].a;
        if (is_leaf(code_[u].op) || (units_.range_of(u) == units_.range_of(v) && part_of_[u] == part_of_[v])) continue;
        (i.op == Opcode::cosine_of ? is_cosine_stored_ : is_stored_)[u] = 1;
      }
    }
    for (Value v = 0; v < code_.size(); ++v) {
      if (is_stored_[v] != 0) give_entry(v);
      if (is_cosine_stored_[v] != 0) give_cosine_entry(v);
    }
  }

  void settle_entries() {
    choose_stored();
    result_.entries = next_line(result_.entries);
    const auto settle = [base = result_.entries](auto& entry) {
      if (entry != no_entry && entry >= shared_entries) {
        entry = static_cast<std::remove_reference_t<decltype(entry)>>(entry - shared_entries + base);
      }
    };
    for (std::size_t& entry : result_.entry_of) settle(entry);
    for (std::size_t& entry : result_.cosine_entry_of) settle(entry);
    for (std::uint32_t& entry : result_.tables) settle(entry);
    for (auto& packs : packs_) {
      for (Pack& pack : packs) {
        for (LoopOperand& o : pack.line.operands) {
          settle(o.at);
          settle(o.start.at);
        }
      }
    }
    if (!next_shared_entry_.empty()) result_.entries += std::ranges::max(next_shared_entry_) - shared_entries;
  }

  /// In the order of the program again: its order keeps a result close to its readers.
  void finish(std::size_t r) {
    auto& all = result_.ranges[r];
    for (CodePart& part : all) {
      std::ranges::sort(part.straight);
      part.lines.clear();
    }
    const auto& packs = packs_[r];
    std::vector<std::size_t> order(packs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t p) { return packs[p].members.front(); });
    std::vector<std::size_t> line_of(packs.size());
    for (const std::size_t p : order) {
      const Pack& pack = packs[p];
      LoopLine line = pack.line;
      for (LoopOperand& o : line.operands) {
        if (o.from == LoopOperand::From::here) o.at = line_of[o.at];
      }
      const auto is_needed = [&](const std::vector<char>& stored) {
        return std::ranges::any_of(pack.members, [&](Value v) { return stored[v] != 0; });
      };
      const Value v = pack.is_chain ? pack.members.back() : pack.members.front();
      if (is_needed(is_stored_)) line.result = result_.entry_of[v];
      if (is_needed(is_cosine_stored_)) line.cosine = result_.cosine_entry_of[v];
      line_of[p] = all[pack.part].lines.size();
      all[pack.part].lines.push_back(line);
    }
  }

  const PackingTask& task_;
  std::span<const Instruction> code_;
  UnitFinder units_;
  std::vector<std::uint32_t> part_of_;  ///< in its range
  std::vector<std::uint32_t> pack_of_;  ///< in its range
  std::vector<std::uint32_t> index_in_pack_;
  std::vector<char> is_stored_;
  std::vector<char> is_cosine_stored_;
  std::uint32_t range_ = 0;
  std::uint32_t last_straight_ = no_part;
  std::vector<std::size_t> next_shared_entry_;  ///< by range
  std::vector<std::vector<Pack>> packs_;
  Packing result_;
};

}  // namespace

Packing pack(const PackingTask& task) { return Packer(task).run(); }

}  // namespace rattleback
