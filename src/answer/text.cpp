#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback::answer {
namespace {

constexpr std::size_t longest = 12;

}  // namespace

std::string tuple(const std::vector<double>& values, int digits) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(values.size(), longest); ++i) {
    texts.push_back(digits >= 17 ? fmt::format("{}", values[i]) : fmt::format("{:.{}g}", values[i], digits));
  }
  if (values.size() > longest) texts.emplace_back("...");
  return fmt::format("({})", fmt::join(texts, ", "));
}

std::string names(const std::vector<Expression>& symbols) {
  std::vector<std::string> texts;
  for (const Expression& symbol : symbols) texts.push_back(symbol.name());
  return names(std::move(texts));
}

std::string names(std::vector<std::string> texts) {
  if (const std::size_t all = texts.size(); all > longest) {
    texts.resize(longest);
    texts.push_back(fmt::format("... ({} in all)", all));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string formula(const Expression& expression) {
  constexpr std::size_t longest_formula = 400;
  return shortened(to_reading_text(expression), longest_formula);
}

std::string formula(const Tensor& value) {
  if (const auto* e = std::get_if<Expression>(&value)) return formula(*e);
  std::vector<std::string> parts;
  if (const auto* matrix = std::get_if<Matrix>(&value)) {
    for (std::size_t i = 0; i < matrix->rows; ++i) parts.push_back(formula(matrix->row(i)));
  } else {
    for (const Expression& e : std::get<Vector>(value)) parts.push_back(formula(e));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string words_of(const Largest& largest, const char* name, const char* unit) {
  const bool is_known = !std::isnan(largest.value);
  if (!largest.end) return is_known ? fmt::format("{} {:.3g}{}", name, largest.value, unit) : "nothing to see";
  return words_of(*largest.end) + (is_known ? fmt::format("; {} before {:.3g}{}", name, largest.value, unit) : "");
}

std::string words_of(const Largest::End& end) {
  return fmt::format("not defined at step {} (t = {:.10g}){}", end.at.step, end.at.time,
                     end.why.empty() ? "" : ": " + end.why);
}

namespace {

/// A formula in lines, broken before terms that are in no bracket, once about so many signs have been written.
std::string in_lines(const std::string& latex) {
  constexpr int width = 110;
  std::string text;
  int depth = 0;
  int written = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const std::string_view rest = std::string_view(latex).substr(i);
    if (latex[i] == '{' || rest.starts_with("\\left") || rest.starts_with("\\begin")) ++depth;
    if (latex[i] == '}' || rest.starts_with("\\right") || rest.starts_with("\\end")) --depth;
    if (depth == 0 && written > width && (rest.starts_with(" + ") || rest.starts_with(" - "))) {
      text += " \\\\\n  &\\quad";
      written = 0;
    }
    if (latex[i] == '\\') {  // a command is one sign
      while (i + 1 < latex.size() && std::isalpha(static_cast<unsigned char>(latex[i + 1])) != 0) text += latex[i++];
    }
    text += latex[i];
    if (latex[i] != ' ' && latex[i] != '{' && latex[i] != '}') ++written;
  }
  return text;
}

}  // namespace

std::string latex_if_short(const Expression& expression) {
  constexpr std::size_t longest_latex = 1500;
  try {
    const std::string latex = to_latex(expression);
    return latex.size() <= longest_latex ? latex : too_long;
  } catch (const ExpressionError&) {
    return too_long;
  }
}

std::string rows_of(const std::vector<InapplicableMethod>& methods, std::size_t width) {
  std::string rows;
  for (const auto& [method, reason] : methods) add(rows, "  {:<{}}  does not apply: {}\n", method, width, reason);
  return rows;
}

std::string aligned(const std::string& title, std::vector<std::string> lines) {
  for (std::string& line : lines) line = in_lines(line);
  return fmt::format("% {}\n\\begin{{align*}}\n  {}\n\\end{{align*}}\n", title, fmt::join(lines, " \\\\\n  "));
}

std::string what_does_work(const System& system) {
  std::vector<std::string> parts;
  const auto moves = [](const Expression& b) { return !b.is_constant(0.0); };
  const auto rows = static_cast<std::ptrdiff_t>(system.constraints().size());
  const auto& affine = system.affine_part();
  if (std::any_of(affine.begin(), affine.begin() + rows, moves)) parts.emplace_back("affine constraints");
  if (std::any_of(affine.begin() + rows, affine.end(), moves)) parts.emplace_back("moving constraints");
  Expression power;
  for (std::size_t i = 0; i < system.applied_forces().size(); ++i) {
    power += system.applied_forces()[i] * system.velocities()[i];
  }
  if (!tidy(power).is_constant(0.0)) parts.emplace_back("applied forces");
  if (!tidy(system.power() - power).is_constant(0.0)) parts.emplace_back("changes of the Lagrangian with time");
  const std::string last = parts.empty() ? "" : parts.back();
  if (parts.size() < 2) return last;
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

}  // namespace rattleback::answer
