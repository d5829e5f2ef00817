#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {

/// Numbers under names: columns of equal length, and single numbers.
struct Table {
  struct Column {
    std::string name;
    std::vector<double> values;
    ColumnKind kind = ColumnKind::other;
  };
  std::vector<Column> columns;
  std::map<std::string, double> scalars = {};
  /// Further names in formulas: expressions of the columns.
  std::map<std::string, Expression> formulas = {};

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().values.size(); }
  const std::vector<double>* find(std::string_view name) const;
  std::vector<std::string> names() const;
  /// An expression of the columns, in every row. Names that are no columns are an error.
  std::vector<double> evaluate(const Expression& expression) const;
  /// Several of them: one column for each.
  std::vector<std::vector<double>> evaluate(std::span<const Expression> expressions) const;
};

/// Keeps the samples of a run: time, q, v, p, multipliers, energy, constraints, conserved quantities and what was
/// observed, under the names that result files have. With a limit on rows, two of three are dropped whenever it is
/// reached: an odd stride keeps both sides of what alternates from step to step. Throws ModelError if two columns have
/// the same name.
class TableRecorder final : public Recorder {
 public:
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
  TableRecorder(Table& table, const System& system, const std::vector<ObservedQuantity>& observed,
                std::size_t most_rows = no_limit);
  void record(const Sample& sample) override;
  void checkpoint(const Checkpoint&) override {}
  /// The last sample is kept too.
  void finish();

 private:
  void append(const std::vector<double>& row);

  Table& table_;
  std::size_t most_rows_;
  std::int64_t samples_ = 0;
  std::int64_t stride_ = 1;
  std::vector<double> last_;
  bool last_is_in_ = true;
};

}  // namespace rattleback
