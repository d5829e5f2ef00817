#include "rattleback/expr/derivative.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "jacobian.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

/// ∂f(a)/∂aᵢ of an elementary function.
Expression function_partial(const Expression& e, std::size_t i) {
  const Expression& x = e.operands()[0].expression;
  switch (e.function()) {
    case Function::sin: return cos(x);
    case Function::cos: return -sin(x);
    case Function::tan: return 1 + sq(e);
    case Function::asin: return 1 / sqrt(1 - sq(x));
    case Function::acos: return -1 / sqrt(1 - sq(x));
    case Function::atan: return 1 / (1 + sq(x));
    case Function::atan2: {  // θ = atan2(y, x): dθ = (x dy − y dx)/(x² + y²)
      const Expression& y = x;
      const Expression& abscissa = e.operands()[1].expression;
      const Expression r2 = sq(abscissa) + sq(y);
      return i == 0 ? abscissa / r2 : -y / r2;
    }
    case Function::sinh: return cosh(x);
    case Function::cosh: return sinh(x);
    case Function::tanh: return 1 - sq(e);
    case Function::asinh: return 1 / sqrt(1 + sq(x));
    case Function::exp: return e;
    case Function::log: return 1 / x;
    case Function::sqrt: return 0.5 / e;
    case Function::abs: return sign(x);  // of what is not smooth: that of the pieces
    case Function::sign:
    case Function::less:
    case Function::less_equal:
    case Function::both:
    case Function::either: return 0.0;
    case Function::table: {
      const NumberTable& values = number_table(e.operands()[1].expression.value());
      return values.degree() == 0 ? Expression(0.0) : interpolated(values.derivative(), x);
    }
    case Function::min:
    case Function::max:
    case Function::if_else: break;  // choices
  }
  throw std::logic_error("a function without derivative");
}

/// ∂(b^e)/∂b and ∂(b^e)/∂e.
Expression power_partial(const Expression& power, std::size_t i) {
  const Expression& base = power.operands()[0].expression;
  const Expression& exponent = power.operands()[1].expression;
  return i == 0 ? exponent * pow(base, exponent - 1) : power * log(base);
}

/// ∂/∂bᵢ of c·Π bⱼ^nⱼ for all i: nᵢ bᵢ^(nᵢ−1) times what stands left and right of i, so that a
/// product of k factors costs 3k multiplications and not k².
std::vector<Expression> product_partials(const Expression& e) {
  const auto factors = e.operands();
  const std::size_t k = factors.size();
  std::vector<Expression> partials(k);
  const auto own = [&](std::size_t i) {
    const Term f{factors[i].expression, factors[i].weight - 1.0};
    return product({&f, 1}, e.value() * factors[i].weight);
  };
  if (k <= 3) {  // few factors: plain products, which merge and simplify best
    for (std::size_t i = 0; i < k; ++i) {
      std::vector<Term> rest(factors.begin(), factors.end());
      rest[i].weight -= 1.0;
      partials[i] = product(rest, e.value() * factors[i].weight);
    }
    return partials;
  }
  std::vector<Expression> right(k + 1, Expression(1.0));
  for (std::size_t i = k; i-- > 0;) right[i] = product(factors.subspan(i, 1)) * right[i + 1];
  Expression left(1.0);
  for (std::size_t i = 0; i < k; ++i) {
    partials[i] = own(i) * left * right[i + 1];
    left *= product(factors.subspan(i, 1));
  }
  return partials;
}

/// Which nodes of a graph depend on any of the variables.
std::vector<bool> active_nodes(const Graph& graph, std::span<const Expression> variables) {
  std::vector<bool> active(graph.size(), false);
  for (const Expression& x : variables) {
    if (!x.is_symbol()) {
      throw ExpressionError("derivatives are taken with respect to symbols, not to " + to_text(x));
    }
    if (graph.contains(x)) active[graph.index(x)] = true;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const Term& t : graph[i].operands()) {
      if (active[graph.index(t.expression)]) active[i] = true;
    }
  }
  return active;
}

