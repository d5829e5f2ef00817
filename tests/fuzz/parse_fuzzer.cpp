// Any bytes either parse or give a ParseError; what parses survives printing and differentiation.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/expr/definitions.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"

namespace {

using namespace rattleback;

[[noreturn]] void complain(const char* what, const std::string& text) {
  fmt::print(stderr, "{}:\n{}\n", what, text);
  std::abort();
}

void check_round_trip(const Expression& e) {
  const std::string text = to_text(e);
  if (text.size() > max_expression_length) return;
  try {
    if (!(parse(text) == e)) complain("the text reads back to another expression", text);
  } catch (const ParseError& error) {
    complain(error.what(), text);
  }
}

void exercise(const Expression& e) {
  check_round_trip(e);
  const std::vector<Expression> symbols = free_symbols(e);
  try {
    const std::vector<Expression> g = gradient(e, symbols);
    for (const Expression& component : g) check_round_trip(component);
    if (to_c("gradient", symbols, g).empty()) complain("no C", to_text(e));
    if (to_latex(e).empty()) complain("no LaTeX", to_text(e));
  } catch (const ExpressionError&) {
    // A constant may overflow in a derivative, and LaTeX has a limit.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ParseOptions options;
  if (data[0] % 2 == 1) {
    options.names = std::vector<std::string>{"x", "y", "theta", "phi", "m", "g", "t1", "x'", "y'", "theta'", "phi'"};
  }
  static const Definitions definitions = [] {
    Definitions d;
    d.add("W", "[x, y, theta]");
    d.add("J", "diag(m, 2, g)");
    d.add("kinetic(v, A)", "0.5*dot(v, A*v)");
    return d;
  }();
  if (data[0] % 4 >= 2) options.definitions = &definitions;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const Tensor value = parse_tensor(text, options);
    for (const Expression& e : entries_of(value)) exercise(e);
    Definitions more;
    more.add("f(u, x)", text, options);
  } catch (const ParseError& error) {
    const bool placed = error.line() >= 1 && error.column() >= 1;
    if (!placed || error.summary().empty()) complain("an error without a place", error.what());
  }
  return 0;
}
