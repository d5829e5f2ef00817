// rattleback ensemble: what is varied, and the command itself.

#include "ensemble.hpp"

namespace ensemble_test {

using namespace rattleback::test;

TEST(Ensemble, first_example_of_the_documentation) {
  const Workplace desk;
  desk.add("sleighs", sleighs);
  const Answer a = desk("ensemble sleighs.toml");
  expect_ok(a);
  const std::vector<std::string> said = lines(a.out);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front(), "27 members of chaplygin-sleigh, dla:midpoint, 5400 steps in all; varied: theta, a");
  EXPECT_EQ(said.back(), "The result is sleighs.h5");
  EXPECT_FALSE(fs::exists(desk / "sleighs.h5.parts"));

  const Result5 r(desk / "sleighs.h5");
  const Numbers theta = r["varied/theta"];
  const Numbers length = r["varied/a"];
  ASSERT_EQ(theta.shape, Shape{27});
  ASSERT_EQ(length.shape, Shape{27});
  for (std::size_t m = 0; m < 27; ++m) {
    EXPECT_NEAR(theta[m], static_cast<double>(m / 3) * std::numbers::pi / 4, 1e-15);
    EXPECT_EQ(length[m], (std::array{0.2, 0.5, 1.0}[m % 3]));
    EXPECT_EQ(r["status"][m], 0);
    EXPECT_EQ(r["steps"][m], 200);
    EXPECT_EQ(r["method"][m], 0);
    EXPECT_NEAR(r["last/time"][m], 10, 1e-13);
  }
  EXPECT_EQ(theta[26], 2 * std::numbers::pi);  // both ends are included
  EXPECT_EQ(r["last/q"].shape, (Shape{27, 3}));
  EXPECT_EQ(r["last/v"].shape, (Shape{27, 3}));
  EXPECT_EQ(r["last/p"].shape, (Shape{27, 3}));
  EXPECT_EQ(r["last/energy"].shape, Shape{27});
  EXPECT_EQ(r["times/time"].shape, (Shape{27, 3}));
  EXPECT_EQ(r["times/q"].shape, (Shape{27, 3, 3}));
  EXPECT_EQ(r["times/energy"].shape, (Shape{27, 3}));
  EXPECT_EQ(r["statistics"].shape, (Shape{27, 2, 3}));
  EXPECT_EQ(r.labels("statistics"), (std::vector<std::string>{"energy", "x^2 + y^2"}));
  EXPECT_EQ(r.labels("last/q"), (std::vector<std::string>{"x", "y", "theta"}));
  EXPECT_EQ(r.text("ensemble"), sleighs);
  EXPECT_TRUE(contains(r.text("model"), "Chaplygin sleigh on an incline"));
  for (std::size_t m = 0; m < 27; ++m) {
    EXPECT_EQ(r["times/q"].at(m, 0, 2), theta[m]);  // time 0 is the start
    EXPECT_EQ(r["times/q"].at(m, 2, 0), r["last/q"].at(m, 0));
    EXPECT_EQ(r["times/energy"].at(m, 2), r["last/energy"][m]);
  }
}

TEST(Ensemble, last_section_runs_fastest_and_methods_slowest) {
  const Workplace desk;
  desk.add("s",
           "model = \"quadratic-particle\"\nmethod = [\"rk4\", \"dla:midpoint\", \"ld:order=4\"]\n"
           "step = 0.1\nsteps = 2\n"
           "[[vary]]\nof = [\"x\", \"y\"]\nvalues = [[0, 1], [\"1/4\", \"-pi\"]]\n"
           "[[vary]]\nof = \"z\"\nfrom = 1\nto = 100\ncount = 3\nspacing = \"logarithmic\"\n"
           "[[vary]]\nof = \"y'\"\nfrom = 0\nto = 1\ncount = 5\nspacing = \"linear\"\n");
  const json d = desk.document("ensemble s.toml");
  EXPECT_EQ(d.at("members"), 90);
  const Result5 r(desk / "s.h5");
  ASSERT_EQ(r["status"].shape, Shape{90});
  const Numbers x = r["varied/x"], y = r["varied/y"], z = r["varied/z"], w = r["varied/y'"], method = r["method"];
  for (std::size_t m = 0; m < 90; ++m) {
    EXPECT_EQ(method[m], static_cast<double>(m / 30));
    EXPECT_EQ(x[m], (std::array{0.0, 0.25}[m / 15 % 2]));
    EXPECT_EQ(y[m], (std::array{1.0, -std::numbers::pi}[m / 15 % 2]));
    EXPECT_NEAR(z[m], (std::array{1.0, 10.0, 100.0}[m / 5 % 3]), 1e-13);
    EXPECT_EQ(w[m], 0.25 * static_cast<double>(m % 5));
    EXPECT_EQ(r["steps"][m], 2);
    EXPECT_NEAR(r["last/time"][m], 0.2, 1e-15);
  }
  EXPECT_EQ(z[0], 1);
  EXPECT_EQ(z[10], 100);
}

