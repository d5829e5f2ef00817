// The methods and observers as users call them: names and options, two positions, observers, converge, applied forces,
// and runs that fail on their way.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "tests/places.hpp"

namespace method_test {

using namespace rattleback::test;
using nlohmann::json;

/// A folder with the models of these tests, in which the command runs.
class Bench : public Workplace {
 public:
  Bench() {
    add("oscillator", "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[initial]\nq = [1]\nv = [0]\n");
    add("damped",
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[parameters]\nc = 0.2\n[forces]\nx = \"-c*x'\"\n"
        "[initial]\nq = [1]\nv = [0]\n");
    add("rough",
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[forces]\nx = \"-(1 + x)*x'\"\n"
        "[initial]\nq = [1]\nv = [0]\n");
    add("curved", "coordinates = ['x']\nlagrangian = \"0.5*exp(x)*x'^2 - 0.5*x^2\"\n[initial]\nq = [1]\nv = [0]\n");
    add("vanishing",  // at x = 0 the only constraint does
        "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - y\"\nconstraints = [\"x*z' - "
        "x*y'\"]\n"
        "[initial]\nq = [-1, 0, 0]\nv = [1, 0.5, 0.5]\n");
    add("stiff",  // frequencies up to 900
        "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - 1e5*(x^2 + y^2 - 1)^2\"\n"
        "constraints = [\"z' - y*x'\"]\n[initial]\nq = [1, 0, 0]\nv = [1, 1, 0]\n");
    add("explosion",  // x is infinite at t = 1.311
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 + 0.25*x^4\"\n[initial]\nq = [1]\nv = [1]\n");
    add("root",  // undefined for x < 0, where large steps of rk4 look
        "coordinates = ['x']\nlagrangian = \"0.5*x'^2 + sqrt(x)\"\n[initial]\nq = [1]\nv = [-0.5]\n");
  }

