// What is in a page: the document that web/src/report.ts describes.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/report/experiments.hpp"
#include "rattleback/report/runs.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback::report {
namespace report_test {

/// The document in a page.
nlohmann::json in_page(const std::string& path) {
  const std::string page = test::content(path);
  const std::string start = "<script type=\"application/json\" id=\"report\">";
  const std::size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

nlohmann::json written(const Report& report) {
  const test::TemporaryFolder folder;
  write_page(report, folder / "page.html");
  return in_page(folder / "page.html");
}

TEST(Page, contains_any_text_without_breaking) {
  Report report{ReportKind::run, "a </script><script>alert(1)</script> \\ \" $x<y$ <!-- ä", "", "program", "command"};
  EXPECT_EQ(written(report)["title"], report.title);
}

TEST(Page, says_null_where_there_is_no_number) {
  ExperimentEntry e{"a/b", "t", "", ""};
  e.figures.push_back({"f",
                       "",
                       FigureKind::line,
                       {{"x"}, {"y", Scale::logarithmic}},
                       {{"s", SeriesStyle::line, false, {{1, 2}, {NAN, INFINITY}}}}});
  Report report{ReportKind::run, "t", "", "p", "c", {{"a", "", "", "", {e}}}};
  const auto figure = written(report)["chapters"][0]["experiments"][0]["figures"][0];
  EXPECT_EQ(figure["series"][0]["x"], (nlohmann::json{1.0, 2.0}));
  EXPECT_EQ(figure["series"][0]["y"], (nlohmann::json{nullptr, nullptr}));
  EXPECT_EQ(figure["y"]["scale"], "log");
}

ExperimentResult sleigh() {
  return perform(read_experiment(R"toml(
title = "Sleigh"
[common]
model = "chaplygin-sleigh"
step = 0.01
time = 30
[data.dla]
method = "dla"
[data.rk4]
method = "rk4"
[[claims]]
says = "it moves"
quantity = "range[dla: y]"
above = 1
[[figures]]
title = "y"
series = [{data = "dla", y = "y"}]
[[figures]]
title = "peak"
series = [{data = "dla", y = "exp(-(time - 15.37)^2/1e-4)"}]
[[figures]]
title = "speed"
series = [{data = "dla", x = "time", y = "before_y where row in 2995.."}]
[[animations]]
title = "motion"
data = ["dla", "rk4"]
names = ["one", "two"]
)toml",
                                 "paper/sleigh.toml"));
}

TEST(Page, draws_what_the_experiment_says) {
  const ExperimentEntry e = of(sleigh(), {"sleigh.h5"});
  EXPECT_EQ(e.id, "paper/sleigh");
  ASSERT_EQ(e.claims.size(), 1U);
  EXPECT_EQ(e.claims[0].verdict, Finding::Verdict::confirmed);
  EXPECT_EQ(e.claims[0].expected, "above 1");
  EXPECT_EQ(e.systems.size(), 1U) << "one system, under two methods";
  EXPECT_EQ(e.runs.size(), 2U);
  ASSERT_EQ(e.animations.size(), 1U);
  EXPECT_EQ(e.animations[0].view.bodies[0].shape, Shape::sleigh);
  EXPECT_EQ(e.animations[0].tracks[1].name, "two");
}

TEST(Page, keeps_ends_and_extremes_of_long_curves) {
  const ExperimentEntry e = of(sleigh(), {});
  const auto& curve = e.figures[0].series[0].coordinates;
  EXPECT_LT(curve[0].size(), 2100U);
  EXPECT_EQ(curve[0].front(), 0.0);
  EXPECT_NEAR(curve[0].back(), 30.0, 1e-9);
  const auto& peak = e.figures[1].series[0].coordinates[1];
  EXPECT_GT(*std::max_element(peak.begin(), peak.end()), 0.99) << "a peak of one row in 3001";
}

TEST(Page, draws_x_and_y_of_the_same_rows) {
  const ExperimentResult r = sleigh();
  const ExperimentEntry e = of(r, {});
  const auto& curve = e.figures[2].series[0].coordinates;
  ASSERT_EQ(curve[0].size(), 6U);
  EXPECT_NEAR(curve[0].back(), 30.0, 1e-9);
  EXPECT_EQ(curve[1].back(), (*r.of("dla").table.find("y"))[2999]);
}

TEST(Page, has_frames_that_follow_the_body) {
  const ExperimentResult r = sleigh();
  const Track t = of(r, {}).animations[0].tracks[0];
  const Table& table = r.of("dla").table;
  EXPECT_LE(t.t.size(), 1501U);
  const Track::Body& body = t.bodies[0];
  EXPECT_EQ(body.position[1].back(), table.find("y")->back());
  const double heading = table.find("theta")->back();
  EXPECT_NEAR(std::abs(body.rotation[0].back()), std::abs(std::cos(heading / 2)), 1e-14);
  EXPECT_NEAR(std::abs(body.rotation[3].back()), std::abs(std::sin(heading / 2)), 1e-14);
  EXPECT_EQ(t.traces[0].point[1].back(), table.find("y")->back());
  EXPECT_EQ(t.energy.back(), table.find("energy")->back());
  for (const auto* v : {&body.position[2], &body.rotation[1], &t.traces[0].point[0], &t.energy})
    EXPECT_EQ(v->size(), t.t.size());
}

// A ball that turns 4 radians in a unit of time about a fixed axis: no frame is further than 0.6 radians from the next,
// and where it touches the ground follows from its angle.
TEST(Page, has_the_rotations_of_the_run_in_its_frames) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "ball.toml") << R"toml(
coordinates = ["x", "y"]
rotations = ["R"]
lagrangian = "0.5*(x'^2 + y'^2) + 0.2*dot(R.omega, R.omega)"
constraints = ["w = R*R.omega; [x' - w[2], y' + w[1]]"]
[initial]
q = { x = 1 }
v = { R = [0, 4, 0] }
[view.bodies]
ball = { shape = "ball", radius = 1, position = "[x, y, 1]", rotation = "R" }
[view.traces]
contact = { point = "[x, y, 0]", on = "ball" }
)toml";
  std::ofstream(folder / "e.toml") << R"toml(