TEST(Ensemble, a_swept_step_changes_the_number_of_steps) {
  const Workplace desk;
  desk.add("s", particle_head + "time = 2\n[[vary]]\nof = \"step\"\nvalues = [0.1, 0.25, 0.5]\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["steps"].values, (std::vector<double>{20, 8, 4}));
  EXPECT_EQ(r["varied/step"].values, (std::vector<double>{0.1, 0.25, 0.5}));
  for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(r["last/time"][m], 2, 1e-14);
}

TEST(Ensemble, paths_of_models_are_relative_to_the_file_and_the_result_is_named_after_it) {
  const Workplace desk;
  fs::create_directory(desk / "deep");
  desk.add("deep/well", well);
  desk.add("deep/falls", falls);
  expect_ok(desk("ensemble deep/falls.toml --quiet"));
  // "the name of SPEC with .h5"
  const bool beside = fs::exists(desk / "deep/falls.h5");
  EXPECT_TRUE(beside || fs::exists(desk / "falls.h5"));
  const Result5 r(desk / (beside ? "deep/falls.h5" : "falls.h5"));
  EXPECT_EQ(r.text("model"), well);
  expect_ok(desk("ensemble deep/falls.toml --quiet -o other.hdf5"));
  EXPECT_TRUE(fs::exists(desk / "other.hdf5"));
}

TEST(Ensemble, random_points_have_the_distribution_that_is_asked_for) {
  const Workplace desk;
  const std::size_t n = 20000;
  const auto random = [&](const std::string& name, const std::string& vary) {
    desk.add(name, particle_head + "step = 0.1\nsteps = 1\n[start]\n\"x'\" = 0\n\"z'\" = 0\n[[vary]]\n" + vary +
                       "\ncount = 20000\n");
    expect_ok(desk("ensemble " + name + ".toml --quiet"));
  };
  const auto moments = [](const std::vector<double>& v) {
    const double mean = std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    double variance = 0;
    for (double x : v) variance += (x - mean) * (x - mean) / static_cast<double>(v.size());
    return std::pair{mean, variance};
  };
  const double root = std::sqrt(static_cast<double>(n));

  random("uniform", "of = [\"x\", \"y\"]\nrandom = \"uniform\"\nfrom = [-1, 2]\nto = [3, 4]");
  {
    const Result5 r(desk / "uniform.h5");
    const auto check = [&](const std::vector<double>& v, double from, double to) {
      ASSERT_EQ(v.size(), n);
      EXPECT_GE(*std::ranges::min_element(v), from);
      EXPECT_LE(*std::ranges::max_element(v), to);
      const double width = to - from;
      const auto [mean, variance] = moments(v);
      EXPECT_NEAR(mean, (from + to) / 2, 5 * width / std::sqrt(12.0) / root);
      EXPECT_NEAR(variance, width * width / 12, 5 * width * width * std::sqrt(1.0 / 180) / root);
      EXPECT_EQ(std::set<double>(v.begin(), v.end()).size(), n);
    };
    check(r["varied/x"].values, -1, 3);
    check(r["varied/y"].values, 2, 4);
    const Numbers x = r["varied/x"], y = r["varied/y"];
    double covariance = 0;
    for (std::size_t i = 0; i < n; ++i) covariance += (x[i] - 1) * (y[i] - 3) / static_cast<double>(n);
    EXPECT_NEAR(covariance, 0, 5 * 4.0 * 2.0 / 12 / root);
  }
  random("normal", "of = [\"x\", \"y\"]\nrandom = \"normal\"\ndeviation = [0.5, 2]");
  {
    const Result5 r(desk / "normal.h5");  // the means are the model's own values, 1 and 0
    const auto check = [&](const std::vector<double>& v, double mu, double sigma) {
      ASSERT_EQ(v.size(), n);
      const auto [mean, variance] = moments(v);
      EXPECT_NEAR(mean, mu, 5 * sigma / root);
      EXPECT_NEAR(variance, sigma * sigma, 5 * sigma * sigma * std::sqrt(2.0) / root);
      const auto within = std::ranges::count_if(v, [&](double x) { return std::abs(x - mu) < sigma; });
      EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(n), 0.682689492, 5 * 0.4655 / root);
    };
    check(r["varied/x"].values, 1, 0.5);
    check(r["varied/y"].values, 0, 2);
  }
  random("sphere", "of = [\"x\", \"y\", \"z\"]\nrandom = \"sphere\"\nradius = 0.5");
  random("ball", "of = [\"x\", \"y\", \"z\"]\nrandom = \"ball\"\ncenter = [0, 1, 2]\nradius = 2");
  {
    const Result5 s(desk / "sphere.h5");
    const Numbers x = s["varied/x"], y = s["varied/y"], z = s["varied/z"];
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(std::hypot(x[i] - 1, y[i], z[i]), 0.5, 1e-15);
      sum += z[i] / static_cast<double>(n);
    }
    EXPECT_NEAR(sum, 0, 5 * 0.5 / std::sqrt(3.0) / root);
    const Result5 b(desk / "ball.h5");
    const Numbers bx = b["varied/x"], by = b["varied/y"], bz = b["varied/z"];
    double inner = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = std::hypot(bx[i], by[i] - 1, bz[i] - 2);
      ASSERT_LE(distance, 2 * (1 + 1e-15));
      inner += distance < 1 ? 1.0 / static_cast<double>(n) : 0;
    }
    EXPECT_NEAR(inner, 0.125, 5 * std::sqrt(0.125 * 0.875) / root);
  }
}

