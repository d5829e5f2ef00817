// reproduce, and --report of the other commands.

#include <algorithm>
#include <filesystem>
#include <set>

#include "command.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace report_test {

using namespace test;

nlohmann::json in_page(const std::string& path) {
  const std::string page = content(path);
  const std::string start = "<script type=\"application/json\" id=\"report\">";
  const std::size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Reproduce, makes_a_page_and_data_and_prints_where) {
  const Workplace desk;
  const Answer a = desk("reproduce cm/1-particle -o here");
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(contains(a.out, "confirmed"));
  EXPECT_TRUE(contains(a.out, "The page is here/cm-1-particle.html"));
  const auto page = in_page(desk / "here/cm-1-particle.html");
  EXPECT_EQ(page["chapters"].size(), 1U);
  EXPECT_EQ(page["chapters"][0]["id"], "cm");
  const auto& experiment = page["chapters"][0]["experiments"][0];
  EXPECT_GE(experiment["figures"].size(), 2U);
  for (const std::string file : experiment["files"])
    EXPECT_TRUE(std::filesystem::exists(desk / ("here/" + file))) << file;
}

TEST(Reproduce, answers_in_json) {
  const Workplace desk;
  const auto d = desk.document("reproduce cm/1-particle --csv");
  EXPECT_EQ(d["experiments"].size(), 1U);
  EXPECT_EQ(d["counts"]["failed"], 0);
  EXPECT_EQ(d["page"], "reproduced/cm-1-particle.html");
  EXPECT_TRUE(std::filesystem::exists(desk / "reproduced/cm/1-particle/dla.csv"));
}

TEST(Reproduce, judges_the_statements_of_whole_papers) {
  const Workplace desk;
  const auto d = desk.document("reproduce me --markdown me.md");
  ASSERT_EQ(d["papers"].size(), 1U);
  EXPECT_EQ(d["papers"][0]["paper"], "me");
  std::set<std::string> verdicts;
  for (const auto& row : d["papers"][0]["statements"]) {
    verdicts.insert(row.value("verdict", "none"));
    EXPECT_NE(row.contains("reason"), row.contains("claims")) << row;
    for (const auto& judge : row.value("claims", nlohmann::json::array())) {
      const auto& all = d["experiments"];
      const auto e = std::find_if(all.begin(), all.end(),
                                  [&](const auto& other) { return other["experiment"] == judge["experiment"]; });
      ASSERT_NE(e, all.end()) << judge;
      EXPECT_LT(judge["claim"].template get<std::size_t>(), (*e)["claims"].size()) << judge;
    }
  }
  for (const char* verdict : {"confirmed", "answered", "none"}) EXPECT_TRUE(verdicts.contains(verdict)) << verdict;
  EXPECT_FALSE(verdicts.contains("failed"));
  const auto page = in_page(desk / "reproduced/me.html");
  EXPECT_EQ(page["chapters"][0]["statements"].size(), d["papers"][0]["statements"].size());
  EXPECT_TRUE(contains(content(desk / "me.md"),
                       "| Proposition 3 | No regular Lagrangian has the equations (14) | confirmed |"));
}

TEST(Reproduce, does_not_judge_statements_by_a_part_of_the_experiments) {
  const Workplace desk;
  EXPECT_TRUE(desk.document("reproduce me/6-existence")["papers"].empty());
  EXPECT_TRUE(in_page(desk / "reproduced/me-6-existence.html")["chapters"][0]["statements"].empty());
}

TEST(Reproduce, lists_what_there_is) {
  const Workplace desk;
  const Answer a = desk("reproduce --list");
  EXPECT_EQ(a.status, 0);
  for (const char* name : {"cm/1-particle", "ev/3.7-sleigh", "fe/5.3-knife-edge", "gv/", "me/1-disk"}) {
    EXPECT_TRUE(contains(a.out, name));
  }
}

TEST(Reproduce, suggests_what_may_be_meant) {
  const Workplace desk;
  const Answer a = desk("reproduce cm/1-partikle");
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_TRUE(contains(a.err, "there is no paper or experiment 'cm/1-partikle'; did you mean 'cm/1-particle'?"));
}

TEST(Reproduce, performs_files_too) {
  const Workplace desk;
  const std::string text =
      "title = \"Own\"\n[data.a]\nmodel = \"knife-edge\"\nmethod = \"dla\"\nstep = 0.1\nsteps = 10\n"
      "[[claims]]\nsays = \"It stands still\"\nquantity = \"range[a: x]\"\nbelow = 1e-3\n";
  desk.add("own", text);
  const Answer a = desk("reproduce own.toml");
  EXPECT_EQ(a.status, answer_is_no);
  EXPECT_TRUE(contains(a.err, "own/own: It stands still\n    range[a: x] = "));
  EXPECT_TRUE(contains(a.err, "expected below 0.001"));
  EXPECT_EQ(in_page(desk / "reproduced/own.html")["chapters"][0]["experiments"][0]["claims"][0]["verdict"], "failed");
  EXPECT_TRUE(contains(desk("reproduce none.toml").err, "cannot read none.toml"));
}

