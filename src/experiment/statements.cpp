// The statements of a paper and the claims that judge them (docs/experiments.md).

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "../model/toml_file.hpp"
#include "rattleback/experiment/statement.hpp"

namespace rattleback {
namespace {

using Judge = Statement::Judge;

/// "did you mean 'Fig. 1'?", or what there is.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const auto meant = closest_name(name, names);
  return meant ? fmt::format("did you mean '{}'?", *meant) : fmt::format("there are {}", fmt::join(names, "; "));
}

/// A name of claims at its first two colons: experiment, place, first words.
std::vector<std::string> cut(const std::string& name) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = name.find(": "); at != std::string::npos && parts.size() < 2; at = name.find(": ", from)) {
    parts.push_back(name.substr(from, at - from));
    from = at + 2;
  }
  parts.push_back(name.substr(from));
  return parts;
}

class StatementsReader : TomlFile {
 public:
  StatementsReader(std::string_view text, const std::string& file, const std::vector<Experiment>& experiments)
      : TomlFile(text, file), experiments_(experiments) {}

  std::vector<Statement> read() {
    check_keys(root(), {"statements"}, "a file of statements");
    each("statements", [&](const toml::table& statement) { read_statement(statement); });
    return std::move(statements_);
  }

 private:
  void read_statement(const toml::table& table) {
    check_keys(table, {"kind", "number", "says", "judged", "reason", "open", "note"}, "a statement");
    Statement s;
    s.kind = choice<Statement::Kind>(required(table, "kind", "a statement"), "kind");
    const toml::node& number = required(table, "number", "a statement");
    s.number = filled(number, "number");
    s.says = filled(required(table, "says", "a statement"), "says");
    for (const Statement& other : statements_) {
      if (other.label() == s.label() && other.says == s.says) fail(number, s.label() + " says this already");
    }
    const toml::node* judged = table.get("judged");
    const toml::node* reason = table.get("reason");
    const toml::node* open = table.get("open");
    std::vector<std::string> found;
    for (const char* key : {"judged", "reason", "open"}) {
      if (table.contains(key)) found.emplace_back(key);
    }
    if (found.size() != 1) {
      fail(number,
           fmt::format("{} needs one of judged (names of claims), reason (why there is nothing to judge) and open "
                       "(what is missing), found {}",
                       s.label(), found.empty() ? "none" : fmt::format("{}", fmt::join(found, " and "))));
    }
    s.is_open = open != nullptr;
    if (reason != nullptr) s.reason = filled(*reason, "reason");
    if (open != nullptr) s.reason = filled(*open, "open");
    if (judged != nullptr) {
      for (const toml::node& name : array_of(*judged, "judged")) add_judges(s, name);
      if (s.judges.empty()) fail(*judged, "judged names no claims; a statement without any has reason or open instead");
    }
    if (const toml::node* note = table.get("note")) s.note = filled(*note, "note");
    statements_.push_back(std::move(s));
  }

  const std::string& filled(const toml::node& node, const std::string& what) const {
    const std::string& text = text_of(node, what);
    if (text.find_first_not_of(" \n") == std::string::npos) fail(node, what + " is empty");
    return text;
  }

  /// "EXPERIMENT: PLACE: WORDS" names the claims of an experiment at a place that begin with these words; without words
  /// all at the place, without a place all of the experiment.
  void add_judges(Statement& s, const toml::node& node) const {
    const std::string& name = text_of(node, "an entry of judged");
    const std::vector<std::string> parts = cut(name);
    const std::size_t index = experiment_named(node, parts[0]);
    const std::vector<Claim>& claims = experiments_[index].claims;
    std::vector<std::string> places, beginnings;
    bool found = false;
    const std::size_t before = s.judges.size();
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (std::ranges::find(places, claims[k].place) == places.end()) places.push_back(claims[k].place);
      if (parts.size() > 1 && claims[k].place != parts[1]) continue;
      beginnings.push_back(claims[k].says);
      if (parts.size() > 2 && !claims[k].says.starts_with(parts[2])) continue;
      found = true;
      if (goes_beyond_paper(claims[k]) && s.kind != Statement::Kind::question) continue;
      const Judge judge{index, k};
      if (std::ranges::find(s.judges, judge) != s.judges.end()) {
        fail(node, fmt::format("'{}' names a claim for the second time: {}", name, claims[k].says));
      }
      s.judges.push_back(judge);
    }
    if (s.judges.size() > before) return;
    if (found) {
      fail(node, fmt::format("'{}' are claims that go beyond the paper: they answer questions, and judge nothing else",
                             name));
    }
    if (claims.empty()) fail(node, parts[0] + " has no claims");
    if (beginnings.empty()) {
      fail(node,
           fmt::format("{} has no claim with the place '{}'; {}", parts[0], parts[1], suggestion(parts[1], places)));
    }
    fail(node, fmt::format("no claim of {} at '{}' begins with '{}'; {}", parts[0], parts[1], parts[2],
                           suggestion(parts[2], beginnings)));
  }

  std::size_t experiment_named(const toml::node& node, const std::string& name) const {
    std::vector<std::string> names;
    for (const Experiment& e : experiments_) names.push_back(e.name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      fail(node, fmt::format("the paper has no experiment '{}'; {}", name, suggestion(name, names)));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  const std::vector<Experiment>& experiments_;
  std::vector<Statement> statements_;
};

}  // namespace

std::string Statement::label() const {
  if (kind == Kind::text || kind == Kind::question) return number;
  std::string word(word_of(kind));
  word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  if (number.find(", ") != std::string::npos || number.find(" to ") != std::string::npos) word += "s";
  return word + " " + number;
}

std::optional<StatementVerdict> verdict_on(const Statement& statement, std::span<const std::vector<Finding>> findings) {
  if (statement.is_open) return StatementVerdict::open;
  if (statement.judges.empty()) return std::nullopt;
  std::size_t contradicted = 0;
  bool corrected = false;
  for (const Judge& judge : statement.judges) {
    switch (findings[judge.experiment][judge.claim].verdict) {
      case Finding::Verdict::failed: return StatementVerdict::failed;
      case Finding::Verdict::contradicted: ++contradicted; break;
      case Finding::Verdict::corrected: corrected = true; break;
      case Finding::Verdict::confirmed: break;
    }
  }
  if (statement.kind == Statement::Kind::question) return StatementVerdict::answered;
  if (contradicted == statement.judges.size()) return StatementVerdict::contradicted;
  if (contradicted > 0) return StatementVerdict::mixed;
  return corrected ? StatementVerdict::corrected : StatementVerdict::confirmed;
}

bool goes_beyond_paper(const Claim& claim) { return claim.says.starts_with("Beyond the paper"); }

std::vector<Statement> read_statements(std::string_view text, const std::string& file,
                                       const std::vector<Experiment>& experiments) {
  return StatementsReader(text, file, experiments).read();
}

}  // namespace rattleback
