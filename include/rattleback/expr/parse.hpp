#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/expr/expression.hpp"
#include "rattleback/expr/matrix.hpp"

namespace rattleback {

class Definitions;

/// A text that is not an expression. what() is the whole message:
///
///     model.toml:3:15: unknown name 'thta'; did you mean 'theta'?
///       m*a*cos(thta)
///               ^
class ParseError : public RequestError {
 public:
  ParseError(const std::string& message, std::string summary, int line, int column)
      : RequestError(message), summary_(std::move(summary)), line_(line), column_(column) {}

  const std::string& summary() const noexcept { return summary_; }  ///< first line without the place
  int line() const noexcept { return line_; }
  int column() const noexcept { return column_; }  ///< in characters, from 1

 private:
  std::string summary_;
  int line_;
  int column_;
};

struct ParseOptions {
  std::string source = "expression";  ///< named in errors
  int line = 1;                       ///< place of the text's first character in the source
  int column = 1;
  /// The names that may occur, velocities (x') included; any name when absent.
  std::optional<std::vector<std::string>> names;
  /// Integers that bounds of sums and indices may use.
  std::unordered_map<std::string, int> integers = {};
  std::unordered_map<std::string, double> noninteger = {};  ///< names that are numbers, but no integers: for messages
  std::string unknown_advice = {};                          ///< what to do about an unknown name: "; declare it …"
  const Definitions* definitions = nullptr;                 ///< further names: expr/definitions.hpp
  std::string time = {};                                    ///< the name that stands for time, if one does
  /// Symbols that definitions may contain besides the names, whose rates of change nobody knows: multipliers.
  const std::unordered_set<Expression>* instantaneous = nullptr;
  /// What to say of some names where they are unknown: "is a constraint; …", behind the name.
  const std::unordered_map<std::string, std::string>* explanations = nullptr;
};

/// Texts beyond these limits are refused: they are accidents or attacks, and both should get an
/// answer and not a full memory.
inline constexpr std::size_t max_expression_length = 1U << 20;
inline constexpr int max_expression_nesting = 256;
/// Words read in all, where the body of a sum counts once for each index and that of a function once for each call;
/// operations on matrices and time derivatives count like the words they stand for.
inline constexpr std::size_t max_expression_words = 1U << 22;
inline constexpr int max_range = 100000;  ///< indices of one sum

/// Reads the notation of model files (docs/expressions.md):
///
///     [name = expression;]… expression
///
/// with + - * / ^ (right-associative, binds tighter than the sign), parentheses, the functions of
/// Function, the constant pi (π), and x' for the velocity of x. Definitions before a semicolon are local
/// abbreviations. Names are letters (Greek ones too), digits and underscores. For systems of n like
/// parts, y[i] is the name y1 if i is 1, y[i]' its velocity, and
///
///     sum(i = 1..n, y[i]^2)
///
/// the sum over i, which may be used as a number in its body. Vectors are written [a, b, c], matrices [[a, b], [c, d]];
/// a prime after a parenthesis or a definition is the total time derivative.
Tensor parse_tensor(std::string_view text, const ParseOptions& options = {});
/// One that is a scalar.
Expression parse(std::string_view text, const ParseOptions& options = {});

/// Reads an entry of a list: an expression, the components of a vector, or one for each i if it starts with a range, as
/// in "[i = 1..n] y[i]' - z[i]*x'".
std::vector<Expression> parse_entry(std::string_view text, const ParseOptions& options = {});

/// The candidate that a misspelt name most likely means, if one is close enough.
std::optional<std::string> closest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace rattleback
