// `rattleback reproduce`: the experiments of papers, with the papers' claims beside what is measured.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "../base/files.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/experiment/experiment.hpp"
#include "rattleback/experiment/table_file.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/report/experiments.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  std::vector<std::string> what;
  OutputOptions output;
  std::string folder = "reproduced";
  std::optional<std::string> markdown;
  bool csv = false;
  bool list = false;
};

struct Chapter {
  Paper paper;
  std::vector<Experiment> experiments;
};

/// all, PAPER, PAPER/EXPERIMENT or a file.
std::vector<Chapter> chosen(const std::vector<std::string>& what) {
  Chapter own{{"own", "Own experiments", "", 0, ""}, {}};
  std::vector<std::string> wanted;
  for (const std::string& word : what) {
    if (!word.ends_with(".toml")) {
      wanted.push_back(word);
      continue;
    }
    own.experiments.push_back(read_experiment(read_file(word), word));
    own.experiments.back().paper = own.paper.name;
  }
  std::vector<Chapter> all;
  if (!wanted.empty()) {
    for (const Paper& paper : papers()) all.push_back({paper, experiments_of(paper.name)});
  }
  std::vector<std::string> names{"all"};
  for (const Chapter& chapter : all) {
    names.push_back(chapter.paper.name);
    for (const Experiment& e : chapter.experiments) names.push_back(chapter.paper.name + "/" + e.name);
  }
  for (const std::string& word : wanted) {
    if (std::ranges::find(names, word) != names.end()) continue;
    const auto meant = closest_name(word, names);
    throw Failure(ExitStatus::wrong_request,
                  fmt::format("there is no paper or experiment '{}'; {}", word,
                              meant ? fmt::format("did you mean '{}'?", *meant)
                                    : "'rattleback reproduce --list' has them, and a file is given as path/file.toml"));
  }
  const auto is_wanted = [&](const std::string& name) { return std::ranges::find(wanted, name) != wanted.end(); };
  for (Chapter& chapter : all) {
    if (is_wanted("all") || is_wanted(chapter.paper.name)) continue;
    std::erase_if(chapter.experiments,
                  [&](const Experiment& e) { return !is_wanted(chapter.paper.name + "/" + e.name); });
  }
  all.push_back(std::move(own));
  std::erase_if(all, [](const Chapter& chapter) { return chapter.experiments.empty(); });
  return all;
}

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

void print(const ExperimentResult& r, double seconds) {
  fmt::print("\n{}/{}: {}{}, {:.1f} s\n", r.experiment.paper, r.experiment.name, r.experiment.title,
             r.experiment.place.empty() ? "" : fmt::format(" ({})", r.experiment.place), seconds);
  for (std::size_t k = 0; k < r.findings.size(); ++k) {
    const Claim& claim = r.experiment.claims[k];
    const Finding& finding = r.findings[k];
    fmt::print("  {:<12}  {:>10}  {:<21}  {}\n", word_of(finding.verdict),
               finding.trouble.empty() ? report::measured_text(finding) : "-", bounds(claim, finding.measured),
               claim.says);
  }
  for (const Data& d : r.data) {
    if (!d.failure.empty()) fmt::print("  {} ended in {}\n", d.recipe.name, d.failure);
  }
}

