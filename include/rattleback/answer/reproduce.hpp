#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/experiment/statement.hpp"

namespace rattleback::answer {

/// The experiments of papers, with their claims beside what is measured.
struct ReproduceRequest {
  /// "all", papers, experiments as paper/experiment, or files of one's own; all if nothing is given.
  std::vector<std::string> what = {};
  std::string output = "reproduced";         ///< the folder for the page and the data
  std::optional<std::string> markdown = {};  ///< also statements and claims as a page of documentation
  bool csv = false;                          ///< data as CSV files instead of HDF5
  bool force = false;                        ///< replaces whatever is in the place of the files
  std::string command = {};                  ///< how the page says that it was made
};

/// An experiment that was performed. Its tables are in files.
struct ExperimentAnswer {
  struct Failure {
    std::string table;
    std::string what;
  };
  Experiment experiment;
  std::vector<Finding> findings;  ///< one for each claim
  std::vector<Failure> failures;  ///< of runs that did not reach their end
  double seconds = 0.0;
};

/// What became of the statements of a paper, all experiments of which were performed.
struct PaperAnswer {
  Paper paper;
  std::vector<std::string> experiments;  ///< as paper/experiment; judges of the statements have their numbers
  std::vector<Statement> statements;
  std::vector<std::optional<StatementVerdict>> verdicts;  ///< one for each statement
};

struct ReproduceAnswer {
  std::vector<ExperimentAnswer> experiments = {};
  std::vector<PaperAnswer> papers = {};
  std::string program;
  std::string folder;
  std::string page;
  bool interrupted = false;  ///< the experiments are those before

  std::map<Finding::Verdict, int> counts() const;
  /// Of the statements; where there is no verdict, there is nothing to judge.
  std::map<std::optional<StatementVerdict>, int> statement_counts() const;
};

/// `each` is told of an experiment when it is done; whatever stops the others, there are its data and a page. Throws
/// errors of kind `request` before the first of them, and FileError.
ReproduceAnswer reproduce(const ReproduceRequest& request, const Hooks& hooks = {},
                          const std::function<void(const ExperimentAnswer&)>& each = {});

std::string to_text(const ExperimentAnswer& answer);
/// All experiments, and the summary.
std::string to_text(const ReproduceAnswer& answer);
/// How many claims and statements came out how, and where the page is.
std::string summary_text(const ReproduceAnswer& answer);
std::string to_json(const ReproduceAnswer& answer);
/// It was interrupted, or claims are not as they should be.
std::optional<Error> complaint(const ReproduceAnswer& answer);

/// What can be reproduced.
struct ExperimentsAnswer {
  struct Chapter {
    Paper paper;
    std::vector<Experiment> experiments;
    std::vector<Statement> statements = {};
  };
  std::vector<Chapter> chapters;
};
ExperimentsAnswer experiments();

std::string to_text(const ExperimentsAnswer& answer);
std::string to_json(const ExperimentsAnswer& answer);

}  // namespace rattleback::answer
