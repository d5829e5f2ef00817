// Experiment files: what they mean, and what is said about wrong ones.

#include "rattleback/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rattleback/experiment/table_file.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace experiment_test {

const std::string particle = R"(
title = "A particle"
[common]
model = "quadratic-particle"
step = 0.2
steps = 50
[data.reference]
method = "reference"
[data.dla]
method = "dla"
against = "reference"
)";

ExperimentResult performed(const std::string& text) { return perform(read_experiment(text, "paper/name.toml")); }

Finding::Verdict verdict(const std::string& claim) {
  return performed(particle + "[[claims]]\nsays = \"it\"\n" + claim).findings.at(0).verdict;
}

TEST(Experiment, judges_what_should_hold_and_what_should_not) {
  using enum Finding::Verdict;
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nbelow = 1"), confirmed);
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nabove = 1"), failed);
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nbelow = 1\ncorrection = \"why\""), corrected);
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nabove = 1\ncorrection = \"why\""), failed);
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nabove = 1\ncontradicted = \"why\""), contradicted);
  EXPECT_EQ(verdict("quantity = \"max[dla: error]\"\nbelow = 1\ncontradicted = \"why\""), failed);
}

// A torque that comes one unit of time later, and a start that does too: the same motion.
TEST(Experiment, has_starts_at_other_times_and_other_inputs) {
  const ExperimentResult result = performed(R"toml(
title = "A pendulum"
[common]
model = "forced-pendulum"
method = "rk4"
step = 0.1
steps = 50
[data.early]
[data.late]
t0 = 1
inputs = {torque = "T0*cos(w*(t - 1))"}
[data.other]
t0 = 1
[[claims]]
says = "the same"
quantity = "abs(last[early: theta] - last[late: theta])"
below = 1e-12
[[claims]]
says = "the times are those of the clock"
quantity = "last[late: time]"
equals = 6
within = 1e-12
[[claims]]
says = "another"
quantity = "abs(last[early: theta] - last[other: theta])"
above = 1e-2
)toml");
  for (const Finding& finding : result.findings)
    EXPECT_EQ(finding.verdict, Finding::Verdict::confirmed) << finding.trouble;
}

TEST(Experiment, does_not_take_a_missing_number_for_a_contradiction) {
  EXPECT_EQ(verdict("quantity = \"max[dla: error where time in 900..]\"\nabove = 1\ncontradicted = \"why\""),
            Finding::Verdict::failed);
}

TEST(Experiment, can_be_restricted_to_some_of_its_claims) {
  const Experiment all = read_experiment(particle + R"(
[data.rk4]
method = "rk4"
[values]
error = "max[dla: error]"
twice = "2*error"
other = "max[rk4: abs(energy)]"
[[claims]]
says = "with rk4"
quantity = "other"
above = 0
[[claims]]
says = "through values"
quantity = "max[dla: x]"
below = "10 + twice"
)",
                                         "paper/name.toml");
  const std::size_t second = 1;
  const Experiment part = with_claims(all, {&second, 1});
  ASSERT_EQ(part.claims.size(), 1U);
  EXPECT_EQ(part.claims[0].says, "through values");
  ASSERT_EQ(part.data.size(), 2U);  // with what dla is compared with
  EXPECT_EQ(part.data[0].name, "reference");
  EXPECT_EQ(part.data[1].name, "dla");
  ASSERT_EQ(part.values.size(), 2U);
  EXPECT_EQ(perform(part).findings.at(0).measured.first, perform(all).findings.at(1).measured.first);
}

TEST(Experiment, judges_tables_that_were_made_before) {
  const Experiment experiment = read_experiment(
      particle + "[[claims]]\nsays = \"it\"\nquantity = \"max[dla: error]\"\nbelow = 1\n", "paper/name.toml");
  std::vector<Data> data = perform(experiment).data;
  EXPECT_EQ(judge(experiment, data).findings.at(0).verdict, Finding::Verdict::confirmed);
  for (Table::Column& column : data[1].table.columns) column.values.back() = 2.0;
  EXPECT_EQ(judge(experiment, data).findings.at(0).verdict, Finding::Verdict::failed);
}

