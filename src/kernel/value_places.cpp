#include "value_places.hpp"

#include <algorithm>

namespace rattleback {

bool is_affine(const std::vector<ValuePlace>& column) {
  const auto continues = [&](std::size_t k) {
    if (column[0].is_constant || column[k].is_constant) return column[k] == column[0];
    return column[k].taken == column[0].taken && column[k].at - column[k - 1].at == column[1].at - column[0].at;
  };
  for (std::size_t k = 1; k < column.size(); ++k) {
    if (!continues(k)) return false;
  }
  return true;
}

std::vector<PlaceRun> affine_runs(std::span<const std::vector<ValuePlace>> columns, std::size_t shortest) {
  const std::size_t size = columns.empty() ? 0 : columns.front().size();
  const auto continues = [&](std::size_t begin, std::size_t k) {
    return std::ranges::all_of(columns, [&](const std::vector<ValuePlace>& c) {
      if (c[k].is_constant || c[begin].is_constant) return c[k] == c[begin];
      return c[k].taken == c[begin].taken && c[k].at - c[k - 1].at == c[begin + 1].at - c[begin].at &&
             !c[k - 1].is_constant;
    });
  };
  std::vector<PlaceRun> runs;
  const auto add = [&](std::size_t begin, std::size_t end, bool affine) {
    if (!affine && !runs.empty() && !runs.back().affine) {
      runs.back().count += end - begin;
    } else {
      runs.push_back({begin, end - begin, affine});
    }
  };
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin + 1;
    while (end < size && continues(begin, end)) ++end;
    const bool affine = end - begin >= shortest;
    if (!affine) end = begin + 1;  // the next one may begin a longer run
    add(begin, end, affine);
    begin = end;
  }
  return runs;
}

}  // namespace rattleback