/// Partial derivatives of one node with respect to its operands; inactive operands are skipped.
std::vector<Expression> partials_of(const Expression& e, const std::vector<bool>& wanted) {
  if (e.kind() == Kind::product) return product_partials(e);
  std::vector<Expression> partials(e.operands().size());
  if (is_choice(e)) return partials;  // not by the chain rule
  for (std::size_t k = 0; k < partials.size(); ++k) {
    if (!wanted[k]) continue;
    if (e.kind() == Kind::sum) partials[k] = e.operands()[k].weight;
    if (e.kind() == Kind::function) partials[k] = function_partial(e, k);
    if (e.kind() == Kind::power) partials[k] = power_partial(e, k);
  }
  return partials;
}

/// A graph with what both directions of accumulation need. Rows and columns of a Jacobian visit
/// only their own part of it, so that a sparse Jacobian costs what its entries cost.
///
/// The derivative of if(c, a, b) is if(c, a', b'). The chain rule would give if(c, 1, 0) a' + if(c, 0, 1) b', which is
/// not defined where only the part that is not chosen has no derivative. So reverse accumulation takes the gradients of
/// a and b instead of leading adjoints through them.
class Differentiator {
 public:
  using SparseVector = std::vector<std::pair<int, Expression>>;

  Differentiator(std::span<const Expression> functions, std::span<const Expression> variables)
      : graph_(functions), variables_(variables.begin(), variables.end()), active_(active_nodes(graph_, variables)),
        partials_(graph_.size()), users_(graph_.size()) {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (!active_[i] || graph_[i].is_symbol()) continue;
      std::vector<bool> wanted;
      for (const Term& t : graph_[i].operands()) {
        const std::size_t child = graph_.index(t.expression);
        wanted.push_back(active_[child]);
        if (active_[child]) users_[child].push_back(i);
      }
      partials_[i] = partials_of(graph_[i], wanted);
    }
    for (std::size_t j = 0; j < variables_.size(); ++j) {
      if (!graph_.contains(variables_[j])) continue;
      if (!column_of_.emplace(graph_.index(variables_[j]), static_cast<int>(j)).second) {
        throw ExpressionError("'" + variables_[j].name() + "' occurs twice among the variables of a derivative");
      }
    }
  }

  /// Row of the Jacobian: adjoints flow from f to its operands.
  SparseVector reverse(const Expression& f) const {
    SparseVector row;
    if (!active_[graph_.index(f)]) return row;
    const Graph own({&f, 1});
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {  // inner ones first
      if (is_choice(own[i])) gradient_of_choice(own[i]);
    }
    std::vector<std::vector<Term>> contributions(own.size());
    contributions.back().push_back({Expression(1.0), 1.0});
    for (std::size_t i = own.size(); i-- > 0;) {
      if (contributions[i].empty()) continue;
      const Expression adjoint = sum(contributions[i]);
      const std::size_t node = graph_.index(own[i]);
      if (const auto column = column_of_.find(node); column != column_of_.end())
        row.emplace_back(column->second, adjoint);
      const auto operands = own[i].operands();
      if (is_choice(own[i])) {
        for (const auto& [j, slope] : gradient_of_choice(own[i])) {
          contributions[own.index(variables_[static_cast<std::size_t>(j)])].push_back(chain(slope, adjoint));
        }
        continue;
      }
      for (std::size_t k = 0; k < operands.size(); ++k) {
        if (!active_[graph_.index(operands[k].expression)]) continue;
        contributions[own.index(operands[k].expression)].push_back(chain(partials_[node][k], adjoint));
      }
    }
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return row;
  }

  /// Derivatives of the nodes that depend on variables with a nonzero component of the direction:
  /// tangents flow from the variables to the functions.
  std::unordered_map<std::size_t, Expression> forward(std::span<const std::pair<int, Expression>> direction) const {
    std::unordered_map<std::size_t, Expression> tangent;
    std::vector<std::size_t> sources;
    for (const auto& [j, component] : direction) {
      const Expression& x = variables_[static_cast<std::size_t>(j)];
      if (!graph_.contains(x)) continue;
      sources.push_back(graph_.index(x));
      tangent[sources.back()] = component;
    }
    std::vector<Term> terms;
    for (const std::size_t i : above(sources)) {
      if (graph_[i].is_symbol()) continue;
      const auto operands = graph_[i].operands();
      if (is_choice(graph_[i])) {
        const auto slope = [&](const Term& t) {
          const auto inner = tangent.find(graph_.index(t.expression));
          return inner == tangent.end() ? Expression(0.0) : inner->second;
        };
        tangent[i] =
            if_else(choosing_condition(graph_[i]), slope(operands[operands.size() - 2]), slope(operands.back()));
        continue;
      }
      terms.clear();
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const auto inner = tangent.find(graph_.index(operands[k].expression));
        if (inner != tangent.end()) terms.push_back(chain(partials_[i][k], inner->second));
      }
      tangent[i] = sum(terms);
    }
    return tangent;
  }

  const Graph& graph() const { return graph_; }

  /// Nodes that reverse accumulation of all rows visits.
  std::size_t reverse_cost(std::span<const Expression> functions) const {
    std::size_t cost = 0;
    for (const Expression& f : functions) cost += Graph({&f, 1}).size();
    return cost;
  }

  /// Nodes that forward accumulation of all columns visits; stops counting at the limit.
  std::size_t forward_cost(std::size_t limit) const {
    std::size_t cost = 0;
    for (const auto& [node, column] : column_of_) {
      cost += above({node}).size();
      if (cost >= limit) break;
    }
    return cost;
  }

 private:
  static Term chain(const Expression& outer, const Expression& inner) {
    if (outer.is_constant()) return {inner, outer.value()};
    return {outer * inner, 1.0};
  }

  /// Computed once; those of the choices inside are known.
  const SparseVector& gradient_of_choice(const Expression& choice) const {
    const std::size_t node = graph_.index(choice);
    if (const auto known = choice_gradients_.find(node); known != choice_gradients_.end()) return known->second;
    const auto operands = choice.operands();
    const SparseVector of_first = reverse(operands[operands.size() - 2].expression);
    const SparseVector of_second = reverse(operands.back().expression);
    std::map<int, std::pair<Expression, Expression>> slopes;
    for (const auto& [j, slope] : of_first) slopes[j].first = slope;
    for (const auto& [j, slope] : of_second) slopes[j].second = slope;
    SparseVector row;
    for (const auto& [j, slope] : slopes) {
      row.emplace_back(j, if_else(choosing_condition(choice), slope.first, slope.second));
    }
    return choice_gradients_.emplace(node, std::move(row)).first->second;
  }

  /// The given nodes and all that depend on them, operands first.
  std::vector<std::size_t> above(std::vector<std::size_t> sources) const {
    std::unordered_set<std::size_t> seen(sources.begin(), sources.end());
    std::vector<std::size_t> reached = std::move(sources);
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const std::size_t user : users_[reached[next]]) {
        if (seen.insert(user).second) reached.push_back(user);
      }
    }
    std::sort(reached.begin(), reached.end());
    return reached;
  }

  Graph graph_;
  std::vector<Expression> variables_;
  std::vector<bool> active_;
  std::vector<std::vector<Expression>> partials_;
  std::vector<std::vector<std::size_t>> users_;
  std::unordered_map<std::size_t, int> column_of_;
  mutable std::unordered_map<std::size_t, SparseVector> choice_gradients_;
};

