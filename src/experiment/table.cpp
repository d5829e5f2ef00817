#include "rattleback/experiment/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../io/columns.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

const std::vector<double>* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &found->values;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names;
  for (const Column& c : columns) names.push_back(c.name);
  return names;
}

std::vector<double> Table::evaluate(const Expression& expression) const {
  return std::move(evaluate(std::span(&expression, 1)).front());
}

std::vector<std::vector<double>> Table::evaluate(std::span<const Expression> expressions) const {
  std::vector<Expression> symbols;
  for (const Column& c : columns) symbols.push_back(Expression::symbol(c.name));
  Interpreter<double> program(make_program(symbols, expressions));
  std::vector<double> inputs(columns.size());
  std::vector<double> row(expressions.size());
  std::vector<std::vector<double>> values(expressions.size(), std::vector<double>(rows()));
  for (std::size_t i = 0; i < rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) inputs[k] = columns[k].values[i];
    program(inputs, row);
    for (std::size_t k = 0; k < row.size(); ++k) values[k][i] = row[k];
  }
  return values;
}

TableRecorder::TableRecorder(Table& table, const System& system, const std::vector<ObservedQuantity>& observed,
                             std::size_t most_rows)
    : table_(table), most_rows_(most_rows) {
  for (const Column& column : columns_of(system, observed)) {
    for (std::string& name : labels(column)) {
      if (table_.find(name) != nullptr) {
        throw ModelError(fmt::format("two columns of a table would have the name '{}'; rename the coordinate", name));
      }
      table_.columns.push_back({std::move(name), {}, column.kind});
    }
  }
}

void TableRecorder::append(const std::vector<double>& row) {
  for (std::size_t k = 0; k < row.size(); ++k) table_.columns[k].values.push_back(row[k]);
}

void TableRecorder::record(const Sample& s) {
  last_.assign(1, s.time);
  const auto add = [&](double value) { last_.push_back(value); };
  for (const auto part : {s.q, s.v, s.p, s.multipliers}) std::ranges::for_each(part, add);
  add(s.energy);
  for (const auto part : {s.work, s.constraint, s.conserved, s.observed}) std::ranges::for_each(part, add);
  last_is_in_ = samples_++ % stride_ == 0;
  if (!last_is_in_) return;
  append(last_);
  if (table_.rows() < most_rows_) return;
  for (auto& [name, values, kind] : table_.columns) {
    for (std::size_t i = 0; 3 * i < values.size(); ++i) values[i] = values[3 * i];
    values.resize((values.size() + 2) / 3);
  }
  stride_ *= 3;
  last_is_in_ = (samples_ - 1) % stride_ == 0;
}

void TableRecorder::finish() {
  if (!last_is_in_) append(last_);
  last_is_in_ = true;
}

}  // namespace rattleback