TEST(Reproduce, complains_of_a_folder_that_cannot_be) {
  const Workplace desk;
  desk.add("file", "");
  const Answer a = desk("reproduce cm/1-particle -o file.toml/here");
  EXPECT_EQ(a.status, 4);
  EXPECT_TRUE(contains(a.err, "cannot make the folder"));
}

TEST(Reproduce, notices_before_the_work_what_cannot_be_written) {
  const Workplace desk;
  EXPECT_TRUE(contains(desk("reproduce cm --markdown nowhere/papers.md").err, "the folder nowhere does not exist"));
  EXPECT_TRUE(contains(desk("run rolling-disk --report nowhere/a.html").err, "the folder nowhere does not exist"));
}

TEST(Reproduce, keeps_a_page_of_what_was_done_when_it_is_interrupted) {
  const Workplace desk;
  shell("cd '" + desk.path() + "' && { " + rattleback::test::rattleback_command() +
        " reproduce cm/1-particle gv >/dev/null 2>err.txt & while [ ! -e reproduced/cm/1-particle.h5 ]; do sleep 0.05; "
        "done; kill -TERM $!; wait $!; }");
  EXPECT_TRUE(contains(content(desk / "err.txt"), "interrupted; data and page"));
  EXPECT_EQ(in_page(desk / "reproduced/cm-1-particle+gv.html")["chapters"][0]["experiments"][0]["id"], "cm/1-particle");
}

TEST(Report, refuses_names_that_clash) {
  const Workplace desk;
  desk.add("clash", "coordinates = [\"energy\"]\nlagrangian = \"0.5*energy'^2\"\n[initial]\nq = [0]\nv = [1]\n");
  EXPECT_TRUE(contains(desk("run clash.toml -m del --step 0.1 --time 1 --report a.html").err,
                       "two columns of a table would have the name 'energy'; rename the coordinate"));
}

TEST(Report, shows_a_run) {
  const Workplace desk;
  const Answer a = desk("run rolling-disk -m dla --observe midpoint-energy --report disk.html");
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(contains(a.out, "The page is disk.html"));
  const auto page = in_page(desk / "disk.html");
  EXPECT_EQ(page["kind"], "run");
  const auto& e = page["chapters"][0]["experiments"][0];
  EXPECT_EQ(e["animations"][0]["bodies"][0]["shape"], "disk");
  std::string titles;
  for (const auto& f : e["figures"]) titles += f["title"].get<std::string>() + "\n";
  for (const char* part : {"Path", "Energy", "constraint_1", "rolling", "midpoint_energy", "Positions"}) {
    EXPECT_TRUE(contains(titles, part));
  }
  EXPECT_TRUE(contains(e["systems"][0]["lagrangian"].get<std::string>(), "\\dot{\\theta}"));
}

TEST(Report, and_file_of_a_run_have_the_same_numbers) {
  const Workplace desk;
  ASSERT_EQ(desk("run knife-edge -m dla --steps 20 --step 0.1 -o a.csv --report a.html").status, 0);
  ASSERT_EQ(desk("run knife-edge -m dla --steps 20 --step 0.1 -o b.csv").status, 0);
  EXPECT_EQ(content(desk / "a.csv"), content(desk / "b.csv"));
}

// What can be compared is; the page says of the others why not.
TEST(Report, says_which_methods_do_not_apply) {
  const Workplace desk;
  const std::string command = "compare chaplygin-sleigh -m pthdel,dla --steps 3";
  const Answer a = desk(command + " --report c.html --json");
  EXPECT_EQ(a.status, 0) << a.err;
  const auto d = nlohmann::json::parse(a.out);
  ASSERT_EQ(d.at("methods").size(), 1U);
  ASSERT_EQ(d.at("inapplicable").size(), 1U);
  const auto reason = d.at("inapplicable")[0].at("reason").get<std::string>();
  EXPECT_TRUE(contains(reason, "pthdel needs a multiplier"));
  const auto page = in_page(desk / "c.html");
  const auto& runs = page.at("chapters")[0].at("experiments")[0].at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].at("name"), "pthdel");
  EXPECT_EQ(runs[1].at("failure"), reason);
  EXPECT_TRUE(contains(desk(command).out, "  pthdel  does not apply: " + reason));
  const Answer none = desk("compare chaplygin-sleigh -m pthdel,free --steps 3");
  EXPECT_EQ(none.status, wrong_request);
  EXPECT_TRUE(contains(none.err, "none of these methods applies:\n  pthdel: pthdel needs"));
}