  /// The cells of a CSV file, line by line.
  std::vector<std::vector<std::string>> table(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream text(content(folder_ / name));
    for (std::string line; std::getline(text, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }
};

std::size_t column(const std::vector<std::string>& head, const std::string& label) {
  const auto found = std::find(head.begin(), head.end(), label);
  EXPECT_NE(found, head.end()) << label;
  return static_cast<std::size_t>(found - head.begin());
}

// ---------------------------------------------------------------------------------------------------------------------
// Names and options

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Methods, all_names_and_options_work) {
  const Bench bench;
  const json reference = bench.document("run quadratic-particle --step 0.05 --time 5");
  const auto error = [&](const std::string& method, const std::string& model = "quadratic-particle") {
    const json d = bench.document("run " + model + " -m " + method + " --step 0.05 --time 5");
    if (d.is_null()) return 1.0;
    EXPECT_EQ(d.at("method"), method);
    double largest = 0.0;
    if (model != "quadratic-particle") return std::abs(d.at("q").at(0).get<double>() - std::cos(5.0));
    for (std::size_t i = 0; i < 3; ++i) {
      largest = std::max(largest, std::abs(d.at("q").at(i).get<double>() - reference.at("q").at(i).get<double>()));
    }
    return largest;
  };
  for (const char* first : {"dla:alpha=0.3", "gni:alpha=0.3", "dla:alpha=0", "dla:alpha=1"}) {
    EXPECT_GT(error(first), 1e-3) << first;
    EXPECT_LT(error(first), 0.2) << first;
  }
  for (const std::string& second :
       words("dla dla:midpoint dla:trapezoidal dla:alpha=0.5 dla:sym=0.25 dla:order=2 dla:start=momentum "
             "dla:start=reference gni gni:midpoint gni:trapezoidal gni:sym=0.1 gni:start=consistent gni:start=zero "
             "gni:trapezoidal:start=thesis ld lds hd hds")) {
    const double found = error(second);
    EXPECT_GT(found, 1e-5) << second;
    EXPECT_LT(found, 5e-3) << second;
  }
  for (const std::string& fourth :
       words("dla:order=4 dla:trapezoidal:order=4:stages=5 dla:sym=0.25:order=4 gni:order=4 "
             "ld:order=4 rk4 rk4-index0")) {
    const double found = error(fourth);
    EXPECT_GT(found, 1e-9) << fourth;
    EXPECT_LT(found, 1e-4) << fourth;
  }
  for (const std::string& high : words("dla:order=6 dla:midpoint:order=6:stages=9 dla:order=6:stages=13 "
                                       "dla:trapezoidal:order=8 dla:order=8:stages=21 dla:order=10")) {
    EXPECT_LT(error(high), 1e-8) << high;
  }
  EXPECT_LT(error("reference:tolerance=1e-6"), 1e-3);
  EXPECT_GT(error("reference:tolerance=1e-6"), 1e-12);
  EXPECT_LT(error("del", "oscillator.toml"), 2e-3);
  EXPECT_LT(error("del:trapezoidal:start=reference", "oscillator.toml"), 2e-3);
  EXPECT_LT(error("del:sym=0.25:order=6", "oscillator.toml"), 1e-9);
}

TEST(Methods, sym_is_symmetric_at_every_position) {
  const Bench bench;
  for (const char* position : {"0", "0.1", "0.25", "0.3", "0.45", "0.7", "1"}) {
    const std::string rule = std::string(":sym=") + position;
    const Answer composed = bench("run quadratic-particle --steps 3 --quiet -m dla" + rule + ":order=4");
    EXPECT_EQ(composed.status, 0) << position << "\n" << composed.err;
    const json d = bench.document("converge quadratic-particle --time 5 --count 3 -m dla" + rule + ",gni" + rule);
    for (const json& m : d.at("methods")) EXPECT_EQ(m.at("expected_order"), 2) << m.at("method");
  }
}

TEST(Methods, names_of_the_thesis_mean_the_same) {
  const Bench bench;
  for (const auto& [alias, name] :
       {std::pair{"ld", "dla:midpoint"}, std::pair{"lds", "dla:trapezoidal"}, std::pair{"hd", "gni:midpoint"},
        std::pair{"hds", "gni:trapezoidal"}, std::pair{"hd:start=thesis", "gni:midpoint:start=thesis"}}) {
    const auto run_of = [&](const std::string& method) {
      return bench.document("run chaplygin-sleigh --step 0.12 --time 30 -m " + method);
    };
    const json a = run_of(alias);
    const json b = run_of(name);
    for (const char* key : {"q", "v", "energy", "constraint", "newton"}) EXPECT_EQ(a.at(key), b.at(key)) << alias;
  }
}

/// Where iterations end: options of run are those of the method, a run is resumed with the same ones only.
TEST(Methods, iterations_end_where_one_says) {
  const Bench bench;
  const std::string run = "run chaplygin-sleigh --step 0.12 --time 30 ";
  const json sharp = bench.document(run + "-m dla");
  for (const auto& [option, method] : {std::pair{"--newton-tolerance 1e-6", "dla:newton-tolerance=1e-6"},
                                       std::pair{"--newton-iterations 1", "dla:newton-iterations=1"}}) {
    const json a = bench.document(run + "-m dla " + option);
    const json b = bench.document(run + "-m " + method);
    EXPECT_EQ(a.at("method"), method);
    for (const char* key : {"q", "v", "energy", "constraint", "newton"}) EXPECT_EQ(a.at(key), b.at(key)) << option;
    EXPECT_LT(a.at("newton").at("mean"), sharp.at("newton").at("mean")) << option;
    EXPECT_GT(a.at("constraint").at("max").get<double>(), 1e-12) << option;
  }
  EXPECT_LT(sharp.at("constraint").at("max").get<double>(), 1e-14);

  const Answer reference = bench(run + "--newton-tolerance 1e-6");
  EXPECT_EQ(reference.status, wrong_request);
  EXPECT_TRUE(contains(reference.err, "the method reference has no option 'newton-tolerance'"));
  const Answer both = bench(run + "-m dla --newton-tolerance 1e-6 --newton-iterations 2");
  EXPECT_EQ(both.status, wrong_request);
  EXPECT_TRUE(contains(both.err, "newton-tolerance and newton-iterations are two ends of an iteration: give one"));
  const Answer word = bench(run + "-m dla --newton-iterations few");
  EXPECT_TRUE(contains(word.err, "newton-iterations must be a positive integer, found 'few'"));
}

TEST(Methods, text_and_json_tell_what_a_method_has_done) {
  const Bench bench;
  const std::string arguments = "run chaplygin-sleigh -m dla:midpoint --step 0.12 --time 30 --observe reversibility";
  const json d = bench.document(arguments);
  EXPECT_LT(d.at("energy").at("midpoints").at("min"), d.at("energy").at("midpoints").at("max"));
  EXPECT_NEAR(d.at("energy").at("midpoints").at("max"), 0.0, 1e-3);
  EXPECT_GE(d.at("newton").at("mean"), 1.0);
  EXPECT_LT(d.at("newton").at("mean"), 5.0);
  EXPECT_GE(d.at("newton").at("max"), d.at("newton").at("mean"));
  EXPECT_LT(d.at("observed").at("reversibility_defect").at("max"), 1e-12);
  EXPECT_EQ(d.at("outcome"), "finished");
  EXPECT_FALSE(bench.document("run chaplygin-sleigh -m rk4 --steps 2").at("energy").contains("midpoints"));

  const std::string text = bench(arguments).out;
  for (const char* part : {"dla:midpoint, h = 0.12, 250 steps to t = 30", "  midpoints   energy in [",
                           "  observed    reversibility_defect, largest ", " iterations each time, at most "}) {
    EXPECT_TRUE(contains(text, part));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Observers

TEST(Observe, every_observer_has_columns_and_numbers) {
  const Bench bench;
  struct Observed {
    const char* run;
    const char* observer;
    std::vector<std::string> labels;
    double low;  ///< of the largest value
    double high;
  };
  const std::vector<Observed> all{
      {"quadratic-particle -m dla", "midpoint-energy", {"midpoint_energy"}, 1.49, 1.5},
      {"rolling-disk -m dla", "discrete-constraint", {"discrete_constraint_1", "discrete_constraint_2"}, 0.0, 1e-12},
      {"quadratic-particle -m gni", "discrete-constraint", {"discrete_constraint_1"}, 1e-4, 0.1},
      {"rolling-disk -m gni", "node-constraint", {"node_constraint_1", "node_constraint_2"}, 0.0, 1e-12},
      {"quadratic-particle -m rk4", "node-constraint", {"node_constraint_1"}, 1e-9, 1e-4},
      {"rolling-disk -m dla", "impulses", {"impulse_1", "impulse_2"}, 0.01, 0.06},
      {"rolling-disk -m reference", "constraint-forces", {"constraint_force_x", "constraint_force_y"}, 0.1, 0.6},
      {"quadratic-particle -m dla", "momentum", {"momentum of translation of z"}, 0.7, 0.9},
      {"quadratic-particle -m reference", "momentum", {"momentum of translation of z"}, 0.7, 0.9},
      {"rolling-disk -m dla:constraints=alpha=0.3", "reduced-equation", {"reduced_equation"}, 0.0, 1e-13},
      {"quadratic-particle -m rdla",
       "reduced-forces",
       {"reduced_lagrangian", "force_minus_x", "force_minus_y", "force_plus_x", "force_plus_y"},
       1e-4,
       0.5},
      {"rolling-disk -m pthdel", "symplectic", {"symplectic_defect"}, 0.0, 1e-13},
      {"chaplygin-sleigh-horizontal -m dla", "momentum-equation", {"momentum_equation"}, 0.0, 1e-12},
      {"oscillator.toml -m del", "symplectic", {"symplectic_defect"}, 0.0, 1e-13},
      {"rolling-disk -m dla:alpha=0.3", "symplectic", {"symplectic_defect"}, 0.0, 1e-13},
      {"damped.toml -m rk4", "spectral-radius", {"spectral_radius"}, std::exp(-0.01) - 1e-6, std::exp(-0.01) + 1e-6},
      {"rolling-disk -m dla:order=4", "reversibility", {"reversibility_defect"}, 0.0, 1e-12},
      {"rolling-disk -m dla:alpha=0.3", "reversibility", {"reversibility_defect"}, 1e-4, 0.1},
  };
  for (const Observed& o : all) {
    const std::string arguments =
        std::string("run ") + o.run + " --step 0.1 --steps 50 --force -o a.csv --observe " + o.observer;
    SCOPED_TRACE(arguments);
    const json d = bench.document(arguments);
    if (d.is_null()) continue;
    const auto table = bench.table("a.csv");
    ASSERT_EQ(table.size(), 52U);
    for (const std::string& label : o.labels) {
      const std::size_t k = column(table[0], label);
      double largest = 0.0;
      for (std::size_t row = 2; row < table.size(); ++row) {  // there is no step before the first node
        ASSERT_EQ(table[row].size(), table[0].size());
        const double value = std::stod(table[row][k]);
        EXPECT_TRUE(std::isfinite(value)) << "row " << row;
        largest = std::max(largest, std::abs(value));
      }
      const double reported = d.at("observed").at(label).at("max");
      EXPECT_GE(reported, largest);
      EXPECT_GE(reported, o.low);
      EXPECT_LE(reported, o.high);
    }
  }
}

TEST(Observe, a_run_is_resumed_only_with_the_same_observers) {
  const Bench bench;
  const std::string long_run = "run quadratic-particle -m dla --steps 2000000000 --every 1000000 --quiet -o a.csv";
  shell("cd '" + bench.path() + "'\nexec " + rattleback::test::rattleback_command() + " " + long_run +
        " --observe momentum,reversibility >out.txt 2>&1 & pid=$!\n"
        "for i in $(seq 3000); do [ -e a.csv.checkpoint ] && break; sleep 0.01; done\nkill -9 $pid; wait $pid");
  for (const auto& [observers, now] :
       {std::pair{"", "now it is nothing"}, std::pair{" --observe momentum", "now it is momentum"},
        std::pair{" --observe reversibility,momentum", "now it is reversibility,momentum"}}) {
    const Answer a = bench(long_run + " --resume" + observers);
    EXPECT_EQ(a.status, wrong_request);
    for (const char* part :
         {"a.csv.checkpoint belongs to another run", "its list of observers was momentum,reversibility", now,
          "use the same options", "--force"}) {
      EXPECT_TRUE(contains(a.err, part));
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Two positions

TEST(TwoPositions, those_of_the_reference_reproduce_start_reference) {
  const Bench bench;
  const json first = bench.document("run quadratic-particle -m reference --step 0.1 --steps 1").at("q");
  const std::string q1 = first.at(0).dump() + "," + first.at(1).dump() + "," + first.at(2).dump();
  const auto end = [&](const std::string& rest) {
    return bench.document("run quadratic-particle --step 0.1 --steps 50 -m dla:midpoint" + rest);
  };
  const json given = end(" --q1 " + q1);
  const json asked = end(":start=reference");
  const json plain = end("");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(given.at("q").at(i), asked.at("q").at(i), 1e-12);
    EXPECT_NEAR(given.at("v").at(i), asked.at("v").at(i), 1e-12);
  }
  EXPECT_GT(std::abs(given.at("q").at(2).get<double>() - plain.at("q").at(2).get<double>()), 1e-4);

  ASSERT_EQ(bench("run quadratic-particle --step 0.1 --steps 3 -m dla -o a.csv --q1 " + q1).status, 0);
  const auto table = bench.table("a.csv");
  ASSERT_EQ(table.size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::stod(table[2][1 + i]), first.at(i), 1e-15) << "q1 itself";
}

// ---------------------------------------------------------------------------------------------------------------------
// converge

TEST(Converge, measures_the_orders) {
  const Bench bench;
  const json d = bench.document("converge quadratic-particle -m dla:midpoint,rk4 --time 5 --count 8");
  EXPECT_EQ(d.at("model"), "quadratic-particle");
  EXPECT_EQ(d.at("time"), 5.0);
  EXPECT_NEAR(d.at("reference").at("q").at(1), std::sin(5.0 * std::sqrt(2.0)) / std::sqrt(2.0), 1e-11);
  EXPECT_EQ(d.at("reference").at("v").size(), 3U);
  ASSERT_EQ(d.at("methods").size(), 2U);
  const double orders[]{2.0, 4.0};
  for (std::size_t k = 0; k < 2; ++k) {
    const json& m = d.at("methods").at(k);
    EXPECT_EQ(m.at("method"), k == 0 ? "dla:midpoint" : "rk4");
    EXPECT_EQ(m.at("expected_order"), orders[k]);
    EXPECT_NEAR(m.at("order"), orders[k], 0.05);
    ASSERT_EQ(m.at("points").size(), 8U);
    EXPECT_EQ(m.at("points").front().at("steps"), 19);
    EXPECT_EQ(m.at("points").back().at("steps"), 999);
    EXPECT_TRUE(m.at("points").back().at("fitted"));
    double last = 1e300;
    for (const json& p : m.at("points")) {
      EXPECT_NEAR(p.at("step").get<double>() * p.at("steps").get<double>(), 5.0, 1e-12);
      EXPECT_EQ(p.at("outcome"), "finished");
      EXPECT_LT(p.at("error"), last);
      last = p.at("error");
      for (const char* key : {"energy_error", "newton", "seconds"}) EXPECT_TRUE(p.at(key).is_number()) << key;
    }
  }
  const std::string text = bench("converge quadratic-particle -m dla:midpoint --time 5 --count 4").out;
  for (const char* part : {"errors at t = 5 against the reference", "dla:midpoint\n", "energy error", "  order 2.0",
                           "(over the steps marked *), 2 expected"}) {
    EXPECT_TRUE(contains(text, part));
  }
}

TEST(Converge, check_answers_by_the_exit_status) {
  const Bench bench;
  const Answer yes = bench(
      "converge quadratic-particle --time 5 --check --quiet -m "
      "dla:midpoint,dla:trapezoidal,dla:alpha=0.3,dla:sym=0.25,gni:start=thesis,rk4,dla:order=4,dla:order=6,ld");
  EXPECT_EQ(yes.status, 0) << yes.err;
  EXPECT_EQ(yes.out + yes.err, "");
  const Answer both = bench("converge cart-pendulum -m dla,gni,hds,gni:order=4 --time 1 --from 40 --check --quiet");
  EXPECT_EQ(both.status, 0) << "velocity constraints and holonomic ones: " << both.err;
  const Answer forced = bench("converge damped.toml -m dla,del,gni,rk4,dla:order=4 --time 10 --check --quiet");
  EXPECT_EQ(forced.status, 0) << forced.err;

  const Answer no = bench("converge quadratic-particle -m dla,rk4 --time 20 --from 2 --to 6 --count 5 --check --quiet");
  EXPECT_EQ(no.status, answer_is_no) << "steps of 4 and more";
  EXPECT_TRUE(contains(no.err, "order 2 was promised"));
  EXPECT_TRUE(contains(no.err, "rk4"));
}

/// Rules of order 1 have order 2 in the positions if these are the start and L is natural (Cortés & Martínez, section
/// 4).
TEST(Converge, expected_orders_know_the_start_and_the_system) {
  const Bench bench;
  const auto orders = [&](const std::string& model, const std::string& method) {
    const json d = bench.document("converge " + model + " --time 5 --count 6 -m " + method + ":start=momentum," +
                                  method + ":start=reference");
    for (const json& m : d.at("methods")) EXPECT_NEAR(m.at("order"), m.at("expected_order"), 0.2) << m.at("method");
    return std::pair(d.at("methods").at(0).at("expected_order").get<int>(),
                     d.at("methods").at(1).at("expected_order").get<int>());
  };
  EXPECT_EQ(orders("oscillator.toml", "del:alpha=0"), std::pair(1, 2));
  EXPECT_EQ(orders("oscillator.toml", "dla:alpha=0.3"), std::pair(1, 2));
  EXPECT_EQ(orders("damped.toml", "del:alpha=0"), std::pair(1, 2)) << "friction that knows of velocities only";
  EXPECT_EQ(orders("rough.toml", "del:alpha=0"), std::pair(1, 1)) << "friction that depends on the place";
  EXPECT_EQ(orders("curved.toml", "del:alpha=0"), std::pair(1, 1)) << "inertia that depends on the place";
  EXPECT_EQ(orders("quadratic-particle", "dla:alpha=0"), std::pair(1, 1)) << "a constraint that depends on q";
  EXPECT_EQ(orders("quadratic-particle", "dla:midpoint"), std::pair(2, 2));
}

TEST(Converge, check_does_not_claim_what_was_not_measured) {
  const Bench bench;
  // Promises no order; all of its errors are round-off. Neither is a wrong order.
  for (const char* method : {"reference", "dla:order=10"}) {
    const Answer a = bench(std::string("converge quadratic-particle --time 5 --check -m ") + method);
    EXPECT_EQ(a.status, answer_is_no) << a.err;
    EXPECT_FALSE(contains(a.err, "was measured")) << method;
    EXPECT_TRUE(contains(a.out, "not measurable"));
    EXPECT_FALSE(contains(a.out, "nan")) << "errors of zero have no order";
  }
}

TEST(Converge, a_failure_at_large_steps_does_not_end_it) {
  const Bench bench;
  const std::string arguments = "converge root.toml -m rk4,dla --time 8 --from 2 --to 200 --count 5";
  const Answer text = bench(arguments);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "           8          1  failed\n"));
  const json d = bench.document(arguments);
  ASSERT_EQ(d.at("methods").size(), 2U);
  const json& rk4 = d.at("methods").at(0);
  EXPECT_EQ(rk4.at("points").at(0).at("outcome"), "failed");
  EXPECT_FALSE(rk4.at("points").at(0).at("fitted"));
  EXPECT_FALSE(rk4.at("points").at(0).at("error").is_number()) << "where it failed is not the end: no error is known";
  EXPECT_NEAR(rk4.at("order"), 4.0, 0.1);
  EXPECT_NEAR(d.at("methods").at(1).at("order"), 2.0, 0.1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Applied forces

TEST(Forces, a_damped_oscillator_follows_its_solution) {
  const Bench bench;
  for (const double c : {0.2, 1.0}) {
    const double t = 10.0;
    const double decay = 0.5 * c;
    const double frequency = std::sqrt(1.0 - decay * decay);
    const double x = std::exp(-decay * t) * (std::cos(frequency * t) + decay / frequency * std::sin(frequency * t));
    const double v = -std::exp(-decay * t) / frequency * std::sin(frequency * t);
    for (const auto& [method, tolerance] :
         {std::pair{"dla:midpoint", 1e-4}, std::pair{"dla:trapezoidal", 1e-4}, std::pair{"del", 1e-4},
          std::pair{"gni", 1e-4}, std::pair{"dla:order=4", 1e-8}, std::pair{"rk4", 1e-8}, std::pair{"rk4-index0", 1e-8},
          std::pair{"reference", 1e-12}}) {
      const json d =
          bench.document("run damped.toml --step 0.01 --time 10 --set c=" + std::to_string(c) + " -m " + method);
      EXPECT_NEAR(d.at("q").at(0), x, tolerance) << method;
      EXPECT_NEAR(d.at("v").at(0), v, tolerance) << method;
      EXPECT_NEAR(d.at("energy").at("final"), 0.5 * (x * x + v * v), tolerance) << method;
    }
  }
}

TEST(Forces, are_shown_and_their_work_is_mentioned) {
  const Bench bench;
  const std::string text = bench("show damped.toml").out;
  for (const char* part : {"Applied forces\n  F_x = -c*x'", "applied forces do work", "not conserved in general"}) {
    EXPECT_TRUE(contains(text, part));
  }
  EXPECT_EQ(bench.document("show damped.toml").at("applied_forces"), json({"-c*x'"}));
  EXPECT_TRUE(contains(bench("show damped.toml --latex").out, "F_{x} &= -c \\dot{x}"));
  EXPECT_TRUE(contains(bench("run damped.toml -m dla --step 0.1 --steps 10").out, "done by applied forces"));
  EXPECT_FALSE(contains(bench("run oscillator.toml -m dla --step 0.1 --steps 10").out, "applied forces"));
  // Gyroscopic forces, which algebra does not show to do no work.
  for (const char* model : {"veselova-nd", "veselova-4d"}) {
    EXPECT_TRUE(contains(bench(fmt::format("show {}", model)).out, "the energy is conserved")) << model;
    EXPECT_FALSE(contains(bench(fmt::format("run {} --steps 10", model)).out, "do work")) << model;
    EXPECT_FALSE(contains(bench(fmt::format("compare {} -m reference --steps 10", model)).out, "do work")) << model;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Wrong requests

struct WrongRequest {
  std::string label;
  std::string arguments;
  std::string says;        ///< parts of the message, separated by " ... "
  std::string never = "";  ///< what would mislead
  std::string model = "";  ///< what stands in m.toml, if anything
};

void PrintTo(const WrongRequest& wrong, std::ostream* out) { *out << wrong.label; }

std::string with(const std::string& method) { return "run quadratic-particle --step 0.1 --steps 3 -m " + method; }

std::string observing(const std::string& run, const std::string& observers) {
  return "run " + run + " --step 0.1 --steps 3 -o a.csv --observe " + observers;
}

WrongRequest forced(const std::string& label, const std::string& forces, const std::string& says) {
  return {label, "show m.toml", says, "",
          "coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\n[parameters]\nc = 1\n[forces]\n" + forces + "\n"};
}

void expect_parts(const std::string& message, const std::string& parts) {
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(" ... ", begin), parts.size());
    EXPECT_TRUE(contains(message, parts.substr(begin, end - begin)));
    begin = end + 5;
  }
}

class WrongRequests : public testing::TestWithParam<WrongRequest> {};

TEST_P(WrongRequests, get_status_2_and_the_reason) {
  const WrongRequest& wrong = GetParam();
  const Bench bench;
  if (!wrong.model.empty()) bench.add("m", wrong.model);
  const Answer a = bench(wrong.arguments);
  SCOPED_TRACE(wrong.arguments + "\n" + a.err);
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_EQ(a.out, "") << "standard output is for answers";
  EXPECT_TRUE(a.err.starts_with("rattleback: "));
  expect_parts(a.err, wrong.says);
  if (!wrong.never.empty()) {
    EXPECT_FALSE(contains(a.err, wrong.never)) << "misleading";
  }
  EXPECT_TRUE(bench.table("a.csv").empty()) << "nothing was begun";
}

const std::vector<WrongRequest> options_of_methods{
    {"odd_order", with("dla:order=3"), "order must be 2, 4, 6, 8 or 10, found 3"},
    {"order_beyond", with("dla:order=12"), "order must be 2, 4, 6, 8 or 10, found 12"},
    {"order_no_integer", with("dla:order=4.5"), "order must be 2, 4, 6, 8 or 10 ... 4.5"},
    {"order_no_number", with("dla:order=high"), "order must be ... 'high'"},
    {"order_without_symmetry", with("dla:order=6:alpha=0.3"), "order needs a symmetric rule ... alpha has order 1"},
    {"unknown_stages", with("dla:order=6:stages=10"), "order 6 with 10 stages ... there are those with 9, 13"},
    {"stages_without_order", with("dla:stages=5"), "stages", "order must be 2, 4, 6, 8 or 10, found 2"},
    {"alpha_too_large", with("dla:alpha=2"), "alpha must be a number between 0 and 1, found '2'"},
    {"sym_negative", with("gni:sym=-0.1"), "sym must be a number between 0 and 1, found '-0.1'"},
    {"two_rules", with("dla:midpoint:trapezoidal"), "midpoint and trapezoidal are two rules: give one"},
    {"two_rules_by_a_name", with("ld:alpha=0.3"), "takes no other rule"},
    {"value_for_a_flag", with("dla:midpoint=1"), "midpoint takes no value, found 'midpoint=1'"},
    {"alpha_without_value", with("dla:alpha"), "alpha needs a value ... alpha="},
    {"option_twice", with("dla:order=4:order=6"), "the option order is given twice"},
    {"unknown_start", with("dla:start=nonsense"), "start must be one of momentum, reference, found 'nonsense'"},
    {"start_of_another_method", with("gni:start=momentum"), "start must be one of consistent, zero, thesis"},
    {"gni_of_order_6", with("gni:order=6"), "gni to 4, not further ... dla has orders up to 10"},
    {"misspelt_option", with("dla:oder=4"), "the method dla has no option 'oder'; did you mean 'order'?"},
    {"unknown_option", with("gni:stages=5"), "gni has no option 'stages'; there are midpoint, trapezoidal"},
    {"start_and_order", with("dla:start=reference:order=4"), "a composition cannot start from two positions"},
    {"del_with_constraints", with("del"), "del is for systems without constraints ... dla"},
    {"project_and_order", with("dla:project=energy:order=4"),
     "project=energy is for single steps ... drop it or order"},
    {"project_and_two_positions", with("dla:project=energy:start=reference"), "project=energy needs a velocity"},
    {"project_and_q1", with("dla:project=energy --q1 1,0.1,0"), "cannot start from two positions"},
    {"project_onto_something", with("rk4:project=momentum"), "project must be one of energy, found 'momentum'"},
    {"project_with_forces", "run damped.toml -m del:project=energy --step 0.1 --steps 3", "applied forces do work"},
    {"project_of_another_method", with("reference:project=energy"), "reference has no option 'project'"},
    {"exact_and_a_rule", with("dla:exact:midpoint"), "exact and midpoint are two rules: give one"},
    {"exact_by_a_name", with("ld:exact"), "takes no other rule"},
    {"exact_where_it_is_not_known", "run chaplygin-sleigh -m dla:exact --steps 3",
     "the rule exact is for ... depends on"},
    {"literal_start_and_order", with("gni:start=literal:order=4"), "no order that a composition could raise"},
};
const std::vector<WrongRequest> observers{
    {"unknown", observing("rolling-disk -m dla", "entropy"), "no observer 'entropy' ... there are midpoint-energy"},
    {"misspelt", observing("rolling-disk -m dla", "momentums"), "'momentums'; did you mean 'momentum'?"},
    {"twice", observing("rolling-disk -m dla", "impulses,impulses"), "--observe has impulses twice"},
    {"twice_apart", observing("rolling-disk -m dla", "impulses --observe impulses"), "impulses twice"},
    {"nothing_between", observing("rolling-disk -m rk4", "midpoint-energy"), "rk4 knows nothing between its nodes"},
    {"no_one_step_method", observing("rolling-disk", "reversibility"), "reference is not a one-step method"},
    {"no_constraints", observing("oscillator.toml -m dla", "node-constraint"), "this system has no constraints"},
    {"no_constraint_force", observing("oscillator.toml", "constraint-forces"), "this system has no constraints"},
    {"no_discrete_constraint", observing("oscillator.toml -m dla", "discrete-constraint"), "no velocity constraints"},
    {"no_multipliers", observing("rolling-disk -m rk4", "impulses"), "rk4 has no multipliers that belong to a step"},
    {"no_symmetry", observing("oscillator.toml -m del", "momentum"), "the model declares no symmetry"},
    {"no_momenta", observing("rolling-disk -m rk4", "momentum-equation"), "does not keep the momenta"},
    {"no_symplectic_form", observing("rolling-disk -m gni", "symplectic"), "the state of the method is not (q, p)"},
    {"forces_and_symplectic", observing("damped.toml -m dla", "symplectic"), "applied forces change"},
    // Of a composition these are unknown, not zero.
    {"energy_of_a_composition", observing("rolling-disk -m dla:order=4", "midpoint-energy"), "cannot be observed"},
    {"impulses_of_a_composition", observing("rolling-disk -m dla:order=4", "impulses"), "cannot be observed"},
};
const std::vector<WrongRequest> two_positions{
    {"too_few", with("dla --q1 1,2"), "--q1 has 2 entries, expected 3: one for each of x, y, z"},
    {"no_number", with("dla --q1 1,a,3"), "--q1:1:3 ... unknown name 'a'"},
    {"of_gni", with("gni --q1 1,0.1,0"), "cannot start from two positions; variational methods without order can"},
    {"of_rk4", with("rk4 --q1 1,0.1,0"), "cannot start from two positions"},
    {"of_a_composition", with("dla:order=4 --q1 1,0.1,0"), "cannot start from two positions"},
    {"of_the_reference", with("reference --q1 1,0.1,0"), "cannot start from two positions"},
    {"and_start_reference", with("dla:start=reference --q1 1,0.1,0"), "--q1 ... start=reference"},
    {"off_a_holonomic_constraint", "run cart-pendulum -m dla --steps 3 --q1 0,0,0,0,0.5,-1", "--q1 ... holonomic"},
};
const std::vector<WrongRequest> convergence{
    {"from_1", "converge quadratic-particle --from 1", "--from and --to ... at least 2 ... found 1 and 1000"},
    {"from_0", "converge quadratic-particle --from 0", "--from must be positive, found 0"},
    {"to_below_from", "converge quadratic-particle --from 100 --to 50", "increasing; found 100 and 50"},
    {"to_no_number", "converge quadratic-particle --to many", "--to ... 'many' ... must be a number", "'tan'"},
    {"count_2", "converge quadratic-particle --count 2", "--count must be between 3 and 1000, found 2"},
    {"count_fraction", "converge quadratic-particle --count 3.5", "--count must be an integer, found 3.5"},
    {"step", "converge quadratic-particle --step 0.1", "'converge' has no option '--step'"},
    {"method", "converge quadratic-particle -m dla,rk5", "there is no method 'rk5'; did you mean 'rk4'?"},
    {"option", "converge quadratic-particle -m dla:order=3,rk4", "order must be 2, 4, 6, 8 or 10"},
    // Before anything is measured.
    {"unsuitable_method", "converge cart-pendulum --time 1 -m dla,del", "del is for systems without constraints"},
};
const std::vector<WrongRequest> wrong_forces{
    forced("on_no_coordinate", "y = \"-c*x'\"", "m.toml:6:1: unknown key 'y' in [forces] ... the keys are x"),
    forced("unknown_symbol", "x = \"-b*x'\"", "m.toml:6:7: unknown name 'b' ... [parameters] ... -b*x'"),
    forced("acceleration", "x = \"-c*x''\"", "m.toml:6:9: 'x''' ... only first derivatives"),
    forced("number", "x = 3", "m.toml:6:5: the applied force on x must be a text in quotes, found a number"),
    forced("empty", "x = ''", "m.toml:6:6: the expression is empty"),
};

std::string label_of(const testing::TestParamInfo<WrongRequest>& parameter) { return parameter.param.label; }
INSTANTIATE_TEST_SUITE_P(Method, WrongRequests, testing::ValuesIn(options_of_methods), label_of);
INSTANTIATE_TEST_SUITE_P(Observe, WrongRequests, testing::ValuesIn(observers), label_of);
INSTANTIATE_TEST_SUITE_P(TwoPositions, WrongRequests, testing::ValuesIn(two_positions), label_of);
INSTANTIATE_TEST_SUITE_P(Converge, WrongRequests, testing::ValuesIn(convergence), label_of);
INSTANTIATE_TEST_SUITE_P(Forces, WrongRequests, testing::ValuesIn(wrong_forces), label_of);

// ---------------------------------------------------------------------------------------------------------------------
// Runs that fail on their way

struct Failing {
  std::string label;
  std::string model;
  std::string method;
  double step;
  std::string says;       ///< the equation, what is wrong with it, and what may help
  double earliest = 0.0;  ///< the last good node lies between these times
  double latest = 1e9;
};

void PrintTo(const Failing& failing, std::ostream* out) { *out << failing.label; }

class FailingRuns : public testing::TestWithParam<Failing> {};

TEST_P(FailingRuns, say_where_why_and_what_may_help_and_keep_all_rows) {
  const Failing& f = GetParam();
  const Bench bench;
  std::ostringstream step;
  step << f.step;
  const std::string h = step.str();
  const std::string arguments = "run " + f.model + ".toml -m " + f.method + " --step " + h + " --steps 5000 -o a.csv";
  const Answer a = bench(arguments + " --json");
  SCOPED_TRACE(arguments + "\n" + a.err);
  ASSERT_EQ(a.status, numerics_failed);
  const json d = json::parse(a.out);
  const std::int64_t steps = d.at("steps");
  const double time = static_cast<double>(steps) * f.step;
  EXPECT_EQ(d.at("outcome"), "failed");
  EXPECT_GE(time, f.earliest - 1e-9);
  EXPECT_LE(time, f.latest + 1e-9);

  expect_parts(a.err, "rattleback: " + f.model + ": the run failed in step " + std::to_string(steps + 1) + " of 5000");
  expect_parts(a.err, "from t = ... with h = " + h + ": ");
  expect_parts(a.err, f.says);
  expect_parts(a.err, d.at("failure").get<std::string>() + " ... Everything up to there is in a.csv.");
  EXPECT_FALSE(contains(a.err, "equation 0")) << "constraints and stages are counted from 1";

  const auto table = bench.table("a.csv");
  ASSERT_EQ(table.size(), static_cast<std::size_t>(steps) + 2) << "a head, the start, and every step that was taken";
  EXPECT_NEAR(std::stod(table.back()[0]), time, 1e-9);
  EXPECT_EQ(std::stod(table.back()[1]), d.at("q").at(0).get<double>());
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
  EXPECT_TRUE(contains(bench(arguments + " --force").out, std::to_string(steps) + " steps to t = "));
}

const std::string no_rank = " ... singular at ... (0 = ... constraints may lose their rank ... with another step";
const std::string too_stiff = " ... not converged at ... (0 = ... residual ... a smaller step";
const std::string diverging = ": not converged at ... (0 = p(x) ... a smaller step";
const std::string diverges = "the discrete equation of motion of x" + diverging;
const std::vector<Failing> vanishing{
    {"dla", "vanishing", "dla:midpoint", 0.25, "the velocity at the node ... p(y)" + no_rank, 0.75, 0.75},
    {"gni", "vanishing", "gni:midpoint", 0.25, "the next momentum of y" + no_rank, 0.75, 0.75},
    {"rk4", "vanishing", "rk4", 0.25, "the equation of motion of y in stage 4" + no_rank, 0.75, 0.75},
    {"composition",  // its first stage ends at x = 0
     "vanishing", "dla:midpoint:order=4 --q0 -0.10362269294859393,0,0", 0.25,
     "stage 2 of 5: the discrete equation of motion of y" + no_rank, 0.0, 0.0},
};
const std::vector<Failing> stiff{
    {"dla", "stiff", "dla:midpoint", 2.0, "the discrete" + too_stiff},
    {"gni", "stiff", "gni:midpoint", 2.0, "the momentum of x" + too_stiff},
    {"rk4", "stiff", "rk4", 0.1, "the equation of motion of ... not finite at ... (0 = ... a smaller step may help"},
    {"composition", "stiff", "dla:midpoint:order=4", 2.0, "stage ... of 5: the discrete" + too_stiff},
};
const std::vector<Failing> explosion{
    {"dla", "explosion", "dla:midpoint", 0.1, diverges, 1.0, 1.6},
    {"gni", "explosion", "gni:midpoint", 0.1, "the momentum of x" + diverging, 1.0, 1.6},
    {"rk4", "explosion", "rk4", 0.1, "the equation of motion of x in stage ... not finite ... motion itself", 1.0, 1.8},
    {"composition", "explosion", "dla:midpoint:order=4", 0.1, "stage ... of 5: " + diverges, 1.0, 1.6},
    {"reference", "explosion", "reference", 0.1, "ends at t = 1.31 ... the motion reaches a singularity", 1.3, 1.3},
};

std::string method_of(const testing::TestParamInfo<Failing>& parameter) { return parameter.param.label; }
INSTANTIATE_TEST_SUITE_P(VanishingConstraint, FailingRuns, testing::ValuesIn(vanishing), method_of);
INSTANTIATE_TEST_SUITE_P(StiffPotential, FailingRuns, testing::ValuesIn(stiff), method_of);
INSTANTIATE_TEST_SUITE_P(Explosion, FailingRuns, testing::ValuesIn(explosion), method_of);

TEST(Advice, helps) {
  const Bench bench;
  for (const char* method : {"dla:midpoint", "gni:midpoint", "dla:midpoint:order=4", "rk4"}) {
    const Answer smaller = bench(std::string("run stiff.toml --step 0.001 --steps 1000 --quiet -m ") + method);
    EXPECT_EQ(smaller.status, 0) << smaller.err;
    const Answer beside = bench(std::string("run vanishing.toml --step 0.3 --steps 10 --quiet -m ") + method);
    EXPECT_EQ(beside.status, 0) << beside.err;
  }
}

}  // namespace method_test