TEST(Ensemble, random_members_depend_on_seed_section_and_number_only) {
  const Workplace desk;
  const auto points = [&](const std::string& seed, const std::string& count, const std::string& options) {
    desk.add("s", particle_head + seed + "step = 0.1\nsteps = 1\n" +
                      "[[vary]]\nof = \"x\"\nrandom = \"uniform\"\nfrom = 0\nto = 1\ncount = " + count +
                      "\n[[vary]]\nof = \"y\"\nrandom = \"uniform\"\nfrom = 0\nto = 1\ncount = 3\n");
    expect_ok(desk("ensemble s.toml --force --quiet " + options));
    const Result5 r(desk / "s.h5");
    return std::pair{r["varied/x"].values, r["varied/y"].values};
  };
  const auto first = points("seed = 5\n", "40", "");
  EXPECT_EQ(first, points("seed = 5\n", "40", "--lanes 1 --threads 1"));
  const auto other = points("seed = 6\n", "40", "");
  std::set<double> both(first.first.begin(), first.first.end());
  both.insert(other.first.begin(), other.first.end());
  EXPECT_EQ(both.size(), 80U);  // none in common
  EXPECT_EQ(points("", "40", ""), points("seed = 0\n", "40", ""));
  const auto more = points("seed = 5\n", "100", "");
  ASSERT_EQ(more.first.size(), 300U);
  EXPECT_TRUE(std::equal(first.first.begin(), first.first.end(), more.first.begin()));
  EXPECT_TRUE(std::equal(first.second.begin(), first.second.end(), more.second.begin()));
  EXPECT_NE(first.first[0], first.second[0]);  // the sections have numbers of their own
}

