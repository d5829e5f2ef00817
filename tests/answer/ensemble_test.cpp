// Ensembles and experiments, asked without a command line.

#include "rattleback/answer/ensemble.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/answer/reproduce.hpp"
#include "refusal.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback::answer {
namespace ensemble_test {

using nlohmann::json;
using test::expect_refused;

std::string written(const test::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder / name) << text;
  return folder / name;
}

const std::string knives =
    "model = \"knife-edge\"\nmethod = \"dla\"\nstep = 0.1\nsteps = 5\n"
    "[[vary]]\nof = \"phi'\"\nfrom = 1\nto = 2\ncount = 3\n";

TEST(EnsembleAnswer, counts_and_writes) {
  const test::TemporaryFolder folder;
  const EnsembleRequest request{.spec = written(folder, "knives.toml", knives), .output = folder / "knives.h5"};
  const EnsemblePlan planned = plan(request);
  EXPECT_EQ(planned.members, 3);
  EXPECT_EQ(planned.steps, 15.0);
  EXPECT_EQ(planned.varied, std::vector<std::string>{"phi'"});
  EXPECT_FALSE(std::filesystem::exists(folder / "knives.h5"));
  int begun = 0;
  const EnsembleAnswer a = ensemble(request, {}, [&](const EnsemblePlan& p) {
    ++begun;
    EXPECT_EQ(to_text(p), to_text(planned));
  });
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(a.finished(), 3);
  EXPECT_EQ(a.failed, 0);
  EXPECT_EQ(a.steps_taken, 15.0);
  EXPECT_FALSE(complaint(a));
  EXPECT_TRUE(std::filesystem::exists(folder / "knives.h5"));
  EXPECT_EQ(json::parse(to_json(a)).at("finished"), 3);
  EXPECT_TRUE(to_text(a).starts_with("3 of 3 finished, "));
}

TEST(EnsembleAnswer, an_interrupted_one_can_be_resumed) {
  const test::TemporaryFolder folder;
  EnsembleRequest request{.spec = written(folder, "knives.toml", knives), .output = folder / "knives.h5"};
  std::atomic<bool> stop = false;
  const EnsembleAnswer a = ensemble(request, {.interrupt = &stop}, [&](const EnsemblePlan&) { stop = true; });
  ASSERT_TRUE(complaint(a));
  EXPECT_EQ(complaint(a)->kind(), Error::Kind::interrupted);
  EXPECT_NE(std::string(complaint(a)->what()).find("`resume` runs the others"), std::string::npos);
  request.resume = true;
  const EnsembleAnswer b = ensemble(request);
  EXPECT_EQ(b.finished(), 3);
  EXPECT_FALSE(complaint(b));
}

TEST(EnsembleAnswer, wrong_requests_are_refused) {
  const test::TemporaryFolder folder;
  const std::string spec = written(folder, "knives.toml", knives);
  const auto refused = [](const std::string& words, const EnsembleRequest& request) {
    expect_refused(Error::Kind::request, words, [&] { ensemble(request); });
    expect_refused(Error::Kind::request, words, [&] { plan(request); });
  };
  refused("`lanes` is 1, 4, 8 or 16, found 3", {.spec = spec, .lanes = 3});
  refused("`threads` must be positive, found 0", {.spec = spec, .threads = 0});
  refused("`resume` continues what `force` gives up", {.spec = spec, .resume = true, .force = true});
  refused("the result is an HDF5 file", {.spec = spec, .output = "a.csv"});
  refused("unknown key 'stepp'", {.spec = written(folder, "wrong.toml", "stepp = 1\n" + knives)});
}

const std::string experiment =
    "title = \"A particle\"\n[common]\nmodel = \"quadratic-particle\"\nstep = 0.2\nsteps = 5\n"
    "[data.dla]\nmethod = \"dla\"\n"
    "[[claims]]\nsays = \"it begins at 1\"\nquantity = \"first[dla: x]\"\nequals = 1\nwithin = 1e-9\n"
    "[[claims]]\nsays = \"it flies away\"\nquantity = \"max[dla: abs(x)]\"\nabove = 10\n";

TEST(ReproduceAnswer, judges_claims) {
  const test::TemporaryFolder folder;
  const ReproduceRequest request{
      .what = {written(folder, "mine.toml", experiment)}, .output = folder / "out", .csv = true};
  std::vector<std::string> told;
  const ReproduceAnswer a = reproduce(request, {}, [&](const ExperimentAnswer& e) { told.push_back(to_text(e)); });
  ASSERT_EQ(a.experiments.size(), 1U);
  EXPECT_EQ(a.counts(),
            (std::map<Finding::Verdict, int>{{Finding::Verdict::confirmed, 1}, {Finding::Verdict::failed, 1}}));
  EXPECT_EQ(told.size(), 1U);
  EXPECT_EQ(to_text(a), told.at(0) + summary_text(a));
  EXPECT_EQ(a.page, folder / "out/mine.html");
  EXPECT_TRUE(std::filesystem::exists(a.page));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/own/mine/dla.csv"));
  ASSERT_TRUE(complaint(a));
  EXPECT_EQ(complaint(a)->kind(), Error::Kind::answer_is_no);
  const json d = json::parse(to_json(a));
  EXPECT_EQ(d.at("counts").at("contradicted"), 0);
  EXPECT_EQ(d.at("experiments")[0].at("claims")[1].at("verdict"), "failed");
}

TEST(ReproduceAnswer, can_be_interrupted) {
  const test::TemporaryFolder folder;
  const std::atomic<bool> stop = true;
  const ReproduceAnswer a = reproduce(
      {.what = {written(folder, "mine.toml", experiment)}, .output = folder / "out", .markdown = folder / "claims.md"},
      {.interrupt = &stop});
  EXPECT_TRUE(a.experiments.empty());
  ASSERT_TRUE(complaint(a));
  EXPECT_EQ(complaint(a)->kind(), Error::Kind::interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder / "claims.md"));
}

TEST(ReproduceAnswer, knows_what_there_is) {
  const ExperimentsAnswer all = experiments();
  EXPECT_EQ(all.chapters.size(), 6U);
  EXPECT_NE(to_text(all).find("cm/1-particle"), std::string::npos);
  expect_refused(Error::Kind::request, "there is no paper or experiment 'cm/1-partikle'; did you mean 'cm/1-particle'?",
                 [] { reproduce({.what = {"cm/1-partikle"}, .output = "nowhere"}); });
  EXPECT_FALSE(std::filesystem::exists("nowhere"));
}

}  // namespace ensemble_test
}  // namespace rattleback::answer
