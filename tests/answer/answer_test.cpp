// Requests and answers, without the command line; and that the command prints what the library says.

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "rattleback/answer/analyse.hpp"
#include "rattleback/answer/compare.hpp"
#include "rattleback/answer/converge.hpp"
#include "rattleback/answer/models.hpp"
#include "rattleback/answer/run.hpp"
#include "rattleback/answer/show.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "tests/cli/command.hpp"

namespace rattleback::answer {
namespace answer_test {

using nlohmann::json;
using test::contains;
using test::content;
using test::TemporaryFolder;

const std::string oscillator = "coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2 - 0.5*k*x^2\"\n[parameters]\nk = 1\n";

/// What a wrong request is told.
template <class Ask>
Error refusal(Ask&& ask) {
  try {
    ask();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was refused";
  return {Error::Kind::system, ""};
}

void expect_refused(const ProblemRequest& problem, const std::string& words) {
  const Error error = refusal([&] { prepare(problem); });
  EXPECT_EQ(error.kind(), Error::Kind::request) << error.what();
  EXPECT_TRUE(contains(error.what(), words));
}

TEST(Prepare, takes_from_the_model_what_is_not_given) {
  const PreparedProblem p = prepare({.model = "quadratic-particle"});
  EXPECT_EQ(p.problem.step, 0.2);
  EXPECT_EQ(p.steps, 1250);
  EXPECT_EQ(p.problem.start.q, p.model.initial->q);
  EXPECT_FALSE(p.problem.second_position);
  EXPECT_TRUE(p.notes.empty());
  const PreparedProblem q = prepare({.model = "quadratic-particle", .step = 0.1, .time = 1.0, .q1 = {1, 0.1, 0}});
  EXPECT_EQ(q.steps, 10);
  EXPECT_EQ(q.problem.second_position, (std::vector<double>{1, 0.1, 0}));
}

TEST(Prepare, takes_names_texts_models_and_systems) {
  EXPECT_EQ(prepare({.model = "chaplygin-sleigh", .parameters = {{"a", 0.5}}}).model.system.parameter_values()[2], 0.5);
  const PreparedProblem text = prepare({.model = ModelSource::text(oscillator, "mine.toml"),
                                        .parameters = {{"k", 4}},
                                        .step = 0.1,
                                        .steps = 3,
                                        .q0 = {1}});
  EXPECT_EQ(text.model.name, "mine");
  EXPECT_EQ(text.problem.parameters, std::vector<double>{4});
  EXPECT_EQ(text.problem.start.v, std::vector<double>{0});  // at rest
  EXPECT_EQ(prepare({.model = load_model("knife-edge")}).model.name, "knife-edge");
  const auto [x] = coordinates("x");
  const System system{{x}, 0.5 * (sq(dot(x)) - sq(x))};
  EXPECT_EQ(prepare({.model = system, .step = 0.5, .time = 2.0, .q0 = {1}}).steps, 4);
}

TEST(Prepare, says_what_is_wrong_with_a_request) {
  expect_refused({}, "a request needs a `model`");
  expect_refused({.model = "quadratic-particel"}, "did you mean 'quadratic-particle'?");
  expect_refused({.model = ModelSource::text(oscillator), .step = 0.1, .steps = 1},
                 "model has no initial state; give one with `q0` and `v0`, or add [initial]");
  expect_refused({.model = ModelSource::text(oscillator), .steps = 1, .q0 = {1}},
                 "model has no step of its own; give one with `step`");
  expect_refused({.model = ModelSource::text(oscillator), .step = 1.0, .q0 = {1}},
                 "model has no time of its own; give one with `time`");
  expect_refused({.model = "knife-edge", .step = 0.0}, "`step` must be positive, found 0");
  expect_refused({.model = "knife-edge", .step = std::numeric_limits<double>::quiet_NaN()},
                 "`step` must be a finite number, found nan");
  expect_refused({.model = "knife-edge", .steps = -3}, "`steps` must be positive, found -3");
  expect_refused({.model = "knife-edge", .steps = (std::int64_t{1} << 53) + 1}, "`steps` must be at most 2^53");
  expect_refused({.model = "knife-edge", .steps = 3, .time = 1.0}, "`steps` and `time` say the same");
  expect_refused({.model = "knife-edge", .time = 0.01}, "the time 0.01 is shorter than half a step of 0.1");
  expect_refused({.model = "knife-edge", .q0 = {1}}, "`q0` has 1 entry, expected 3: one for each of x, y, phi");
  expect_refused({.model = load_model("chaplygin-sleigh"), .parameters = {{"a", 1}}}, "when it is read");
  const Error steps = refusal([] { prepare_time({.model = "knife-edge", .step = 0.1}); });
  EXPECT_TRUE(contains(steps.what(), "the steps are not to be chosen: give `time`"));
}

TEST(Prepare, completes_what_is_given_by_name) {
  // A knife edge: the velocity is along the blade.
  const PreparedProblem p = prepare({.model = "knife-edge",
                                     .step = 0.1,
                                     .steps = 1,
                                     .q0 = std::map<std::string, double>{{"phi", 0.7}},
                                     .v0 = std::map<std::string, double>{{"x", 2.0}}});
  EXPECT_EQ(p.problem.start.q[2], 0.7);
  EXPECT_EQ(p.problem.start.v[0], 2.0);
  EXPECT_NEAR(p.problem.start.v[1], 2.0 * std::tan(0.7), 1e-14);
  EXPECT_EQ(p.problem.start.v[2], 0.0);
  const auto with = [](std::map<std::string, double> v0) {
    return ProblemRequest{.model = "knife-edge", .step = 0.1, .steps = 1, .v0 = std::move(v0)};
  };
  expect_refused(with({{"psi", 1.0}}), "`v0` has a value for 'psi', which is not a coordinate; did you mean 'phi'?");
  expect_refused(with({{"x", 1.0}, {"y", 1.0}}),
                 "`v0`: no velocities with these values of x, y satisfy\n  constraint 1");
}

TEST(Prepare, projects_when_asked_and_says_so) {
  const ProblemRequest inconsistent{.model = "quadratic-particle", .q0 = {0, 2, 0}, .v0 = {1, 1, 1}};
  expect_refused(inconsistent, "Give it with `q0` and `v0`, or let `project` use it.");
  ProblemRequest projected = inconsistent;
  projected.project = true;
  const PreparedProblem p = prepare(projected);
  EXPECT_NEAR(p.problem.start.v[2], 2.0 * p.problem.start.v[0], 1e-14);
  ASSERT_EQ(p.notes.size(), 1U);
  EXPECT_TRUE(contains(p.notes[0], "the start was projected onto the constraints: q = (0, 2, 0), v = ("));
}

TEST(Run, has_an_answer_with_everything) {
  const RunAnswer a = run({.problem = {.model = "knife-edge", .step = 0.1, .steps = 20},
                           .method = "dla",
                           .every = 5,
                           .observe = {"midpoint-energy"},
                           .samples = 100});
  EXPECT_EQ(a.result.outcome, RunOutcome::finished);
  EXPECT_EQ(a.result.steps, 20);
  EXPECT_EQ(a.samples.rows(), 5U);
  EXPECT_EQ(a.samples.find("time")->back(), 2.0);
  EXPECT_EQ(a.samples.find("x")->back(), a.result.node.q[0]);
  EXPECT_EQ(a.observed.size(), 1U);
  EXPECT_TRUE(a.exact_error);
  EXPECT_FALSE(complaint(a));
  const json d = json::parse(to_json(a));
  for (const char* key : {"model", "method", "step", "steps", "time", "q", "v", "p", "energy", "constraint", "newton",
                          "seconds", "ns_per_step", "outcome", "observed", "exact"}) {
    EXPECT_TRUE(d.contains(key)) << key;
  }
  EXPECT_EQ(d["q"], a.result.node.q);
  EXPECT_FALSE(d.contains("output"));
  EXPECT_TRUE(contains(to_text(a), "dla, h = 0.1, 20 steps to t = 2\n"));
}

TEST(Run, takes_the_reference_unless_told_otherwise) {
  const RunAnswer a = run({.problem = {.model = "knife-edge"}});
  EXPECT_EQ(a.method, "reference");
  EXPECT_EQ(a.result.time, *a.prepared.model.time);
  EXPECT_EQ(a.samples.rows(), 0U);
  EXPECT_LT(*a.exact_error, 1e-10);
}

TEST(Run, refuses_before_it_writes) {
  const TemporaryFolder folder;
  const auto words = [](RunRequest request) {
    request.problem = {.model = "knife-edge", .steps = 3};
    const Error error = refusal([&] { run(request); });
    EXPECT_EQ(error.kind(), Error::Kind::request) << error.what();
    return std::string(error.what());
  };
  EXPECT_TRUE(contains(words({.method = "rk5"}), "there is no method 'rk5'; did you mean 'rk4'?"));
  EXPECT_TRUE(contains(words({.every = 0}), "`every` must be positive, found 0"));
  EXPECT_TRUE(contains(words({.observe = {"momentum", "momentum"}}), "`observe` has momentum twice"));
  EXPECT_TRUE(contains(words({.output = "a.txt"}), "the format of `output` 'a.txt' is not known"));
  EXPECT_TRUE(
      contains(words({.resume = true}), "`resume` needs the file of the run that is to be resumed: `output=FILE`"));
  EXPECT_TRUE(contains(words({.output = "a.csv", .resume = true, .force = true}), "give one"));
  EXPECT_TRUE(contains(words({.report = "a.pdf"}), "`report` 'a.pdf' must end with .html"));
  EXPECT_TRUE(contains(words({.method = "del", .output = folder / "a.csv"}), "del"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const Error folderless = refusal([] { run({.problem = {.model = "knife-edge"}, .report = "nowhere/a.html"}); });
  EXPECT_EQ(folderless.kind(), Error::Kind::system);
  EXPECT_TRUE(contains(folderless.what(), "the folder nowhere does not exist"));
}

TEST(Run, is_interrupted_and_resumed_to_the_same_bytes) {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.csv";
  const std::string parts = folder / "parts.csv";
  RunRequest request{.problem = {.model = "quadratic-particle", .steps = 30000000}, .method = "dla", .every = 5000000};
  request.output = whole;
  EXPECT_FALSE(complaint(run(request)));

  request.output = parts;
  std::atomic<bool> stop = false;
  const RunAnswer interrupted =
      run(request, {.interrupt = &stop, .progress = [&](const std::string&, const Progress&) { stop = true; }});
  ASSERT_TRUE(complaint(interrupted));
  EXPECT_EQ(complaint(interrupted)->kind(), Error::Kind::interrupted);
  EXPECT_TRUE(contains(complaint(interrupted)->what(), " of 30000000; continue it with `resume`"));
  EXPECT_EQ(json::parse(to_json(interrupted))["outcome"], "interrupted");
  EXPECT_TRUE(contains(refusal([&] { run(request); }).what(),
                       "belongs to an unfinished run: continue it with `resume`, or start anew with `force`"));

  request.resume = true;
  std::vector<std::string> notes;
  const RunAnswer resumed = run(request, {.note = [&](const std::string& note) { notes.push_back(note); }});
  EXPECT_FALSE(complaint(resumed));
  EXPECT_EQ(notes, resumed.prepared.notes);
  EXPECT_EQ(notes,
            std::vector<std::string>{"resumed at step " + std::to_string(interrupted.result.steps) + " of 30000000"});
  EXPECT_EQ(content(parts), content(whole));
  EXPECT_TRUE(contains(to_text(resumed), "\nWritten to " + parts + "\n"));
}

TEST(Run, that_fails_is_an_answer) {
  const RunAnswer a = run({.problem = {.model = "knife-edge-incline"}, .method = "pthdel"});
  EXPECT_EQ(a.result.outcome, RunOutcome::failed);
  ASSERT_TRUE(complaint(a));
  EXPECT_EQ(complaint(a)->kind(), Error::Kind::numerics);
  EXPECT_TRUE(contains(complaint(a)->what(), "knife-edge-incline: the run failed in "));
  EXPECT_EQ(json::parse(to_json(a))["failure"], a.result.failure);
}

TEST(Compare, knows_its_reference) {
  const CompareAnswer a = compare({.problem = {.model = "quadratic-particle", .time = 4.0}});
  ASSERT_EQ(a.runs.size(), 3U);  // reference, dla, rk4
  EXPECT_EQ(a.reference, 0U);
  EXPECT_FALSE(a.runs[0].from_reference);
  EXPECT_GT(*a.runs[1].from_reference, *a.runs[2].from_reference);
  EXPECT_FALSE(complaint(a));
  const json d = json::parse(to_json(a));
  EXPECT_EQ(d["methods"][1]["from_reference"], *a.runs[1].from_reference);
  EXPECT_FALSE(d["methods"][0].contains("from_reference"));
  EXPECT_TRUE(contains(refusal([] { compare({.problem = {.model = "knife-edge"}, .methods = {}}); }).what(),
                       "`methods` needs at least one method"));
}

TEST(Compare, ends_when_interrupted_with_the_runs_before) {
  std::atomic<bool> stop = false;
  const Hooks hooks{.interrupt = &stop, .progress = [&](const std::string& what, const Progress&) {
                      if (what == "dla") stop = true;
                    }};
  const CompareAnswer a =
      compare({.problem = {.model = "quadratic-particle", .steps = 1000000}, .methods = {"dla", "rk4"}}, hooks);
  EXPECT_TRUE(a.interrupted);
  ASSERT_EQ(a.runs.size(), 1U);
  EXPECT_EQ(a.runs[0].method, "dla");
  EXPECT_EQ(complaint(a)->kind(), Error::Kind::interrupted);
  EXPECT_TRUE(json::parse(to_json(a))["interrupted"]);
}

TEST(Converge, measures_and_checks_orders) {
  ConvergeRequest request{.problem = {.model = "quadratic-particle", .time = 5.0}, .count = 4, .check = true};
  const ConvergeAnswer a = converge(request);
  ASSERT_EQ(a.methods.size(), 2U);  // dla:midpoint, rk4
  EXPECT_EQ(a.methods[0].points.size(), 4U);
  EXPECT_EQ(a.methods[0].points.front().steps, 19);
  EXPECT_EQ(a.methods[0].points.back().steps, 999);
  EXPECT_FALSE(complaint(a)) << complaint(a)->what();
  const json d = json::parse(to_json(a));
  EXPECT_EQ(d["time"], 5.0);
  EXPECT_EQ(d["methods"][1]["expected_order"], 4);
  for (const char* key : {"step", "steps", "outcome", "error", "energy_error", "newton", "seconds", "fitted"}) {
    EXPECT_TRUE(d["methods"][0]["points"][0].contains(key)) << key;
  }
  ConvergeAnswer missed = a;
  missed.methods[0].measured_order = 1.5;
  ASSERT_TRUE(complaint(missed));
  EXPECT_EQ(complaint(missed)->kind(), Error::Kind::answer_is_no);
  EXPECT_TRUE(contains(complaint(missed)->what(), "\n  dla:midpoint: order 2 was promised, 1.500 was measured"));
  missed.check = false;
  EXPECT_FALSE(complaint(missed));
}

TEST(Converge, chooses_steps_itself) {
  const auto words = [](const ConvergeRequest& request) {
    return std::string(refusal([&] { converge(request); }).what());
  };
  EXPECT_TRUE(contains(words({.problem = {.model = "knife-edge", .step = 0.1}}), "give `time`"));
  EXPECT_TRUE(contains(words({.problem = {.model = "knife-edge"}, .fewest = 10, .most = 5}),
                       "`fewest` and `most` are numbers of points in time, at least 2 and increasing; found 10 and 5"));
  EXPECT_TRUE(contains(words({.problem = {.model = "knife-edge"}, .count = 2}), "`count` must be between 3 and 1000"));
}

TEST(Show, finds_what_is_wrong) {
  const ShowAnswer good = show({.model = "quadratic-particle"});
  EXPECT_TRUE(good.problems.empty());
  EXPECT_EQ(good.constraints->generic_rank, 1U);
  EXPECT_TRUE(contains(to_latex(good), "\\begin{align*}\n  L &= "));
  const ShowAnswer bad = show({.model = ModelSource::text(oscillator + "[symmetry]\nfibre = [\"x\"]\n")});
  EXPECT_EQ(bad.broken_symmetries.size(), 1U);
  EXPECT_EQ(bad.problems, bad.broken_symmetries);
  const json d = json::parse(to_json(bad));
  EXPECT_EQ(d["diagnosis"]["broken_symmetries"], bad.broken_symmetries);
  for (const char* key : {"name", "title", "coordinates", "lagrangian", "parameters", "momenta", "energy",
                          "mass_matrix", "constraint_matrix", "conserved", "exact", "symmetries"}) {
    EXPECT_TRUE(d.contains(key)) << key;
  }
}

// Equations of motion by hand: m ẍ = λ₁ …, and the multiplier of the particle (Bloch, section 1.7 with a potential).
TEST(Show, derives_the_equations_of_motion) {
  const std::string particle = to_text(show({.model = "quadratic-particle"}));
  EXPECT_TRUE(
      contains(particle, "\nEquations of motion\n  x'' + 2*x = -lambda1*y\n  y'' + 2*y = 0\n  z'' = lambda1\n"));
  const json d = json::parse(to_json(show({.model = "quadratic-particle"})));
  std::unordered_map<Expression, double> at;
  for (const auto& [name, value] :
       {std::pair("x", 0.3), {"y", 0.7}, {"z", 0.0}, {"x'", 0.5}, {"y'", -1.1}, {"z'", 0.35}})
    at.emplace(Expression::symbol(name), value);
  // λ = (ẋ ẏ − 2 x y)/(1 + y²)
  const double lambda = (0.5 * -1.1 - 2 * 0.3 * 0.7) / (1 + 0.49);
  EXPECT_NEAR(evaluate(parse(d.at("multipliers")[0].get<std::string>()), at), lambda, 1e-14);
  EXPECT_NEAR(evaluate(parse(d.at("accelerations")[0].get<std::string>()), at), -0.6 - lambda * 0.7, 1e-14);
  EXPECT_NEAR(evaluate(parse(d.at("accelerations")[1].get<std::string>()), at), -1.4, 1e-14);
}

/// What the command prints is to_text of the answer, up to times.
TEST(Command, prints_the_text_of_the_answer) {
  const auto timeless = [](const std::string& text) {
    const std::string run = std::regex_replace(text, std::regex("time +[0-9].*"), "time");
    return std::regex_replace(run, std::regex("(\n  (dla|rk4|reference) .*[^ ]) +[0-9.e+]+(?=\n)"), "$1");
  };
  EXPECT_EQ(test::run("models").output, to_text(models()) + "\n'rattleback show NAME' tells more about one.\n");
  EXPECT_EQ(test::run("show snakeboard").output, to_text(show({.model = "snakeboard"})));
  EXPECT_EQ(test::run("show snakeboard --json").output, to_json(show({.model = "snakeboard"})) + "\n");
  const AnalyseAnswer robot = analyse({.model = "mobile-robot"});
  EXPECT_EQ(test::run("analyse mobile-robot").output, to_text(robot));
  EXPECT_EQ(test::run("analyse mobile-robot --latex").output, to_latex(robot));
  EXPECT_EQ(test::run("analyse mobile-robot --json").output, to_json(robot) + "\n");
  EXPECT_EQ(timeless(test::run("run knife-edge -m dla --observe impulses").output),
            timeless(to_text(run({.problem = {.model = "knife-edge"}, .method = "dla", .observe = {"impulses"}}))));
  EXPECT_EQ(timeless(test::run("compare quadratic-particle --time 4").output),
            timeless(to_text(compare({.problem = {.model = "quadratic-particle", .time = 4.0}}))));
}

}  // namespace answer_test
}  // namespace rattleback::answer