TEST(Experiment, has_errors_against_another_trajectory) {
  const ExperimentResult r = performed(particle);
  const Table& dla = r.of("dla").table;
  const Table& reference = r.of("reference").table;
  ASSERT_EQ(dla.rows(), 51U);
  for (std::size_t i = 0; i < dla.rows(); ++i) {
    double largest = 0.0;
    for (const char* q : {"x", "y", "z"}) {
      const double error = std::abs((*dla.find(q))[i] - (*reference.find(q))[i]);
      EXPECT_EQ((*dla.find(std::string("error_") + q))[i], error);
      largest = std::max(largest, error);
    }
    EXPECT_EQ((*dla.find("error"))[i], largest);
  }
  EXPECT_GT((*dla.find("error")).back(), 1e-3);
}

TEST(Experiment, compares_different_steps_at_the_same_time) {
  const ExperimentResult r = performed(particle + R"(
[data.precise]
method = "reference"
step = 0.05
steps = 200
[data.half]
method = "dla"
step = 0.1
steps = 100
against = "precise"
)");
  const double coarse = r.of("dla").table.find("error")->back();
  const double fine = r.of("half").table.find("error")->back();
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

TEST(Experiment, has_errors_against_exact_solutions) {
  const ExperimentResult r = performed(R"(
title = "Disk"
[data.reference]
model = "rolling-disk"
method = "reference"
step = 0.1
time = 10
against = "exact"
)");
  const auto& error = *r.of("reference").table.find("error");
  EXPECT_EQ(error.size(), 101U);
  EXPECT_LT(*std::max_element(error.begin(), error.end()), 1e-10);
}

// The third component of the angular velocity in the body of Veselova's problem, psi' cos(theta) + phi', and the
// vertical.
TEST(Experiment, knows_the_definitions_of_a_model) {
  const ExperimentResult r = performed(R"(
title = "Body"
[data.run]
model = "veselova"
method = "dla"
step = 0.1
time = 1
[[claims]]
says = "components of vectors"
quantity = "max[run: abs(W[3] - psi'*cos(theta) - phi') + abs(u[3] - cos(theta))]"
below = 1e-15
[[claims]]
says = "with the parameters in their places"
quantity = "max[run: abs(M[2] - 1.5*W[2])] / max[run: abs(W[2])]"
below = 1e-15
)");
  for (const Finding& finding : r.findings)
    EXPECT_EQ(finding.verdict, Finding::Verdict::confirmed) << finding.measured.value;
}

TEST(Experiment, measures_orders_in_all_variables) {
  const ExperimentResult r = performed(R"(
title = "Order"
[data.dla]
kind = "convergence"
model = "quadratic-particle"
method = "dla"
time = 5
from = 40
to = 320
count = 4
[values]
order = "slope[dla: log(error) over log(step)]"
order_v = "slope[dla: log(error_x') over log(step)]"
order_multiplier = "slope[dla: log(error_multiplier_1) over log(step)]"
)");
  for (const auto& [name, order] : r.values) EXPECT_NEAR(order, 2.0, 0.1) << name;
  EXPECT_EQ(r.of("dla").table.find("odd")->front(), 1.0);  // 40 points in time: 39 steps
}

TEST(Experiment, gives_coefficients_of_modified_hamiltonians) {
  // Garcia-Naranjo & Vermeeren, Appendix A: N_2 of the midpoint rule for U = 0 is py^2 (1 - 2 y^2)/(24 (1 +
  // y^2)^(3/2)).
  const ExperimentResult r = performed(R"(
title = "Modified"
[data.m]
kind = "modified"
model = "free-particle"
method = "conformal:M"
order = 2
at = [[0.7, -0.6, 0.8, 1.1, 1.3]]
)");
  const Table& t = r.of("m").table;
  const double y = -0.6;
  const double py = 1.1;
  EXPECT_NEAR(t.find("N_0")->front(), 1 / std::sqrt(1 + y * y), 1e-14);
  EXPECT_NEAR(t.find("N_2")->front(), py * py * (1 - 2 * y * y) / (24 * std::pow(1 + y * y, 1.5)), 1e-14);
}

TEST(Experiment, refuses_to_measure_against_a_reference_that_fails) {
  // x'' = 2 x^3 from x = x' = 1 is 1/(1 - t).
  const test::TemporaryFolder folder;
  std::ofstream(folder / "pole.toml")
      << "coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2 + 0.5*x^4\"\n[initial]\nq = [1]\nv = [1]\n";
  const std::string text = "[data.a]\nkind = \"convergence\"\nmodel = \"" + (folder / "pole.toml") +
                           "\"\nmethod = \"del\"\ntime = 1.1\nfrom = 20\nto = 40\ncount = 3\n";
  try {
    performed(text);
    FAIL() << "a reference beyond the pole";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the reference does not reach t = 1.1"), std::string::npos)
        << error.what();
  }
}

TEST(Experiment, asks_the_helmholtz_conditions) {
  const ExperimentResult r = performed("[data.disk]\nkind = \"inverse\"\nmodel = \"rolling-disk\"\n");
  const Table& t = r.of("disk").table;
  ASSERT_GE(t.rows(), 2U);
  EXPECT_GE(t.scalars.at("free_lagrangians"), 1.0);
  const auto& regular = *t.find("regular");
  EXPECT_EQ(*std::min_element(regular.begin(), regular.end()), 0.0) << "Mestdag, Bloch & Fernandez, Proposition 1.1";
}

// Free falls from several heights to the ground, and further: when, in closed form.
TEST(Experiment, has_ensembles) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "fall.toml") << "coordinates = [\"z\"]\nlagrangian = \"0.5*z'^2 - g*z\"\nparameters = {g = "
                                         "10}\n[initial]\nq = [1]\nv = [0]\n";
  std::ofstream(folder / "falls.toml") << "model = \"fall.toml\"\nmethod = \"del\"\nstep = 0.1\ntime = "
                                          "1\n[[vary]]\nof = \"z\"\nvalues = [1, 6, 20]\n[[section]]\nname = "
                                          "\"ground\"\nof = \"z\"\n[keep]\nstatistics = [\"energy\"]\n";
  const std::string text = "[data.here]\nkind = \"ensemble\"\nensemble = \"falls.toml\"\n"
                           "[data.moon]\nkind = \"ensemble\"\nensemble = \"falls.toml\"\nset = {g = 1.6}\nmethod = "
                           "\"dla\"\n";
  const ExperimentResult r = perform(read_experiment(text, folder / "e.toml"));
  const Table& here = r.of("here").table;
  ASSERT_EQ(here.rows(), 3U);
  EXPECT_EQ(here.scalars.at("members"), 3.0);
  EXPECT_EQ(here.scalars.at("failed"), 0.0);
  EXPECT_EQ(*here.find("varied_z"), (std::vector<double>{1, 6, 20}));
  EXPECT_EQ(*here.find("count_ground"), (std::vector<double>{1, 0, 0}));
  EXPECT_NEAR((*here.find("first_ground"))[0], std::sqrt(0.2), 1e-12);
  EXPECT_TRUE(std::isnan((*here.find("first_ground"))[2]));
  EXPECT_NEAR((*here.find("z"))[2], 15.0, 1e-12);
  EXPECT_NEAR((*here.find("mean_energy"))[2], 200.0, 1e-10);
  const Table& moon = r.of("moon").table;
  EXPECT_NEAR((*moon.find("z"))[0], 0.2, 1e-12);
  EXPECT_EQ(r.of("moon").recipe.method->text(), "dla");
}

