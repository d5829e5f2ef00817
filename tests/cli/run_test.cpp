// models, show, run and compare.

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "tests/places.hpp"

namespace run_test {

using namespace rattleback::test;
using nlohmann::json;

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

TEST(Models, lists_the_catalogue) {
  const Result r = run("models");
  EXPECT_EQ(r.status, 0);
  for (const char* name : {"quadratic-particle", "chaplygin-sleigh", "snakeboard", "ball-on-turntable"}) {
    EXPECT_TRUE(contains(r.output, name));
  }
  const json document = json::parse(run("models --json", false).output);
  EXPECT_GE(document.size(), 18U);
  for (const json& entry : document) EXPECT_FALSE(entry.at("source").get<std::string>().empty());
  EXPECT_EQ(run("models --quiet").output, "");
}

TEST(Show, tells_what_follows_from_a_model) {
  const Result r = run("show chaplygin-sleigh");
  EXPECT_EQ(r.status, 0);
  for (const char* part : {"Chaplygin sleigh on an incline", "Source: ", "L = ", "p_theta = ", "M[3,3] = I + a^2*m",
                           "A[1,1] = -sin(theta)", "not integrable", "the energy is conserved", "rank 1"}) {
    EXPECT_TRUE(contains(r.output, part));
  }
  EXPECT_TRUE(contains(run("show snakeboard").output, "constraint 1, constraint 2 become dependent at q = "));
  EXPECT_TRUE(contains(run("show ball-on-turntable").output, "affine constraints do work"));
  for (const char* name : {"ball-on-turntable", "rolling-disk", "chaplygin-sleigh-horizontal"}) {
    const Result claims = run(std::string("show ") + name);
    EXPECT_TRUE(contains(claims.output, "the declared quantities are conserved"));
    EXPECT_EQ(claims.output.find("Problems"), std::string::npos) << claims.output;
  }
}

// Definitions, Lagrangian and constraints as their author wrote them, energy by his names.
TEST(Show, speaks_the_language_of_the_author) {
  const std::string angles = rattleback::test::source_file("tests/model/written_out/rattleback.toml");
  const std::string text = run("show " + angles).output;
  EXPECT_TRUE(contains(text, "  W = angular(Q)\n"));
  EXPECT_TRUE(contains(text, "  L = 0.5*m*dot(c', c') + 0.5*dot(W, J*W) - m*g*c[3]\n"));
  EXPECT_TRUE(contains(text, "  slip: 0 = [v[1], v[2]]\n      with v = c' + Q*cross(W, r)\n"));
  EXPECT_TRUE(contains(text, "  E = 0.5*m*(c[3]'^2 + x'^2 + y'^2) + c[3]*g*m + 0.5*(I33*W[3]^2 + "));
  EXPECT_TRUE(contains(run("show mclachlan-perlmutter").output, "sum(i = 1..n, "));
  const std::string latex = run("show " + angles + " --latex").output;
  EXPECT_TRUE(contains(latex, "W &= \\begin{pmatrix} \\dot{\\phi} \\cos\\theta"));
  EXPECT_TRUE(contains(latex, "L &= \\frac{1}{2} m \\left(\\dot{c}_{3}^{2} + "));
}

TEST(Show, speaks_latex_and_json) {
  const Result latex = run("show rolling-disk --latex");
  EXPECT_EQ(latex.status, 0);
  EXPECT_TRUE(contains(latex.output, "\\begin{align*}"));
  EXPECT_TRUE(contains(latex.output, "\\dot{\\theta}"));
  const json document = json::parse(run("show rolling-disk --json", false).output);
  for (const char* key :
       {"name", "title", "source", "coordinates", "lagrangian", "constraints", "parameters", "momenta", "energy",
        "mass_matrix", "constraint_matrix", "exact", "conserved", "symmetries", "diagnosis", "initial", "run"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document.at("diagnosis").at("rank"), 2);
}

TEST(Show, reports_an_integrable_constraint_and_does_not_refuse_it) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.toml")
      << "coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2)\"\nconstraints = [\"x*x' + y*y'\"]\n"
         "[initial]\nq = [1, 0]\nv = [0, 1]\n";
  EXPECT_TRUE(contains(run("show " + (folder / "m.toml")).output, "holonomic in disguise"));
  const Result r = run("run " + (folder / "m.toml") + " --step 0.01 --steps 100");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(contains(r.output, "note: constraint 1 (0 = x*x' + y*y') is integrable"));
}

TEST(Run, json_has_the_keys_that_are_promised) {
  const Result r = run("run chaplygin-sleigh -m reference --step 0.12 --time 30 --json", false);
  EXPECT_EQ(r.status, 0);
  const json d = json::parse(r.output);
  EXPECT_EQ(d.at("model"), "chaplygin-sleigh");
  EXPECT_EQ(d.at("method"), "reference");
  EXPECT_EQ(d.at("step"), 0.12);
  EXPECT_EQ(d.at("steps"), 250);
  EXPECT_DOUBLE_EQ(d.at("time"), 30.0);
  EXPECT_NEAR(d.at("q").at(1), -38.49751118, 5e-9);
  EXPECT_EQ(d.at("v").size(), 3U);
  EXPECT_EQ(d.at("p").size(), 3U);
  EXPECT_EQ(d.at("energy").at("initial"), 0.0);
  EXPECT_LT(d.at("energy").at("max_error"), 1e-10);
  EXPECT_TRUE(d.at("energy").contains("final"));
  EXPECT_LT(d.at("constraint").at("max"), 1e-10);
  EXPECT_TRUE(d.at("newton").contains("mean") && d.at("newton").contains("max"));
  EXPECT_GT(d.at("seconds"), 0.0);
  EXPECT_GT(d.at("ns_per_step"), 0.0);
}

TEST(Run, options_replace_what_the_model_says) {
  const json d = json::parse(
      run("run free-particle -m rk4 --q0 0,pi/2,0 --v0 1,2,pi/2 --step 0.5 --steps 1 --json", false).output);
  EXPECT_EQ(d.at("steps"), 1);
  EXPECT_NEAR(d.at("q").at(1), 0.5 * 3.141592653589793 + 1.0, 1e-14) << "y moves freely";
  const json heavy =
      json::parse(run("run knife-edge --set m=4 --set J=2*pi --v0 1,0,1 --steps 1 --step 0.1 --json", false).output);
  EXPECT_NEAR(heavy.at("energy").at("initial"), 2.0 + 3.141592653589793, 1e-14);
}

TEST(Run, negative_numbers_may_start_a_list) {
  const Result r = run("run free-particle -m rk4 --q0 -1,0,0 --v0 -1,2,0 --step 0.5 --steps 1 --json", false);
  ASSERT_EQ(r.status, 0);
  EXPECT_NEAR(json::parse(r.output).at("q").at(1), 1.0, 1e-14);
}

TEST(Run, project_uses_the_nearest_consistent_velocity) {
  EXPECT_EQ(run("run quadratic-particle -m rk4 --q0 0,2,0 --v0 1,1,1 --steps 1").status, 2);
  const Result r = run("run quadratic-particle -m rk4 --q0 0,2,0 --v0 1,1,1 --steps 1 --project");
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(contains(r.output, "note: the start was projected onto the constraints"));
}

TEST(Run, a_time_that_is_no_multiple_of_the_step_is_mentioned) {
  const Result r = run("run free-particle -m rk4 --step 0.3 --time 1");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.output, "note: 1 is not a multiple of the step 0.3: the run takes 3 steps to t = 0.9"));
}

