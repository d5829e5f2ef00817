// rattleback ensemble: what is kept, against numbers from elsewhere.

#include "ensemble.hpp"

namespace ensemble_kept_test {

using namespace rattleback::test;

class EachMethod : public testing::TestWithParam<const char*> {};

TEST_P(EachMethod, gives_the_trajectories_of_run_and_statistics_are_those_of_its_rows) {
  const Workplace desk;
  const std::string method = GetParam();
  desk.add("s", "model = \"quadratic-particle\"\nmethod = \"" + method + "\"\nstep = 0.1\ntime = 5\n" +
                    "[[vary]]\nof = [\"x\", \"y\"]\nvalues = [[1, 0.1], [0.3, -0.7], [-1, 0.4]]\n"
                    "[start]\n\"x'\" = \"0.3*x\"\n\"z'\" = \"0.3*x*y\"\n"
                    "[keep]\ntimes = [1.0]\nstatistics = [\"energy\", \"x^2 + y^2\", \"p_x*y'\", \"y_energy\"]\n");
  const Answer a = desk("ensemble s.toml --quiet");
  ASSERT_EQ(a.status, 0) << a.err;
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r.labels("statistics"), (std::vector<std::string>{"energy", "x^2 + y^2", "p_x*y'", "y_energy"}));
  const Numbers statistics = r["statistics"], q = r["last/q"], v = r["last/v"], p = r["last/p"];
  ASSERT_EQ(statistics.shape, (Shape{3, 4, 3}));
  const std::array<std::string, 3> names{"x", "y", "z"};
  for (std::size_t m = 0; m < 3; ++m) {
    const double x = r["varied/x"][m];
    const double y = r["varied/y"][m];
    const double tolerance = 1e-12;
    expect_ok(desk("run quadratic-particle --step 0.1 --time 5 --quiet -o x.csv -m " + method + " --q0 " + digits(x) +
                   "," + digits(y) + ",0 --v0 " + digits(0.3 * x) + ",1," + digits(0.3 * x * y)));
    auto rows = table(desk / "x.csv");
    EXPECT_NEAR(r["last/time"][m], rows.at("time").back(), 1e-12);
    EXPECT_EQ(r["steps"][m], static_cast<double>(rows.at("time").size() - 1));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(q.at(m, k), rows.at(names[k]).back(), tolerance);
      EXPECT_NEAR(v.at(m, k), rows.at(names[k] + "'").back(), tolerance);
      EXPECT_NEAR(p.at(m, k), rows.at("p_" + names[k]).back(), tolerance);
    }
    EXPECT_NEAR(r["last/energy"][m], rows.at("energy").back(), tolerance);

    // The node nearest to t = 1, or for a method with a time of its own the first not before.
    const std::vector<double>& t = rows.at("time");
    std::size_t node = 0;
    while (t[node] < 1 - (method == "hdel" ? 0 : 0.05)) ++node;
    EXPECT_NEAR(r["times/time"].at(m, 0), t[node], 1e-12);
    EXPECT_NEAR(r["times/q"].at(m, 0, 0), rows.at("x")[node], tolerance);