TEST(Ensemble, polytopes_have_their_vertices_at_the_radius_and_their_volume_at_the_start) {
  const Workplace desk;
  const auto polytope = [&](const std::string& which, const std::string& names, double radius, std::size_t vertices,
                            double volume) {
    desk.add("s", particle_head + "step = 0.01\nsteps = 1\n[[vary]]\nof = " + names + "\npolytope = \"" + which +
                      "\"\nradius = " + digits(radius) + "\n[keep]\ntimes = [0]\n[[volume]]\nof = " + names +
                      "\nat = \"times\"\nname = \"v\"\n");
    expect_ok(desk("ensemble s.toml --quiet"));
    const Result5 r(desk / "s.h5");
    EXPECT_EQ(r["status"].shape, Shape{vertices});
    ASSERT_EQ(r["volumes/v/volume"].shape, Shape{1});
    EXPECT_EQ(r["volumes/v/time"][0], 0);
    EXPECT_NEAR(r["volumes/v/volume"][0] / volume, 1, 1e-13) << which << " of " << names;
    for (std::size_t m = 0; m < vertices; ++m) {
      double square = 0;  // the center is the model's own start, x = 1 and y' = 1
      for (const auto& [name, center] : std::map<std::string, double>{{"x", 1}, {"y", 0}, {"z", 0}, {"y'", 1}}) {
        if (names.find("\"" + name + "\"") == std::string::npos) continue;
        const double d = r["varied/" + name][m] - center;
        square += d * d;
      }
      EXPECT_NEAR(std::sqrt(square), radius, 1e-15 + 2e-16);
    }
  };
  const std::string three = "[\"x\", \"y\", \"z\"]";
  const std::string four = "[\"x\", \"y\", \"z\", \"y'\"]";
  const double R = 0.25;
  const double cubed = R * R * R;
  polytope("cube", three, R, 8, cubed * 8 / std::pow(3, 1.5));
  polytope("cross", three, R, 6, cubed * 4 / 3);
  polytope("simplex", three, R, 4, cubed * 8 * std::sqrt(3.0) / 27);
  polytope("cube", "[\"x\", \"z\"]", R, 4, R * R * 2);
  polytope("simplex", "[\"x\", \"z\"]", R, 3, R * R * 3 * std::sqrt(3.0) / 4);
  polytope("cube", four, R, 16, cubed * R);
  polytope("cross", four, R, 8, cubed * R * 2 / 3);
  const double phi = std::numbers::phi;
  polytope("600-cell", four, R, 120, 25 * std::pow(phi, 3) / 4 * std::pow(R / phi, 4));
}

TEST(Ensemble, volume_of_a_flat_cloud_is_zero) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.01\nsteps = 1\n" +
                    "[[vary]]\nof = [\"x\", \"y\"]\npolytope = \"cube\"\nradius = 1\n[keep]\ntimes = [0]\n"
                    "[[volume]]\nname = \"flat\"\nof = [\"x\", \"y\", \"z\"]\nat = \"times\"\n"
                    "[[volume]]\nname = \"square\"\nof = [\"x\", \"y\"]\nat = \"times\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["volumes/flat/volume"][0], 0);
  EXPECT_NEAR(r["volumes/square/volume"][0], 2, 1e-14);
}

TEST(Ensemble, starts_on_a_surface_of_constant_energy) {
  // The example of the documentation, over a shorter time.
  const Workplace desk;
  desk.add("surface", R"toml(model = "quadratic-particle"
method = "dla:midpoint"
step = 0.1
time = 1

[[vary]]
of = ["x", "y"]
random = "uniform"
from = -0.5
to = 0.5
count = 1000

[[vary]]
of = "E"                      # a name of our own
values = [1.0, 2.0]

[start]
"x'" = "sqrt(2*(E - x^2 - y^2)/(1 + y^2))"
"y'" = 0
"z'" = "y*sqrt(2*(E - x^2 - y^2)/(1 + y^2))"

[keep]
times = [0]
)toml");
  const json d = desk.document("ensemble surface.toml");
  EXPECT_EQ(d.at("members"), 2000);
  EXPECT_EQ(d.at("failed"), 0);
  const Result5 r(desk / "surface.h5");
  const Numbers energy = r["times/energy"], E = r["varied/E"], q = r["times/q"], v = r["times/v"], p = r["times/p"];
  const Numbers x = r["varied/x"], y = r["varied/y"];
  for (std::size_t m = 0; m < 2000; ++m) {
    ASSERT_EQ(E[m], m % 2 == 0 ? 1.0 : 2.0);
    ASSERT_NEAR(energy.at(m, 0), E[m], 1e-13);
    ASSERT_EQ(q.at(m, 0, 0), x[m]);
    ASSERT_EQ(q.at(m, 0, 1), y[m]);
    ASSERT_NEAR(0.5 * (v.at(m, 0, 0) * v.at(m, 0, 0) + v.at(m, 0, 1) * v.at(m, 0, 1) + v.at(m, 0, 2) * v.at(m, 0, 2)) +
                    x[m] * x[m] + y[m] * y[m],
                E[m], 1e-13);
    ASSERT_NEAR(v.at(m, 0, 2), y[m] * v.at(m, 0, 0), 1e-15);
    ASSERT_NEAR(p.at(m, 0, 0), v.at(m, 0, 0), 1e-15);
    ASSERT_GE(x[m], -0.5);
    ASSERT_LE(x[m], 0.5);
  }
}

