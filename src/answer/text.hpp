#pragma once

// Numbers, lists and formulas as people read them.

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "rattleback/answer/problem.hpp"
#include "rattleback/expr/matrix.hpp"
#include "rattleback/flow/statistics.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback::answer {

/// (x, y, z) with so many digits; long lists are cut.
std::string tuple(const std::vector<double>& values, int digits = 10);
/// x, y, z; long lists are cut.
std::string names(const std::vector<Expression>& symbols);
std::string names(std::vector<std::string> texts);
/// A formula as a page bears it; JSON has it all.
std::string formula(const Expression& expression);
/// The same of a vector or a matrix.
std::string formula(const Tensor& value);

/// "largest error 1e-9 of its terms", or where it ceases to exist: "not defined at step 3 (t = 0.3): why".
std::string words_of(const Largest& largest, const char* name, const char* unit = "");
std::string words_of(const Largest::End& end);

/// What stands in the place of a formula that is too long.
inline constexpr const char* too_long = "\\text{too long for a page: JSON has it}";
inline bool is_too_long(const std::string& latex) { return latex.find(too_long) != std::string::npos; }

/// A formula in LaTeX. Some are very long, and the rest is worth printing without them.
std::string latex_if_short(const Expression& expression);

/// What does work in a system that does not conserve its energy: "applied forces and moving constraints".
std::string what_does_work(const System& system);

/// Rows of a table whose first column is so wide, for methods that do not apply.
std::string rows_of(const std::vector<InapplicableMethod>& methods, std::size_t width);

/// Lines of LaTeX, each with its &, under a title.
std::string aligned(const std::string& title, std::vector<std::string> lines);

/// Appends to a text.
template <typename... T>
void add(std::string& out, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
}

}  // namespace rattleback::answer