    std::vector<std::vector<double>> series(4);
    for (std::size_t i = 0; i < t.size(); ++i) {
      series[0].push_back(rows.at("energy")[i]);
      series[1].push_back(rows.at("x")[i] * rows.at("x")[i] + rows.at("y")[i] * rows.at("y")[i]);
      series[2].push_back(rows.at("p_x")[i] * rows.at("y'")[i]);
      series[3].push_back(rows.at("y_energy")[i]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(statistics.at(m, k, 0), *std::ranges::min_element(series[k]), tolerance);
      EXPECT_NEAR(statistics.at(m, k, 1), *std::ranges::max_element(series[k]), tolerance);
      EXPECT_NEAR(statistics.at(m, k, 2),
                  std::accumulate(series[k].begin(), series[k].end(), 0.0) / static_cast<double>(t.size()), tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ensemble, EachMethod,
                         testing::Values("dla:midpoint", "dla:order=4", "dla:alpha=0.25", "rk4", "rk4-index0",
                                         "gni:midpoint", "hdel", "pthdel", "rdla:midpoint", "reference"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(Ensemble, observers_are_those_of_run) {
  const Workplace desk;
  desk.add("s", particle_head +
                    "step = 0.2\ntime = 4\n[[vary]]\nof = \"y\"\nvalues = [0, 0.5]\n"
                    "[keep]\nstatistics = [\"energy\"]\nobservers = [\"midpoint-energy\"]\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  const std::vector<std::string> labels = r.labels("statistics");
  ASSERT_EQ(labels.size(), 2U);
  ASSERT_EQ(r["statistics"].shape, (Shape{2, 2, 3}));
  for (std::size_t m = 0; m < 2; ++m) {
    expect_ok(
        desk("run quadratic-particle -m dla:midpoint --step 0.2 --time 4 --observe midpoint-energy --quiet -o x.csv"
             " --v0 0,1,0 --q0 1," +
             digits(r["varied/y"][m]) + ",0"));
    auto rows = table(desk / "x.csv");
    std::string column;
    for (const auto& [name, values] : rows) {
      if (name.starts_with("midpoint")) column = name;
    }
    ASSERT_FALSE(column.empty());
    std::vector<double> series(rows.at(column).begin() + 1, rows.at(column).end());  // after each step
    EXPECT_NEAR(r["statistics"].at(m, 1, 0), *std::ranges::min_element(series), 1e-12);
    EXPECT_NEAR(r["statistics"].at(m, 1, 1), *std::ranges::max_element(series), 1e-12);
    EXPECT_NEAR(r["statistics"].at(m, 1, 2),
                std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size()), 1e-12);
  }
}

TEST(Ensemble, times_are_those_of_the_nearest_nodes) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.25\ntime = 2\n[keep]\ntimes = [0, 0.1, 0.3, 1.2, 2]\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  EXPECT_EQ(Result5(desk / "s.h5")["times/time"].values, (std::vector<double>{0, 0, 0.25, 1.25, 2}));
  desk.add("s", particle_head + "step = 0.25\ntime = 2\n[keep]\ntimes = {from = 0.5, to = 2, count = 4}\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  EXPECT_EQ(Result5(desk / "s.h5")["times/time"].values, (std::vector<double>{0.5, 1, 1.5, 2}));
}

using Complex = std::complex<long double>;

/// The y of the quadratic particle is an oscillator with ω² = 2 that nothing else acts upon: u = y + i y'/ω has
/// u' = -iωu, of which a step makes R(-iωh) u. Times at which Re u vanishes along steps of h, the last one shortened.
std::vector<double> crossings_of_oscillator(const std::function<Complex(Complex)>& R, long double y, long double v,
                                            long double h, std::size_t steps, std::vector<double>* speeds) {
  const long double omega = std::sqrt(2.0L);
  Complex u(y, v / omega);
  std::vector<double> times;
  for (std::size_t k = 0; k < steps; ++k) {
    const auto after = [&](long double theta) { return u * R(Complex(0, -omega * theta * h)); };
    const Complex next = after(1);
    if (u.real() * next.real() < 0) {
      long double a = 0, b = 1;
      for (int i = 0; i < 80; ++i) {
        const long double c = (a + b) / 2;
        (u.real() * after(c).real() > 0 ? a : b) = c;
      }
      times.push_back(static_cast<double>((static_cast<long double>(k) + a) * h));
      speeds->push_back(static_cast<double>(after(a).imag() * omega));
    }
    u = next;
  }
  return times;
}

TEST(Ensemble, crossings_are_those_of_the_method_with_a_fraction_of_its_step) {
  const auto midpoint = [](Complex z) { return (1.0L + z / 2.0L) / (1.0L - z / 2.0L); };
  const auto suzuki = [&](Complex z) {
    const long double outer = 1 / (4 - std::cbrt(4.0L));
    const Complex twice = midpoint(outer * z) * midpoint(outer * z);
    return twice * midpoint((1 - 4 * outer) * z) * twice;
  };
  const auto runge_kutta = [](Complex z) {
    return 1.0L + z * (1.0L + z / 2.0L * (1.0L + z / 3.0L * (1.0L + z / 4.0L)));
  };
  const std::vector<std::function<Complex(Complex)>> R{midpoint, suzuki, runge_kutta};

  const Workplace desk;
  desk.add("s",
           "model = \"quadratic-particle\"\nmethod = [\"dla:midpoint\", \"dla:order=4\", \"rk4\"]\ntime = 20\n"
           "[[vary]]\nof = \"step\"\nvalues = [0.1, 0.25]\n"
           "[[vary]]\nof = \"y\"\nvalues = [0.1, -0.37, 1.3]\n"
           "[start]\n\"x'\" = 0.7\n\"z'\" = \"0.7*y\"\n\"y'\" = 0.9\n"
           "[[section]]\nname = \"plane\"\nof = \"y\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  const Numbers member = r["sections/plane/member"], time = r["sections/plane/time"], q = r["sections/plane/q"],
                v = r["sections/plane/v"], direction = r["sections/plane/direction"];
  ASSERT_EQ(q.shape, (Shape{member.size(), 3}));
  std::size_t i = 0;
  for (std::size_t m = 0; m < 18; ++m) {
    const double h = r["varied/step"][m];
    std::vector<double> speeds;
    const std::vector<double> expected = crossings_of_oscillator(
        R[m / 6], r["varied/y"][m], 0.9, h, static_cast<std::size_t>(std::llround(20 / h)), &speeds);
    EXPECT_GE(expected.size(), 8U);
    for (std::size_t k = 0; k < expected.size(); ++k, ++i) {
      ASSERT_LT(i, member.size());
      ASSERT_EQ(member[i], static_cast<double>(m));
      EXPECT_NEAR(time[i], expected[k], 3e-13) << "method " << m / 6;
      EXPECT_LT(std::abs(q.at(i, 1)), 1e-14);
      EXPECT_NEAR(v.at(i, 1), speeds[k], 3e-13);
      EXPECT_EQ(direction[i], speeds[k] > 0 ? 1 : -1);
    }
  }
  EXPECT_EQ(i, member.size());
}

TEST(Ensemble, sections_of_nonlinear_functions_vanish_at_crossings) {
  const Workplace desk;
  desk.add("s",
           "model = \"quadratic-particle\"\nmethod = [\"dla:midpoint\", \"rk4\", \"hdel\", \"reference\"]\n"
           "step = 0.1\ntime = 30\n[[vary]]\nof = \"y\"\nfrom = 0.1\nto = 0.9\ncount = 5\n"
           "[[section]]\nname = \"s\"\nof = \"sin(x) - y*x'/3\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  const Numbers q = r["sections/s/q"], v = r["sections/s/v"], member = r["sections/s/member"];
  ASSERT_GT(member.size(), 100U);
  EXPECT_EQ(std::set<double>(member.values.begin(), member.values.end()).size(), 20U);
  EXPECT_TRUE(std::ranges::is_sorted(member.values));
  for (std::size_t i = 0; i < member.size(); ++i) {
    EXPECT_LT(std::abs(std::sin(q.at(i, 0)) - q.at(i, 1) * v.at(i, 0) / 3), 1e-14) << "member " << member[i];
  }
}

TEST(Ensemble, crossing_times_converge_with_the_order_of_the_method) {
  const Workplace desk;
  const std::string rest =
      "time = 8\n[start]\n\"x'\" = -0.3\n\"y\" = 0.4\n\"z'\" = -0.12\n"
      "[[section]]\nname = \"s\"\nof = \"x\"\n";
  desk.add("exact", "model = \"quadratic-particle\"\nmethod = \"reference\"\nstep = 0.005\n" + rest);
  desk.add("s", "model = \"quadratic-particle\"\nmethod = [\"dla:midpoint\", \"dla:order=4\"]\n" + rest +
                    "[[vary]]\nof = \"step\"\nvalues = [0.1, 0.05, 0.025]\n");
  expect_ok(desk("ensemble exact.toml --quiet"));
  expect_ok(desk("ensemble s.toml --quiet"));
  const std::vector<double> exact = Result5(desk / "exact.h5")["sections/s/time"].values;
  ASSERT_GE(exact.size(), 3U);
  const Result5 r(desk / "s.h5");
  const Numbers member = r["sections/s/member"], time = r["sections/s/time"];
  std::array<std::vector<double>, 6> times;
  for (std::size_t i = 0; i < member.size(); ++i) times.at(static_cast<std::size_t>(member[i])).push_back(time[i]);
  for (std::size_t m = 0; m < 6; ++m) ASSERT_EQ(times[m].size(), exact.size());
  for (std::size_t method = 0; method < 2; ++method) {
    for (std::size_t k = 0; k < exact.size(); ++k) {
      // Where in its step a crossing lies changes the error by O(h) of it.
      const double coarse = std::abs(times[3 * method][k] - exact[k]);
      const double fine = std::abs(times[3 * method + 2][k] - exact[k]);
      EXPECT_NEAR(std::log2(coarse / fine) / 2, method == 0 ? 2 : 4, 0.3) << "crossing " << k << ": " << coarse;
    }
  }
}

TEST(Ensemble, directions_select_crossings_and_most_ends_trajectories) {
  const Workplace desk;
  const std::string head =
      "model = \"quadratic-particle\"\nmethod = [\"dla:midpoint\", \"hdel\"]\nstep = 0.1\ntime = 40\n"
      "[[vary]]\nof = \"x\"\nvalues = [0.5, 1, -0.2]\n";
  const auto section = [](const std::string& name, const std::string& rest) {
    return "[[section]]\nname = \"" + name + "\"\nof = \"x\"\n" + rest;
  };
  desk.add("all", head + section("up", "direction = \"up\"\n") + section("down", "direction = \"down\"\n") +
                      section("both", "direction = \"both\"\n") + section("any", ""));
  expect_ok(desk("ensemble all.toml --quiet"));
  desk.add("some", head + section("up", "direction = \"up\"\nmost = 3\n") + section("any", ""));
  expect_ok(desk("ensemble some.toml --quiet"));
  const Result5 all(desk / "all.h5");
  const Result5 some(desk / "some.h5");
  const auto of = [](const Result5& r, const std::string& name, double m) {
    const Numbers member = r["sections/" + name + "/member"], time = r["sections/" + name + "/time"];
    std::vector<double> times;
    for (std::size_t i = 0; i < member.size(); ++i) {
      if (member[i] == m) times.push_back(time[i]);
    }
    EXPECT_TRUE(std::ranges::is_sorted(times));
    return times;
  };
  for (const double d : all["sections/up/direction"].values) EXPECT_EQ(d, 1);
  for (const double d : all["sections/down/direction"].values) EXPECT_EQ(d, -1);
  for (const double v : {0.0, 1.0, 2.0}) {  // x' has the sign of the direction
    const Numbers member = all["sections/both/member"], velocity = all["sections/both/v"];
    for (std::size_t i = 0; i < member.size(); ++i) {
      if (member[i] == v) {
        EXPECT_GT(velocity.at(i, 0) * all["sections/both/direction"][i], 0);
      }
    }
  }
  for (std::size_t m = 0; m < 6; ++m) {
    const double number = static_cast<double>(m);
    std::vector<double> merged = of(all, "up", number);
    const std::vector<double> down = of(all, "down", number);
    EXPECT_GE(merged.size(), 5U);
    EXPECT_LE(std::max(merged.size(), down.size()) - std::min(merged.size(), down.size()), 1U);
    merged.insert(merged.end(), down.begin(), down.end());
    std::ranges::sort(merged);
    EXPECT_EQ(merged, of(all, "both", number));
    EXPECT_EQ(merged, of(all, "any", number));

    const std::vector<double> first = of(some, "up", number);
    ASSERT_EQ(first.size(), 3U);
    const std::vector<double> up = of(all, "up", number);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), up.begin()));
    EXPECT_EQ(some["status"][m], 0);
    EXPECT_LT(some["steps"][m], all["steps"][m]);
    if (m < 3) {  // a node at most a step behind the last crossing, or the one before it
      EXPECT_NEAR(some["last/time"][m], first[2], 0.1 + 1e-12);
      EXPECT_NEAR(some["steps"][m] * 0.1, some["last/time"][m], 1e-12);
    }
    for (const double t : of(some, "any", number)) EXPECT_LE(t, first[2]);  // nothing after the end
  }
}

TEST(Ensemble, a_node_on_the_section_is_one_crossing) {
  const Workplace desk;
  desk.add("line",
           "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2)\"\n[initial]\nq = [0, 0]\nv = [1, 1]\n");
  // Nodes at x = -0.5, -0.25, 0, 0.25, …, exactly; y starts on its section.
  desk.add("s",
           "model = \"line.toml\"\nmethod = [\"rk4\", \"dla:midpoint\"]\nstep = 0.25\nsteps = 8\n"
           "[[vary]]\nof = [\"x\", \"x'\"]\nvalues = [[-0.5, 1], [0.5, -1], [-0.375, 1]]\n"
           "[[section]]\nname = \"s\"\nof = \"x\"\n[[section]]\nname = \"touch\"\nof = \"x^2\"\n");
  expect_ok(desk("ensemble s.toml --quiet"));
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["sections/s/member"].values, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(r["sections/s/direction"].values, (std::vector<double>{1, -1, 1, 1, -1, 1}));
  const Numbers time = r["sections/s/time"];
  for (std::size_t i = 0; i < time.size(); ++i) EXPECT_NEAR(time[i], i % 3 == 2 ? 0.375 : 0.5, 1e-15);
  EXPECT_EQ(r["sections/touch/member"].size(), 0U);  // no change of the sign
}

TEST(Ensemble, histograms_count_what_is_in_the_file) {
  const Workplace desk;
  desk.add("well", well);
  desk.add("s",
           "model = \"well.toml\"\nmethod = \"rk4\"\nstep = 0.02\ntime = 2\nseed = 3\n"
           "[[vary]]\nof = [\"x\", \"y\"]\nrandom = \"uniform\"\nfrom = [0.1, -1]\nto = [4, 1]\ncount = 300\n"
           "[keep]\ntimes = [0, 0.5, 2]\n"
           "[[section]]\nname = \"s\"\nof = \"y - 0.5\"\n"
           "[[histogram]]\nname = \"ends\"\nof = \"x + y\"\nat = \"last\"\nbins = 7\nfrom = 0\nto = 3.5\n"
           "[[histogram]]\nname = \"on the way\"\nof = \"x'\"\nat = \"times\"\nbins = 5\nfrom = -1\nto = 0.25\n"
           "[[histogram]]\nname = \"through\"\nof = \"x\"\nat = \"s\"\nbins = 4\nfrom = 0\nto = 2\n"
           "[[volume]]\nname = \"area\"\nof = [\"x\", \"y\"]\nat = \"times\"\n");
  const json d = desk.document("ensemble s.toml");
  const Result5 r(desk / "s.h5");
  const Numbers status = r["status"];
  const auto failed = std::ranges::count(status.values, 1.0);
  ASSERT_GT(failed, 5);
  ASSERT_LT(failed, 200);
  EXPECT_EQ(d.at("failed"), failed);

  const auto check = [&](const std::string& name, std::size_t row, const std::vector<double>& values, double from,
                         double to, std::size_t bins) {
    SCOPED_TRACE(name + ", row " + std::to_string(row));
    const std::string path = "histograms/" + name + "/";
    const Numbers edges = r[path + "edges"], counts = r[path + "counts"];
    ASSERT_EQ(edges.shape, Shape{bins + 1});
    EXPECT_EQ(edges[0], from);
    EXPECT_EQ(edges[bins], to);
    ASSERT_EQ(counts.shape.at(1), bins);
    ASSERT_GT(values.size(), 20U);
    double mean = 0;
    for (const double x : values) mean += x / static_cast<double>(values.size());
    double square = 0;
    for (const double x : values) square += (x - mean) * (x - mean);
    EXPECT_NEAR(r[path + "mean"][row], mean, 1e-13);
    // Which of the two standard deviations is not said.
    const double population = std::sqrt(square / static_cast<double>(values.size()));
    const double sample = std::sqrt(square / static_cast<double>(values.size() - 1));
    const double deviation = r[path + "deviation"][row];
    EXPECT_LT(std::min(std::abs(deviation - population), std::abs(deviation - sample)), 1e-13);
    EXPECT_EQ(r[path + "least"][row], *std::ranges::min_element(values));
    EXPECT_EQ(r[path + "largest"][row], *std::ranges::max_element(values));
    for (std::size_t b = 0; b < bins; ++b) {
      EXPECT_NEAR(edges[b], from + (to - from) * static_cast<double>(b) / static_cast<double>(bins), 1e-14);
      EXPECT_EQ(counts.at(row, b), static_cast<double>(std::ranges::count_if(
                                       values, [&](double x) { return edges[b] <= x && x < edges[b + 1]; })));
    }
  };
  std::vector<double> ends;
  std::vector<std::vector<double>> ways(3);
  const Numbers q = r["last/q"], v = r["times/v"], initial = r["times/q"];
  for (std::size_t m = 0; m < 300; ++m) {
    if (status[m] != 0) continue;
    ends.push_back(q.at(m, 0) + q.at(m, 1));
    for (std::size_t k = 0; k < 3; ++k) ways[k].push_back(v.at(m, k, 0));
  }
  check("ends", 0, ends, 0, 3.5, 7);
  check("on the way", 1, ways[1], -1, 0.25, 5);
  check("on the way", 2, ways[2], -1, 0.25, 5);
  EXPECT_EQ(r["histograms/on the way/counts"].shape, (Shape{3, 5}));
  EXPECT_EQ(r["histograms/ends/counts"].shape, (Shape{1, 7}));
  // Rest at the start: all in the bin of 0, though the moments are degenerate.
  EXPECT_EQ(r["histograms/on the way/deviation"][0], 0);
  EXPECT_EQ(r["histograms/on the way/counts"].at(0, 4), static_cast<double>(ends.size()));
  std::vector<double> through;
  const Numbers member = r["sections/s/member"], at = r["sections/s/q"];
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (status[static_cast<std::size_t>(member[i])] == 0) through.push_back(at.at(i, 0));
  }
  check("through", 0, through, 0, 2, 4);

  // The hull of the members that came to that time, by Andrew's chain and the shoelace formula.
  const auto area = [&](std::size_t k, bool all) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t m = 0; m < 300; ++m) {
      if (!std::isnan(initial.at(m, k, 0)) && (all || status[m] == 0)) {
        points.emplace_back(initial.at(m, k, 0), initial.at(m, k, 1));
      }
    }
    std::ranges::sort(points);
    std::vector<std::pair<double, double>> hull;
    for (int side = 0; side < 2; ++side) {
      const std::size_t base = hull.size();
      for (const auto& c : points) {
        while (hull.size() >= base + 2) {
          const auto& a = hull[hull.size() - 2];
          const auto& b = hull.back();
          if ((b.first - a.first) * (c.second - a.second) > (b.second - a.second) * (c.first - a.first)) break;
          hull.pop_back();
        }
        hull.push_back(c);
      }
      hull.pop_back();
      std::ranges::reverse(points);
    }
    double twice = 0;
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const auto& a = hull[i];
      const auto& b = hull[(i + 1) % hull.size()];
      twice += a.first * b.second - a.second * b.first;
    }
    return twice / 2;
  };
  const Numbers areas = r["volumes/area/volume"];
  ASSERT_EQ(areas.shape, Shape{3});
  EXPECT_NEAR(areas[2], area(2, false), 1e-12);  // failed members have not come to there
  EXPECT_TRUE(std::abs(areas[0] - area(0, true)) < 1e-12 || std::abs(areas[0] - area(0, false)) < 1e-12) << areas[0];
  EXPECT_EQ(d.at("volumes").size(), 3U);
  EXPECT_EQ(d.at("volumes").at(2).at("volume"), areas[2]);
  EXPECT_EQ(d.at("histograms").size(), 5U);
}