nlohmann::json to_json(const ExperimentResult& r, double seconds) {
  nlohmann::json document{{"experiment", r.experiment.paper + "/" + r.experiment.name},
                          {"title", r.experiment.title},
                          {"place", r.experiment.place},
                          {"seconds", seconds},
                          {"claims", nlohmann::json::array()}};
  for (std::size_t k = 0; k < r.findings.size(); ++k) {
    const Claim& claim = r.experiment.claims[k];
    const Finding& finding = r.findings[k];
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

/// Claims that are not as they should be, with everything that helps to find out why.
std::string failures(const ExperimentResult& r) {
  std::string text;
  for (std::size_t k = 0; k < r.findings.size(); ++k) {
    if (r.findings[k].verdict != Finding::Verdict::failed) continue;
    const Claim& claim = r.experiment.claims[k];
    text +=
        fmt::format("\n  {}/{}: {}\n    {} = {:.6g}, {}expected {}", r.experiment.paper, r.experiment.name, claim.says,
                    claim.quantity.text, r.findings[k].measured.value, claim.expected == Claim::Holds::no ? "not " : "",
                    describe(claim.criterion, r.findings[k].measured));
  }
  return text;
}

void list_experiments(const OutputOptions& output) {
  nlohmann::json document = nlohmann::json::array();
  for (const Paper& paper : papers()) {
    if (output.talks()) fmt::print("{}  {}\n", paper.name, paper.citation);
    for (const Experiment& e : experiments_of(paper.name)) {
      const std::string name = paper.name + "/" + e.name;
      document.push_back({{"experiment", name}, {"title", e.title}, {"place", e.place}, {"claims", e.claims.size()}});
      if (output.talks()) fmt::print("    {:<28}  {}{}\n", name, e.title, e.place.empty() ? "" : ", " + e.place);
    }
  }
  if (output.json) fmt::print("{}\n", document.dump(2));
}

/// A page of some experiments does not replace the one of all.
std::string page_name(const std::vector<std::string>& what) {
  if (what.empty() || std::ranges::find(what, "all") != what.end()) return "index.html";
  std::string name;
  for (const std::string& word : what) {
    const std::string part = word.ends_with(".toml") ? std::filesystem::path(word).stem().string() : word;
    name += (name.empty() ? "" : "+") + part;
  }
  std::ranges::replace(name, '/', '-');
  constexpr std::size_t longest = 100;
  return name.substr(0, longest) + ".html";
}

/// What is collected on the way.
class Reproduction {
 public:
  explicit Reproduction(const Options& options)
      : options_(options), folder_(options.folder), path_((folder_ / page_name(options.what)).string()),
        page_{ReportKind::reproduce, "Rattleback: reproduced experiments", "", program_, command_line()} {
    // Whether results can be written is found out before the work.
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw FileError(fmt::format("cannot make the folder {}: {}", options.folder, error.message()));
    if (options.markdown) require_folder(*options.markdown, "--markdown");
    write_page();
  }

  /// Whatever stops it, there is a page of what was done before.
  void perform_all(const std::vector<Chapter>& chapters) {
    try {
      for (const Chapter& chapter : chapters) {
        page_.chapters.push_back(report::of(chapter.paper));
        for (const Experiment& experiment : chapter.experiments) perform_one(experiment);
      }
    } catch (...) {
      write_page();
      throw;
    }
    write_page();
  }

  void answer() {
    if (options_.markdown) replace_file(*options_.markdown, report::markdown(page_.chapters));
    using Verdict = Finding::Verdict;
    if (options_.output.json) {
      nlohmann::json document{{"program", program_}, {"experiments", experiments_}, {"page", path_}};
      for (const Verdict v : {Verdict::confirmed, Verdict::corrected, Verdict::contradicted, Verdict::failed})
        document["counts"][word_of(v)] = counts_[v];
      fmt::print("{}\n", document.dump(2));
    }
    if (options_.output.talks()) {
      fmt::print("\n{} claims confirmed, {} confirmed after a correction, {} contradicted, {} failed\nThe page is {}\n",
                 counts_[Verdict::confirmed], counts_[Verdict::corrected], counts_[Verdict::contradicted],
                 counts_[Verdict::failed], path_);
    }
    if (!failures_.empty()) throw Failure(ExitStatus::answer_is_no, "claims are not as they should be:" + failures_);
  }

 private:
  void perform_one(const Experiment& experiment) {
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::optional<ExperimentResult> result;
    {
      ProgressBar bar(experiment.paper + "/" + experiment.name, options_.output.talks());
      std::int64_t made = 0;
      const auto tables = static_cast<std::int64_t>(experiment.data.size());
      result = perform(experiment, &guard_.flag(), [&](const std::string&) { bar({made++, tables, seconds(), 0}); });
    }
    std::vector<std::string> files = write_tables(*result, (folder_ / experiment.paper).string(),
                                                  options_.csv ? TableFormat::csv : TableFormat::hdf5, program_);
    for (std::string& file : files) file = experiment.paper + "/" + file;
    page_.chapters.back().experiments.push_back(report::of(*result, files));
    for (const Finding& f : result->findings) ++counts_[f.verdict];
    failures_ += failures(*result);
    experiments_.push_back(to_json(*result, seconds()));
    if (options_.output.talks()) print(*result, seconds());
  }

  void write_page() const { report::write_page(page_, path_); }

  const Options& options_;
  const InterruptGuard guard_;
  const std::string program_ = fmt::format("rattleback {}", version);
  std::filesystem::path folder_;
  std::string path_;
  report::Report page_;
  nlohmann::json experiments_ = nlohmann::json::array();
  std::map<Finding::Verdict, int> counts_;
  std::string failures_;
};

void reproduce(const Options& o) {
  if (o.list) return list_experiments(o.output);
  const std::vector<Chapter> chapters = chosen(o.what.empty() ? std::vector<std::string>{"all"} : o.what);
  Reproduction reproduction(o);
  reproduction.perform_all(chapters);
  reproduction.answer();
}

}  // namespace

Command reproduce_command() {
  Command command{"reproduce", "The experiments of papers, with their claims beside what is measured"};
  auto o = std::make_shared<Options>();
  command.add(
      {.names = "what",
       .value = "PAPER...",
       .help = "all, papers (cm, ev, me, fe, gv), experiments of --list, or files of your own; all if nothing is given",
       .target = &o->what,
       .values = {Values::Kind::experiment}});
  command.add({.names = "-o,--output",
               .value = "FOLDER",
               .help = "The folder for the page and the data",
               .target = &o->folder,
               .values = {Values::Kind::folder}});
  command.add({.names = "--markdown",
               .value = "FILE",
               .help = "Also writes the claims as a page of documentation",
               .target = &o->markdown,
               .values = {Values::Kind::file, {".md"}}});
  command.add({.names = "--csv", .help = "Data as CSV files instead of HDF5", .target = &o->csv});
  command.add({.names = "--list", .help = "Only lists the experiments", .target = &o->list});
  o->output.add_to(command);
  command.notes = {
      "Each claim is confirmed, corrected (confirmed after a correction) or contradicted, with the reason on the page; "
      "failed means that it did not come out as it should: then the exit status is 1."};
  command.examples = {"rattleback reproduce all", "rattleback reproduce me gv -o papers --csv",
                      "rattleback reproduce my-experiment.toml"};
  command.action = [o] {
    try {
      reproduce(*o);
    } catch (const Interrupted&) {
      throw Failure(ExitStatus::interrupted,
                    fmt::format("interrupted; data and page of the experiments before are in {}", o->folder));
    }
  };
  return command;
}

}  // namespace rattleback::cli
