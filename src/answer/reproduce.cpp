#include "rattleback/answer/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "../base/files.hpp"
#include "../report/kinds.hpp"
#include "check.hpp"
#include "page.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/experiment/table_file.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/report/experiments.hpp"

namespace rattleback::answer {
namespace {

using Chapter = ExperimentsAnswer::Chapter;

bool is_file(const std::string& word) { return word.ends_with(".toml"); }

bool has(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::find(list, word) != list.end();
}

std::string full_name(const Experiment& e) { return e.paper + "/" + e.name; }

void require_known(const std::vector<std::string>& wanted, const std::vector<Chapter>& chapters) {
  std::vector<std::string> names{"all"};
  for (const Chapter& chapter : chapters) {
    names.push_back(chapter.paper.name);
    for (const Experiment& e : chapter.experiments) names.push_back(full_name(e));
  }
  for (const std::string& word : wanted) {
    if (has(names, word)) continue;
    const auto meant = closest_name(word, names);
    throw RequestError(
        fmt::format("there is no paper or experiment '{}'; {}", word,
                    meant ? fmt::format("did you mean '{}'?", *meant)
                          : "'rattleback reproduce --list' has them, and a file is given as path/file.toml"));
  }
}

/// all, PAPER, PAPER/EXPERIMENT or a file.
std::vector<Chapter> chosen(const std::vector<std::string>& what) {
  Chapter own{{"own", "Own experiments", "", 0, ""}, {}};
  std::vector<std::string> wanted;
  for (const std::string& word : what) {
    if (!is_file(word)) {
      wanted.push_back(word);
      continue;
    }
    own.experiments.push_back(read_experiment(read_file(word), word));
    own.experiments.back().paper = own.paper.name;
  }
  std::vector<Chapter> chapters;
  if (!wanted.empty()) chapters = experiments().chapters;
  require_known(wanted, chapters);
  for (Chapter& chapter : chapters) {
    if (has(wanted, "all") || has(wanted, chapter.paper.name)) continue;
    const auto dropped =
        std::erase_if(chapter.experiments, [&](const Experiment& e) { return !has(wanted, full_name(e)); });
    // Statements are judged by claims of any experiment of the paper.
    if (dropped > 0) chapter.statements.clear();
  }
  chapters.push_back(std::move(own));
  std::erase_if(chapters, [](const Chapter& chapter) { return chapter.experiments.empty(); });
  return chapters;
}

/// A page of some experiments does not replace the one of all.
std::string page_name(const std::vector<std::string>& what) {
  if (what.empty() || has(what, "all")) return "index.html";
  std::string name;
  for (const std::string& word : what) {
    const std::string part = is_file(word) ? std::filesystem::path(word).stem().string() : word;
    name += (name.empty() ? "" : "+") + part;
  }
  std::ranges::replace(name, '/', '-');
  constexpr std::size_t longest = 100;
  return name.substr(0, longest) + ".html";
}

/// What is collected on the way.
class Reproduction {
 public:
  using Each = std::function<void(const ExperimentAnswer&)>;

  Reproduction(const ReproduceRequest& request, const Hooks& hooks, const Each& each)
      : request_(request), hooks_(hooks), each_(each), folder_(request.output) {
    answer_.program = fmt::format("rattleback {}", version);
    answer_.folder = request.output;
    answer_.page = (folder_ / page_name(request.what)).string();
    page_ = {ReportKind::reproduce, "Rattleback: reproduced experiments", "", answer_.program, request.command};
  }

  /// Whether results can be written is found out before the work.
  void check_files(const std::vector<Chapter>& chapters) const {
    make_folder(folder_.string());
    require_page(answer_.page, request_.force);
    if (request_.markdown) {
      require_folder(*request_.markdown, "markdown");
      require_replaceable(*request_.markdown, report::markdown_result, request_.force);
    }
    for (const Chapter& chapter : chapters) {
      for (const Experiment& e : chapter.experiments) require_tables(e, folder_of(e), format(), request_.force);
    }
  }