bool by_rows(const SparseMatrix::Entry& a, const SparseMatrix::Entry& b) {
  return std::pair(a.row, a.column) < std::pair(b.row, b.column);
}

}  // namespace

Expression SparseMatrix::at(int row, int column) const {
  const auto position =
      std::lower_bound(entries.begin(), entries.end(), std::pair(row, column),
                       [](const Entry& e, const std::pair<int, int>& key) { return std::pair(e.row, e.column) < key; });
  if (position != entries.end() && position->row == row && position->column == column) return position->value;
  return {};
}

std::vector<Expression> gradient(const Expression& f, std::span<const Expression> variables) {
  std::vector<Expression> row(variables.size());
  for (auto& [column, value] : Differentiator({&f, 1}, variables).reverse(f)) {
    row[static_cast<std::size_t>(column)] = std::move(value);
  }
  return row;
}

Expression derivative(const Expression& f, const Expression& x) { return gradient(f, {&x, 1})[0]; }

Expression derivative(const Expression& f, const Expression& x, int order) {
  if (order < 0) {
    throw ExpressionError("the order of a derivative cannot be negative: " + std::to_string(order));
  }
  Expression result = f;
  for (int i = 0; i < order; ++i) result = derivative(result, x);
  return result;
}

std::vector<Expression> directional_derivative(std::span<const Expression> functions,
                                               std::span<const Expression> variables,
                                               std::span<const Expression> direction) {
  if (variables.size() != direction.size()) {
    throw ExpressionError("a direction needs one component for each of " + std::to_string(variables.size()) +
                          " variables, found " + std::to_string(direction.size()));
  }
  const Differentiator d(functions, variables);
  std::vector<std::pair<int, Expression>> components;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    if (!direction[j].is_constant(0.0)) components.emplace_back(static_cast<int>(j), direction[j]);
  }
  const auto tangent = d.forward(components);
  std::vector<Expression> result(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto found = tangent.find(d.graph().index(functions[i]));
    if (found != tangent.end()) result[i] = found->second;
  }
  return result;
}

