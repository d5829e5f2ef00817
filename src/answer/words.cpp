#include "words.hpp"

#include "rattleback/expr/print.hpp"

namespace rattleback::answer {

std::string text(const Expression& expression) {
  constexpr std::size_t longest = 400;
  return shortened(expression, longest);
}

std::string aligned(const std::string& title, const std::vector<std::string>& lines) {
  return fmt::format("% {}\n\\begin{{align*}}\n  {}\n\\end{{align*}}\n", title, fmt::join(lines, " \\\\\n  "));
}

}  // namespace rattleback::answer
