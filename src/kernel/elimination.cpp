#include "elimination.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "rattleback/base/work.hpp"
#include "row_terms.hpp"

namespace rattleback {
namespace {

/// A pivot must be at least this large, relative to the largest scaled entry of its column.
constexpr double pivot_threshold = 0.05;
/// Pivots are sought in this many of the shortest rows, so that the search stays linear.
constexpr int rows_to_examine = 8;
/// Updates of an entry that are subtracted one after the other. More of them are summed up first, in several sums at
/// once: short chains of dependent operations, and smaller errors.
constexpr std::size_t updates_in_order = 16;
/// What follows from little growth is better than what is asked for.
constexpr double largest_implied_error = 0.5 * linear_floor;

class Elimination {
 public:
  Elimination(Builder& builder, SymbolicLinearSystem system, std::vector<AffineForm> forms)
      : builder_(builder), rows_(std::move(system.rows)), right_(std::move(system.right_hand_side)),
        units_(std::move(system.units)), is_iterated_(system.is_iterated), columns_(rows_.size()), original_(rows_),
        terms_(rows_.size()), forms_(std::move(forms)) {
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      for (const auto& [j, value] : rows_[idx(i)]) columns_[idx(j)].insert(i);
    }
    scale_.resize(rows_.size());
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      open(i);
      for (const auto& [j, value] : rows_[idx(i)]) terms_[idx(i)].now[j] = terms_[idx(i)].all.add(true);
      if (!builder_.is_constant(right_[idx(i)], 0.0))
        terms_[idx(i)].now[right_hand_side] = terms_[idx(i)].all.add(true);
    }
  }

  EliminationResult solve() {
    std::vector<Pivot> order;
    EliminationResult result;
    result.solution.resize(rows_.size());
    while (!open_rows_.empty()) {
      if (open_rows_.size() == 2 && solve_last_two(result.solution)) break;
      order.push_back(choose());
      eliminate_column(order.back());
    }
    for (const Pivot& pivot : order) result.pivots.push_back(pivot.diagonal);
    substitute_back(order, result.solution);
    for (const AffineForm& form : forms_) {
      Value value = form.constant;
      for (const auto& [j, c] : form.coefficients)
        value = builder_.add(value, builder_.multiply(c, result.solution[idx(j)]));
      result.forms.push_back(value);
    }
    choose_checks(result, order);
    return result;
  }

 private:
  struct Pivot {
    int row;
    int column;
    Value diagonal = 0;
    Value reciprocal = 0;
  };

  static constexpr int right_hand_side = -1;
  struct LongSum {
    std::optional<Value> before;
    std::vector<Value> changes;
  };
  /// The terms that a row had and those that it has, by their columns.
  struct Terms {
    RowTerms all;
    std::map<int, RowTerms::Term> now;
  };

  static std::size_t idx(int i) { return static_cast<std::size_t>(i); }

  /// (Re)enters a row into the queue of rows without pivot.
  void open(int i) {
    open_rows_.emplace(rows_[idx(i)].size(), i);
    scale_[idx(i)].fill(0.0);
    for (const auto& [j, value] : rows_[idx(i)]) {
      for (std::size_t s = 0; s < Builder::samples; ++s) {
        const double unit = units_.empty() ? 1.0 : units_[idx(j)];
        scale_[idx(i)][s] = std::max(scale_[idx(i)][s], std::abs(builder_.sample(value)[s]) * unit);
      }
    }
  }
  void close(int i) { open_rows_.erase({rows_[idx(i)].size(), i}); }

  /// Smallest ratio, over the sample points, of an entry to the largest of its column, each entry
  /// relative to its row. Sample points outside the domain of the equations do not count.
  double strength(int i, int j) const {
    double weakest = 1.0;
    for (std::size_t s = 0; s < Builder::samples; ++s) {
      double largest = 0.0;
      for (const int k : columns_[idx(j)]) {
        largest = std::max(largest, std::abs(builder_.sample(rows_[idx(k)].at(j))[s]) / scale_[idx(k)][s]);
      }
      const double own = std::abs(builder_.sample(rows_[idx(i)].at(j))[s]) / scale_[idx(i)][s];
      if (std::isfinite(own) && std::isfinite(largest) && largest > 0.0) weakest = std::min(weakest, own / largest);
    }
    return weakest;
  }

