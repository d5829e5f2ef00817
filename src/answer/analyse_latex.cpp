#include "rattleback/answer/analyse.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {
std::string to_latex(const AnalyseAnswer& a) {
  if (!a.analysis.search.found) {
    throw Error(Error::Kind::answer_is_no,
                "there is no Chaplygin structure to write down: " + a.analysis.search.reasons.at(0));
  }
  const ChaplyginSystem& c = a.chaplygin();
  std::vector<std::string> lines;
  const auto velocities = c.fibre_velocities(a.system());
  for (std::size_t k = 0; k < velocities.size(); ++k) {
    lines.push_back(
        fmt::format("{} &= {}", to_latex(a.system().velocities()[c.fibre[k]]), latex_if_short(velocities[k])));
  }
  lines.push_back("l &= " + latex_if_short(a.reduced().lagrangian()));
  for (std::size_t i = 0; i < a.reduced().applied_forces().size(); ++i) {
    lines.push_back(fmt::format("F_{{{}}} &= {}", to_latex(a.reduced().coordinates()[i]),
                                latex_if_short(a.reduced().applied_forces()[i])));
  }
  if (const GyroscopicStructure& g = *a.analysis.gyroscopic; g.applies) {
    for (std::size_t i = 0; i < g.one_form.size(); ++i) {
      lines.push_back(
          fmt::format("\\Theta_{{{}}} &= {}", to_latex(a.reduced().coordinates()[i]), latex_if_short(g.one_form[i])));
    }
    if (g.measure && g.measure->closed_form) lines.push_back("\\mu &= " + latex_if_short(g.measure->exponential));
    if (a.hamiltonized) {
      lines.push_back("N &= " + latex_if_short(g.multiplier->exponential));
      const HamiltonizedForms& forms = *a.hamiltonized;
      lines.push_back("\\mathcal{L} &= " + latex_if_short(forms.lagrangian));
      if (forms.hamiltonian) lines.push_back("\\mathcal{H} &= " + latex_if_short(*forms.hamiltonian));
      lines.push_back("\\tilde{\\mathcal{L}} &= " + latex_if_short(forms.poincare_lagrangian));
      if (forms.hamiltonian) {
        lines.push_back("\\tilde{\\mathcal{H}} &= " + latex_if_short(*forms.poincare_hamiltonian));
      }
    }
  }
  if (a.discrete && a.discrete->reduction.formulas) {
    const DiscreteReduction& d = a.discrete->reduction;
    Substitution named;  // Δ(x) as \Delta_x
    for (const Expression& q : a.system().coordinates())
      named.emplace(Expression::symbol("Δ(" + q.name() + ")"), Expression::symbol("Delta_" + q.name()));
    const auto written = [&](const Expression& e) { return latex_if_short(substitute(e, named)); };
    for (std::size_t k = 0; k < d.fibre_increments.size(); ++k)
      lines.push_back(fmt::format("{} &= {}", written(d.fibre_increments[k]), written(d.formulas->fibre[k])));
    lines.push_back("L_d^* &= " + written(d.formulas->lagrangian));
    for (std::size_t i = 0; i < d.shape_increments.size(); ++i) {
      const std::string r = to_latex(a.reduced().coordinates()[i]);
      lines.push_back(fmt::format("F^-_{{{}}} &= {}", r, written(d.formulas->minus[i])));
      lines.push_back(fmt::format("F^+_{{{}}} &= {}", r, written(d.formulas->plus[i])));
    }
  }
  return aligned(a.model.title, lines);
}

}  // namespace rattleback::answer
