#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/run.hpp"

namespace rattleback::answer {

/// Several methods on one problem.
struct CompareRequest {
  ProblemRequest problem = {};
  std::vector<std::string> methods = {"reference", "dla", "rk4"};
  std::size_t samples = 0;                 ///< of each method, as in RunRequest
  std::optional<std::string> report = {};  ///< a page with figures, .html
  bool force = false;                      ///< replaces whatever is in the place of the page
  std::string command = {};                ///< how the page says that it was made
};

struct ComparedRun {
  std::string method;
  RunResult result;
  /// Largest difference of the last positions from those of the reference; none if one of them did not reach the end,
  /// or ends at another time.
  std::optional<double> from_reference = {};
  std::optional<double> exact_error = {};  ///< as in RunAnswer
  Table samples = {};
};

struct CompareAnswer {
  PreparedProblem prepared;
  std::vector<ComparedRun> runs = {};
  std::vector<InapplicableMethod> inapplicable = {};  ///< methods that are not among the runs
  std::optional<std::size_t> reference = {};          ///< which of the runs is the reference, if one is
  bool interrupted = false;                           ///< the runs are those before
  std::optional<std::string> report = {};
};

/// Throws MethodError before the first run if none of the methods applies; a part of them is enough.
CompareAnswer compare(const CompareRequest& request, const Hooks& hooks = {});

std::string to_text(const CompareAnswer& answer);
std::string to_json(const CompareAnswer& answer);
/// Methods that did not reach the end.
std::optional<Error> complaint(const CompareAnswer& answer);

}  // namespace rattleback::answer