TEST(Run, exact_solutions_are_compared_with) {
  const json d = json::parse(run("run rolling-disk --json", false).output);
  EXPECT_LT(d.at("exact").at("error"), 1e-9);
  EXPECT_TRUE(contains(run("run rolling-disk").output, "exact       q differs by"));
}

TEST(Run, json_is_the_only_thing_on_standard_output) {
  const TemporaryFolder folder;
  const Result r = run("run rolling-disk --steps 10 --json -o " + (folder / "a.h5"), false);
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(json::parse(r.output).at("output"), folder / "a.h5");
  EXPECT_EQ(run("run rolling-disk --steps 10 --quiet").output, "");
}

TEST(Run, ten_million_steps_need_little_memory_and_survive_a_kill_long) {
  const TemporaryFolder folder;
  const auto arguments = [&](std::int64_t steps, const std::string& file) {
    return "run mclachlan-perlmutter -m rk4 --step 0.001 --every 1000 --quiet --steps " + std::to_string(steps) +
           " -o " + (folder / file);
  };
  // A run without end, killed when the first checkpoint after the start is there.
  const std::string checkpoint = folder / "parts.h5.checkpoint";
  const Result killed = shell(rattleback::test::rattleback_command() + " " + arguments(1000000000000, "parts.h5") +
                              " & pid=$!\nwhile ! grep -q '\"step\": [1-9]' " + checkpoint +
                              " 2>/dev/null; do sleep 0.01; done\nkill -9 $pid; wait $pid; echo $?");
  EXPECT_TRUE(contains(killed.output, "137")) << "it was still running";
  EXPECT_FALSE(std::filesystem::exists(folder / "parts.h5"));
  const std::string text = content(checkpoint);
  const std::int64_t reached = json::parse(text.substr(text.find('\n'))).at("step");
  const std::int64_t steps = sanitized ? 2 * reached : std::max<std::int64_t>(10000000, 2 * reached);

  ASSERT_EQ(run(arguments(steps, "whole.h5")).status, 0);
  if (!sanitized) {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    EXPECT_LT(usage.ru_maxrss, 200 * 1024) << "KB, the largest of all children so far";
  }
  const Result resumed = run(arguments(steps, "parts.h5") + " --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.output;
  EXPECT_TRUE(content(folder / "whole.h5") == content(folder / "parts.h5")) << "the same bytes";
}

TEST(Run, ctrl_c_saves_and_says_how_to_resume) {
  const TemporaryFolder folder;
  const std::string file = folder / "a b.csv";
  const std::string arguments =
      "run mclachlan-perlmutter -m rk4 --step 0.001 --steps 2000000000 --every 100000 -o '" + file + "'";
  const Result r = shell("exec 2>&1; " + rattleback::test::rattleback_command() + " " + arguments +
                         " & pid=$!\n"
                         "while [ ! -e '" +
                         file +
                         ".checkpoint' ]; do sleep 0.01; done\n"
                         "sleep 0.2; kill -INT $pid; wait $pid; echo status $?");
  EXPECT_TRUE(contains(r.output, "status 130"));
  EXPECT_TRUE(contains(r.output, "interrupted after step "));
  EXPECT_TRUE(contains(r.output, "resume with\n  rattleback " + arguments + " --resume"));
  const std::string rows = content(file);
  EXPECT_EQ(rows.back(), '\n');
  EXPECT_TRUE(std::filesystem::exists(file + ".checkpoint"));
}

TEST(Compare, prints_one_table) {
  const Result r = run("compare quadratic-particle -m reference,rk4,rk4-index0 --step 0.2 --time 250");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.output, "h = 0.2, 1250 steps to t = 250"));
  EXPECT_TRUE(contains(r.output, "energy error"));
  const json d =
      json::parse(run("compare quadratic-particle -m reference,rk4 --step 0.2 --time 250 --json", false).output);
  ASSERT_EQ(d.at("methods").size(), 2U);
  const json& reference = d.at("methods").at(0);
  const json& rk4 = d.at("methods").at(1);
  EXPECT_LT(reference.at("energy").at("max_error"), 1e-10);
  EXPECT_LT(reference.at("constraint").at("max"), 1e-10);
  // The reference end state of the quadratic particle.
  EXPECT_NEAR(reference.at("q").at(0), -0.2272693756, 5e-11);
  EXPECT_NEAR(reference.at("q").at(1), 0.701658506, 5e-10);
  EXPECT_NEAR(reference.at("q").at(2), 1.037550638, 5e-10);
  // RK4 loses energy and leaves the constraint.
  EXPECT_GT(rk4.at("energy").at("max_error"), 1e-3);
  EXPECT_GT(rk4.at("constraint").at("max"), 1e-5);
  EXPECT_GT(rk4.at("from_reference"), 1e-2);
}

TEST(Compare, a_method_that_fails_does_not_hide_the_others) {
  const TemporaryFolder folder;
  std::ofstream(folder / "fall.toml")
      << "coordinates = ['x']\nlagrangian = \"0.5*x'^2 + 1/x^2\"\n[initial]\nq = [1]\nv = [0]\n";
  const Result r = run("compare " + (folder / "fall.toml") + " -m reference,rk4 --step 0.01 --time 2");
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(contains(r.output, "failed at t = "));
  EXPECT_TRUE(contains(r.output, "not all methods reached the end"));
}

}  // namespace run_test