title = "Ball"
[data.rk4]
model = "ball.toml"
method = "rk4"
step = 0.001
steps = 8000
[[animations]]
title = "motion"
data = ["rk4"]
opening = "It rolls."
)toml";
  const ExperimentResult r = perform(read_experiment(test::content(folder / "e.toml"), folder / "e.toml"));
  const Animation animation = of(r, {}).animations[0];
  EXPECT_EQ(animation.opening, "It rolls.");
  const Track& t = animation.tracks[0];
  const Table& table = r.of("rk4").table;
  const auto column = [&](const char* name, std::size_t row) { return (*table.find(name))[row]; };
  const Track::Body& ball = t.bodies[0];
  for (const std::size_t frame : {std::size_t{0}, t.t.size() / 3, t.t.size() - 1}) {
    const auto row = static_cast<std::size_t>(std::lround(t.t[frame] / 0.001));
    double same = 0.0;  // q and -q are one rotation
    const char* names[] = {"R.w", "R.x", "R.y", "R.z"};
    for (std::size_t k = 0; k < 4; ++k) same += ball.rotation[k][frame] * column(names[k], row);
    EXPECT_NEAR(std::abs(same), 1.0, 1e-12);
    EXPECT_NEAR(t.traces[0].on_body[0][frame], std::sin(4.0 * t.t[frame]), 1e-8);
    EXPECT_NEAR(t.traces[0].on_body[2][frame], -std::cos(4.0 * t.t[frame]), 1e-8);
    EXPECT_NEAR(ball.position[0][frame], 1.0 + 4.0 * t.t[frame], 1e-8);
  }
  for (std::size_t frame = 1; frame < t.t.size(); ++frame) {
    double product = 0.0;
    for (const auto& q : ball.rotation) product += q[frame - 1] * q[frame];
    ASSERT_GT(product, std::cos(0.3)) << "a turn of 0.6, on one side";
  }
}

TEST(Markdown, has_a_row_for_each_claim) {
  Chapter chapter{"cm", "A paper", "Authors", ""};
  ExperimentEntry e{"cm/x", "An experiment", "Fig. 1", ""};
  e.claims = {{"a | b", "Fig. 1", "max[d: |x|]", "1", "below 2", Finding::Verdict::confirmed, ""},
              {"c", "", "q", "3", "below 2", Finding::Verdict::contradicted, "because"}};
  chapter.experiments.push_back(e);
  const std::string text = markdown({chapter});
  EXPECT_NE(text.find("| a \\| b (Fig. 1) |"), std::string::npos) << text;
  EXPECT_NE(text.find("| c *because* | `q` = 3 | below 2 | contradicted |"), std::string::npos) << text;
}

TEST(Markdown, has_a_row_for_each_statement_and_counts_them) {
  Chapter chapter{"cm", "A paper", "Authors", ""};
  chapter.experiments = {{"cm/a", "One", "", ""}, {"cm/b", "Two", "", ""}};
  const Statement judged{Statement::Kind::theorem, "5.3", "a | b", {{0, 0}, {1, 1}, {1, 2}}, "", false, "Mind."};
  const Statement definition{Statement::Kind::definition, "4.1", "c", {}, "A definition."};
  const Statement question{Statement::Kind::question, "Section 6", "why?", {}, "Not built.", true};
  chapter.statements = {of(judged, StatementVerdict::mixed, chapter.experiments),
                        of(definition, std::nullopt, chapter.experiments),
                        of(question, StatementVerdict::open, chapter.experiments)};
  const std::string text = markdown({chapter});
  EXPECT_NE(text.find("| Theorem 5.3 | a \\| b | mixed | `cm/a` (1 claim), `cm/b` (2 claims) *Mind.* |\n"
                      "| Definition 4.1 | c | – | A definition. |\n"
                      "| Section 6 | *Question:* why? | open | Not built. |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| A paper | 3 | 0 | 0 | 0 | 1 | 0 | 0 | 1 | 1 |\n"), std::string::npos) << text;
}

TEST(TableOfARun, stays_small_however_long_the_run_is) {
  const Model model = load_model("quadratic-particle");
  const Problem problem{model.system, model.system.parameter_values(), *model.initial, 0.1};
  Table table;
  TableRecorder recorder(table, model.system, {}, 100);
  std::vector<double> q(3);
  for (std::int64_t k = 0; k <= 1000; ++k) {
    q[0] = static_cast<double>(k);
    const std::vector<double> one(1);
    recorder.record({k, 0.1 * static_cast<double>(k), q, q, q, one, 0.0, one, {}, {}});
  }
  EXPECT_LT(table.rows(), 100U);
  EXPECT_GE(table.rows(), 30U);
  recorder.finish();
  EXPECT_EQ(table.find("x")->back(), 1000.0);
  auto x = *table.find("x");
  if (std::fmod(x.back(), x[1]) != 0.0) x.pop_back();
  EXPECT_EQ(std::fmod(x[1], 2.0), 1.0) << "odd strides show what alternates";
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_EQ(x[i] - x[i - 1], x[1] - x[0]) << i;
  EXPECT_EQ(x.front(), 0.0);
}

}  // namespace report_test
}  // namespace rattleback::report
