#include "rattleback/expr/print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "formula.hpp"

namespace rattleback {

std::string number_text(double value) {
  std::string decimal = fmt::format("{}", value);
  if (decimal.size() <= 7) return decimal;
  const double reciprocal = std::round(1.0 / value);
  if (std::abs(reciprocal) < 1e9 && 1.0 / reciprocal == value) {
    return fmt::format("{}1/{:.0f}", value < 0.0 ? "-" : "", std::abs(reciprocal));
  }
  for (int q = 2; q < 1000; ++q) {
    const double p = std::round(value * q);
    if (std::abs(p) >= 1.0 && std::abs(p) < 1e5 && p / q == value) {
      std::string fraction = fmt::format("{}/{}", p, q);
      return fraction.size() < decimal.size() ? fraction : decimal;
    }
  }
  return decimal;
}

namespace {

std::string bracketed(const Piece& piece, Precedence needed) {
  return piece.precedence >= needed ? piece.text : "(" + piece.text + ")";
}

/// |c|·t of a sum, where t is already text: "x", "2*x", "x/3".
std::string scaled(double coefficient, const std::string& text) {
  if (coefficient == 1.0) return text;
  const std::string number = number_text(coefficient);
  const auto slash = number.find('/');
  if (slash == std::string::npos) return number + "*" + text;
  const std::string numerator = number.substr(0, slash);
  return (numerator == "1" ? "" : numerator + "*") + text + number.substr(slash);
}

/// The formula of one node from the formulas of its operands.
class TextStyle {
 public:
  static Piece constant(double value) {
    const std::string text = number_text(value);
    const bool atom = value >= 0.0 && text.find('/') == std::string::npos;
    return {text, atom ? Precedence::atom : Precedence::sum, 0};
  }

  static Piece sum(const Expression& e, const std::vector<const Piece*>& operands) {
    std::vector<std::size_t> order(operands.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return sum(e, operands, order);
  }

  static Piece product(const Expression& e, const std::vector<const Piece*>& operands) {
    std::string numerator;
    std::vector<std::string> denominators;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const double exponent = e.operands()[i].weight;
      const double n = std::abs(exponent);
      const std::string factor = n == 1.0 ? bracketed(*operands[i], Precedence::power)
                                          : bracketed(*operands[i], Precedence::atom) + "^" + number_text(n);
      if (exponent < 0.0) {
        denominators.push_back(factor);
      } else {
        numerator += (numerator.empty() ? "" : "*") + factor;
      }
    }
    const double coefficient = std::abs(e.value());
    std::string text = numerator.empty() ? number_text(coefficient) : scaled(coefficient, numerator);
    if (numerator.empty() && text.find('/') != std::string::npos) text = fmt::format("{}", coefficient);
    // A long denominator in parentheses would come back as one factor: expression.hpp, product.
    if (denominators.size() == 1) {
      text += "/" + denominators[0];
    } else if (!denominators.empty() && denominators.size() <= 8) {
      text += fmt::format("/({})", fmt::join(denominators, "*"));
    } else {
      for (const std::string& d : denominators) text += "/" + d;
    }
    return e.value() < 0.0 ? Piece{"-" + text, Precedence::sum, 0} : Piece{text, Precedence::product, 0};
  }

  static Piece power(const std::vector<const Piece*>& operands) {
    return {bracketed(*operands[0], Precedence::atom) + "^" + bracketed(*operands[1], Precedence::atom),
            Precedence::power, 0};
  }

  static Piece function(const Expression& e, const std::vector<const Piece*>& operands) {
    if (is_condition(e)) return condition_piece(e, operands, info(e.function()).name, bracketed);
    if (e.function() == Function::table)
      return {fmt::format("{}({})", table_label(e), operands[0]->text), Precedence::atom, 0};
    std::string arguments;
    for (const Piece* operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand->text;
    return {fmt::format("{}({})", info(e.function()).name, arguments), Precedence::atom, 0};
  }

  static Piece symbol(const std::string& name) { return {name, Precedence::atom, 0}; }

 protected:
  static Piece sum(const Expression& e, const std::vector<const Piece*>& operands,
                   const std::vector<std::size_t>& order, bool number_first = false) {
    std::string text = number_first ? number_text(e.value()) : "";
    for (const std::size_t i : order) {
      add_term(text, e.operands()[i].weight,
               scaled(std::abs(e.operands()[i].weight), bracketed(*operands[i], Precedence::product)));
    }
    if (e.value() != 0.0 && !number_first) add_term(text, e.value(), number_text(std::abs(e.value())));
    return {text, Precedence::sum, 0};
  }
};

/// Text with the terms of sums as people order them.
class ReadingStyle : public TextStyle {
 public:
  static Piece sum(const Expression& e, const std::vector<const Piece*>& operands) {
    return TextStyle::sum(e, operands, reading_order(e, operands), starts_with_number(e));
  }
};

}  // namespace

std::string to_text(const Expression& expression) {
  const Graph graph({&expression, 1});
  const FormulaSize size = formula_size(graph);
  return print<TextStyle>(expression, graph, size.symbols > largest_formula || size.depth > deepest_formula);
}

std::string to_reading_text(const Expression& expression) {
  const Graph graph({&expression, 1});
  const FormulaSize size = formula_size(graph);
  return print<ReadingStyle>(expression, graph, size.symbols > largest_formula || size.depth > deepest_formula);
}

std::string shortened(std::string text, std::size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;  // not inside a letter
  return text.substr(0, length) + "...";
}

std::string shortened(const Expression& expression, std::size_t length) {
  return shortened(to_text(expression), length);
}

}  // namespace rattleback
