#include "rattleback/report/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parts.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A name as a formula: theta is a letter, x1 has an index.
std::string symbol(const Expression& e) { return fmt::format("${}$", to_latex(e)); }

/// E − W, which stays the same in the motion.
std::vector<double> balance(const Table& t) {
  std::vector<double> values = *t.find("energy");
  const std::vector<double>& work = *t.find("work");
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= work[i];
  return values;
}

/// |value − first value|, what is zero being left out of logarithmic figures.
std::vector<double> change(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double v : values) result.push_back(v == values.front() ? nan : std::abs(v - values.front()));
  return result;
}

std::vector<double> size(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double v : values) result.push_back(v == 0.0 ? nan : std::abs(v));
  return result;
}

/// One figure over time; `curve` gives the ordinate of a run, or nothing.
class TimeFigures {
 public:
  TimeFigures(const std::vector<MethodRun>& runs, std::vector<Figure>& figures) : runs_(runs), figures_(figures) {}

  void add(const std::string& title, const std::string& label, Scale scale, auto&& curve) {
    Figure figure{title, "", FigureKind::line, {{"$t$"}, {label, scale}}, {}};
    for (const MethodRun& run : runs_) {
      std::vector<double> y = curve(run.table);
      if (std::ranges::all_of(y, [](double v) { return std::isnan(v); })) continue;
      Series series{run.method, SeriesStyle::line, false, {*run.table.find("time"), std::move(y)}};
      thin(series, figure.kind);
      figure.series.push_back(std::move(series));
    }
    if (!figure.series.empty()) figures_.push_back(std::move(figure));
  }

 private:
  const std::vector<MethodRun>& runs_;
  std::vector<Figure>& figures_;
};

void add_positions(const Model& model, const std::vector<MethodRun>& runs, std::vector<Figure>& figures) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> names = model.system.position_names();
  const std::size_t shown = std::min(names.size(), most);
  // The components of quaternions have names, no symbols.
  const auto label = [&](std::size_t i) {
    return i < model.system.space().numbers ? symbol(model.system.coordinates()[i]) : "`" + names[i] + "`";
  };
  if (runs.size() == 1) {
    Figure figure{"Positions", "", FigureKind::line, {{"$t$"}, {"$q$"}}, {}};
    for (std::size_t i = 0; i < shown; ++i) {
      Series series{label(i), SeriesStyle::line, false, {*runs[0].table.find("time"), *runs[0].table.find(names[i])}};
      thin(series, figure.kind);
      figure.series.push_back(std::move(series));
    }
    figures.push_back(std::move(figure));
    return;
  }
  TimeFigures over_time(runs, figures);
  for (std::size_t i = 0; i < shown; ++i) {
    over_time.add(label(i), label(i), Scale::linear, [&](const Table& t) { return *t.find(names[i]); });
  }
}

/// The path of the body, or of the first coordinates.
void add_path(const Model& model, const std::vector<MethodRun>& runs, const std::vector<Track>& tracks,
              std::vector<Figure>& figures) {
  const auto& coordinates = model.system.coordinates();
  if (tracks.empty() && coordinates.size() < 2) return;
  const bool space = std::ranges::any_of(tracks, [](const Track& track) {
    const auto& z = path_of(track)[2];
    return std::ranges::any_of(z, [&](double height) { return height != z.front(); });
  });
  Figure figure{"Path", "", space ? FigureKind::space : FigureKind::path, {}, {}};
  figure.axes = {{"$x$"}, {"$y$"}};
  if (space) figure.axes.push_back({"$z$"});
  for (const Track& track : tracks) {
    const auto& path = path_of(track);
    Series series{track.name, SeriesStyle::line, false, {path.begin(), path.end()}};
    if (!space) series.coordinates.pop_back();
    figure.series.push_back(std::move(series));
  }
  if (tracks.empty()) {
    figure.axes = {{symbol(coordinates[0])}, {symbol(coordinates[1])}};
    for (const MethodRun& run : runs) {
      Series series{run.method,
                    SeriesStyle::line,
                    false,
                    {*run.table.find(coordinates[0].name()), *run.table.find(coordinates[1].name())}};
      thin(series, figure.kind);
      figure.series.push_back(std::move(series));
    }
  }
  figures.push_back(std::move(figure));
}

