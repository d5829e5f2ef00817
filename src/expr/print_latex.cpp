#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formula.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

/// The fraction p/q that a number of a formula stands for, as in 0.125, if its denominator is small.
std::optional<std::pair<double, int>> small_fraction(double value) {
  for (int q = 2; q <= 64; ++q) {
    const double p = std::round(value * q);
    if (p != 0.0 && std::abs(p) < 1000.0 && p / q == value && std::gcd(static_cast<int>(p), q) == 1) return {{p, q}};
  }
  return std::nullopt;
}

std::string latex_fraction(const std::string& over, const std::string& under) {
  return fmt::format("\\frac{{{}}}{{{}}}", over.empty() ? "1" : over, under);
}

std::string latex_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e6) return fmt::format("{}", value);
  const std::string sign = value < 0.0 ? "-" : "";
  if (const auto fraction = small_fraction(std::abs(value)))
    return sign + latex_fraction(fmt::format("{}", fraction->first), std::to_string(fraction->second));
  std::string text = number_text(std::abs(value));
  if (const auto slash = text.find('/'); slash != std::string::npos)
    return sign + latex_fraction(text.substr(0, slash), text.substr(slash + 1));
  if (const auto e = text.find('e'); e != std::string::npos)
    return fmt::format("{}{}\\cdot 10^{{{}}}", sign, text.substr(0, e), std::stoi(text.substr(e + 1)));
  return sign + text;
}

std::string latex_symbol(std::string name) {
  static const std::unordered_set<std::string> greek{
      "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta",     "theta", "iota", "kappa", "lambda", "mu",
      "nu",    "xi",    "pi",     "rho",   "sigma",   "tau",   "upsilon", "phi",   "chi",  "psi",   "omega",  "Gamma",
      "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Upsilon", "Phi",   "Psi",  "Omega"};
  std::size_t primes = 0;
  while (!name.empty() && name.back() == '\'') {
    name.pop_back();
    ++primes;
  }
  std::string owner;  // the rotation R of its angular velocity R.omega3
  if (const auto dot = name.find('.'); dot != std::string::npos) {
    owner = name.substr(0, dot);
    name.erase(0, dot + 1);
  }
  std::string component;  // of a vector or a matrix: W[3], Q[1,2]
  if (const auto bracket = name.find('['); bracket != std::string::npos) {
    component = name.substr(bracket + 1, name.size() - bracket - 2);
    std::erase(component, ',');
    name.resize(bracket);
  }
  std::size_t stem_end = name.find('_');
  std::string subscript;
  if (stem_end != std::string::npos && stem_end > 0) {
    subscript = name.substr(stem_end + 1);
  } else {
    stem_end = name.find_last_not_of("0123456789") + 1;
    subscript = name.substr(stem_end);
  }
  std::string stem = name.substr(0, stem_end);
  if (greek.contains(stem)) {
    stem = "\\" + stem;
  } else if ((stem.size() > 1 || stem == "_") && static_cast<unsigned char>(stem[0]) < 0x80U) {
    std::string escaped;
    for (char c : stem) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
    stem = fmt::format("\\mathrm{{{}}}", escaped);
  }
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (greek.contains(subscript)) {
    subscript = "\\" + subscript;
  } else if (subscript.size() > 1 && std::ranges::all_of(subscript.substr(0, 2), is_letter)) {
    subscript = fmt::format("\\mathrm{{{}}}", subscript);
  }
  for (std::size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] == '_') subscript[i] = ',';
  }
  if (!component.empty()) subscript += (subscript.empty() ? "" : ",") + component;
  if (!owner.empty()) subscript = latex_symbol(owner) + (subscript.empty() ? "" : ",") + subscript;
  constexpr const char* accents[] = {"", "\\dot", "\\ddot", "\\dddot", "\\ddddot"};
  if (primes > 4) {
    stem = fmt::format("{{{}}}^{{({})}}", stem, primes);
  } else if (primes > 0) {
    stem = fmt::format("{}{{{}}}", accents[primes], stem);
  }
  return subscript.empty() ? stem : fmt::format("{}_{{{}}}", stem, subscript);
}

class LatexStyle {
 public:
  static Piece constant(double value) {
    const std::string text = latex_number(value);
    const bool atom = value >= 0.0 && text.find('\\') == std::string::npos;
    return {text, atom ? Precedence::atom : Precedence::sum, 0};
  }

  static Piece sum(const Expression& e, const std::vector<const Piece*>& operands) {
    std::string text;
    const bool number_first = starts_with_number(e);
    if (number_first) text = latex_number(e.value());
    for (const std::size_t i : reading_order(e, operands)) {
      const double weight = e.operands()[i].weight;
      add_term(text, weight, scaled(std::abs(weight), *operands[i]).text);
    }
    if (e.value() != 0.0 && !number_first) add_term(text, e.value(), latex_number(std::abs(e.value())));
    return {text, Precedence::sum, 0};
  }

