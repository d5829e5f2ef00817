#include "rattleback/experiment/statement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rattleback {
namespace statement_test {

using Kind = Statement::Kind;
using Judges = std::vector<Statement::Judge>;

std::vector<Experiment> experiments() {
  const auto claim = [](const std::string& says, const std::string& place) {
    return "[[claims]]\nsays = \"" + says + "\"\nplace = \"" + place + "\"\nquantity = \"1\"\nbelow = 2\n";
  };
  return {
      read_experiment(claim("It is stable: for long", "Fig. 1") + claim("It is small", "Fig. 1") +
                          claim("Beyond the paper: it is large later", "Fig. 1") + claim("It is so", "Section 2, end"),
                      "paper/1-energy.toml"),
      read_experiment(claim("The order is 2", "Theorem 3") + claim("Beyond the paper: why", "Section 6"),
                      "paper/2-order.toml"),
      read_experiment("", "paper/3-empty.toml")};
}

std::vector<Statement> read(const std::string& text) {
  return read_statements(text, "paper/statements.toml", experiments());
}

std::string statement(const std::string& kind, const std::string& rest) {
  return "[[statements]]\nkind = \"" + kind + "\"\nnumber = \"1\"\nsays = \"so it is\"\n" + rest + "\n";
}

Judges judges(const std::string& kind, const std::string& names) {
  return read(statement(kind, "judged = [" + names + "]")).at(0).judges;
}

TEST(Statements, name_claims_by_experiment_place_and_first_words) {
  EXPECT_EQ(judges("figure", "\"1-energy\""), (Judges{{0, 0}, {0, 1}, {0, 3}}));
  EXPECT_EQ(judges("figure", "\"1-energy: Fig. 1\""), (Judges{{0, 0}, {0, 1}}));
  EXPECT_EQ(judges("figure", "\"1-energy: Fig. 1: It is stable: for\""), (Judges{{0, 0}}));
  EXPECT_EQ(judges("figure", "\"2-order: Theorem 3\", \"1-energy: Section 2, end\""), (Judges{{1, 0}, {0, 3}}));
}

TEST(Statements, that_ask_are_answered_by_claims_beyond_the_paper) {
  EXPECT_EQ(judges("question", "\"1-energy: Fig. 1\""), (Judges{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(judges("question", "\"2-order: Section 6\""), (Judges{{1, 1}}));
}

TEST(Statements, are_called_as_one_looks_them_up) {
  EXPECT_EQ(read(statement("theorem", "reason = \"r\"")).at(0).label(), "Theorem 1");
  EXPECT_EQ((Statement{Kind::equation, "(9) to (16)", ""}).label(), "Equations (9) to (16)");
  EXPECT_EQ(read("[[statements]]\nkind = \"text\"\nnumber = \"Section 6\"\nsays = \"s\"\nreason = \"r\"").at(0).label(),
            "Section 6");
}

TEST(Statements, explain_what_is_wrong_and_where) {
  const auto expect = [](const std::string& text, const std::string& part) {
    try {
      read(text);
      ADD_FAILURE() << "is read: " << text;
    } catch (const ModelError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find(part), std::string::npos) << text << "\n" << what;
      EXPECT_TRUE(what.starts_with("paper/statements.toml:")) << what;
    }
  };
  const auto judged = [](const std::string& name) { return statement("figure", "judged = [\"" + name + "\"]"); };
  expect("titel = 1", "unknown key 'titel' in a file of statements");
  expect("statements = 1", "statements must be written as sections [[statements]]");
  expect(statement("figure", "verdict = \"confirmed\""), "unknown key 'verdict' in a statement");
  expect(statement("lemme", "reason = \"r\""), "kind must be theorem, proposition,");
  expect("[[statements]]\nkind = \"text\"\nsays = \"s\"\nreason = \"r\"", "a statement needs the key number");
  expect(statement("figure", ""), "statements.toml:3:10: Figure 1 needs one of judged (names of claims), reason");
  expect(statement("figure", "reason = \"r\"\njudged = [\"1-energy\"]"), "found judged and reason");
  expect(statement("figure", "reason = \"r\"\nopen = \"o\""), "found reason and open");
  expect(statement("figure", "reason = \" \""), "reason is empty");
  expect(statement("figure", "judged = []"), "judged names no claims");
  expect(statement("figure", "judged = \"1-energy\""), "judged must be a list");
  expect(judged("1-enrgy: Fig. 1"), "the paper has no experiment '1-enrgy'; did you mean '1-energy'?");
  expect(judged("1-energy: Fig. 2"), "1-energy has no claim with the place 'Fig. 2'; did you mean 'Fig. 1'?");
  expect(judged("1-energy: Fig. 1: It was"), "no claim of 1-energy at 'Fig. 1' begins with 'It was'; there are It is");
  expect(judged("2-order: Section 6"), "'2-order: Section 6' are claims that go beyond the paper");
  expect(judged("3-empty"), "3-empty has no claims");
  expect(statement("figure", "judged = [\"1-energy: Fig. 1\", \"1-energy\"]"),
         "'1-energy' names a claim for the second time: It is stable: for long");
  expect(statement("figure", "reason = \"r\"") + statement("figure", "reason = \"r\""), "Figure 1 says this already");
}

std::optional<StatementVerdict> verdict(const std::vector<Finding::Verdict>& of_claims, Kind kind = Kind::figure) {
  Statement s{kind, "1", "so it is"};
  std::vector<std::vector<Finding>> findings(2);
  for (std::size_t k = 0; k < of_claims.size(); ++k) {
    s.judges.push_back({k % 2, findings[k % 2].size()});
    findings[k % 2].push_back({{}, {}, of_claims[k]});
  }
  return verdict_on(s, findings);
}

TEST(Statements, have_the_verdict_of_their_claims) {
  using enum Finding::Verdict;
  EXPECT_EQ(verdict({}), std::nullopt);
  EXPECT_EQ(verdict_on(read(statement("figure", "open = \"not yet\"")).at(0), {}), StatementVerdict::open);
  EXPECT_EQ(verdict({confirmed, confirmed}), StatementVerdict::confirmed);
  EXPECT_EQ(verdict({confirmed, corrected, confirmed}), StatementVerdict::corrected);
  EXPECT_EQ(verdict({contradicted, contradicted}), StatementVerdict::contradicted);
  EXPECT_EQ(verdict({contradicted, corrected}), StatementVerdict::mixed);
  EXPECT_EQ(verdict({confirmed, contradicted, failed}), StatementVerdict::failed);
  EXPECT_EQ(verdict({confirmed, contradicted}, Kind::question), StatementVerdict::answered);
  EXPECT_EQ(verdict({failed}, Kind::question), StatementVerdict::failed);
}

/// A paper of which only published numbers are taken: it has no table of statements.
const std::string only_for_its_numbers = "kl";

// Reading them finds every name; here it is the other way round.
TEST(Papers, every_claim_about_one_judges_a_statement) {
  for (const Paper& paper : papers()) {
    if (paper.name == only_for_its_numbers) continue;
    const std::vector<Experiment> all = experiments_of(paper.name);
    std::set<std::pair<std::size_t, std::size_t>> named;
    for (const Statement& s : statements_of(paper.name, all)) {
      for (const Statement::Judge& judge : s.judges) named.insert({judge.experiment, judge.claim});
    }
    for (std::size_t e = 0; e < all.size(); ++e) {
      for (std::size_t k = 0; k < all[e].claims.size(); ++k) {
        const Claim& claim = all[e].claims[k];
        EXPECT_TRUE(goes_beyond_paper(claim) || named.contains({e, k}))
            << "experiments/" << paper.name << "/statements.toml names nowhere '" << all[e].name << ": " << claim.place
            << ": " << claim.says << "'";
      }
    }
  }
}

/// "Figure 1", "Figure 2", …
void add_labels(std::vector<std::string>& labels, const std::string& word, const std::string& before, int from,
                int to) {
  for (int k = from; k <= to; ++k) labels.push_back(word + " " + before + std::to_string(k));
}

/// What has a number in a paper, counted in the paper.
std::vector<std::string> numbered(const std::string& paper) {
  std::vector<std::string> labels;
  const auto range = [&](const std::string& word, const std::string& before, int from, int to) {
    add_labels(labels, word, before, from, to);
  };
  if (paper == "cm") {
    labels = {"Theorem 4.3",   "Theorem 5.1", "Corollary 5.2", "Theorem 5.3",
              "Corollary 5.4", "Theorem 5.5", "Theorem 5.6"};
    range("Remark", "3.", 1, 3);
    range("Remark", "4.", 1, 2);
    range("Figure", "", 1, 4);
  } else if (paper == "ev") {
    labels = {"Definitions 1.1 to 1.4",
              "Theorem 1.5",
              "Definition 1.6",
              "Theorem 1.7",
              "Definition 1.8",
              "Definition 1.9",
              "Theorem 1.10",
              "Definition 1.11",
              "Theorem 1.12",
              "Table 1.1",
              "Figure 1.1",
              "Figure 2.1",
              "Figure 2.2"};
    range("Definition", "1.", 13, 17);
    range("Definition", "2.", 1, 4);
    range("Experiment", "3.", 1, 7);
    range("Figure", "3.", 1, 18);
  } else if (paper == "me") {
    labels = {"Proposition 1.1", "Proposition 1.2", "Proposition 2", "Proposition 3"};
    range("Figure", "", 1, 10);
  } else if (paper == "fe") {
    labels = {"Definition 4.1", "Definition 4.2", "Proposition 1", "Proposition 2", "Remark 1", "Table 1", "Table 2"};
    range("Figure", "", 1, 7);
    for (const char* panel : {"8(a)", "8(b)", "8(c)", "9(a)", "9(b)", "10"})
      labels.push_back(std::string("Figure ") + panel);
    labels.emplace_back("Figures 9(c), (d)");
  } else if (paper == "gv") {
    labels = {
        "Definition 2.1", "Proposition 2.2 (i)", "Proposition 2.2 (ii)", "Proposition 2.2 (iii)", "Proposition 2.3",
        "Example 3.1",    "Definition 4.1",      "Theorem 4.2",          "Corollary 4.3",         "Table 4.1"};
    range("Figure", "5.", 1, 6);
  }
  return labels;
}

TEST(Papers, nothing_that_has_a_number_is_without_a_row) {
  for (const Paper& paper : papers()) {
    if (paper.name == only_for_its_numbers) continue;
    const std::vector<Statement> rows = statements_of(paper.name, experiments_of(paper.name));
    const std::vector<std::string> wanted = numbered(paper.name);
    EXPECT_FALSE(wanted.empty()) << paper.name;
    for (const std::string& label : wanted) {
      EXPECT_TRUE(std::ranges::any_of(rows, [&](const Statement& s) { return s.label() == label; }))
          << paper.name << ": " << label;
    }
    EXPECT_TRUE(paper.name == "gv" ||
                std::ranges::any_of(rows, [](const Statement& s) { return s.kind == Kind::question; }))
        << paper.name << " leaves questions open";
  }
}

}  // namespace statement_test
}  // namespace rattleback
