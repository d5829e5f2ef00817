#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/experiment/table.hpp"

namespace rattleback {

/// A formula for every row of a table, perhaps only for some of them: "abs(energy - 1.5) where time in 0..5 and x in
/// ..1".
struct RowFormula {
  std::string text;
  Expression value;
  struct Window {
    Expression value;
    double from;
    double to;
  };
  std::vector<Window> windows;
};

/// For each formula one number for each row that is in the windows of all of them, NaN where a window cannot be judged.
/// Names are columns, `row` (from 0), before_x for the column x one row earlier, and values. The first row is left out
/// if a formula looks back.
std::vector<std::vector<double>> evaluate(const std::vector<RowFormula>& formulas, const Table& table,
                                          const std::map<std::string, double>& values);

/// Throws ParseError.
RowFormula parse_row_formula(std::string_view text);

/// A number that is computed from tables:
///
///     max[dla: abs(energy - 1.5) where time in 200..250] / max[rk4: abs(energy - 1.5)]
///
/// A word before a bracket says how the rows of a table become one number: max, min, mean, rms, first, last, range,
/// sum, count; turns, how often they change direction; alternation, the largest amplitude of what changes sign from row
/// to row; frequency, the dominant angular one of equidistant rows without their trend, per row; slope and correlation
/// of y and x, as in slope[dla: log(error) over log(step)]; crossings of zero; radius, centre_x and centre_y of the
/// circle that fits points best, as in radius[dla: y over x]; area of their convex hull. Single numbers of a table are
/// written table.name, as in dla.steps.
struct Quantity {
  struct Part {
    std::string symbol;  ///< which stands for it in the formula
    std::string table;
    std::string reduction;  ///< empty for a single number, whose name is the formula's text
    RowFormula formula;
    std::optional<RowFormula> abscissa;
  };
  std::string text;
  Expression formula;
  std::vector<Part> parts;
};

/// Throws ParseError.
Quantity parse_quantity(std::string_view text);

struct NamedQuantity {
  std::string name;
  Quantity quantity;
};

/// What formulas may refer to.
struct Surroundings {
  std::function<const Table&(const std::string&)> table;
  std::map<std::string, double> values = {};
};

/// NaN where a part of it does not exist: no rows, or no number in one of them.
double evaluate(const Quantity& quantity, const Surroundings& surroundings);

/// What a number is compared with.
struct Criterion {
  enum class Kind : std::uint8_t { below, above, between, equals } kind = Kind::below;
  Quantity first;   ///< bound, lower bound, or value
  Quantity second;  ///< upper bound, or tolerance
};

struct Measured {
  double value = 0.0;
  double first = 0.0;
  double second = 0.0;
  bool known = false;      ///< all of them are numbers
  bool satisfied = false;  ///< never without
};

Measured measure(const Quantity& quantity, const Criterion& criterion, const Surroundings& surroundings);

/// For people: "below 0.001", "between 3.8 and 4.2", "below max[rk4: error] = 0.0123".
std::string describe(const Criterion& criterion, const Measured& measured);

}  // namespace rattleback