  static Piece product(const Expression& e, const std::vector<const Piece*>& operands) {
    std::string sides[2];
    for (const bool functions : {false, true}) {  // last: what follows sin x is not its argument
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i]->head.empty() == functions) continue;
        const double exponent = e.operands()[i].weight;
        std::string& side = sides[exponent < 0.0 ? 1 : 0];
        side += (side.empty() ? "" : " ") + raised(*operands[i], std::abs(exponent));
      }
    }
    std::string under = sides[1];
    const auto divisor = [](const Term& t) { return t.weight < 0.0; };
    if (std::ranges::count_if(e.operands(), divisor) == 1) {  // alone under a bar nothing needs parentheses
      const auto i = static_cast<std::size_t>(std::ranges::find_if(e.operands(), divisor) - e.operands().begin());
      if (e.operands()[i].weight == -1.0) under = operands[i]->text;
    }
    Piece plain{sides[0], Precedence::product};
    if (!under.empty()) plain = fraction(sides[0], under, sides[1]);
    Piece piece = scaled(std::abs(e.value()), plain);
    if (e.value() < 0.0) piece = {"-" + piece.text, Precedence::sum, 0};
    return piece;
  }

  static Piece power(const std::vector<const Piece*>& operands) {
    return {fmt::format("{{{}}}^{{{}}}", grouped(*operands[0], Precedence::atom), operands[1]->text), Precedence::power,
            0};
  }

  static Piece function(const Expression& e, const std::vector<const Piece*>& operands) {
    if (e.function() == Function::sqrt) return {fmt::format("\\sqrt{{{}}}", operands[0]->text), Precedence::atom, 0};
    if (e.function() == Function::abs)
      return {fmt::format("\\left\\lvert {} \\right\\rvert", operands[0]->text), Precedence::atom, 0};
    if (is_condition(e)) return condition_piece(e, operands, info(e.function()).latex, grouped);
    if (e.function() == Function::if_else) {
      return {fmt::format("\\begin{{cases}} {} & {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", operands[1]->text,
                          operands[0]->text, operands[2]->text),
              Precedence::atom, 0};
    }
    if (e.function() == Function::table)
      return {fmt::format("{}\\left({}\\right)", latex_symbol(table_label(e)), operands[0]->text), Precedence::atom, 0};
    std::string arguments;
    for (const Piece* operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand->text;
    const bool bare = operands.size() == 1 && e.operands()[0].expression.is_symbol();
    if (!bare) arguments = "\\left(" + arguments + "\\right)";
    const std::string head(info(e.function()).latex);
    Piece piece{head + (bare && arguments[0] != '\\' ? " " : "") + arguments, Precedence::atom, 0};
    piece.head = head;
    return piece;
  }

  static Piece symbol(const std::string& name) { return {latex_symbol(name), Precedence::atom, 0}; }

 private:
  static Piece fraction(const std::string& over, const std::string& under, const std::string& divisor) {
    return {latex_fraction(over, under), Precedence::product, 0, 0, {}, over, under, divisor};
  }

  /// base^n; sin^2 x, as everybody writes it.
  static std::string raised(const Piece& base, double n) {
    if (n == 1.0) return grouped(base, Precedence::power);
    const std::string exponent = fmt::format("^{{{}}}", n);
    if (!base.head.empty()) return base.head + exponent + base.text.substr(base.head.size());
    const std::string text = grouped(base, Precedence::atom);
    return (text.find('^') == std::string::npos ? text : "{" + text + "}") + exponent;
  }

  /// c t, with the parts of the number over and under the bar of a fraction; a dot keeps 2·3^x from reading 23^x.
  static Piece scaled(double coefficient, const Piece& piece) {
    if (coefficient == 1.0 && (!piece.text.empty() || !piece.under.empty())) {
      return {
          grouped(piece, Precedence::product), Precedence::product, 0, 0, {}, piece.over, piece.under, piece.divisor};
    }
    const auto parts = small_fraction(coefficient);
    if (!piece.under.empty()) {
      if (!parts) return fraction(joined(latex_number(coefficient), piece.over), piece.under, piece.divisor);
      const std::string under = joined(std::to_string(parts->second), piece.divisor);
      return fraction(parts->first == 1.0 ? piece.over : joined(fmt::format("{}", parts->first), piece.over), under,
                      under);
    }
    return {joined(latex_number(coefficient), grouped(piece, Precedence::product)), Precedence::product, 0};
  }

  static std::string joined(const std::string& number, const std::string& text) {
    const bool digit_follows = text.find_first_of("0123456789") == text.find_first_not_of('{');
    return text.empty() ? number : number + (digit_follows ? " \\cdot " : " ") + text;
  }

  static std::string grouped(const Piece& piece, Precedence needed) {
    return piece.precedence >= needed ? piece.text : "\\left(" + piece.text + "\\right)";
  }
};

}  // namespace

std::string to_latex(const Expression& expression) {
  const Graph graph({&expression, 1});
  const FormulaSize size = formula_size(graph);
  if (size.symbols > largest_formula) {
    throw ExpressionError(
        fmt::format("the formula has {:.3g} symbols, too many for LaTeX (at most {})", size.symbols, largest_formula));
  }
  return print<LatexStyle>(expression, graph, false);
}

}  // namespace rattleback