  Pivot choose() const {
    using Merit = std::tuple<bool, long, int, double>;  // smaller is better
    Pivot best{-1, -1};
    Merit best_merit;
    int examined = 0;
    for (const auto& [count, i] : open_rows_) {  // shortest rows first
      if (count == 0) throw LinearlyDependent(i);
      if (++examined > rows_to_examine && !std::get<0>(best_merit)) break;
      const long row_count = static_cast<long>(rows_[idx(i)].size()) - 1;
      for (const auto& [j, value] : rows_[idx(i)]) {
        keep_working();
        long fill = row_count * (static_cast<long>(columns_[idx(j)].size()) - 1);
        if (builder_.level(value) > 0) fill = 2 * fill + 4;  // masses rather than sines: these may vanish on the way
        if (best.row >= 0 && !std::get<0>(best_merit) && fill > std::get<1>(best_merit)) continue;
        const double s = strength(i, j);
        const bool unit = builder_.is_constant(value) && std::abs(builder_.constant_of(value)) == 1.0;
        const int kind = unit ? -2 : builder_.is_constant(value) ? -1 : builder_.level(value);
        const Merit merit{s < pivot_threshold, fill, kind, -s};
        if (best.row < 0 || merit < best_merit) {
          best = {i, j};
          best_merit = merit;
        }
      }
    }
    return best;
  }

  /// Of the entry j of row i, or of its right-hand side.
  void collect(int i, int j, std::optional<Value> before, Value change) {
    LongSum& sum = long_sums_[{i, j}];
    if (sum.changes.empty()) sum.before = before;
    sum.changes.push_back(change);
  }
  /// What an entry is after many updates. Until somebody asks, no code computes it; the value that stands there tells
  /// the choice of pivots its samples.
  void settle(int i, int j, Value& value) {
    const auto sum = long_sums_.find({i, j});
    if (sum == long_sums_.end()) return;
    const auto& [before, changes] = sum->second;
    if (changes.size() > updates_in_order) {
      const Value total = builder_.sum(changes);
      last_updates_.erase({i, j});
      value = before ? builder_.subtract(*before, total) : builder_.negate(total);
    }
    long_sums_.erase(sum);
  }
  void settle_row(int i) {
    for (auto& [j, value] : rows_[idx(i)]) settle(i, j, value);
    settle(i, right_hand_side, right_[idx(i)]);
  }

  /// What a pivot was before the last multiple s/p of another row with the entry t was subtracted: a − (s/p) t.
  struct Update {
    std::optional<Value> a;
    Value s, t, p;
  };

  /// 1/(a − (s/p) t) is p/(a p − s t): in an iteration, one division need not wait for the other.
  Value reciprocal_of(const Pivot& pivot) {
    const auto last = last_updates_.find({pivot.row, pivot.column});
    if (last == last_updates_.end() || builder_.level(last->second.p) < builder_.level(pivot.diagonal)) {
      return builder_.reciprocal(pivot.diagonal);
    }
    const auto& [a, s, t, p] = last->second;
    const Value change = builder_.multiply(s, t);
    return builder_.divide(p, a ? builder_.subtract(builder_.multiply(*a, p), change) : builder_.negate(change));
  }

