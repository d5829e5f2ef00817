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

/// A name, as text and in LaTeX, and what belongs to the powers of h.
struct NamedSeries {
  std::string text;
  std::string latex;
  std::vector<Expression> coefficients;
};

/// Of one coordinate.
std::vector<Expression> component(const std::vector<std::vector<Expression>>& series, std::size_t i) {
  std::vector<Expression> coefficients;
  for (const auto& coefficient : series) coefficients.push_back(coefficient[i]);
  return coefficients;
}

/// ṙ, then Ṗ.
std::vector<NamedSeries> equation_of(const ModifiedAnswer& answer) {
  std::vector<NamedSeries> list;
  const ModifiedMotion& m = *answer.equation;
  const auto add_rates = [&](const std::vector<Expression>& names, const auto& series) {
    for (std::size_t i = 0; i < names.size(); ++i)
      list.push_back({to_text(names[i]) + "'", fmt::format("\\dot{{{}}}", to_latex(names[i])), component(series, i)});
  };
  add_rates(answer.formulas->coordinates, m.position_rates);
  add_rates(answer.formulas->momenta, m.momentum_rates);
  return list;
}

/// K(E), of altered Lagrangians the modified energy and factor; the modified Lagrangian and equation if there are such.
std::vector<NamedSeries> series_of(const ModifiedAnswer& answer) {
  const ModifiedSeries& s = answer.formulas.value();
  std::vector<NamedSeries> list{
      {"K", "K", s.hamiltonian}, {"E", "\\mathcal{E}", s.energy}, {"N", "\\mathcal{N}", s.factor}};
  if (!answer.equation) return list;
  list.push_back({"L", "L", answer.equation->lagrangian});
  for (NamedSeries& rates : equation_of(answer)) list.push_back(std::move(rates));
  return list;
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
  for (std::size_t i = 0; i < answer.parameters.size(); ++i) {
    const auto& [name, value] = answer.parameters[i];
    add(out, "{}{} = {}{}", i == 0 ? "  with " : ", ", name, value, i + 1 == answer.parameters.size() ? "\n" : "");
  }
  for (const auto& [symbol, latex, coefficients] : series_of(answer)) {
    for (std::size_t j = 0; j < coefficients.size(); j += answer.symmetric ? 2 : 1)
      add(out, "  {}_{} = {}\n", symbol, j, to_text(coefficients[j]));
  }
  return out;
}

std::string to_latex(const ModifiedAnswer& answer) {
  std::string out = "\\begin{align*}\n";
  for (const auto& [text, symbol, coefficients] : series_of(answer)) {
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
    for (const auto& [name, value] : answer.parameters) document["formulas"]["parameters"][name] = value;
    if (answer.formulas->energy_symbol) {
      document["formulas"]["energy"] = texts(answer.formulas->energy);
      document["formulas"]["factor"] = texts(answer.formulas->factor);
    }
    if (answer.equation) {
      document["formulas"]["lagrangian"] = texts(answer.equation->lagrangian);
      for (const NamedSeries& rates : equation_of(answer))
        document["formulas"]["equation"][rates.text] = texts(rates.coefficients);
    }
  }
  return text_of(document);
}

}  // namespace rattleback::answer
