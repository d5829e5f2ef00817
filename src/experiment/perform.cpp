#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../base/files.hpp"
#include "data.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {
namespace {

Finding::Verdict judge(const Claim& claim, bool satisfied) {
  using Verdict = Finding::Verdict;
  switch (claim.expected) {
    case Claim::Holds::yes: return satisfied ? Verdict::confirmed : Verdict::failed;
    case Claim::Holds::after_correction: return satisfied ? Verdict::corrected : Verdict::failed;
    case Claim::Holds::no: return satisfied ? Verdict::failed : Verdict::contradicted;
  }
  return Verdict::failed;
}

/// The data behind a claim that did not end as their recipe says, values included.
std::string trouble_with(const Claim& claim, const ExperimentResult& result) {
  std::vector<std::string> names;
  std::vector<const Quantity*> open{&claim.quantity, &claim.criterion.first, &claim.criterion.second};
  while (!open.empty()) {
    const Quantity& quantity = *open.back();
    open.pop_back();
    std::vector<Expression> used{quantity.formula};
    for (const Quantity::Part& part : quantity.parts) {
      names.push_back(part.table);
      used.push_back(part.formula.value);
      for (const RowFormula::Window& window : part.formula.windows) used.push_back(window.value);
      if (part.abscissa) used.push_back(part.abscissa->value);
    }
    for (const Expression& symbol : free_symbols(used)) {
      for (const NamedQuantity& value : result.experiment.values) {
        // Values use only values before them, so this ends.
        if (value.name == symbol.name()) open.push_back(&value.quantity);
      }
    }
  }
  for (const std::string& name : names) {
    const Data& data = result.of(name);
    if (!data.failure.empty() && !data.recipe.ends_early) return fmt::format("{} ended in {}", name, data.failure);
    if (data.failure.empty() && data.recipe.ends_early) return fmt::format("{} should have ended early", name);
  }
  return "";
}

}  // namespace

const Data& ExperimentResult::of(const std::string& name) const {
  return *std::ranges::find(data, name, [](const Data& d) { return d.recipe.name; });
}

ExperimentResult perform(const Experiment& experiment, const std::atomic<bool>* interrupt,
                         const std::function<void(const std::string&)>& progress) {
  const Interruptible interruptible(interrupt);
  ExperimentResult result{experiment, {}, {}, {}};
  const auto explained = [&](const std::string& where, auto&& work) {
    const std::string place = fmt::format("{}/{}, {}", experiment.paper, experiment.name, where);
    try {
      return work();
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", place, error.what()));
    }
  };
  Surroundings surroundings{[&](const std::string& name) -> const Table& { return result.of(name).table; }};
  for (const DataRecipe& recipe : experiment.data) {
    if (progress) progress(recipe.name);
    result.data.push_back(
        explained("data " + recipe.name, [&] { return make_data(recipe, surroundings.table, interrupt); }));
  }
  for (const NamedQuantity& value : experiment.values) {
    surroundings.values[value.name] =
        explained("value " + value.name, [&] { return evaluate(value.quantity, surroundings); });
  }
  result.values = surroundings.values;
  for (const Claim& claim : experiment.claims) {
    const Measured measured = explained("claim '" + claim.quantity.text + "'",
                                        [&] { return measure(claim.quantity, claim.criterion, surroundings); });
    // A number that does not exist contradicts nothing, nor does one of a run that did not end as it should.
    Finding finding{measured, trouble_with(claim, result), Finding::Verdict::failed};
    if (measured.known && finding.trouble.empty()) finding.verdict = judge(claim, measured.satisfied);
    result.findings.push_back(std::move(finding));
  }
  return result;
}

}  // namespace rattleback