  void eliminate_column(Pivot& pivot) {
    settle_row(pivot.row);
    auto& pivot_row = rows_[idx(pivot.row)];
    const Value diagonal = pivot.diagonal = pivot_row.at(pivot.column);
    close(pivot.row);
    for (const auto& [j, value] : pivot_row) columns_[idx(j)].erase(pivot.row);
    // A multiplication by the reciprocal, here and in the substitution: the division is then off the
    // path that the right-hand side takes.
    pivot.reciprocal = reciprocal_of(pivot);
    for (const int i : columns_[idx(pivot.column)]) {
      keep_working();
      updated_rows_.insert(i);
      close(i);
      auto& row = rows_[idx(i)];
      settle(i, pivot.column, row.at(pivot.column));
      const Value numerator = row.at(pivot.column);
      const Value multiplier = builder_.multiply(numerator, pivot.reciprocal);
      row.erase(pivot.column);
      for (const auto& [j, value] : pivot_row) {
        if (j == pivot.column) continue;
        const Value change = builder_.multiply(multiplier, value);
        const auto before = row.find(j);
        const std::optional<Value> entry = before == row.end() ? std::nullopt : std::optional(before->second);
        if (is_iterated_) last_updates_[{i, j}] = {entry, numerator, value, diagonal};
        if (subtract_from(row, j, change)) {
          collect(i, j, entry, change);
          columns_[idx(j)].insert(i);
        } else {
          long_sums_.erase({i, j});
          columns_[idx(j)].erase(i);
        }
      }
      const Value change = builder_.multiply(multiplier, right_[idx(pivot.row)]);
      collect(i, right_hand_side, right_[idx(i)], change);
      right_[idx(i)] = builder_.subtract(right_[idx(i)], change);
      note_update(i, pivot);
      open(i);
    }
    columns_[idx(pivot.column)].clear();
    // The last unknown stays in the forms, and so does one whose pivot changes from step to step: the
    // check of the rows would not see what a small pivot does to a form.
    if (open_rows_.empty() || builder_.level(diagonal) > 0) return;
    for (AffineForm& form : forms_) {
      const auto entry = form.coefficients.find(pivot.column);
      if (entry == form.coefficients.end()) continue;
      const Value multiplier = builder_.multiply(entry->second, pivot.reciprocal);
      form.coefficients.erase(entry);
      for (const auto& [j, value] : pivot_row) {
        if (j != pivot.column) subtract_from(form.coefficients, j, builder_.multiply(multiplier, value));
      }
      form.constant = builder_.add(form.constant, builder_.multiply(multiplier, right_[idx(pivot.row)]));
    }
  }

  /// A multiple of the pivot's row was subtracted from row i.
  void note_update(int i, const Pivot& pivot) {
    Terms& terms = terms_[idx(i)];
    if (!terms.all.is_known()) return;
    std::vector<RowTerms::Term> multiple{terms.now.at(pivot.column)};
    std::vector<RowTerms::Term> changed;
    terms.now.erase(pivot.column);
    const auto subtract = [&](int j, bool is_there) {
      const RowTerms::Term t = terms.all.add(false);
      multiple.push_back(t);
      const auto before = terms.now.find(j);
      if (before == terms.now.end()) {
        terms.now[j] = t;
      } else if (is_there) {
        const RowTerms::Term after = terms.all.add(false);
        terms.all.relate({before->second, t, after});
        before->second = after;
        changed.push_back(after);
      } else {
        terms.all.relate({before->second, t});
        terms.now.erase(before);
      }
    };
    const auto& pivot_row = rows_[idx(pivot.row)];
    for (const auto& [j, value] : pivot_row) {
      if (j == pivot.column) continue;
      const auto entry = rows_[idx(i)].find(j);
      subtract(j, entry != rows_[idx(i)].end());
      const auto original = original_[idx(i)].find(j);
      if (entry == rows_[idx(i)].end() || original == original_[idx(i)].end()) continue;
      terms.all.may_have_grown({terms.now.at(j), entry->second, original->second});
    }
    if (!builder_.is_constant(right_[idx(pivot.row)], 0.0)) subtract(right_hand_side, true);
    terms.all.relate(multiple);
    // The other row holds up to the roundings of its sum, of its reciprocal and of a product; then there are those of
    // the multiplier, of the products and of the differences.
    terms.all.add_error(std::move(multiple), 0.5 * static_cast<double>(pivot_row.size()) + 2.5);
    terms.all.add_error(std::move(changed), 0.5);
  }

  /// Which rows have to be looked at, and how.
  void choose_checks(EliminationResult& result, const std::vector<Pivot>& order) {
    std::vector<RowTerms::Entry> entries;
    for (const int i : updated_rows_) {
      Terms& terms = terms_[idx(i)];
      std::vector<RowTerms::Term> last;
      for (const auto& [j, term] : terms.now) last.push_back(term);
      terms.all.add_error(std::move(last), 0.5 * static_cast<double>(terms.now.size()) + 1.5);
      const bool is_implied = terms.all.implies_residual(largest_implied_error, builder_, entries);
      (is_implied ? result.implied_rows : result.updated_rows).push_back(i);
    }
    if (result.implied_rows.empty()) return;
    for (const RowTerms::Entry& e : entries) add_growth_check(result, e);
    for (const Pivot& pivot : order) {
      const bool is_checked = std::ranges::find(entries, pivot.diagonal, &RowTerms::Entry::now) != entries.end();
      if (builder_.level(pivot.diagonal) > 0 && !is_checked) result.late_reciprocals.push_back(pivot.reciprocal);
    }
  }