TEST(Ensemble, start_sets_parameters_by_formulas_and_set_replaces_values) {
  const Workplace desk;
  desk.add("s",
           "model = \"chaplygin-sleigh\"\nmethod = \"rk4\"\nstep = 0.1\ntime = 1\n"
           "[[vary]]\nof = \"s\"\nvalues = [1, 2]\n[set]\ng = 0.5\n[start]\na = \"s/4\"\nI = \"s^2\"\ny = \"3 + s\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  for (std::size_t m = 0; m < 2; ++m) {
    const double s = static_cast<double>(m + 1);
    expect_ok(desk("run chaplygin-sleigh -m rk4 --step 0.1 --time 1 --quiet -o x.csv --set g=0.5 --set a=" +
                   digits(s / 4) + " --set I=" + digits(s * s) + " --q0 1," + digits(3 + s) + ",0"));
    auto rows = table(desk / "x.csv");
    EXPECT_NEAR(r["last/q"].at(m, 0), rows.at("x").back(), 1e-13);
    EXPECT_NEAR(r["last/q"].at(m, 1), rows.at("y").back(), 1e-13);
    EXPECT_NEAR(r["last/q"].at(m, 2), rows.at("theta").back(), 1e-13);
    EXPECT_NEAR(r["last/energy"][m], rows.at("energy").back(), 1e-13);
  }
}

TEST(Ensemble, inputs_are_replaced_as_in_a_run) {
  const Workplace desk;
  desk.add(
      "s",
      "model = \"rotor-sleigh\"\nmethod = \"rk4\"\nstep = 0.1\ntime = 2\n[[vary]]\nof = \"a\"\nvalues = [0.3, 0.5]\n"
      "[inputs]\ntorque = \"w*sin(3*t)\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  expect_ok(
      desk("run rotor-sleigh -m rk4 --step 0.1 --time 2 --quiet -o x.csv --set a=0.5 --input 'torque=w*sin(3*t)'"));
  auto rows = table(desk / "x.csv");
  EXPECT_EQ(r["last/q"].at(1, 3), rows.at("phi").back());
  EXPECT_EQ(r["last/q"].at(1, 0), rows.at("x").back());
}

