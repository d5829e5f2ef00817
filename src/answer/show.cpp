#include "rattleback/answer/show.hpp"

#include <fmt/format.h>

#include "near.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

std::string listed_rows(const System& s, const std::vector<std::size_t>& rows) {
  std::vector<std::string> texts;
  for (const std::size_t k : rows) texts.push_back(s.row_name(k));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void find_about_constraints(const State& near, ShowAnswer& a) {
  const System& s = a.model.system;
  if (s.velocity_rows().empty()) return;
  a.constraints = examine_constraints(s, s.parameter_values(), near);
  a.rank_drop = find_rank_drop(s, s.parameter_values(), near);
  const ConstraintReport& c = *a.constraints;
  if (!c.judged) {
    a.findings.emplace_back(
        "the constraints could not be judged: they are not defined at the random points about the initial position");
    return;
  }
  if (!c.contradictory.empty()) {
    a.problems.push_back(fmt::format("contradicted by the constraints before: {}", listed_rows(s, c.contradictory)));
  }
  if (!c.redundant.empty()) {
    a.problems.push_back(fmt::format("redundant everywhere: {}", listed_rows(s, c.redundant)));
  } else if (a.rank_drop && c.contradictory.empty()) {
    a.findings.push_back(
        fmt::format("the constraints have rank {}, but not everywhere: {} dependent at q = {}", c.generic_rank,
                    a.rank_drop->rows.size() == 1 ? listed_rows(s, a.rank_drop->rows) + " vanishes, it is"
                                                  : listed_rows(s, a.rank_drop->rows) + " become",
                    tuple(s.space().shown(a.rank_drop->q), 4)));
  } else {
    a.findings.push_back(
        fmt::format("the constraints have rank {}; no configuration with a lower rank was found", c.generic_rank));
  }
  if (c.all_integrable) {
    a.findings.emplace_back("the constraints are integrable: the system is holonomic in disguise");
  } else if (!c.integrable.empty()) {
    a.findings.push_back(fmt::format("integrable by itself, holonomic in disguise: {}", listed_rows(s, c.integrable)));
  } else if (!s.constraints().empty()) {
    a.findings.emplace_back("the constraints are not integrable: the system is nonholonomic");
  }
}

void find_about_start(const State& state, ShowAnswer& a) {
  try {
    require_regular_start(a.model.system, a.model.system.parameter_values(), state);
    a.findings.emplace_back("the Lagrangian is regular at the initial state, which satisfies the constraints");
  } catch (const StartError& error) {
    a.problems.emplace_back(error.what());
    a.start_error = error.what();
  }
}

void find_about_claims(const State& state, ShowAnswer& a) {
  const System& s = a.model.system;
  a.broken_symmetries = broken_symmetries(s, s.parameter_values(), state);
  a.problems.insert(a.problems.end(), a.broken_symmetries.begin(), a.broken_symmetries.end());
  if (!s.symmetries().empty() && a.broken_symmetries.empty()) {
    std::vector<std::string> texts;
    for (const Symmetry& symmetry : s.symmetries()) texts.push_back(symmetry.name);
    a.findings.push_back(fmt::format("symmetries, verified at random points: {}", fmt::join(texts, ", ")));
  }
  a.broken_sections = broken_sections(s, s.parameter_values(), state);
  a.problems.insert(a.problems.end(), a.broken_sections.begin(), a.broken_sections.end());
  if (!s.sections().empty() && a.broken_sections.empty()) {
    std::vector<std::string> texts;
    for (const SymmetrySection& section : s.sections()) texts.push_back(section.name);
    a.findings.push_back(
        fmt::format("sections of symmetries, inside the constraints at random points: {}", fmt::join(texts, ", ")));
  }
  a.not_conserved = broken_conservation(s, s.parameter_values(), state);
  a.problems.insert(a.problems.end(), a.not_conserved.begin(), a.not_conserved.end());
  if (!s.conserved().empty() && a.not_conserved.empty()) {
    a.findings.emplace_back("the declared quantities are conserved, verified at random admissible states");
  }
}

}  // namespace

ShowAnswer show(const ShowRequest& request, const Hooks& hooks) {
  const Interruptible interruptible(hooks.interrupt);
  const auto patience = hooks.patience();
  ShowAnswer a{.model = request.model.load(request.parameters)};
  a.written = written(a.model);
  const System& s = a.model.system;
  const State state = state_to_look_at(a.model);
  find_about_constraints(state, a);
  if (conserves_energy(s, s.parameter_values(), state)) {
    a.findings.emplace_back("the energy is conserved");
  } else {
    a.findings.push_back(fmt::format(
        "{} do work: the energy is not conserved in general; runs balance it with that work", what_does_work(s)));
  }
  if (a.model.initial) find_about_start(state, a);
  find_about_claims(state, a);
  return a;
}

}  // namespace rattleback::answer