TEST(Report, compares_methods_side_by_side) {
  const Workplace desk;
  const Answer a = desk("compare chaplygin-sleigh -m reference,dla --report c.html");
  EXPECT_EQ(a.status, 0) << a.err;
  const auto e = in_page(desk / "c.html")["chapters"][0]["experiments"][0];
  EXPECT_EQ(e["animations"][0]["tracks"].size(), 2U);
  EXPECT_EQ(e["figures"][0]["series"].size(), 2U);
}

TEST(Report, shows_convergence_on_logarithmic_scales) {
  const Workplace desk;
  const Answer a = desk("converge quadratic-particle -m dla,rk4 --time 5 --count 4 --report c.html");
  EXPECT_EQ(a.status, 0) << a.err;
  const auto figure = in_page(desk / "c.html")["chapters"][0]["experiments"][0]["figures"][0];
  EXPECT_EQ(figure["x"]["scale"], "log");
  EXPECT_EQ(figure["y"]["scale"], "log");
  EXPECT_EQ(figure["series"].size(), 2U);
}

TEST(Report, of_a_model_without_positions_in_space_has_no_animation) {
  const Workplace desk;
  desk.add(
      "own",
      "coordinates = [\"u\", \"w\"]\nlagrangian = \"0.5*(u'^2 + w'^2) - u^4\"\n[initial]\nq = [1, 0]\nv = [0, 1]\n");
  const Answer a = desk("run own.toml -m del --step 0.1 --time 5 --report own.html");
  EXPECT_EQ(a.status, 0) << a.err;
  const auto e = in_page(desk / "own.html")["chapters"][0]["experiments"][0];
  EXPECT_EQ(e["animations"].size(), 0U);
  EXPECT_EQ(e["figures"][0]["x"]["label"], "$u$");
}

TEST(Report, is_made_of_a_run_that_fails_too) {
  const Workplace desk;
  const Answer a = desk("run knife-edge-incline -m pthdel --report k.html");
  EXPECT_EQ(a.status, numerics_failed);
  const auto run = in_page(desk / "k.html")["chapters"][0]["experiments"][0]["runs"][0];
  EXPECT_TRUE(contains(run["failure"].get<std::string>(), "vanishes"));
}

TEST(Report, refuses_what_is_no_page_before_it_runs) {
  const Workplace desk;
  for (const char* command : {"run rolling-disk", "compare rolling-disk", "converge rolling-disk"}) {
    const Answer a = desk(std::string(command) + " --report page.pdf");
    EXPECT_EQ(a.status, wrong_request);
    EXPECT_TRUE(contains(a.err, "--report 'page.pdf' must end with .html"));
  }
  EXPECT_TRUE(contains(desk("run rolling-disk --resume -o x.csv --report x.html").err, "--report shows a whole run"));
}

TEST(Picture, must_be_one_that_can_be_drawn) {
  const Workplace desk;
  const std::string model =
      "coordinates = [\"u\"]\nlagrangian = \"0.5*u'^2\"\n[initial]\nq = [0]\nv = [1]\n[picture]\n";
  const auto complaint = [&](const std::string& lines) {
    desk.add("p", model + lines);
    const Answer a = desk("show p.toml");
    EXPECT_EQ(a.status, wrong_request) << lines;
    return a.err;
  };
  EXPECT_TRUE(contains(complaint("body = \"cube\"\nposition = [\"u\", 0]"),
                       "body must be particle, blade, sleigh, disk or robot, found 'cube'"));
  EXPECT_TRUE(contains(complaint("body = \"disk\""), "[picture] needs the key position"));
  EXPECT_TRUE(contains(complaint("body = \"disk\"\nposition = [\"u\"]"), "position must have two or three entries"));
  EXPECT_TRUE(contains(complaint("body = \"disk\"\nposition = [\"u'\", 0]"), "velocities cannot be used in it"));
  EXPECT_TRUE(
      contains(complaint("body = \"disk\"\nposition = [\"u\", 0]\nsize = -1"), "size must be positive, found -1"));
  EXPECT_TRUE(
      contains(complaint("body = \"disk\"\nposition = [\"u\", 0]\nslope = [1]"), "slope must have two entries"));
  EXPECT_TRUE(contains(complaint("body = \"disk\"\nposition = [\"u\", 0]\ncolour = \"red\""),
                       "unknown key 'colour' in [picture]"));
}

}  // namespace report_test
}  // namespace rattleback
