// `rattleback modified`: backward error analysis at a point.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/modified_series.hpp"
#include "rattleback/method/registry.hpp"
#include "request.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  std::string method = "conformal";
  int order = 4;
  std::string tolerance = "1e-13";
  std::optional<std::string> at;
  std::optional<std::string> energy;
  bool formulas = false;
  bool latex = false;
};

/// A state of the method, and the velocity of its node.
struct Place {
  std::vector<double> state;
  std::vector<double> velocity;
};

std::vector<double> run_map(const ImplicitSystem& map, std::vector<double> data, const Problem& problem,
                            const char* what) {
  data.push_back(problem.step);
  data.insert(data.end(), problem.parameters.begin(), problem.parameters.end());
  Step step(map, 1, Backend::interpreted);
  std::vector<double> outputs(map.outputs.size());
  if (step.run(data, outputs) != 1) {
    throw Failure(ExitStatus::numerics_failed,
                  fmt::format("{} cannot be computed: {}", what, step.describe(step.reports()[0])));
  }
  return outputs;
}

std::vector<double> start_state(const Method& method, const Problem& problem, const State& node) {
  std::vector<double> data = node.q;
  data.insert(data.end(), node.v.begin(), node.v.end());
  std::vector<double> state = run_map(method.start, std::move(data), problem, "the state of the method");
  state.resize(method.state_size());
  return state;
}

/// "r;P": positions and momenta of the coordinates in which the method is variational.
Place place_of(const Options& o, const Method& method, const Problem& problem) {
  Place place{start_state(method, problem, problem.start), problem.start.v};
  const CanonicalStep& canonical = *method.canonical;
  if (o.at) {
    const std::size_t m = canonical.positions.size();
    const std::size_t semicolon = o.at->find(';');
    std::vector<std::vector<double>> parts;
    if (semicolon != std::string::npos) {
      parts = {numbers_from_text(o.at->substr(0, semicolon), "--at"),
               numbers_from_text(o.at->substr(semicolon + 1), "--at")};
    }
    if (parts.empty() || parts[0].size() != m || parts[1].size() != m) {
      std::vector<Expression> r;
      for (const std::size_t i : canonical.positions) r.push_back(problem.system.coordinates()[i]);
      throw Failure(
          ExitStatus::wrong_request,
          fmt::format("--at must be positions, a semicolon, momenta: {0} and {0} numbers for {1}; found '{2}'", m,
                      names(r), *o.at));
    }
    const auto put = [&] {
      for (std::size_t i = 0; i < m; ++i) {
        place.state[canonical.positions[i]] = parts[0][i];
        place.state[canonical.momenta[i]] = parts[1][i];
      }
    };
    put();
    if (method.node) {
      std::vector<double> data = place.state;
      data.insert(data.end(), place.velocity.begin(), place.velocity.end());
      const std::vector<double> node = run_map(*method.node, std::move(data), problem, "the velocity at --at");
      const std::size_t n = problem.system.dimension();
      const State there{{node.begin(), node.begin() + static_cast<std::ptrdiff_t>(n)},
                        {node.begin() + static_cast<std::ptrdiff_t>(n), node.end()}};
      place = {start_state(method, problem, there), there.v};  // with the energy there
      put();
    }
  }
  if (o.energy) {
    if (!canonical.conformal) {
      throw Failure(ExitStatus::wrong_request, "--energy is for altered Lagrangians: pthdel and conformal");
    }
    place.state[canonical.conformal->entry] = number_from_text(*o.energy, "--energy");
  }
  return place;
}

ModifiedSeries formulas_of(const Method& method, int order) {
  ModifiedSeries series = modified_series(method, order);
  if (!series.energy_symbol) return series;
  const Substitution named{{*series.energy_symbol, unused_symbol("E", *method.canonical->motion)}};
  series.hamiltonian = substitute(series.hamiltonian, named);
  return series;
}

