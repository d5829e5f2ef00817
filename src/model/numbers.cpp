// Numbers as people type them on a command line.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

std::vector<double> numbers_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  ParseOptions options{what, 1, 1, std::vector<std::string>{}, {}, {}, "; it must be a number"};
  std::unordered_map<Expression, double> known;
  for (const auto& [name, value] : values) {
    options.names->push_back(name);
    known[Expression::symbol(name)] = value;
  }
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string piece(text.substr(begin, end - begin));
    char* rest = nullptr;  // nan and inf are numbers to people, but not expressions
    double value = std::strtod(piece.c_str(), &rest);
    const bool word = piece.find_first_of("0123456789") == std::string::npos;
    if (piece.empty() || *rest != '\0' || std::isfinite(value) || !word) {
      try {
        value = evaluate(parse(piece, options), known);
      } catch (const ParseError& error) {
        const std::size_t column = begin + static_cast<std::size_t>(error.column());
        throw ModelError(
            fmt::format("{}:1:{}: {}\n  {}\n  {}^", what, column, error.summary(), text, std::string(column - 1, ' ')));
      }
    }
    if (!std::isfinite(value)) throw ModelError(fmt::format("{} must be a finite number, found {}", what, piece));
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

double number_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  const auto numbers = numbers_from_text(text, what, values);
  if (numbers.size() != 1) throw ModelError(fmt::format("{} must be one number, found {}", what, text));
  return numbers[0];
}

}  // namespace rattleback
