#pragma once

#include "rattleback/experiment/experiment.hpp"
#include "rattleback/report/report.hpp"

namespace rattleback::report {

/// An experiment that was performed, with the files its data are in.
ExperimentEntry of(const ExperimentResult& result, const std::vector<std::string>& files);
Chapter of(const Paper& paper);
/// A statement of the paper whose experiments these are, all of them.
StatementEntry of(const Statement& statement, std::optional<StatementVerdict> verdict,
                  const std::vector<ExperimentEntry>& experiments);

/// What was measured, with as many digits as mean something.
std::string measured_text(const Finding& finding);

/// A page of the documentation: papers, their statements, experiments and claims.
std::string markdown(const std::vector<Chapter>& chapters);

}  // namespace rattleback::report
