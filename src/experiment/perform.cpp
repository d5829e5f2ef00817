#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../base/files.hpp"
#include "data.hpp"
#include "needs.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {
namespace {

Finding::Verdict verdict_of(const Claim& claim, bool satisfied) {
  using Verdict = Finding::Verdict;
  switch (claim.expected) {
    case Claim::Holds::yes: return satisfied ? Verdict::confirmed : Verdict::failed;
    case Claim::Holds::after_correction: return satisfied ? Verdict::corrected : Verdict::failed;
    case Claim::Holds::no: return satisfied ? Verdict::failed : Verdict::contradicted;
  }
  return Verdict::failed;
}

/// The data behind a claim that did not end as their recipe says.
std::string trouble_with(const Claim& claim, const ExperimentResult& result) {
  for (const std::string& name : needs_of(claim, result.experiment).data) {
    const Data& data = result.of(name);
    if (!data.failure.empty() && !data.recipe.ends_early) return fmt::format("{} ended in {}", name, data.failure);
    if (data.failure.empty() && data.recipe.ends_early) return fmt::format("{} should have ended early", name);
  }
  return "";
}

/// Errors with their place.
auto explained(const Experiment& experiment, const std::string& where, auto&& work) {
  try {
    return work();
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}/{}, {}: {}", experiment.paper, experiment.name, where, error.what()));
  }
}

const Data& named(const std::vector<Data>& data, const std::string& name) {
  return *std::ranges::find(data, name, [](const Data& d) { return d.recipe.name; });
}

}  // namespace

const Data& ExperimentResult::of(const std::string& name) const { return named(data, name); }

ExperimentResult judge(const Experiment& experiment, std::vector<Data> data) {
  ExperimentResult result{experiment, std::move(data), {}, {}};
  Surroundings surroundings{[&](const std::string& name) -> const Table& { return result.of(name).table; }};
  for (const NamedQuantity& value : experiment.values) {
    surroundings.values[value.name] =
        explained(experiment, "value " + value.name, [&] { return evaluate(value.quantity, surroundings); });
  }
  result.values = surroundings.values;
  for (const Claim& claim : experiment.claims) {
    const Measured measured = explained(experiment, "claim '" + claim.quantity.text + "'",
                                        [&] { return measure(claim.quantity, claim.criterion, surroundings); });
    // A number that does not exist contradicts nothing, nor does one of a run that did not end as it should.
    Finding finding{measured, trouble_with(claim, result), Finding::Verdict::failed};
    if (measured.known && finding.trouble.empty()) finding.verdict = verdict_of(claim, measured.satisfied);
    result.findings.push_back(std::move(finding));
  }
  return result;
}

ExperimentResult perform(const Experiment& experiment, const std::atomic<bool>* interrupt,
                         const std::function<void(const std::string&)>& progress) {
  const Interruptible interruptible(interrupt);
  std::vector<Data> made;
  const auto table = [&](const std::string& name) -> const Table& { return named(made, name).table; };
  for (const DataRecipe& recipe : experiment.data) {
    if (progress) progress(recipe.name);
    made.push_back(explained(experiment, "data " + recipe.name, [&] { return make_data(recipe, table, interrupt); }));
  }
  return judge(experiment, std::move(made));
}

}  // namespace rattleback