/// Of symmetric methods every second one: the others vanish.
void print_formulas(const ModifiedSeries& series, bool symmetric, bool latex) {
  const auto list = [&](const char* text, const char* symbol, const std::vector<Expression>& coefficients) {
    for (std::size_t j = 0; j < coefficients.size(); j += symmetric ? 2 : 1) {
      if (latex) {
        fmt::print("{}_{{{}}} &= {} \\\\\n", symbol, j, to_latex(coefficients[j]));
      } else {
        fmt::print("  {}_{} = {}\n", text, j, to_text(coefficients[j]));
      }
    }
  };
  list("K", "K", series.hamiltonian);
  list("E", "\\mathcal{E}", series.energy);
  list("N", "\\mathcal{N}", series.factor);
}

/// What is below the rounding of quadruple precision is zero for people.
double shown(double value) { return std::abs(value) < 1e-24 ? 0.0 : value; }

nlohmann::json to_json(const Estimate& e) { return {{"value", e.value}, {"error", e.error}}; }

void analyse_backwards(const Options& o) {
  if (o.order < 0 || o.order > 12) {
    throw Failure(ExitStatus::wrong_request, fmt::format("--order must be between 0 and 12, found {}", o.order));
  }
  if (o.latex && o.output.json) {
    throw Failure(ExitStatus::wrong_request, "--latex and --json are two answers: give one");
  }
  check_method(o.method);
  ProblemOptions problem = o.problem;
  if (!problem.steps && !problem.time) problem.steps = 1;
  const Request request = make_request(problem);
  print_notes(request.notes, o.output);
  const Method method = make_method(o.method, request.problem);
  const CanonicalStep& canonical = require_canonical(method);
  if (request.problem.second_position) {
    throw Failure(ExitStatus::wrong_request, "--q1 has no meaning here: give --at, or --q0 and --v0");
  }
  std::optional<ModifiedSeries> formulas;  // before anything is printed
  if (o.formulas || o.latex) formulas = formulas_of(method, o.order);
  if (o.latex) {
    fmt::print("\\begin{{align*}}\n");
    print_formulas(*formulas, method.structure.symmetric, true);
    fmt::print("\\end{{align*}}\n");
    return;
  }
  const Place place = place_of(o, method, request.problem);
  const double h = request.problem.step;
  const bool conformal = canonical.conformal.has_value();

  struct Row {
    int ell;
    Estimate hamiltonian;
    ConformalValues conformal;
  };
  std::vector<Row> rows;
  ModifiedHamiltonian modified(method, request.problem, ModifiedHamiltonian::Digits::extended);
  modified.set_tolerance(positive(o.tolerance, "--tolerance"));
  for (int ell = 0; ell <= o.order; ell += method.structure.symmetric ? 2 : 1) {
    Row row{ell, modified.truncated(place.state, place.velocity, h, ell), {}};
    if (conformal) row.conformal = modified.truncated_conformal(place.state, place.velocity, h, ell);
    rows.push_back(row);
  }
  const Estimate whole = modified.value(place.state, place.velocity, h);
  const int points = modified.points();
  ConformalValues whole_conformal;
  if (conformal) whole_conformal = modified.conformal(place.state, place.velocity, h);
  if (std::isnan(whole.value) || std::isnan(rows.front().hamiltonian.value)) {
    throw Failure(ExitStatus::numerics_failed,
                  fmt::format("there are no steps of {} around this point; a smaller --step may help", h));
  }

  std::vector<std::string> labels;
  std::vector<double> numbers;
  for (const std::size_t i : canonical.positions) labels.push_back(request.problem.system.coordinates()[i].name());
  for (const std::size_t i : canonical.positions) {
    labels.push_back("p_" + request.problem.system.coordinates()[i].name());
  }
  for (const std::size_t i : canonical.positions) numbers.push_back(place.state[i]);
  for (const std::size_t i : canonical.momenta) numbers.push_back(place.state[i]);

  if (o.output.json) {
    nlohmann::json document{{"model", request.model.name}, {"method", o.method}, {"step", h}};
    for (std::size_t i = 0; i < labels.size(); ++i) document["at"][labels[i]] = numbers[i];
    if (conformal) document["energy"] = place.state[canonical.conformal->entry];
    const auto entry = [&](const Estimate& k, const ConformalValues& c) {
      nlohmann::json j{{"hamiltonian", to_json(k)}};
      if (conformal) {
        j["energy"] = to_json(c.energy);
        j["factor"] = to_json(c.factor);
      }
      return j;
    };
    for (const Row& row : rows) {
      nlohmann::json j = entry(row.hamiltonian, row.conformal);
      j["ell"] = row.ell;
      document["series"].push_back(std::move(j));
    }
    document["orbit"] = entry(whole, whole_conformal);
    document["orbit"]["points"] = points;
    if (formulas) {
      document["formulas"] = {{"hamiltonian", texts(formulas->hamiltonian)}};
      if (conformal) {
        document["formulas"]["energy"] = texts(formulas->energy);
        document["formulas"]["factor"] = texts(formulas->factor);
      }
    }
    fmt::print("{}\n", document.dump(2));
    return;
  }
  if (o.output.quiet) return;
  fmt::print("{}: {}, h = {}\n\n  at ", request.model.title, o.method, h);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    fmt::print("{} = {:.10g}{}", labels[i], numbers[i], i + 1 < labels.size() ? ", " : "");
  }
  if (conformal) fmt::print("; E = {:.10g}", place.state[canonical.conformal->entry]);
  fmt::print("\n\n  {:<12}  {:>20}", "up to", "K(E)");
  if (conformal) fmt::print("  {:>20}  {:>20}", "modified energy", "modified factor");
  fmt::print("\n");
  for (const Row& row : rows) {
    fmt::print("  {:<12}  {:>20.13g}", fmt::format("h^{}", row.ell), shown(row.hamiltonian.value));
    if (conformal) fmt::print("  {:>20.13g}  {:>20.13g}", row.conformal.energy.value, row.conformal.factor.value);
    fmt::print("\n");
  }
  fmt::print("  {:<12}  {:>20.13g}", fmt::format("{} points", points), whole.value);
  if (conformal) {
    fmt::print("  {:>20.13g}  {:>20.13g}", whole_conformal.energy.value, whole_conformal.factor.value);
  }
  fmt::print("\n  {:<12}  {:>20.1e}", "error about", whole.error);
  if (conformal) fmt::print("  {:>20.1e}  {:>20.1e}", whole_conformal.energy.error, whole_conformal.factor.error);
  fmt::print("\n");
  if (formulas) {
    fmt::print("\n");
    print_formulas(*formulas, method.structure.symmetric, false);
  }
}

}  // namespace