/// x = x0 - t, down to x0 - 1; w is not defined where x is not positive.
const std::string line_with_logarithm =
    "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2)\"\n[initial]\nq = [1, 0]\nv = [-1, 1]\n"
    "[conserved]\nw = \"x'*exp(log(x))/x\"\n";

TEST(Ensemble, values_that_do_not_exist_are_said_not_to_exist) {
  const Workplace desk;
  desk.add("line", line_with_logarithm);
  desk.add("s",
           "model = \"line.toml\"\nmethod = \"dla\"\nstep = 0.125\nsteps = 8\n"
           "[[vary]]\nof = \"x\"\nvalues = [3, 0.5, 2.25, -1, 2]\n"
           "[keep]\ntimes = [0, 0.5, 1]\nstatistics = [\"w\", \"x\"]\n"
           "[[section]]\nname = \"s\"\nof = \"log(x)\"\n[[section]]\nname = \"t\"\nof = \"x - 2.1\"\n"
           "[[histogram]]\nname = \"log\"\nof = \"log(x)\"\nat = \"times\"\nfrom = 0\nto = 1\nbins = 2\n"
           "[[histogram]]\nname = \"none\"\nof = \"sqrt(-1 - x^2)\"\nfrom = 0\nto = 1\nbins = 2\n"
           "[[volume]]\nname = \"area\"\nof = [\"x\", \"x^2 + log(x)\"]\nat = \"times\"\n"
           "[[volume]]\nname = \"nothing\"\nof = [\"x\", \"log(x - 9)\"]\n");
  const Answer a = desk("ensemble s.toml");
  expect_ok(a);
  for (const char* part : {
           "5 of 5 finished",
           "w: not defined, so without statistics, in 2 members, first in member 1 at t = 0.5",
           "s: its function is not defined everywhere, so that crossings can be missing, in 2 members, first in "
           "member 1 at t = 0.5",
           "log at t = 0.5: mean ",
           "(3 values; 2 more are not defined, first in member 1 at t = 0.5)",
           "none: no values: 5 are not defined, first in member 0 at t = 1",
           "(of 3 members; 2 are not defined, first in member 1 at t = 1)",
           "nothing: of no members: 5 are not defined, first in member 0 at t = 1",
       }) {
    EXPECT_TRUE(contains(a.out, part));
  }
  EXPECT_FALSE(contains(a.out, "nan"));
  const json d = desk.document("ensemble s.toml");
  ASSERT_EQ(d.at("undefined").size(), 2U);
  EXPECT_EQ(d.at("undefined").at(0),
            (json{{"statistic", "w"}, {"members", 2}, {"first", {{"member", 1}, {"time", 0.5}}}}));
  EXPECT_EQ(d.at("undefined").at(1).at("section"), "s");
  EXPECT_EQ(d.at("unreached"), (json{0, 0, 0}));
  EXPECT_EQ(d.at("histograms").at(0).at("undefined"), 1);  // -1 at the start
  EXPECT_EQ(d.at("histograms").at(0).at("outside"), 2);    // log(3), log(0.5)
  EXPECT_EQ(d.at("histograms").at(3).at("mean"), nullptr);
  EXPECT_EQ(d.at("histograms").at(3).at("first_undefined"), (json{{"member", 0}, {"time", 1.0}}));
  EXPECT_EQ(d.at("volumes").at(3).at("volume"), nullptr);
  EXPECT_EQ(d.at("volumes").at(2).at("count"), 3);

  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["status"].values, std::vector<double>(5, 0.0));
  EXPECT_EQ(r.labels("undefined"), (std::vector<std::string>{"w", "x", "s", "t"}));
  EXPECT_EQ(r.numbers("undefined", "members"), (std::vector<double>{2, 0, 2, 0}));
  EXPECT_EQ(r.numbers("undefined", "first_member")[0], 1);
  EXPECT_EQ(r.numbers("undefined", "first_time")[2], 0.5);
  const Numbers undefined = r["undefined"], statistics = r["statistics"];
  for (std::size_t m = 0; m < 5; ++m) {
    const bool exists = m != 1 && m != 3;
    EXPECT_EQ(std::isnan(undefined.at(m, 0)), exists);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::isnan(statistics.at(m, 0, k)), !exists);
    EXPECT_EQ(statistics.at(m, 1, 0), r["varied/x"][m] - 1);
  }
  EXPECT_EQ(undefined.at(3, 0), 0.0);
  EXPECT_EQ(r["histograms/log/count"].values, (std::vector<double>{4, 3, 3}));
  EXPECT_EQ(r["histograms/log/undefined"].values, (std::vector<double>{1, 2, 2}));
  EXPECT_NEAR(r["histograms/log/mean"][2], (std::log(2.0) + std::log(1.25) + std::log(1.0)) / 3, 1e-15);
  EXPECT_EQ(r["volumes/area/undefined"].values, (std::vector<double>{1, 2, 2}));
  EXPECT_EQ(r["volumes/area/count"].values, (std::vector<double>{4, 3, 3}));
}

TEST(Ensemble, kept_times_after_an_early_end_are_counted) {
  const Workplace desk;
  desk.add("line", line_with_logarithm);
  desk.add("s",
           "model = \"line.toml\"\nmethod = \"dla\"\nstep = 0.125\nsteps = 8\n"
           "[[vary]]\nof = \"x\"\nvalues = [3, 0.4, 0.6]\n[keep]\ntimes = [0, 0.5, 1]\n"
           "[[section]]\nname = \"s\"\nof = \"x\"\nmost = 1\n");
  const Answer a = desk("ensemble s.toml");
  expect_ok(a);
  EXPECT_TRUE(contains(a.out,
                       "kept times are missing in 2 of the 3 finished members, which end before: first in "
                       "member 1, at t = 0.5"));
  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["times/unreached"].values, (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(desk.document("ensemble s.toml").at("unreached"), (json{0, 0, 2}));
}

}  // namespace ensemble_kept_test