TEST(Ensemble, project_moves_starts_onto_the_constraints) {
  const Workplace desk;
  const std::string spec = particle_head + "step = 0.1\ntime = 1\nproject = true\n" +
                           "[[vary]]\nof = [\"y\", \"z'\"]\nvalues = [[0, 1], [0.5, 1], [1, -2]]\n"
                           "[start]\n\"x'\" = 0.5\n[keep]\ntimes = [0, 1]\n";
  desk.add("s", spec);
  const json d = desk.document("ensemble s.toml");
  EXPECT_EQ(d.at("failed"), 0);
  const Result5 r(desk / "s.h5");
  for (std::size_t m = 0; m < 3; ++m) {
    const double y = r["varied/y"][m];
    const double z = r["varied/z'"][m];  // what was varied, not what became of it
    EXPECT_NEAR(r["times/v"].at(m, 0, 2), y * r["times/v"].at(m, 0, 0), 1e-15);
    expect_ok(desk("run quadratic-particle -m dla:midpoint --step 0.1 --time 1 --quiet --project -o x.csv --q0 1," +
                   digits(y) + ",0 --v0 0.5,1," + digits(z)));
    auto rows = table(desk / "x.csv");
    for (const auto& [k, name] : std::map<std::size_t, std::string>{{0, "x"}, {1, "y"}, {2, "z"}}) {
      EXPECT_NEAR(r["times/q"].at(m, 0, k), rows.at(name).front(), 1e-14);
      EXPECT_NEAR(r["times/v"].at(m, 0, k), rows.at(name + "'").front(), 1e-14);
      EXPECT_NEAR(r["last/q"].at(m, k), rows.at(name).back(), 1e-12);
    }
  }
  // Without it all fail.
  std::string without = spec;
  without.erase(without.find("project = true\n"), 15);
  desk.add("s", without);
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, numerics_failed);
}

TEST(Ensemble, dry_run_tells_and_writes_nothing) {
  const Workplace desk;
  desk.add("sleighs", sleighs);
  const Answer a = desk("ensemble sleighs.toml --dry-run");
  expect_ok(a);
  EXPECT_EQ(a.out, "27 members of chaplygin-sleigh, dla:midpoint, 5400 steps in all; varied: theta, a\n");
  const json d = desk.document("ensemble sleighs.toml --dry-run");
  EXPECT_EQ(d.at("members"), 27);
  EXPECT_EQ(d.at("steps"), 5400);
  EXPECT_EQ(d.at("varied"), (std::vector<std::string>{"theta", "a"}));
  EXPECT_FALSE(fs::exists(desk / "sleighs.h5"));
  EXPECT_FALSE(fs::exists(desk / "sleighs.h5.parts"));
  // It sees what is wrong, too.
  desk.add("sleighs", sleighs + "\n[stray]\n");
  EXPECT_EQ(desk("ensemble sleighs.toml --dry-run").status, wrong_request);
}

TEST(Ensemble, json_has_the_keys_that_are_promised_and_quiet_is_quiet) {
  const Workplace desk;
  desk.add("sleighs", sleighs);
  const json d = desk.document("ensemble sleighs.toml");
  for (const char* key : {"members", "finished", "failed", "failures", "file", "methods", "model", "steps", "ranks",
                          "seconds", "ns_per_step", "histograms", "volumes"}) {
    EXPECT_TRUE(d.contains(key)) << key;
  }
  EXPECT_EQ(d.at("members"), 27);
  EXPECT_EQ(d.at("finished"), 27);
  EXPECT_EQ(d.at("failed"), 0);
  EXPECT_EQ(d.at("file"), "sleighs.h5");
  EXPECT_EQ(d.at("model"), "chaplygin-sleigh");
  EXPECT_EQ(d.at("methods"), std::vector<std::string>{"dla:midpoint"});
  const Answer quiet = desk("ensemble sleighs.toml --quiet -o q.h5");
  expect_ok(quiet);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(content(desk / "q.h5"), content(desk / "sleighs.h5"));
}

TEST(Ensemble, without_anything_varied_is_one_trajectory_of_each_method) {
  const Workplace desk;
  desk.add("s", "model = \"quadratic-particle\"\nmethod = [\"rk4\", \"dla:midpoint\"]\nstep = 0.1\nsteps = 5\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["status"].values, (std::vector<double>{0, 0}));
  EXPECT_EQ(r["method"].values, (std::vector<double>{0, 1}));
}

TEST(Ensemble, is_repeated_from_the_files_in_its_result) {
  const Workplace desk;
  const Workplace other;
  desk.add("well", well);
  desk.add("falls", falls);
  expect_ok(desk("ensemble falls.toml --quiet"));
  const Result5 r(desk / "falls.h5");
  other.add("well", r.text("model"));
  other.add("falls", r.text("ensemble"));
  expect_ok(other("ensemble falls.toml --quiet"));
  EXPECT_TRUE(content(desk / "falls.h5") == content(other / "falls.h5"));
}

}  // namespace ensemble_test