TEST(Experiment, keeps_the_rows_before_a_failure) {
  const ExperimentResult r = performed(R"(
title = "Knife edge"
[data.pthdel]
model = "knife-edge-incline"
method = "pthdel"
step = 0.07
steps = 100
)");
  const Data& d = r.of("pthdel");
  EXPECT_NE(d.failure.find("vanishes"), std::string::npos) << d.failure;
  EXPECT_EQ(d.table.scalars.at("finished"), 0.0);
  EXPECT_EQ(static_cast<double>(d.table.rows()), d.table.scalars.at("steps") + 1);
}

TEST(Experiment, writes_the_same_bytes_every_time) {
  const test::TemporaryFolder folder;
  for (const TableFormat format : {TableFormat::hdf5, TableFormat::csv}) {
    std::vector<std::string> contents[2];
    for (int k = 0; k < 2; ++k) {
      for (const std::string& file : write_tables(performed(particle), folder.path().string(), format, "test")) {
        contents[k].push_back(test::content(folder / file));
      }
    }
    EXPECT_FALSE(contents[0].empty());
    EXPECT_EQ(contents[0], contents[1]);
  }
}

TEST(Experiment, takes_no_evidence_from_a_run_that_ended_early) {
  const std::string run =
      "title = \"Knife edge\"\n[data.z]\nmodel = \"knife-edge-incline\"\nmethod = \"pthdel\"\nstep = 0.07\n";
  const std::string claim =
      "[values]\nlargest = \"max[z: energy]\"\n[[claims]]\nsays = \"it\"\nquantity = \"largest\"\nbelow = 100\n";
  const Finding early = performed(run + "steps = 100\n" + claim).findings.at(0);
  EXPECT_EQ(early.verdict, Finding::Verdict::failed);
  EXPECT_NE(early.trouble.find("z ended in step 23"), std::string::npos) << early.trouble;
  EXPECT_EQ(performed(run + "steps = 100\nends_early = true\n" + claim).findings.at(0).verdict,
            Finding::Verdict::confirmed);
  EXPECT_EQ(performed(run + "steps = 10\n" + claim).findings.at(0).verdict, Finding::Verdict::confirmed);
  const Finding late = performed(run + "steps = 10\nends_early = true\n" + claim).findings.at(0);
  EXPECT_EQ(late.verdict, Finding::Verdict::failed);
  EXPECT_EQ(late.trouble, "z should have ended early");
}

