#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/flow/convergence.hpp"

namespace rattleback::answer {

/// Errors and costs of methods over a range of step sizes.
struct ConvergeRequest {
  ProblemRequest problem = {};  ///< without steps: they are chosen here
  std::vector<std::string> methods = {"dla:midpoint", "rk4"};
  std::int64_t fewest = 20;  ///< points in time: one more than steps
  std::int64_t most = 1000;
  std::int64_t count = 10;                 ///< how many step sizes between them
  bool check = false;                      ///< complain unless every method has the order it promises
  std::optional<std::string> report = {};  ///< a page with figures, .html
  bool force = false;                      ///< replaces whatever is in the place of the page
  std::string command = {};                ///< how the page says that it was made
};

struct ConvergeAnswer {
  PreparedProblem prepared;  ///< its step is the whole time
  State reference;           ///< at the end
  std::vector<Convergence> methods = {};
  bool check = false;
  bool interrupted = false;  ///< the methods are those before
  std::optional<std::string> report = {};
};

/// Throws errors of kind `request` before the first run if one of the methods cannot start.
ConvergeAnswer converge(const ConvergeRequest& request, const Hooks& hooks = {});

/// A measured order that is further from the promised one was missed.
inline constexpr double order_tolerance = 0.2;
/// Why a method has not shown the order it promises; empty if it has.
std::string missed_order(const Convergence& method);

std::string to_text(const ConvergeAnswer& answer);
std::string to_json(const ConvergeAnswer& answer);
/// Orders that were missed, if they were to be checked.
std::optional<Error> complaint(const ConvergeAnswer& answer);

}  // namespace rattleback::answer