/// A list that is not too long to read.
std::string listed(const std::vector<double>& values) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(values.size(), most);
  return fmt::format("({:.6g}{})", fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     values.size() > most ? ", ..." : "");
}

/// The largest difference of two positions as people see them, in which q and −q are the same rotation.
double distance(const Space& space, std::vector<double> a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const std::size_t at = space.numbers + 4 * k;
    double product = 0.0;
    for (std::size_t i = at; i < at + 4; ++i) product += a[i] * b[i];
    for (std::size_t i = at; product < 0.0 && i < at + 4; ++i) a[i] = -a[i];
  }
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Largest difference of the positions from the reference at the same times.
void add_differences(const Model& model, const std::vector<MethodRun>& runs, std::vector<Figure>& figures) {
  const auto reference = std::ranges::find_if(runs, [](const MethodRun& r) { return MethodSpec(r.method).is_flow(); });
  if (reference == runs.end()) return;
  TimeFigures over_time(runs, figures);
  const std::vector<std::string> names = model.system.position_names();
  const auto position = [&](const Table& t, std::size_t row) {
    std::vector<double> q;
    for (const std::string& name : names) q.push_back((*t.find(name))[row]);
    return q;
  };
  over_time.add("Difference from the reference", "$\\max_i |q_i - q_i^{\\mathrm{ref}}|$", Scale::logarithmic,
                [&](const Table& t) {
                  const std::size_t rows = std::min(t.rows(), reference->table.rows());
                  std::vector<double> largest(t.rows(), nan);
                  for (std::size_t row = 0; row < rows; ++row) {
                    if ((*t.find("time"))[row] != (*reference->table.find("time"))[row]) continue;
                    const double d = distance(model.system.space(), position(t, row), position(reference->table, row));
                    if (d > 0.0) largest[row] = d;
                  }
                  return largest;
                });
}

RunEntry run_of(const MethodRun& run, const Model& model, const Problem& problem) {
  const RunResult& r = run.result;
  RunEntry entry{
      run.method,
      model.title,
      run.method,
      {fmt::format("h = {}", problem.step), fmt::format("{} steps", r.steps), fmt::format("to t = {:.6g}", r.time),
       fmt::format("largest {} {:.3g} of T + |V|",
                   problem.system.conserves_energy() ? "energy error" : "error of energy - work",
                   r.statistics.max_energy_error())},
      r.failure};
  if (!model.system.velocity_rows().empty()) {
    const Largest& residual = r.statistics.constraint;
    entry.settings.push_back(residual.end ? fmt::format("constraint not defined at step {}", residual.end->at.step)
                                          : fmt::format("largest constraint residual {:.3g}", residual.value));
  }
  if (r.newton.mean() >= 0.005) entry.settings.push_back(fmt::format("{:.2f} Newton iterations", r.newton.mean()));
  entry.settings.push_back("q0 = " + listed(problem.start.q));
  entry.settings.push_back("v0 = " + listed(problem.start.v));
  if (problem.start.t != 0.0) entry.settings.push_back(fmt::format("t0 = {}", problem.start.t));
  return entry;
}

}  // namespace