  /// a/g ≤ a′ ≤ g a with the limit g of growth, or the same with ≥, is |a′ − c a| ≤ w |a|.
  void add_growth_check(EliminationResult& result, const RowTerms::Entry& e) {
    if (builder_.is_constant(e.now) && builder_.is_constant(e.original)) return;
    constexpr double least = 1.0 / RowTerms::growth_limit;
    const Value centre = builder_.constant(0.5 * (RowTerms::growth_limit + least));
    const Value width = builder_.constant(0.5 * (RowTerms::growth_limit - least));
    result.growth.push_back({builder_.subtract(e.now, builder_.multiply(centre, e.original)),
                             builder_.multiply(width, builder_.absolute(e.original))});
  }

  /// Returns false if the entry has vanished.
  bool subtract_from(std::map<int, Value>& entries, int j, Value change) {
    const auto [entry, is_new] = entries.emplace(j, 0);
    entry->second = is_new ? builder_.negate(change) : builder_.subtract(entry->second, change);
    if (!builder_.is_constant(entry->second, 0.0)) return true;
    entries.erase(entry);
    return false;
  }

  /// Two equations with four coefficients that change from step to step by Cramer's rule: one
  /// division instead of two in a row. False if a coefficient is missing or a parameter, for which
  /// elimination is cheaper.
  bool solve_last_two(std::vector<Value>& solution) {
    const int i = open_rows_.begin()->second;
    const int k = std::next(open_rows_.begin())->second;
    settle_row(i);
    settle_row(k);
    const auto& first = rows_[idx(i)];
    const auto& second = rows_[idx(k)];
    if (first.size() != 2 || second.size() != 2) return false;
    const auto [x, a] = *first.begin();
    const auto [y, b] = *std::next(first.begin());
    const Value c = second.begin()->second;
    const Value d = std::next(second.begin())->second;
    for (const Value v : {a, b, c, d}) {
      if (builder_.level(v) == 0) return false;
    }
    const auto determinant = [&](Value p, Value q, Value r, Value s) {  // p·s − q·r
      return builder_.subtract(builder_.multiply(p, s), builder_.multiply(q, r));
    };
    const Value reciprocal = builder_.reciprocal(determinant(a, b, c, d));
    solution[idx(x)] = builder_.multiply(determinant(right_[idx(i)], b, right_[idx(k)], d), reciprocal);
    solution[idx(y)] = builder_.multiply(determinant(a, right_[idx(i)], c, right_[idx(k)]), reciprocal);
    updated_rows_.insert({i, k});
    terms_[idx(i)].all.give_up();
    terms_[idx(k)].all.give_up();
    return true;
  }

  void substitute_back(const std::vector<Pivot>& order, std::vector<Value>& solution) {
    for (auto pivot = order.rbegin(); pivot != order.rend(); ++pivot) {
      Value rest = right_[idx(pivot->row)];
      for (const auto& [j, value] : rows_[idx(pivot->row)]) {
        if (j != pivot->column) rest = builder_.subtract(rest, builder_.multiply(value, solution[idx(j)]));
      }
      solution[idx(pivot->column)] = builder_.multiply(rest, pivot->reciprocal);
    }
  }

  Builder& builder_;
  std::vector<std::map<int, Value>> rows_;
  std::vector<Value> right_;
  std::vector<double> units_;
  bool is_iterated_;
  std::vector<std::set<int>> columns_;               ///< rows that are still open and have an entry in the column
  std::set<std::pair<std::size_t, int>> open_rows_;  ///< (entries, row)
  std::vector<Builder::Sample> scale_;               ///< largest entry of each row
  std::set<int> updated_rows_;
  std::vector<std::map<int, Value>> original_;
  std::vector<Terms> terms_;
  std::map<std::pair<int, int>, LongSum> long_sums_;    ///< by row and column
  std::map<std::pair<int, int>, Update> last_updates_;  ///< by row and column
  std::vector<AffineForm> forms_;
};

}  // namespace

EliminationResult eliminate(Builder& builder, SymbolicLinearSystem system, std::vector<AffineForm> forms) {
  return Elimination(builder, std::move(system), std::move(forms)).solve();
}

}  // namespace rattleback
