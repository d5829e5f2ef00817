#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/answer/reproduce.hpp"
#include "rattleback/report/experiments.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

using Verdict = Finding::Verdict;

/// The bounds as numbers, without the formulas they come from.
std::string bounds(const Claim& claim, const Measured& m) {
  switch (claim.criterion.kind) {
    case Criterion::Kind::below: return fmt::format("< {:.4g}", m.first);
    case Criterion::Kind::above: return fmt::format("> {:.4g}", m.first);
    case Criterion::Kind::between: return fmt::format("{:.4g} .. {:.4g}", m.first, m.second);
    case Criterion::Kind::equals: return fmt::format("{:.4g} +- {:.2g}", m.first, m.second);
  }
  return "";
}

nlohmann::json experiment_json(const ExperimentAnswer& a) {
  const Experiment& e = a.experiment;
  nlohmann::json document{{"experiment", e.paper + "/" + e.name},
                          {"title", e.title},
                          {"place", e.place},
                          {"seconds", a.seconds},
                          {"claims", nlohmann::json::array()}};
  for (std::size_t k = 0; k < a.findings.size(); ++k) {
    const Claim& claim = e.claims[k];
    const Finding& finding = a.findings[k];
    document["claims"].push_back({{"says", claim.says},
                                  {"place", claim.place},
                                  {"quantity", claim.quantity.text},
                                  {"measured", finding.measured.value},
                                  {"expected", describe(claim.criterion, finding.measured)},
                                  {"verdict", word_of(finding.verdict)},
                                  {"note", claim.note}});
  }
  return document;
}

nlohmann::json paper_json(const PaperAnswer& a) {
  nlohmann::json document{{"paper", a.paper.name}, {"title", a.paper.title}, {"statements", nlohmann::json::array()}};
  for (std::size_t k = 0; k < a.statements.size(); ++k) {
    const Statement& s = a.statements[k];
    nlohmann::json row{{"statement", s.label()}, {"kind", word_of(s.kind)}, {"says", s.says}, {"note", s.note}};
    if (a.verdicts[k]) row["verdict"] = word_of(*a.verdicts[k]);
    if (!s.reason.empty()) row["reason"] = s.reason;
    for (const Statement::Judge& judge : s.judges) {
      row["claims"].push_back({{"experiment", a.experiments[judge.experiment]}, {"claim", judge.claim}});
    }
    document["statements"].push_back(std::move(row));
  }
  return document;
}

/// Claims that are not as they should be, with everything that helps to find out why.
void add_failed(std::string& out, const ExperimentAnswer& a) {
  const Experiment& e = a.experiment;
  for (std::size_t k = 0; k < a.findings.size(); ++k) {
    if (a.findings[k].verdict != Verdict::failed) continue;
    const Claim& claim = e.claims[k];
    const Measured& measured = a.findings[k].measured;
    add(out, "\n  {}/{}: {}\n    {} = {:.6g}, {}expected {}", e.paper, e.name, claim.says, claim.quantity.text,
        measured.value, claim.expected == Claim::Holds::no ? "not " : "", describe(claim.criterion, measured));
  }
}

}  // namespace

std::string to_text(const ExperimentAnswer& a) {
  const Experiment& e = a.experiment;
  std::string out = fmt::format("\n{}/{}: {}{}, {:.1f} s\n", e.paper, e.name, e.title,
                                e.place.empty() ? "" : fmt::format(" ({})", e.place), a.seconds);
  for (std::size_t k = 0; k < a.findings.size(); ++k) {
    const Finding& finding = a.findings[k];
    add(out, "  {:<12}  {:>10}  {:<21}  {}\n", word_of(finding.verdict),
        finding.trouble.empty() ? report::measured_text(finding) : "-", bounds(e.claims[k], finding.measured),
        e.claims[k].says);
  }
  for (const auto& [table, what] : a.failures) add(out, "  {} ended in {}\n", table, what);
  return out;
}

std::string summary_text(const ReproduceAnswer& answer) {
  auto counts = answer.counts();
  std::string out = fmt::format("\n{} claims confirmed, {} confirmed after a correction, {} contradicted, {} failed\n",
                                counts[Verdict::confirmed], counts[Verdict::corrected], counts[Verdict::contradicted],
                                counts[Verdict::failed]);
  auto statements = answer.statement_counts();
  if (!statements.empty()) {
    out += "Statements of whole papers:";
    for (const auto& word : words<StatementVerdict>) add(out, " {} {},", statements[word.value], word.text);
    add(out, " {} with nothing to judge\n", statements[std::nullopt]);
  }
  add(out, "The page is {}\n", answer.page);
  return out;
}

std::string to_text(const ReproduceAnswer& answer) {
  std::string out;
  for (const ExperimentAnswer& e : answer.experiments) out += to_text(e);
  return out + summary_text(answer);
}

std::string to_json(const ReproduceAnswer& answer) {
  nlohmann::json document{{"program", answer.program}, {"experiments", nlohmann::json::array()}, {"page", answer.page}};
  for (const ExperimentAnswer& e : answer.experiments) document["experiments"].push_back(experiment_json(e));
  document["papers"] = nlohmann::json::array();
  for (const PaperAnswer& paper : answer.papers) document["papers"].push_back(paper_json(paper));
  auto counts = answer.counts();
  for (const Verdict v : {Verdict::confirmed, Verdict::corrected, Verdict::contradicted, Verdict::failed})
    document["counts"][word_of(v)] = counts[v];
  return text_of(document);
}

std::optional<Error> complaint(const ReproduceAnswer& answer) {
  if (answer.interrupted) {
    return Error(Error::Kind::interrupted,
                 fmt::format("interrupted; data and page of the experiments before are in {}", answer.folder));
  }
  std::string failed;
  for (const ExperimentAnswer& e : answer.experiments) add_failed(failed, e);
  if (failed.empty()) return {};
  return Error(Error::Kind::answer_is_no, "claims are not as they should be:" + failed);
}

std::string to_text(const ExperimentsAnswer& answer) {
  std::string out;
  for (const ExperimentsAnswer::Chapter& chapter : answer.chapters) {
    add(out, "{}  {}\n", chapter.paper.name, chapter.paper.citation);
    for (const Experiment& e : chapter.experiments) {
      add(out, "    {:<28}  {}{}\n", chapter.paper.name + "/" + e.name, e.title, e.place.empty() ? "" : ", " + e.place);
    }
  }
  return out;
}

std::string to_json(const ExperimentsAnswer& answer) {
  nlohmann::json document = nlohmann::json::array();
  for (const ExperimentsAnswer::Chapter& chapter : answer.chapters) {
    for (const Experiment& e : chapter.experiments) {
      document.push_back({{"experiment", chapter.paper.name + "/" + e.name},
                          {"title", e.title},
                          {"place", e.place},
                          {"claims", e.claims.size()}});
    }
  }
  return text_of(document);
}

}  // namespace rattleback::answer
