#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// What a paper states, shows or asks at one place: a row of the table of all of them (docs/experiments.md).
struct Statement {
  enum class Kind : std::uint8_t {
    theorem,
    proposition,
    corollary,
    definition,
    algorithm,
    remark,
    example,
    equation,
    experiment,
    figure,
    table,
    text,      ///< a sentence without a number of its own
    question,  ///< what the paper leaves open, or to others
  };

  /// A claim: the number of its experiment among those of the paper, and its own in there.
  struct Judge {
    std::size_t experiment = 0;
    std::size_t claim = 0;
    bool operator==(const Judge&) const = default;
  };

  Kind kind = Kind::text;
  std::string number;              ///< "5.3"; of texts and questions the place, "Section 6.1"
  std::string says;                ///< in words of ours
  std::vector<Judge> judges = {};  ///< the claims that it is judged by
  std::string reason = {};         ///< if there are none: why there is nothing to judge, or what is missing
  bool is_open = false;            ///< it could be judged, or built, and is not
  std::string note = {};

  /// As one looks it up in the paper: "Theorem 5.3", "Equations (9) to (16)", "Section 6.1".
  std::string label() const;
};

template <>
inline constexpr auto words<Statement::Kind> =
    std::to_array<Word<Statement::Kind>>({{Statement::Kind::theorem, "theorem"},
                                          {Statement::Kind::proposition, "proposition"},
                                          {Statement::Kind::corollary, "corollary"},
                                          {Statement::Kind::definition, "definition"},
                                          {Statement::Kind::algorithm, "algorithm"},
                                          {Statement::Kind::remark, "remark"},
                                          {Statement::Kind::example, "example"},
                                          {Statement::Kind::equation, "equation"},
                                          {Statement::Kind::experiment, "experiment"},
                                          {Statement::Kind::figure, "figure"},
                                          {Statement::Kind::table, "table"},
                                          {Statement::Kind::text, "text"},
                                          {Statement::Kind::question, "question"}});

/// What follows for a statement from the verdicts on its claims.
enum class StatementVerdict : std::uint8_t {
  confirmed,     ///< all are
  corrected,     ///< all are confirmed, some of them after a correction
  contradicted,  ///< all are
  mixed,         ///< some are contradicted, and some are not
  answered,      ///< it is a question, and the claims say what holds
  failed,        ///< some did not come out as they should
  open,          ///< there are none yet
};

template <>
inline constexpr auto words<StatementVerdict> =
    std::to_array<Word<StatementVerdict>>({{StatementVerdict::confirmed, "confirmed"},
                                           {StatementVerdict::corrected, "corrected"},
                                           {StatementVerdict::contradicted, "contradicted"},
                                           {StatementVerdict::mixed, "mixed"},
                                           {StatementVerdict::answered, "answered"},
                                           {StatementVerdict::failed, "failed"},
                                           {StatementVerdict::open, "open"}});

/// Nothing if there is nothing to judge. `findings` are those of the paper's experiments, in their order.
std::optional<StatementVerdict> verdict_on(const Statement& statement, std::span<const std::vector<Finding>> findings);

/// Whether a claim says more than the paper does, in the words "Beyond the paper".
bool goes_beyond_paper(const Claim& claim);

/// Reads the statements of a paper whose experiments these are, and finds the claims that they name.
std::vector<Statement> read_statements(std::string_view text, const std::string& file,
                                       const std::vector<Experiment>& experiments);

/// Those of a paper that comes with Rattleback.
std::vector<Statement> statements_of(const std::string& paper, const std::vector<Experiment>& experiments);

}  // namespace rattleback
