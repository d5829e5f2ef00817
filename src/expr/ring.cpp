#include "ring.hpp"

#include <algorithm>
#include <map>

#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

/// What remains of a cancellation in 32 digits after many operations, relative to what cancelled.
constexpr double remainder = 1e-24;

constexpr std::uint64_t top_bits = 0x8080808080808080U;

bool is_remainder(const DoubleDouble& value, double magnitude) { return std::abs(value.high) <= remainder * magnitude; }

}  // namespace

bool Powers::divides(const Powers& other) const {
  // No byte of the difference borrows from the next one.
  for (std::size_t k = 0; k < words_.size(); ++k) {
    if ((((other.words_[k] | top_bits) - words_[k]) & top_bits) != top_bits) return false;
  }
  return true;
}

std::size_t Powers::hash() const {
  std::uint64_t h = 0;
  for (const std::uint64_t word : words_) {
    h = (h ^ word) * 0x9E3779B97F4A7C15U;
    h ^= h >> 29;
  }
  return h;
}

Powers operator*(const Powers& a, const Powers& b) {
  Powers result;
  std::uint64_t overflow = 0;
  for (std::size_t k = 0; k < a.words_.size(); ++k) {
    result.words_[k] = a.words_[k] + b.words_[k];
    overflow |= result.words_[k];
  }
  if ((overflow & top_bits) != 0) throw TooLarge();
  return result;
}

Powers operator/(const Powers& a, const Powers& b) {
  Powers result;
  for (std::size_t k = 0; k < a.words_.size(); ++k) result.words_[k] = a.words_[k] - b.words_[k];
  return result;
}

Powers common(const Powers& a, const Powers& b) {
  Powers result;
  for (std::size_t i = 0; i < Powers::most_variables; ++i) result.set(i, std::min(a[i], b[i]));
  return result;
}

RingSum::Entry& RingSum::place(std::vector<Entry>& table, const Powers& powers) const {
  const std::size_t mask = table.size() - 1;
  std::size_t i = powers.hash() & mask;
  while (table[i].magnitude >= 0.0 && table[i].powers != powers) i = (i + 1) & mask;
  return table[i];
}

void RingSum::grow() {
  keep_working();
  std::vector<Entry> larger(2 * table_.size());
  for (const Entry& e : table_) {
    if (e.magnitude >= 0.0) place(larger, e.powers) = e;
  }
  table_ = std::move(larger);
}

void RingSum::add(const Powers& powers, const DoubleDouble& coefficient) {
  Entry* entry = &place(table_, powers);
  if (entry->magnitude < 0.0) {
    if (4 * ++used_ > 3 * table_.size()) {
      if (used_ > 4 * most_terms_) throw TooLarge();
      grow();
      entry = &place(table_, powers);
    }
    *entry = {powers, 0.0, 0.0};
  }
  entry->value = entry->value + coefficient;
  entry->magnitude += std::abs(coefficient.high);
}

void RingSum::add_product(const RingPolynomial& a, const RingPolynomial& b, const DoubleDouble& factor) {
  for (const auto& [m, c] : a) {
    keep_working();
    const DoubleDouble scaled = factor * c;
    for (const auto& [n, d] : b) add(m * n, scaled * d);
  }
}

RingPolynomial RingSum::result() const {
  RingPolynomial p;
  for (const Entry& e : table_) {
    if (e.magnitude >= 0.0 && !is_remainder(e.value, e.magnitude)) p.emplace_back(e.powers, e.value);
  }
  if (p.size() > most_terms_) throw TooLarge();
  std::ranges::sort(p, std::greater(), &RingPolynomial::value_type::first);
  return p;
}

RingPolynomial times(const RingPolynomial& a, const RingPolynomial& b, std::size_t most_terms) {
  RingSum sum(most_terms);
  sum.add_product(a, b);
  return sum.result();
}

std::optional<RingPolynomial> divided(const RingPolynomial& a, const RingPolynomial& b) {
  if (a.empty()) return a;
  const Powers& lead = b.front().first;
  if (!lead.divides(a.front().first) || !b.back().first.divides(a.back().first)) return std::nullopt;
  RingPolynomial quotient;
  if (b.size() == 1) {
    for (const auto& [m, c] : a) {
      if (!lead.divides(m)) return std::nullopt;
      quotient.emplace_back(m / lead, c / b.front().second);
    }
    return quotient;
  }
  std::map<Powers, std::pair<DoubleDouble, double>, std::greater<>> rest;  // value, and magnitude of what was added
  for (const auto& [m, c] : a) rest.emplace_hint(rest.end(), m, std::pair(c, std::abs(c.high)));
  while (!rest.empty()) {
    keep_working();
    const auto [m, value] = *rest.begin();
    rest.erase(rest.begin());
    if (is_remainder(value.first, value.second)) continue;
    if (!lead.divides(m)) return std::nullopt;
    const Powers factor = m / lead;
    const DoubleDouble c = value.first / b.front().second;
    for (std::size_t k = 1; k < b.size(); ++k) {
      const DoubleDouble change = -(c * b[k].second);
      auto& [sum, magnitude] = rest[factor * b[k].first];
      sum = sum + change;
      magnitude += std::abs(change.high);
    }
    quotient.emplace_back(factor, c);
  }
  return quotient;
}

Powers common_powers(const RingPolynomial& p) {
  Powers all = p.empty() ? Powers() : p.front().first;
  for (const auto& [m, c] : p) all = common(all, m);
  return all;
}

}  // namespace rattleback
