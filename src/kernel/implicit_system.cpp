#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback {
namespace {

void insert(std::vector<Expression>& list, std::size_t place, std::span<const Expression> more) {
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), more.begin(), more.end());
}

}  // namespace

void ImplicitSystem::take(Slot slot, std::span<const Expression> symbols) {
  insert(data, data.size(), symbols);
  data_layout.add(slot, symbols.size());
}

void ImplicitSystem::give(Slot slot, std::span<const Expression> values) {
  insert(outputs, outputs.size(), values);
  output_layout.add(slot, values.size());
}

void ImplicitSystem::take_after(Slot before, Slot slot, std::span<const Expression> symbols) {
  insert(data, data_layout[before].end(), symbols);
  data_layout.insert_after(before, slot, symbols.size());
}

void ImplicitSystem::give_after(Slot before, Slot slot, std::span<const Expression> values) {
  insert(outputs, output_layout[before].end(), values);
  output_layout.insert_after(before, slot, values.size());
}

void ImplicitSystem::solve_as(const ImplicitSystem& other) {
  unknowns = other.unknowns;
  residuals = other.residuals;
  guess = other.guess;
  known_slopes = other.known_slopes;
  end = other.end;
}

ImplicitSystem ImplicitSystem::without_outputs() const {
  ImplicitSystem map = *this;
  map.outputs.clear();
  map.output_layout = {};
  map.state = 0;
  return map;
}

}  // namespace rattleback
