// `rattleback reproduce`: the experiments of papers, with the papers' claims beside what is measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "../io/files.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/experiment/experiment.hpp"
#include "rattleback/experiment/table_file.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/report/experiments.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"
#include "version.hpp"

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

/// all, PAPER or PAPER/EXPERIMENT.
std::vector<Chapter> chosen(const std::vector<std::string>& what) {
  std::vector<Chapter> all;
  std::vector<std::string> names{"all"};
  for (const Paper& paper : papers()) {
    all.push_back({paper, experiments_of(paper.name)});
    names.push_back(paper.name);
    for (const Experiment& e : all.back().experiments) names.push_back(paper.name + "/" + e.name);
  }
  for (const std::string& wanted : what) {
    if (std::ranges::find(names, wanted) != names.end()) continue;
    const auto meant = closest_name(wanted, names);
    throw Failure(ExitStatus::wrong_request, fmt::format("there is no paper or experiment '{}'; {}", wanted,
                                                         meant ? fmt::format("did you mean '{}'?", *meant)
                                                               : fmt::format("there are {}", fmt::join(names, ", "))));
  }
  const auto is_wanted = [&](const std::string& name) { return std::ranges::find(what, name) != what.end(); };
  for (Chapter& chapter : all) {
    if (is_wanted("all") || is_wanted(chapter.paper.name)) continue;
    std::erase_if(chapter.experiments,
                  [&](const Experiment& e) { return !is_wanted(chapter.paper.name + "/" + e.name); });
  }
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
    fmt::print("  {:<12}  {:>10}  {:<21}  {}\n", verdict_name(finding.verdict),
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
                                  {"verdict", verdict_name(finding.verdict)},
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

/// Found out before the work, not after it: whether the results can be written.
void prepare(const std::filesystem::path& folder, const std::string& path, const report::Report& empty,
             const std::optional<std::string>& markdown) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  report::write_page(empty, path);
  if (markdown) require_folder(*markdown, "--markdown");
}

void reproduce(const Options& o) {
  if (o.list) return list_experiments(o.output);
  const std::vector<Chapter> chapters = chosen(o.what.empty() ? std::vector<std::string>{"all"} : o.what);
  const InterruptGuard guard;
  const std::string program = fmt::format("rattleback {}", version);
  const std::filesystem::path folder(o.folder);
  report::Report page{"reproduce", "Rattleback: reproduced experiments", "", program, command_line()};
  nlohmann::json document{{"program", program}, {"experiments", nlohmann::json::array()}};
  std::map<Finding::Verdict, int> counts;
  std::string failed;
  const std::string path = (folder / "index.html").string();
  prepare(folder, path, page, o.markdown);
  // A page of what there is, whatever stops the rest.
  const auto keep_page = [&](auto&& work) {
    try {
      work();
    } catch (...) {
      report::write_page(page, path);
      throw;
    }
  };
  const auto perform_all = [&] {
    for (const Chapter& chapter : chapters) {
      page.chapters.push_back(report::of(chapter.paper));
      for (const Experiment& experiment : chapter.experiments) {
        const auto begin = std::chrono::steady_clock::now();
        const auto seconds = [&] {
          return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        };
        std::optional<ExperimentResult> result;
        {
          ProgressBar bar(chapter.paper.name + "/" + experiment.name, o.output.talks());
          std::int64_t made = 0;
          const auto tables = static_cast<std::int64_t>(experiment.data.size());
          result = perform(experiment, &guard.flag(), [&](const std::string&) { bar({made++, tables, seconds(), 0}); });
        }
        const std::vector<std::string> files = write_tables(*result, (folder / chapter.paper.name).string(),
                                                            o.csv ? TableFormat::csv : TableFormat::hdf5, program);
        std::vector<std::string> links;
        for (const std::string& file : files) links.push_back(chapter.paper.name + "/" + file);
        page.chapters.back().experiments.push_back(report::of(*result, links));
        for (const Finding& f : result->findings) ++counts[f.verdict];
        failed += failures(*result);
        document["experiments"].push_back(to_json(*result, seconds()));
        if (o.output.talks()) print(*result, seconds());
      }
    }
  };
  keep_page(perform_all);
  report::write_page(page, path);
  if (o.markdown) replace_file(*o.markdown, report::markdown(page.chapters));
  document["page"] = path;
  using Verdict = Finding::Verdict;
  for (const Verdict v : {Verdict::confirmed, Verdict::corrected, Verdict::contradicted, Verdict::failed})
    document["counts"][verdict_name(v)] = counts[v];
  if (o.output.json) fmt::print("{}\n", document.dump(2));
  if (o.output.talks()) {
    fmt::print("\n{} claims confirmed, {} confirmed after a correction, {} contradicted, {} failed\nThe page is {}\n",
               counts[Verdict::confirmed], counts[Verdict::corrected], counts[Verdict::contradicted],
               counts[Verdict::failed], path);
  }
  if (!failed.empty()) throw Failure(ExitStatus::answer_is_no, "claims are not as they should be:" + failed);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "The experiments of papers, with their claims beside what is measured");
  auto o = std::make_shared<Options>();
  command
      ->add_option("what", o->what,
                   "all, papers (cm, ev, me, fe, gv), or experiments of --list; all if nothing is given")
      ->type_name("PAPER...");
  command->add_option("-o,--output", o->folder, "The folder for the page, index.html, and the data")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->add_option("--markdown", o->markdown, "Also writes the claims as a page of documentation")
      ->type_name("FILE");
  command->add_flag("--csv", o->csv, "Data as CSV files instead of HDF5");
  command->add_flag("--list", o->list, "Only lists the experiments");
  o->output.add_to(*command);
  command->footer(
      "Each claim is confirmed, corrected (confirmed after a correction) or contradicted, with the reason on the "
      "page;\n"
      "failed means that it did not come out as it should: then the exit status is 1.\n"
      "Example:\n  rattleback reproduce all\n  rattleback reproduce me gv -o papers --csv");
  command->callback([o] {
    try {
      reproduce(*o);
    } catch (const Interrupted&) {
      throw Failure(ExitStatus::interrupted,
                    fmt::format("interrupted; data and page of the experiments before are in {}", o->folder));
    }
  });
}

}  // namespace rattleback::cli
