#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "builder.hpp"

namespace rattleback {

/// What is known of the sizes of the terms aⱼxⱼ and b of one row of a linear system while multiples of other rows are
/// subtracted from it, relative to M = Σ|aⱼxⱼ| + |b| of the row as it was.
///
/// A multiple of another row is a relation: its terms, which all enter this row but the one that vanishes with a term
/// of this row, sum up to zero. So does what an entry was, what is subtracted, and what it is then. Where all terms of
/// a relation are bounded but one, that one is. An entry that is at most `growth_limit` times what it was in the
/// beginning bounds its term too; it should not have shrunk more than that either, so that its reciprocal exists. If
/// every term is bounded, rounding errors of the elimination are small relative to M: the row holds to rounding, as if
/// it had been checked.
class RowTerms {
 public:
  using Term = std::size_t;
  static constexpr double growth_limit = 24.0;

  /// One that is there in the beginning, or one of which nothing is known yet.
  Term add(bool is_original);
  void relate(std::vector<Term> terms) { relations_.push_back(std::move(terms)); }
  /// The term is aⱼxⱼ with aⱼ = now, and was a term of the row with aⱼ = original.
  struct Entry {
    Term term;
    Value now;
    Value original;
  };
  void may_have_grown(const Entry& entry) { entries_.push_back(entry); }
  /// Rounding errors relative to these are made, so many units in the last place of each.
  void add_error(std::vector<Term> terms, double ulps) { errors_.push_back({std::move(terms), ulps}); }
  /// Nothing can be said of this row.
  void give_up() { is_known_ = false; }
  bool is_known() const { return is_known_ && relations_.size() <= most_relations; }

  /// Whether the residual is at most so many ulps of M if some entries have grown little, which they did at the sample
  /// points. Appends these.
  bool implies_residual(double ulps, const Builder& builder, std::vector<Entry>& entries);

 private:
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  static constexpr std::size_t most_relations = 32;
  struct Error {
    std::vector<Term> terms;
    double ulps;
  };
  void deduce();

  bool is_known_ = true;
  std::vector<double> bounds_;
  std::vector<std::vector<Term>> relations_;
  std::vector<Entry> entries_;
  std::vector<Error> errors_;
};

}  // namespace rattleback
