#include <cmath>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/answer/modified.hpp"
#include "rattleback/expr/print.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

/// What is below the rounding of quadruple precision is zero for people.
double shown(double value) { return std::abs(value) < 1e-24 ? 0.0 : value; }

/// K(E), and of altered Lagrangians the modified energy and factor.
struct Series {
  const char* text;
  const char* latex;
  const std::vector<Expression>& coefficients;
};
std::vector<Series> series_of(const ModifiedSeries& s) {
  return {{"K", "K", s.hamiltonian}, {"E", "\\mathcal{E}", s.energy}, {"N", "\\mathcal{N}", s.factor}};
}

void add_numbers(std::string& out, const ModifiedAnswer::Numbers& n) {
  using Values = ModifiedAnswer::Values;
  add(out, "\n\n  at ");
  for (std::size_t i = 0; i < n.names.size(); ++i) {
    add(out, "{} = {:.10g}{}", n.names[i], n.point[i], i + 1 < n.names.size() ? ", " : "");
  }
  if (n.energy) add(out, "; E = {:.10g}", *n.energy);
  add(out, "\n\n  {:<12}  {:>20}", "up to", "K(E)");
  if (n.energy) add(out, "  {:>20}  {:>20}", "modified energy", "modified factor");
  add(out, "\n");
  const auto row = [&](const std::string& label, const Values& v, double hamiltonian) {
    add(out, "  {:<12}  {:>20.13g}", label, hamiltonian);
    if (v.conformal) add(out, "  {:>20.13g}  {:>20.13g}", v.conformal->energy.value, v.conformal->factor.value);
    add(out, "\n");
  };
  for (const auto& [ell, values] : n.series) row(fmt::format("h^{}", ell), values, shown(values.hamiltonian.value));
  row(fmt::format("{} points", n.points), n.orbit, n.orbit.hamiltonian.value);
  add(out, "  {:<12}  {:>20.1e}", "error about", n.orbit.hamiltonian.error);
  if (const auto& c = n.orbit.conformal) add(out, "  {:>20.1e}  {:>20.1e}", c->energy.error, c->factor.error);
  add(out, "\n");
}

nlohmann::json to_json(const Estimate& e) { return {{"value", e.value}, {"error", e.error}}; }

nlohmann::json to_json(const ModifiedAnswer::Values& v) {
  nlohmann::json entry{{"hamiltonian", to_json(v.hamiltonian)}};
  if (v.conformal) {
    entry["energy"] = to_json(v.conformal->energy);
    entry["factor"] = to_json(v.conformal->factor);
  }
  return entry;
}

}  // namespace

std::string to_text(const ModifiedAnswer& answer) {
  std::string out = fmt::format("{}: {}, h = {}", answer.title, answer.method, answer.step);
  if (answer.numbers) add_numbers(out, *answer.numbers);
  if (!answer.formulas) return out;
  add(out, "\n");
  for (const auto& [symbol, latex, coefficients] : series_of(*answer.formulas)) {
    for (std::size_t j = 0; j < coefficients.size(); j += answer.symmetric ? 2 : 1)
      add(out, "  {}_{} = {}\n", symbol, j, to_text(coefficients[j]));
  }
  return out;
}

std::string to_latex(const ModifiedAnswer& answer) {
  std::string out = "\\begin{align*}\n";
  for (const auto& [text, symbol, coefficients] : series_of(answer.formulas.value())) {
    for (std::size_t j = 0; j < coefficients.size(); j += answer.symmetric ? 2 : 1)
      add(out, "{}_{{{}}} &= {} \\\\\n", symbol, j, to_latex(coefficients[j]));
  }
  return out + "\\end{align*}\n";
}

std::string to_json(const ModifiedAnswer& answer) {
  nlohmann::json document{{"model", answer.model}, {"method", answer.method}, {"step", answer.step}};
  if (answer.numbers) {
    const ModifiedAnswer::Numbers& n = *answer.numbers;
    for (std::size_t i = 0; i < n.names.size(); ++i) document["at"][n.names[i]] = n.point[i];
    if (n.energy) document["energy"] = *n.energy;
    for (const auto& [ell, values] : n.series) {
      nlohmann::json entry = to_json(values);
      entry["ell"] = ell;
      document["series"].push_back(std::move(entry));
    }
    document["orbit"] = to_json(n.orbit);
    document["orbit"]["points"] = n.points;
  }
  if (answer.formulas) {
    document["formulas"] = {{"hamiltonian", texts(answer.formulas->hamiltonian)}};
    if (answer.formulas->energy_symbol) {
      document["formulas"]["energy"] = texts(answer.formulas->energy);
      document["formulas"]["factor"] = texts(answer.formulas->factor);
    }
  }
  return text_of(document);
}

}  // namespace rattleback::answer
