#include "rattleback/kernel/layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace rattleback {

void Layout::add(Slot slot, std::size_t size) {
  if (has(slot)) throw std::logic_error("a layout has a slot already");
  entries_.push_back({slot, size});
}

void Layout::insert_after(Slot before, Slot slot, std::size_t size) {
  const auto place = std::ranges::find(entries_, before, &Entry::slot);
  if (has(slot) || place == entries_.end()) throw std::logic_error("a layout has no place for a slot");
  entries_.insert(place + 1, {slot, size});
}

bool Layout::has(Slot slot) const { return std::ranges::find(entries_, slot, &Entry::slot) != entries_.end(); }

Layout::Range Layout::operator[](Slot slot) const {
  std::size_t begin = 0;
  for (const Entry& entry : entries_) {
    if (entry.slot == slot) return {begin, entry.size};
    begin += entry.size;
  }
  throw std::logic_error("a layout has no such slot");
}

std::size_t Layout::size() const {
  std::size_t total = 0;
  for (const Entry& entry : entries_) total += entry.size;
  return total;
}

}  // namespace rattleback
