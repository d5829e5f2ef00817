#include "row_terms.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {

RowTerms::Term RowTerms::add(bool is_original) {
  bounds_.push_back(is_original ? 1.0 : unbounded);
  return bounds_.size() - 1;
}

void RowTerms::deduce() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& relation : relations_) {
      double others = 0.0;
      std::size_t unknown = 0;
      Term last = 0;
      for (const Term t : relation) {
        if (bounds_[t] == unbounded) {
          ++unknown;
          last = t;
        } else {
          others += bounds_[t];
        }
      }
      if (unknown != 1) continue;
      bounds_[last] = others;
      changed = true;
    }
  }
}

bool RowTerms::implies_residual(double ulps, const Builder& builder, std::vector<Entry>& entries) {
  if (!is_known()) return false;
  const auto grew_little = [&](const Entry& e) {
    for (std::size_t s = 0; s < Builder::samples; ++s) {
      const double ratio = builder.sample(e.now)[s] / builder.sample(e.original)[s];
      if (!(ratio >= 1.0 / growth_limit && ratio <= growth_limit)) return false;
    }
    return true;
  };
  std::vector<Entry> needed;
  deduce();
  for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {  // what an entry is in the end tells most
    if (bounds_[e->term] != unbounded || !grew_little(*e)) continue;
    bounds_[e->term] = growth_limit;
    deduce();
    needed.push_back(*e);
  }
  double total = 0.0;
  for (const auto& [terms, weight] : errors_) {
    for (const Term t : terms) total += weight * bounds_[t];
  }
  if (!(total <= ulps)) return false;
  entries.insert(entries.end(), needed.begin(), needed.end());
  return true;
}

}  // namespace rattleback
