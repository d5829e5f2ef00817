#include "rattleback/report/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parts.hpp"
#include "rattleback/expr/parse.hpp"

namespace rattleback::report {
namespace {

RunEntry run_of(const Data& d) {
  const DataRecipe& r = d.recipe;
  RunEntry run{r.name, d.model->title, r.method ? r.method->text() : "analyse", {}, d.failure};
  const auto say = [&]<class... A>(fmt::format_string<A...> form, A&&... arguments) {
    run.settings.push_back(fmt::format(form, std::forward<A>(arguments)...));
  };
  if (r.step > 0.0) say("h = {}", r.step);
  if (const auto* t = std::get_if<TrajectoryRecipe>(&r.kind)) {
    say("{} steps", t->steps);
    if (t->every > 1) say("every {}th shown", t->every);
    if (!t->against.empty()) say("compared with {}", t->against);
  } else if (const auto* c = std::get_if<ConvergenceRecipe>(&r.kind)) {
    say("to t = {} in {} to {} steps", c->time, c->counts.front(), c->counts.back());
  } else if (const auto* cloud = std::get_if<CloudRecipe>(&r.kind)) {
    say("{} steps", cloud->steps);
    say("{} of radius {}",
        !cloud->shape.file.empty() ? cloud->shape.file
        : cloud->shape.count       ? fmt::format("{} points on a sphere", *cloud->shape.count)
                                   : "600-cell",
        cloud->radius);
    if (cloud->weights == HullWeights::ball) say("weights of a ball");
  } else if (const auto* m = std::get_if<ModifiedRecipe>(&r.kind)) {
    say("coefficients up to h^{} at {} points", m->order, m->at.size());
  } else if (const auto* ensemble = std::get_if<EnsembleRecipe>(&r.kind)) {
    say("{} members of {}", d.table.rows(), ensemble->file);
  }
  for (const auto& [name, value] : r.parameters) say("{} = {}", name, value);
  if (r.start) {
    say("q0 = ({:.6g})", fmt::join(r.start->q, ", "));
    say("v0 = ({:.6g})", fmt::join(r.start->v, ", "));
  }
  if (r.second_position) say("q1 = ({:.6g})", fmt::join(*r.second_position, ", "));
  return run;
}

Figure figure_of(const FigureRecipe& recipe, const ExperimentResult& result) {
  Figure figure{recipe.title, recipe.caption, recipe.kind, recipe.axes, {}};
  for (const SeriesRecipe& s : recipe.series) {
    Series series{s.name, s.style, s.dashed, {}};
    try {
      series.coordinates = evaluate(s.coordinates, result.of(s.data).table, result.values);
    } catch (const ParseError& error) {
      throw ModelError(fmt::format("{}/{}, figure '{}': {}", result.experiment.paper, result.experiment.name,
                                   recipe.title, error.what()));
    }
    thin(series, figure.kind);
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

std::string measured_text(const Finding& finding) {
  if (!finding.trouble.empty()) return finding.trouble;
  const double value = finding.measured.value;
  if (!finding.measured.known) return "not measurable";
  if (value == std::round(value) && std::abs(value) < 1e6) return fmt::format("{:g}", value);
  return fmt::format("{:.5g}", value);
}

ExperimentEntry of(const ExperimentResult& result, const std::vector<std::string>& files) {
  const Experiment& e = result.experiment;
  ExperimentEntry experiment{e.paper + "/" + e.name, e.title, e.place, e.text};
  experiment.files = files;
  for (const Data& d : result.data) {
    experiment.runs.push_back(run_of(d));
    SystemEntry system = system_of(*d.model);
    const bool known = std::ranges::any_of(experiment.systems, [&](const SystemEntry& other) {
      return other.name == system.name && other.parameters == system.parameters;
    });
    if (!known) experiment.systems.push_back(std::move(system));
  }
  for (std::size_t k = 0; k < e.claims.size(); ++k) {
    const Claim& claim = e.claims[k];
    const Finding& finding = result.findings[k];
    experiment.claims.push_back({claim.says, claim.place, claim.quantity.text, measured_text(finding),
                                 describe(claim.criterion, finding.measured), finding.verdict, claim.note});
  }
  for (const FigureRecipe& figure : e.figures) experiment.figures.push_back(figure_of(figure, result));
  for (const AnimationRecipe& recipe : e.animations) {
    const Data& first = result.of(recipe.data.front());
    if (!first.model->view)
      throw ModelError(
          fmt::format("{} has no positions x and y and no rotations to animate; give it a [view]", first.recipe.model));
    Animation animation{recipe.title, *first.model->view, {}, recipe.opening};
    for (std::size_t k = 0; k < recipe.data.size(); ++k) {
      const Data& d = result.of(recipe.data[k]);
      animation.tracks.push_back(
          track_of(recipe.names.empty() ? d.recipe.method->text() : recipe.names[k], *d.model, d.table));
    }
    experiment.animations.push_back(std::move(animation));
  }
  return experiment;
}

Chapter of(const Paper& paper) { return {paper.name, paper.title, paper.citation, paper.text}; }

StatementEntry of(const Statement& statement, std::optional<StatementVerdict> verdict,
                  const std::vector<ExperimentEntry>& experiments) {
  StatementEntry entry{statement.label(), statement.kind, statement.says, verdict, {},
                       statement.reason,  statement.note};
  for (const Statement::Judge& judge : statement.judges) {
    const std::string& id = experiments[judge.experiment].id;
    const auto known = std::ranges::find(entry.judged, id, &StatementEntry::Judged::experiment);
    if (known == entry.judged.end()) {
      entry.judged.push_back({id, 1});
    } else {
      ++known->claims;
    }
  }
  return entry;
}

}  // namespace rattleback::report
