// The page of the documentation that is made of experiments.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kinds.hpp"
#include "rattleback/report/experiments.hpp"

namespace rattleback::report {
namespace {

constexpr std::string_view first_words = "# Reproduced papers\n\nMade by `rattleback reproduce ";

template <class... A>
void say(std::string& page, fmt::format_string<A...> form, A&&... arguments) {
  fmt::format_to(std::back_inserter(page), form, std::forward<A>(arguments)...);
}

/// One line of a table in Markdown.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string remark(const std::string& note) { return note.empty() ? "" : fmt::format(" *{}*", cell(note)); }

std::ptrdiff_t count(const Chapter& chapter, std::optional<StatementVerdict> verdict) {
  return std::ranges::count(chapter.statements, verdict, &StatementEntry::verdict);
}

/// How many statements of each paper have which verdict.
void add_overview(std::string& page, const std::vector<Chapter>& chapters) {
  if (std::ranges::all_of(chapters, [](const Chapter& c) { return c.statements.empty(); })) return;
  say(page, "\n| statements of | in all |");
  for (const auto& word : words<StatementVerdict>) say(page, " {} |", word.text);
  say(page, " nothing to judge |\n|---|---|");
  for (std::size_t k = 0; k <= words<StatementVerdict>.size(); ++k) say(page, "---|");
  for (const Chapter& chapter : chapters) {
    if (chapter.statements.empty()) continue;
    say(page, "\n| {} | {} |", cell(chapter.title), chapter.statements.size());
    for (const auto& word : words<StatementVerdict>) say(page, " {} |", count(chapter, word.value));
    say(page, " {} |", count(chapter, std::nullopt));
  }
  say(page, "\n");
}

std::string why(const StatementEntry& s) {
  std::string text = cell(s.reason);
  for (const StatementEntry::Judged& judged : s.judged) {
    say(text, "{}`{}` ({} claim{})", text.empty() ? "" : ", ", judged.experiment, judged.claims,
        judged.claims == 1 ? "" : "s");
  }
  return text + remark(s.note);
}

void add_statements(std::string& page, const Chapter& chapter) {
  if (chapter.statements.empty()) return;
  say(page, "\n### Statements\n\n| where | what | verdict | judged by, or why not |\n|---|---|---|---|\n");
  for (const StatementEntry& s : chapter.statements) {
    say(page, "| {} | {}{} | {} | {} |\n", cell(s.label), s.kind == Statement::Kind::question ? "*Question:* " : "",
        cell(s.says), s.verdict ? word_of(*s.verdict) : "–", why(s));
  }
}

void add_experiment(std::string& page, const ExperimentEntry& e) {
  say(page, "\n### {}{}\n\n`rattleback reproduce {}`\n", e.title, e.place.empty() ? "" : fmt::format(" ({})", e.place),
      e.id);
  if (!e.text.empty()) say(page, "\n{}\n", e.text);
  say(page, "\n| claim | measured | expected | verdict |\n|---|---|---|---|\n");
  for (const ClaimEntry& c : e.claims) {
    say(page, "| {}{}{} | `{}` = {} | {} | {} |\n", cell(c.says),
        c.place.empty() ? "" : fmt::format(" ({})", cell(c.place)), remark(c.note), cell(c.quantity), c.measured,
        cell(c.expected), word_of(c.verdict));
  }
}

}  // namespace

const ResultKind markdown_result{"a list of claims that Rattleback has written", [](const std::string& path) {
                                   return beginning_of(path, first_words.size()) == first_words;
                                 }};

std::string markdown(const std::vector<Chapter>& chapters) {
  std::string page(first_words);
  say(page,
      "all --markdown FILE` from the files in `experiments/` ([format](experiments.md)).\n\n"
      "**Claims.** Under each experiment a row is a claim of the paper, what it was taken to mean, and what is "
      "measured. *corrected*: confirmed after a correction; *contradicted*: the criterion "
      "is the paper's, and it is not met.\n\n"
      "**Statements.** The first table of each paper has everything that it states, shows or asks, in the order of the "
      "paper and in words of ours. The verdict follows from the claims that judge it: *confirmed*, *corrected*, "
      "*contradicted* if all are; *mixed* if some are contradicted and some are not; *answered* if the paper asks and "
      "the claims answer; *failed* if one did not come out as it should. Claims that begin with \"Beyond the paper\" "
      "are ours: they answer questions and judge nothing else. *open* is what could be judged, or built, and is not; "
      "where there is nothing to judge, the last column says why.\n");
  add_overview(page, chapters);
  for (const Chapter& chapter : chapters) {
    say(page, "\n## {}\n\n{}\n", chapter.title, chapter.citation);
    if (!chapter.text.empty()) say(page, "\n{}\n", chapter.text);
    add_statements(page, chapter);
    for (const ExperimentEntry& e : chapter.experiments) add_experiment(page, e);
  }
  return page;
}

}  // namespace rattleback::report