ExperimentEntry of_runs(const Model& model, const Problem& problem, const std::vector<MethodRun>& runs,
                        const std::vector<ObservedQuantity>& observed) {
  ExperimentEntry experiment{model.name, model.title, "", model.description};
  experiment.systems.push_back(system_of(model));
  for (const MethodRun& run : runs) experiment.runs.push_back(run_of(run, model, problem));
  std::vector<Track> tracks;
  if (model.view) {
    for (const MethodRun& run : runs) tracks.push_back(track_of(run.method, model, run.table));
  }
  add_path(model, runs, tracks, experiment.figures);
  add_differences(model, runs, experiment.figures);
  TimeFigures over_time(runs, experiment.figures);
  over_time.add("Energy", "$E$", Scale::linear, [](const Table& t) { return *t.find("energy"); });
  if (model.system.conserves_energy()) {
    over_time.add("Energy error", "$|E - E_0|$", Scale::logarithmic,
                  [](const Table& t) { return change(*t.find("energy")); });
  } else {
    over_time.add("Work that is done on the system", "$W$", Scale::linear,
                  [](const Table& t) { return *t.find("work"); });
    over_time.add("Error of the balance of energy and work", "$|E - W - E_0|$", Scale::logarithmic,
                  [](const Table& t) { return change(balance(t)); });
  }
  for (const Table::Column& column : runs.front().table.columns) {
    if (column.kind != ColumnKind::constraint) continue;
    over_time.add("Residual of `" + column.name + "`", "$|\\cdot|$", Scale::logarithmic,
                  [&](const Table& t) { return size(*t.find(column.name)); });
  }
  for (const NamedExpression& c : model.system.conserved()) {
    over_time.add("Change of the conserved quantity `" + c.name + "`", "$|\\cdot|$", Scale::logarithmic,
                  [&](const Table& t) { return change(*t.find(c.name)); });
  }
  for (const ObservedQuantity& quantity : observed) {
    for (const std::string& label : quantity.labels) {
      over_time.add("Observed: `" + label + "`", "`" + label + "`", Scale::linear,
                    [&](const Table& t) { return *t.find(label); });
    }
  }
  add_positions(model, runs, experiment.figures);
  if (model.view) experiment.animations.push_back({"Motion", *model.view, std::move(tracks), ""});
  return experiment;
}

ExperimentEntry of_convergence(const Model& model, double time, const std::vector<Convergence>& methods) {
  ExperimentEntry experiment{model.name, model.title, "",
                             fmt::format("Errors at $t = {:.6g}$ against the reference.", time)};
  experiment.systems.push_back(system_of(model));
  const auto figure = [&](const std::string& title, const std::string& x, const std::string& y, auto&& abscissa,
                          auto&& ordinate) {
    Figure f{title, "", FigureKind::line, {{x, Scale::logarithmic}, {y, Scale::logarithmic}}, {}};
    for (const Convergence& c : methods) {
      Series series{c.method, SeriesStyle::both, false, {{}, {}}};
      for (const ConvergencePoint& p : c.points) {
        const double value = ordinate(p);
        series.coordinates[0].push_back(abscissa(p));
        series.coordinates[1].push_back(value > 0.0 ? value : nan);
      }
      f.series.push_back(std::move(series));
    }
    experiment.figures.push_back(std::move(f));
  };
  const auto step = [](const ConvergencePoint& p) { return p.step; };
  const auto error = [](const ConvergencePoint& p) { return p.error; };
  figure("Error", "$h$", "largest error of the positions", step, error);
  figure(
      "Work and precision", "seconds", "largest error of the positions",
      [](const ConvergencePoint& p) { return p.seconds; }, error);
  figure("Energy error", "$h$", "largest energy error", step, [](const ConvergencePoint& p) { return p.energy_error; });
  for (const Convergence& c : methods) {
    RunEntry run{c.method,
                 model.title,
                 c.method,
                 {c.measured_order ? fmt::format("order {:.3f} measured", *c.measured_order) : "order not measurable"},
                 ""};
    if (c.expected_order) run.settings.push_back(fmt::format("{} promised", *c.expected_order));
    if (std::ranges::any_of(c.points, [](const ConvergencePoint& p) { return p.outcome == RunOutcome::failed; })) {
      run.failure = "not all runs reached the end";
    }
    experiment.runs.push_back(std::move(run));
  }
  return experiment;
}

}  // namespace rattleback::report