SparseMatrix differentiate(std::span<const Expression> functions, std::span<const Expression> variables) {
  SparseMatrix matrix{static_cast<int>(functions.size()), static_cast<int>(variables.size()), {}};
  if (functions.empty() || variables.empty()) return matrix;
  const Differentiator d(functions, variables);
  const auto add_entry = [&](int i, int j, const Expression& value) {
    if (!value.is_constant(0.0)) matrix.entries.push_back({i, j, value});
  };
  const std::size_t reverse_cost = d.reverse_cost(functions);
  if (reverse_cost <= d.forward_cost(reverse_cost)) {
    for (int i = 0; i < matrix.rows; ++i) {
      for (const auto& [j, value] : d.reverse(functions[static_cast<std::size_t>(i)])) add_entry(i, j, value);
    }
    return matrix;
  }
  std::unordered_map<std::size_t, std::vector<int>> rows_of;
  for (int i = 0; i < matrix.rows; ++i) rows_of[d.graph().index(functions[static_cast<std::size_t>(i)])].push_back(i);
  for (int j = 0; j < matrix.columns; ++j) {
    const std::pair<int, Expression> unit{j, Expression(1.0)};
    for (const auto& [node, value] : d.forward({&unit, 1})) {
      const auto rows = rows_of.find(node);
      if (rows == rows_of.end()) continue;
      for (const int i : rows->second) add_entry(i, j, value);
    }
  }
  std::sort(matrix.entries.begin(), matrix.entries.end(), by_rows);
  return matrix;
}

SparseMatrix hessian(const Expression& f, std::span<const Expression> variables) {
  const auto g = gradient(f, variables);
  SparseMatrix full = jacobian(g, variables);
  // The two halves are equal as functions but may differ as expressions: keep one of them, so that
  // the matrix is symmetric to the bit and its halves are shared.
  SparseMatrix matrix{full.rows, full.columns, {}};
  for (const auto& e : full.entries) {
    if (e.row < e.column) {
      matrix.entries.push_back(e);
      matrix.entries.push_back({e.column, e.row, e.value});
    } else if (e.row == e.column) {
      matrix.entries.push_back(e);
    }
  }
  std::sort(matrix.entries.begin(), matrix.entries.end(), by_rows);
  return matrix;
}

std::vector<Expression> hessian_vector(const Expression& f, std::span<const Expression> variables,
                                       std::span<const Expression> direction) {
  return directional_derivative(gradient(f, variables), variables, direction);
}

}  // namespace rattleback