Command modified_command() {
  Command command{"modified", "Modified Hamiltonian of a variational method: backward error analysis"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command);
  command.add({.names = "-m,--method",
               .value = "METHOD",
               .help = "A variational method: del, hdel, pthdel, conformal or free",
               .target = &o->method,
               .values = {Values::Kind::method, {"del", "hdel", "pthdel", "conformal", "free"}}});
  command.add({.names = "--order",
               .value = "L",
               .help = "The power of h up to which the series is shown",
               .target = &o->order});
  command.add({.names = "--tolerance",
               .value = "X",
               .help = "How small the change by further points must be for them to be left away",
               .target = &o->tolerance});
  command.add({.names = "--at",
               .value = "R;P",
               .help = "Where: positions and momenta of the shape, as in '0,0;1,1'; else at the start",
               .target = &o->at});
  command.add({.names = "--energy",
               .value = "E",
               .help = "The parameter E of altered Lagrangians; else the energy at the point",
               .target = &o->energy});
  command.add(
      {.names = "--formulas", .help = "Also the coefficients of the series as formulas", .target = &o->formulas});
  command.add({.names = "--latex", .help = "Only the formulas, in LaTeX", .target = &o->latex});
  o->output.add_to(command);
  command.notes = {
      "Steps of a variational method follow, up to any power of h, the motion of a modified Hamiltonian K. For pthdel "
      "and conformal, K depends on E and vanishes where E is the modified energy; the modified factor N = -dK/dE there "
      "is the inverse density of the measure that the method preserves."};
  command.examples = {
      "rattleback modified harmonic-particle -m conformal:TT --step 0.25 --at '0,0;1,1' --formulas --order 2"};
  command.action = [o] { analyse_backwards(*o); };
  return command;
}

}  // namespace rattleback::cli