  /// Whatever stops it, there is a page of what was done before; an older one stays if that is nothing.
  ReproduceAnswer perform_all(const std::vector<Chapter>& chapters) {
    try {
      for (const Chapter& chapter : chapters) {
        page_.chapters.push_back(report::of(chapter.paper));
        for (const Experiment& experiment : chapter.experiments) perform_one(experiment);
        if (!chapter.statements.empty()) judge_statements(chapter);
      }
    } catch (const Interrupted&) {
      answer_.interrupted = true;
    } catch (...) {
      if (!answer_.experiments.empty()) write_page();
      throw;
    }
    if (!answer_.interrupted || !answer_.experiments.empty()) write_page();
    if (request_.markdown && !answer_.interrupted) replace_file(*request_.markdown, report::markdown(page_.chapters));
    return std::move(answer_);
  }

 private:
  void perform_one(const Experiment& experiment) {
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::int64_t made = 0;
    const auto tables = static_cast<std::int64_t>(experiment.data.size());
    const ExperimentResult result = perform(experiment, hooks_.interrupt, [&](const std::string&) {
      if (hooks_.progress) hooks_.progress(full_name(experiment), {made, tables, seconds(), 0});
      ++made;
    });
    std::vector<std::string> files = write_tables(result, folder_of(experiment), format(), answer_.program);
    for (std::string& file : files) file = experiment.paper + "/" + file;
    page_.chapters.back().experiments.push_back(report::of(result, files));
    ExperimentAnswer done{experiment, result.findings, {}, seconds()};
    for (const Data& d : result.data) {
      if (!d.failure.empty()) done.failures.push_back({d.recipe.name, d.failure});
    }
    if (each_) each_(done);
    answer_.experiments.push_back(std::move(done));
  }

  /// Those of the paper whose experiments were performed last.
  void judge_statements(const Chapter& chapter) {
    std::vector<std::vector<Finding>> findings;
    for (std::size_t k = chapter.experiments.size(); k > 0; --k) {
      findings.push_back(answer_.experiments[answer_.experiments.size() - k].findings);
    }
    PaperAnswer paper{chapter.paper, {}, chapter.statements, {}};
    for (const Experiment& e : chapter.experiments) paper.experiments.push_back(full_name(e));
    report::Chapter& page = page_.chapters.back();
    for (const Statement& statement : chapter.statements) {
      paper.verdicts.push_back(verdict_on(statement, findings));
      page.statements.push_back(report::of(statement, paper.verdicts.back(), page.experiments));
    }
    answer_.papers.push_back(std::move(paper));
  }

  void write_page() const { report::write_page(page_, answer_.page); }
  std::string folder_of(const Experiment& e) const { return (folder_ / e.paper).string(); }
  TableFormat format() const { return request_.csv ? TableFormat::csv : TableFormat::hdf5; }

  const ReproduceRequest& request_;
  const Hooks& hooks_;
  const Each& each_;
  std::filesystem::path folder_;
  report::Report page_;
  ReproduceAnswer answer_;
};

}  // namespace

ReproduceAnswer reproduce(const ReproduceRequest& request, const Hooks& hooks,
                          const std::function<void(const ExperimentAnswer&)>& each) {
  const std::vector<Chapter> chapters = request.what.empty() ? experiments().chapters : chosen(request.what);
  Reproduction reproduction(request, hooks, each);
  reproduction.check_files(chapters);
  return reproduction.perform_all(chapters);
}

ExperimentsAnswer experiments() {
  ExperimentsAnswer answer;
  for (const Paper& paper : papers()) {
    const std::vector<Experiment> list = experiments_of(paper.name);
    answer.chapters.push_back({paper, list, statements_of(paper.name, list)});
  }
  return answer;
}

std::map<Finding::Verdict, int> ReproduceAnswer::counts() const {
  std::map<Finding::Verdict, int> counts;
  for (const ExperimentAnswer& e : experiments) {
    for (const Finding& f : e.findings) ++counts[f.verdict];
  }
  return counts;
}

std::map<std::optional<StatementVerdict>, int> ReproduceAnswer::statement_counts() const {
  std::map<std::optional<StatementVerdict>, int> counts;
  for (const PaperAnswer& paper : papers) {
    for (const auto& verdict : paper.verdicts) ++counts[verdict];
  }
  return counts;
}

}  // namespace rattleback::answer