TEST(Experiment, has_no_error_where_the_exact_solution_is_no_number) {
  const ExperimentResult r = performed(R"(
title = "A knife edge that does not turn"
[data.z]
model = "knife-edge-incline"
method = "dla"
step = 0.1
steps = 5
q0 = [0, 0, 0]
v0 = [1, 0, 0]
against = "exact"
)");
  EXPECT_TRUE(std::isnan(r.of("z").table.find("error")->back()));
}

TEST(Experiment, compares_nodes_with_times_of_their_own_one_by_one) {
  const std::string run = R"(
title = "HDEL"
[common]
model = "free-particle-x"
step = 0.05
steps = 40
[data.fine]
method = "hdel:order=4:quadrature=simpson"
[data.a]
method = "hdel"
against = "fine"
)";
  EXPECT_LT(performed(run).of("a").table.find("error")->back(), 1e-2);
  EXPECT_THROW(performed(run + "every = 2\n"), Error);
}

std::string complaint(const std::string& text) {
  try {
    performed(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// Nothing is begun that would take all memory, or means nothing.
TEST(Experiment, numbers_out_of_range_are_refused_at_their_place) {
  const auto expect = [](const std::string& keys, const std::string& part) {
    const std::string text = "[data.p]\nmodel = \"harmonic-particle\"\n" + keys;
    EXPECT_NE(complaint(text).find("paper/name.toml:"), std::string::npos) << complaint(text);
    EXPECT_NE(complaint(text).find(part), std::string::npos) << text << "\n" << complaint(text);
  };
  const std::string cloud = "kind = \"cloud\"\nmethod = \"conformal\"\nstep = 0.1\nsteps = 3\n";
  expect(cloud + "ells = [2000000]", "an entry of ells must be an integer between 0 and 12, found 2000000");
  expect(cloud + "ells = [-3]", "an entry of ells must be an integer between 0 and 12, found -3");
  expect(cloud + "ells = [1.5]", "an entry of ells must be an integer between 0 and 12, found 1.5");
  expect(cloud + "points = 1e7", "points must be an integer between 0 and 1000000, found 10000000");
  expect(cloud + "points = \"cloud.txt\"", "points must be a number, or a file ending with .csv, found 'cloud.txt'");
  expect(cloud + "weights = \"cube\"", "weights must be simplices or ball, found 'cube'");
  expect(cloud + "radius = -1", "radius must be positive, found -1");
  expect(cloud + "every = 0", "every must be an integer between 1 and 1000000000, found 0");
  expect("kind = \"points\"\nmethod = \"dla\"\nstep = 0.1\nsteps = 100\npoints = 1e6",
         "these are 100000000 rows; up to 10000000 are kept");
  expect("method = \"dla\"\nstep = 0.1\nsteps = 1e9", "choose a larger every");
  expect("kind = \"modified\"\nmethod = \"conformal\"\nat = []\norder = 13",
         "order must be an integer between 0 and 12, found 13");
}

TEST(Experiment, explains_what_is_wrong_and_where) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(complaint(text).find(part), std::string::npos) << text << "\n" << complaint(text);
  };
  const std::string claim = particle + "[[claims]]\nsays = \"it\"\n";
  expect("titel = \"x\"", "paper/name.toml:1:1: unknown key 'titel' in an experiment; did you mean 'title'?");
  expect("[data.a]\nmethod = \"dla\"\n", "[data.a] needs the key model");
  expect("[data.a]\nmodel = \"quadratic-particle\"\nmethod = \"dla\"\n", "[data.a] needs the key step");
  expect("[data.a]\nmodel = \"quadratic-particle\"\nmethod = \"dlb\"\n", "did you mean 'dla'?");
  expect(particle + "[data.b]\nmethod = \"dla\"\nagainst = \"refernce\"",
         "there are no data 'refernce'; did you mean 'reference'?");
  expect(particle + "[data.b]\nmethod = \"dla\"\nstep = 0", "step must be positive, found 0");
  expect(particle + "[data.b]\nmethod = \"dla\"\nobserve = [\"energi\"]", "there is no observer 'energi'");
  expect(particle + "[data.b]\nmethod = \"dla\"\nkind = \"clod\"",
         "kind must be trajectory, convergence, cloud, points, modified, inverse or ensemble, found 'clod'");
  expect("[data.a]\nkind = \"ensemble\"\n", "[data.a] needs the key ensemble");
  expect("[data.a]\nkind = \"ensemble\"\nensemble = \"e.toml\"\nstep = 1\n",
         "the file of the ensemble says everything but method and set: [data.a] has the key step");
  expect("[data.a]\nkind = \"ensemble\"\nensemble = \"no-such.toml\"\n", "no-such.toml");
  expect(particle + "[data.b]\nmethod = \"dla\"\ntime = 1e300", "steps; between 1 and 1e+09 are possible");
  expect(particle + "[data.b]\nmethod = \"dla\"\ntime = -3", "steps; between 1 and 1e+09 are possible");
  expect(particle + "[data.\"../b\"]\nmethod = \"dla\"", "'../b' cannot be the name of data");
  const std::string convergence = "[data.c]\nkind = \"convergence\"\nmodel = \"quadratic-particle\"\ntime = 1\n";
  expect(convergence + "method = \"dla\"\nfrom = 0\nto = 0\ncount = 0",
         "from must be an integer between 2 and 1000000000, found 0");
  expect(convergence + "method = \"dla\"\nfrom = 3\nto = 2\ncount = 2", "at least 2 and increasing");
  expect(convergence + "method = \"dla\"\nfrom = 10\nto = 20\ncount = 1e12",
         "count must be an integer between 2 and 1000");
  expect(
      "[data.c]\nkind = \"convergence\"\nmodel = \"free-particle-x\"\ntime = 1\nmethod = \"hdel\"\nfrom = 10\nto = "
      "20\ncount = 2",
      "hdel has nodes at times of its own and not at the end: hdel:resample has");
  expect(convergence +
             "method = \"dla\"\nfrom = 10\nto = 20\ncount = 2\n[data.d]\nmodel = \"quadratic-particle\"\nmethod = "
             "\"dla\"\nstep = 1\nsteps = 1\nagainst = \"c\"",
         "'c' is no trajectory");
  expect(particle + "[data.d]\nmodel = \"rolling-disk\"\nmethod = \"dla\"\nagainst = \"reference\"",
         "'reference' has no coordinate theta");
  expect(particle + "[data.d]\nmethod = \"dla\"\nq0 = [1, 2]\nv0 = [1, 2]", "paper/name, data d: ");
  expect(particle + "[[animations]]\ntitle = \"a\"\ndata = []", "an animation needs data");
  expect(particle +
             "[data.d]\nmodel = \"rolling-disk\"\nmethod = \"dla\"\n[[animations]]\ntitle = \"a\"\ndata = [\"dla\", "
             "\"d\"]",
         "all data of an animation must be of one model");
  expect(particle + "[data.d]\nmethod = \"dla\"\nends_early = 1", "ends_early must be true or false");
  expect(particle + "[data.b]\nmethod = \"dla\"\ntime = 3\nsteps = 3",
         "steps and time say the same in two ways: give one");
  expect("[data.a]\nmodel = \"none.toml\"\nmethod = \"dla\"\nstep = 1\nsteps = 1",
         "paper/name, data a: there is no file paper/none.toml");
  expect(claim, "a claim needs the key quantity");
  expect(claim + "quantity = \"1\"", "a claim has one of below, above, between");
  expect(claim + "quantity = \"1\"\nbelow = 1\nabove = 0", "a claim has one of below, above, between");
  expect(claim + "quantity = \"1\"\nequals = 1", "needs the key within");
  expect(claim + "quantity = \"1\"\nbetween = [1]", "between must be a list of two bounds");
  expect(claim + "quantity = \"max[rk4: x]\"\nbelow = 1", "there are no data 'rk4'; there are reference, dla");
  expect(claim + "quantity = \"max[dla: w]\"\nbelow = 1",
         "paper/name, claim 'max[dla: w]': 'w': there is no column 'w'");
  expect(claim + "quantity = \"1\"\nbelow = 1\nnote = \"a\"\ncorrection = \"b\"", "a claim has one note");
  expect(particle + "[[figures]]\ntitle = \"f\"\nkind = \"pie\"\nseries = []",
         "kind must be line, path, space or map, found 'pie'");
  expect(particle + "[[figures]]\ntitle = \"f\"\nkind = \"map\"\nseries = [{data = \"dla\"}, {data = \"reference\"}]",
         "a map shows one series, found 2");
  expect(particle + "[[figures]]\ntitle = \"f\"\nseries = [{data = \"dla\", y = \"x\", style = \"dots\"}]",
         "style must be line, points or both");
  expect("[data.a]\nmodel = \"no-such\"\nmethod = \"dla\"\nstep = 1\nsteps = 1",
         "paper/name, data a: there is no model 'no-such'");
  expect("[data.a]\nmodel = \"snakeboard\"\nmethod = \"dla\"\nstep = 0.1\nsteps = 1\nagainst = \"exact\"",
         "the exact x of snakeboard is not known");
}

TEST(Papers, are_all_readable_and_every_experiment_says_something) {
  const std::vector<Paper> all = papers();
  std::vector<std::string> names;
  for (const Paper& paper : all) {
    names.push_back(paper.name);
    EXPECT_FALSE(paper.citation.empty()) << paper.name;
    for (const Experiment& e : experiments_of(paper.name)) {
      EXPECT_FALSE(e.title.empty() || e.claims.empty()) << e.name;
      for (const Claim& claim : e.claims) {
        EXPECT_FALSE(claim.quantity.parts.empty() &&
                     claim.quantity.text.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos)
            << e.name << ": '" << claim.says << "' measures nothing";
        EXPECT_TRUE(claim.expected == Claim::Holds::yes || claim.note.size() > 20) << e.name << ": " << claim.says;
      }
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"kl", "cm", "ev", "me", "fe", "gv"}));
}

}  // namespace experiment_test
}  // namespace rattleback
