#include <fmt/format.h>

#include <algorithm>

#include "equations.hpp"
#include "rattleback/answer/show.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

using Lines = std::vector<std::string>;

std::string latex_of(const Expression& e) { return latex_if_short(readable(e)); }

std::string latex_of(const Matrix& matrix) {
  Lines rows;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    Lines entries;
    for (const Expression& e : matrix.row(i)) entries.push_back(latex_of(e));
    rows.push_back(fmt::format("{}", fmt::join(entries, " & ")));
  }
  return fmt::format("\\begin{{pmatrix}} {} \\end{{pmatrix}}", fmt::join(rows, " \\\\ "));
}

std::string latex_of(const Tensor& value) {
  if (const auto* e = std::get_if<Expression>(&value)) return latex_of(*e);
  if (const auto* matrix = std::get_if<Matrix>(&value)) return latex_of(*matrix);
  Matrix column;
  column.entries = std::get<Vector>(value);
  column.rows = column.entries.size();
  column.columns = 1;
  return latex_of(column);
}

std::string symbol(const std::string& name) { return to_latex(Expression::symbol(name)); }

/// As a matrix, or the entries of a large one.
void add_matrix(Lines& lines, const char* letter, const SparseMatrix& sparse, bool upper_half) {
  constexpr int largest = 6;
  if (sparse.rows == 0) return;
  if (sparse.rows <= largest && sparse.columns <= largest) {
    Matrix matrix;
    matrix.rows = static_cast<std::size_t>(sparse.rows);
    matrix.columns = static_cast<std::size_t>(sparse.columns);
    matrix.entries.resize(matrix.rows * matrix.columns);
    for (const auto& e : sparse.entries)
      matrix.entries[static_cast<std::size_t>(e.row) * matrix.columns + static_cast<std::size_t>(e.column)] = e.value;
    constexpr std::size_t widest = 1000;
    const std::string latex = latex_of(matrix);
    if (latex.size() <= widest && !is_too_long(latex)) return lines.push_back(fmt::format("{} &= {}", letter, latex));
  }
  for (const auto& e : sparse.entries) {
    if (upper_half && e.row > e.column) continue;
    lines.push_back(fmt::format("{}_{{{},{}}} &= {}", letter, e.row + 1, e.column + 1, latex_of(e.value)));
  }
}

void add_rows(Lines& lines, const std::vector<WrittenFormula>& written, const std::vector<Expression>& rows) {
  if (written.empty()) {
    for (const Expression& row : rows) lines.push_back("0 &= " + latex_of(row));
  }
  for (const WrittenFormula& formula : written) {
    for (const Expression& row : entries_of(formula.value)) lines.push_back("0 &= " + latex_of(row));
  }
}

void add_equations(Lines& lines, const System& s, const std::optional<SparseMatrix>& written) {
  const EquationsOfMotion equations = equations_of_motion(s, written);
  constexpr std::size_t longest = 4000;  // of all together
  Lines both;
  std::size_t length = 0;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    both.push_back(fmt::format("{} &= {}", latex_if_short(equations.left[i]), latex_if_short(equations.right[i])));
    length += both.back().size();
  }
  if (length > longest || std::ranges::any_of(both, is_too_long))
    both = {"\\text{equations of motion} &: " + std::string(too_long)};
  lines.insert(lines.end(), both.begin(), both.end());
  for (std::size_t i = 0; i < equations.solved_accelerations.size(); ++i) {
    lines.push_back(
        fmt::format("{} &= {}", to_latex(accelerations_of(s)[i]), latex_if_short(equations.solved_accelerations[i])));
  }
  for (std::size_t k = 0; k < equations.solved_multipliers.size(); ++k) {
    lines.push_back(
        fmt::format("{} &= {}", to_latex(equations.multipliers[k]), latex_if_short(equations.solved_multipliers[k])));
  }
}

}  // namespace

std::string to_latex(const ShowAnswer& a) {
  const System& s = a.model.system;
  Lines lines;
  for (const WrittenFormula& d : a.written.definitions) {
    if (d.name.find('(') == std::string::npos) lines.push_back(symbol(d.name) + " &= " + latex_of(d.value));
  }
  for (const NamedExpression& input : a.model.inputs)
    lines.push_back(symbol(input.name) + " &= " + latex_of(input.expression));
  lines.push_back("L &= " + (a.written.lagrangian ? latex_of(a.written.lagrangian->value) : latex_of(s.lagrangian())));
  add_rows(lines, a.written.constraints, s.constraints());
  add_rows(lines, a.written.holonomic, s.holonomic());
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    lines.push_back(fmt::format("p_{{{}}} &= {}", to_latex(s.freedoms()[i]), latex_of(s.momenta()[i])));
  }
  Substitution multipliers;
  const std::vector<Expression> symbols = multipliers_of(s);
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (!s.given_name(k).empty()) multipliers.emplace(Expression::symbol(s.given_name(k)), symbols[k]);
  }
  for (const WrittenFormula& force : a.written.forces) {
    const Tensor value = with_entries(force.value, substitute(entries_of(force.value), multipliers));
    lines.push_back(fmt::format("F_{{{}}} &= {}", symbol(force.name), latex_of(value)));
  }
  lines.push_back("E &= " + latex_of(a.written.energy.value_or(s.energy())));
  add_matrix(lines, "M", s.mass_matrix(), true);
  add_matrix(lines, "A", a.written.constraint_matrix.value_or(s.constraint_matrix()), false);
  if (s.is_affine()) lines.push_back("b &= " + latex_of(Tensor(s.affine_part())));
  add_equations(lines, s, a.written.constraint_matrix);
  return aligned(a.model.title, lines);
}

}  // namespace rattleback::answer
