#include "rattleback/expr/print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>
#include <vector>

#include "rattleback/expr/graph.hpp"

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

/// Larger formulas than this are printed with definitions (text) or refused (LaTeX).
constexpr double largest_formula = 20000.0;
/// Deeper formulas are cut by definitions; well below what the parser accepts.
constexpr int deepest_formula = 64;

enum class Precedence { sum, product, power, atom };

struct Piece {
  std::string text;
  Precedence precedence = Precedence::atom;
  int depth = 0;
};

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
    std::string text;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const double weight = e.operands()[i].weight;
      text += weight < 0.0 ? (i == 0 ? "-" : " - ") : (i == 0 ? "" : " + ");
      text += scaled(std::abs(weight), bracketed(*operands[i], Precedence::product));
    }
    if (e.value() != 0.0) text += (e.value() < 0.0 ? " - " : " + ") + number_text(std::abs(e.value()));
    return {text, Precedence::sum, 0};
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
    std::string arguments;
    for (const Piece* operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand->text;
    return {fmt::format("{}({})", info(e.function()).name, arguments), Precedence::atom, 0};
  }

  static Piece symbol(const std::string& name) { return {name, Precedence::atom, 0}; }
};

std::string latex_number(double value) {
  std::string text = number_text(value);
  if (const auto slash = text.find('/'); slash != std::string::npos) {
    return fmt::format("\\frac{{{}}}{{{}}}", text.substr(0, slash), text.substr(slash + 1));
  }
  if (const auto e = text.find('e'); e != std::string::npos) {
    return fmt::format("{}\\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
  }
  return text;
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
  if (greek.contains(subscript)) subscript = "\\" + subscript;
  for (std::size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] == '_') subscript[i] = ',';
  }
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
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const double weight = e.operands()[i].weight;
      text += weight < 0.0 ? (i == 0 ? "-" : " - ") : (i == 0 ? "" : " + ");
      const std::string term = grouped(*operands[i], Precedence::product);
      text += std::abs(weight) == 1.0 ? term : scaled_latex(std::abs(weight), term);
    }
    if (e.value() != 0.0) text += (e.value() < 0.0 ? " - " : " + ") + latex_number(std::abs(e.value()));
    return {text, Precedence::sum, 0};
  }

  static Piece product(const Expression& e, const std::vector<const Piece*>& operands) {
    std::string over;
    std::string under;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const double exponent = e.operands()[i].weight;
      const double n = std::abs(exponent);
      const std::string factor = n == 1.0 ? grouped(*operands[i], Precedence::power)
                                          : fmt::format("{{{}}}^{{{}}}", grouped(*operands[i], Precedence::atom), n);
      std::string& side = exponent < 0.0 ? under : over;
      side += (side.empty() ? "" : " ") + factor;
    }
    const double coefficient = std::abs(e.value());
    std::string text = over;
    if (over.empty()) {
      text = fmt::format("\\frac{{{}}}{{{}}}", latex_number(coefficient), under);
    } else {
      if (!under.empty()) text = fmt::format("\\frac{{{}}}{{{}}}", over, under);
      if (coefficient != 1.0) text = scaled_latex(coefficient, text);
    }
    return e.value() < 0.0 ? Piece{"-" + text, Precedence::sum, 0} : Piece{text, Precedence::product, 0};
  }

  static Piece power(const std::vector<const Piece*>& operands) {
    return {fmt::format("{{{}}}^{{{}}}", grouped(*operands[0], Precedence::atom), operands[1]->text), Precedence::power,
            0};
  }

  static Piece function(const Expression& e, const std::vector<const Piece*>& operands) {
    if (e.function() == Function::sqrt) return {fmt::format("\\sqrt{{{}}}", operands[0]->text), Precedence::atom, 0};
    std::string arguments;
    for (const Piece* operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand->text;
    return {fmt::format("{}\\left({}\\right)", info(e.function()).latex, arguments), Precedence::atom, 0};
  }

  static Piece symbol(const std::string& name) { return {latex_symbol(name), Precedence::atom, 0}; }

 private:
  /// c t; a dot keeps 2·3^x from reading 23^x.
  static std::string scaled_latex(double coefficient, const std::string& text) {
    const bool digit_follows = text.find_first_of("0123456789") == text.find_first_not_of('{');
    return latex_number(coefficient) + (digit_follows ? " \\cdot " : " ") + text;
  }

  static std::string grouped(const Piece& piece, Precedence needed) {
    return piece.precedence >= needed ? piece.text : "\\left(" + piece.text + "\\right)";
  }
};

template <class Style>
Piece format_node(const Expression& e, const std::vector<const Piece*>& operands) {
  switch (e.kind()) {
    case Kind::constant: return Style::constant(e.value());
    case Kind::symbol: return Style::symbol(e.name());
    case Kind::sum: return Style::sum(e, operands);
    case Kind::product: return Style::product(e, operands);
    case Kind::power: return Style::power(operands);
    case Kind::function: return Style::function(e, operands);
  }
  return {};
}

/// Symbols the formula would have if nothing were shared, and how deep it nests.
struct FormulaSize {
  double symbols = 0.0;
  int depth = 0;
};

FormulaSize formula_size(const Graph& graph) {
  std::vector<FormulaSize> sizes(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    sizes[i].symbols = 1.0;
    for (const Term& t : graph[i].operands()) {
      const FormulaSize& inner = sizes[graph.index(t.expression)];
      sizes[i].symbols += inner.symbols;
      sizes[i].depth = std::max(sizes[i].depth, inner.depth + 1);
    }
  }
  return sizes.back();
}

/// Prints a graph from its leaves up; with definitions, every formula that is used twice or nests
/// too deep gets a name.
template <class Style>
std::string print(const Expression& root, const Graph& graph, bool with_definitions) {
  std::vector<int> uses(graph.size(), 0);
  std::unordered_set<std::string> taken{"pi"};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].is_symbol()) taken.insert(graph[i].name().substr(0, graph[i].name().find('\'')));
    for (const Term& t : graph[i].operands()) ++uses[graph.index(t.expression)];
  }
  std::string definitions;
  int counter = 0;
  std::vector<Piece> pieces(graph.size());
  std::vector<const Piece*> operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    operands.clear();
    int depth = 0;
    for (const Term& t : e.operands()) {
      operands.push_back(&pieces[graph.index(t.expression)]);
      depth = std::max(depth, operands.back()->depth + 1);
    }
    Piece piece = format_node<Style>(e, operands);
    piece.depth = depth;
    const bool leaf = e.operands().empty();
    if (with_definitions && !leaf && i + 1 < graph.size() && (uses[i] > 1 || depth >= deepest_formula)) {
      std::string name;
      do {
        name = fmt::format("_{}", ++counter);
      } while (taken.contains(name));
      definitions += fmt::format("{} = {};\n", name, piece.text);
      piece = Style::symbol(name);
    }
    pieces[i] = std::move(piece);
    for (const Term& t : e.operands()) {  // a formula that has been used up need not be kept
      const std::size_t k = graph.index(t.expression);
      if (--uses[k] == 0) pieces[k] = {};
    }
  }
  return definitions + pieces[graph.index(root)].text;
}

}  // namespace

std::string to_text(const Expression& expression) {
  const Graph graph({&expression, 1});
  const FormulaSize size = formula_size(graph);
  return print<TextStyle>(expression, graph, size.symbols > largest_formula || size.depth > deepest_formula);
}

std::string shortened(const Expression& expression, std::size_t length) {
  std::string text = to_text(expression);
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;  // not inside a letter
  return text.substr(0, length) + "...";
}

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
