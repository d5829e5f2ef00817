#include "careful_solver.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "block_structure.hpp"
#include "idle_unknowns.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "slopes.hpp"

namespace rattleback {
namespace {

std::vector<Expression> data_and_unknowns(const ImplicitSystem& system) {
  std::vector<Expression> all = system.data;
  all.insert(all.end(), system.unknowns.begin(), system.unknowns.end());
  return all;
}

}  // namespace

CarefulSolver::CarefulSolver(const ImplicitSystem& original)
    : outputs_(make_program(data_and_unknowns(original), original.outputs)),
      arguments_(original.data.size() + original.unknowns.size()) {
  SparseMatrix slopes = slopes_and_jumps(original);
  const ImplicitSystem system = without_idle_unknowns(original, slopes);
  Incidence incidence(system.unknowns.size());
  for (const auto& e : slopes.entries) incidence[static_cast<std::size_t>(e.row)].push_back(e.column);
  const BlockStructure structure = block_triangular_form(incidence, static_cast<int>(system.unknowns.size()));

  std::unordered_map<Expression, std::size_t> position;
  const auto arguments = data_and_unknowns(system);
  for (std::size_t i = 0; i < arguments.size(); ++i) position.emplace(arguments[i], i);
  for (const EquationBlock& block : structure.blocks) {
    ImplicitSystem part;
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> unknowns;
    for (const int u : block.unknowns) {
      part.unknowns.push_back(system.unknowns[static_cast<std::size_t>(u)]);
      part.guess.push_back(system.guess[static_cast<std::size_t>(u)]);
      unknowns.push_back(position.at(part.unknowns.back()));
    }
    for (const int e : block.equations) part.residuals.push_back(system.residuals[static_cast<std::size_t>(e)]);
    std::vector<Expression> contained = part.residuals;
    contained.insert(contained.end(), part.guess.begin(), part.guess.end());
    for (const Expression& symbol : free_symbols(contained)) {
      if (std::find(part.unknowns.begin(), part.unknowns.end(), symbol) != part.unknowns.end()) continue;
      part.data.push_back(symbol);
      inputs.push_back(position.at(symbol));
    }
    part.outputs = part.unknowns;
    const std::size_t data_size = inputs.size();
    const std::size_t size = unknowns.size();
    blocks_.push_back({std::move(inputs), std::move(unknowns), block.equations, PivotedNewton(part),
                       std::vector<double>(data_size), std::vector<double>(size)});
  }
}

void CarefulSolver::solve(std::span<const double> data, std::span<double> outputs, LaneReport& report) {
  std::copy(data.begin(), data.end(), arguments_.begin());
  const std::int64_t iterations_before = report.iterations;
  std::int64_t most_iterations = 0;
  report.outcome = Outcome::converged;
  for (Block& block : blocks_) {
    for (std::size_t i = 0; i < block.inputs.size(); ++i) block.data[i] = arguments_[block.inputs[i]];
    report.iterations = 0;
    block.newton.solve(block.data, block.solution, report);
    most_iterations = std::max(most_iterations, report.iterations);
    report.iterations = iterations_before + most_iterations;
    if (report.outcome != Outcome::converged) {
      if (report.equation >= 0) report.equation = block.equations[static_cast<std::size_t>(report.equation)];
      return;
    }
    for (std::size_t i = 0; i < block.unknowns.size(); ++i) arguments_[block.unknowns[i]] = block.solution[i];
  }
  outputs_(arguments_, outputs);
  if (!std::all_of(outputs.begin(), outputs.end(), [](double x) { return std::isfinite(x); })) {
    report.outcome = Outcome::not_finite;
    report.equation = -1;
  }
}

}  // namespace rattleback
