// rattleback ensemble: what its documentation (docs/ensembles.md) promises.

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "command.hpp"

namespace {

using namespace rattleback::test;
using nlohmann::json;
namespace fs = std::filesystem;

// ---------------------------------------------------------------------------------------------------------------------
// Reading results

/// A dataset of numbers.
struct Numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  std::size_t size() const { return values.size(); }
  double operator[](std::size_t i) const { return values.at(i); }
  double at(std::size_t i, std::size_t j) const { return values.at(i * shape.at(1) + j); }
  double at(std::size_t i, std::size_t j, std::size_t k) const {
    return values.at((i * shape.at(1) + j) * shape.at(2) + k);
  }
};

/// A result, open for reading.
class Result5 {
 public:
  explicit Result5(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file_, 0) << path << " cannot be read";
  }
  ~Result5() {
    if (file_ >= 0) H5Fclose(file_);
  }
  Result5(const Result5&) = delete;
  Result5& operator=(const Result5&) = delete;

  bool has(const std::string& name) const {
    const hid_t object = H5Oopen(file_, name.c_str(), H5P_DEFAULT);
    if (object >= 0) H5Oclose(object);
    return object >= 0;
  }
  Numbers operator[](const std::string& name) const {
    Numbers n;
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(set, 0) << "there is no dataset " << name;
    if (set < 0) return n;
    const hid_t space = H5Dget_space(set);
    const int rank = std::max(H5Sget_simple_extent_ndims(space), 0);
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    n.shape.assign(extents.begin(), extents.end());
    n.values.resize(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
    if (!n.values.empty()) {
      EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, n.values.data()), 0) << name;
    }
    H5Sclose(space);
    H5Dclose(set);
    return n;
  }
  /// A dataset that is one text.
  std::string text(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(set, 0) << "there is no dataset " << name;
    if (set < 0) return "";
    const hid_t type = H5Dget_type(set);
    EXPECT_EQ(H5Tget_class(type), H5T_STRING) << name;
    EXPECT_LE(H5Tis_variable_str(type), 0) << name;
    std::string text(H5Tget_size(type), '\0');
    H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data());
    H5Tclose(type);
    H5Dclose(set);
    return text.substr(0, text.find('\0'));
  }
  /// The attribute `labels` of a dataset.
  std::vector<std::string> labels(const std::string& name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t attribute = H5Aopen(set, "labels", H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << name << " has no labels";
    if (attribute < 0) return {};
    const hid_t type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    const std::size_t width = H5Tget_size(type);
    std::string raw(count * width, '\0');
    H5Aread(attribute, type, raw.data());
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string one = raw.substr(i * width, width);
      labels.push_back(one.substr(0, one.find('\0')));
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Dclose(set);
    return labels;
  }

 private:
  hid_t file_ = -1;
};

using Shape = std::vector<std::size_t>;

/// A table that `run -o x.csv` has written.
std::map<std::string, std::vector<double>> table(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::string> names;
  for (std::istringstream heads(line); std::getline(heads, line, ',');) names.push_back(line);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (const std::string& name : names) {
      std::getline(cells, cell, ',');
      columns[name].push_back(std::stod(cell));
    }
  }
  EXPECT_FALSE(columns.empty()) << path;
  return columns;
}

/// A number as a command line takes it, with all its digits.
std::string digits(double x) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  return text.data();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

void expect_ok(const Answer& a) { EXPECT_EQ(a.status, 0) << a.out << a.err; }

// ---------------------------------------------------------------------------------------------------------------------
// Specs

const std::string particle_head =
    "model = \"quadratic-particle\"\n"
    "method = \"dla:midpoint\"\n";

/// The first example of the documentation.
const std::string sleighs = R"toml(title = "Sleighs that start in all directions"
model = "chaplygin-sleigh"    # of the catalogue, or a file beside this one
method = "dla:midpoint"       # or several: ["dla:midpoint", "rk4"]
step = 0.05
time = 10.0                   # or steps = 200

[[vary]]
of = "theta"
from = 0
to = "2*pi"
count = 9

[[vary]]
of = "a"
values = [0.2, 0.5, 1.0]

[keep]
times = [0, 5, 10]
statistics = ["energy", "x^2 + y^2"]
)toml";

/// Everything at once for the sleigh: methods in lanes, a composition, a swept step, parameters, starts that fail.
const std::string everything_sleigh = R"toml(model = "chaplygin-sleigh"
method = ["dla:midpoint", "rk4", "dla:order=4"]
time = 6
seed = 7

[[vary]]
of = "step"
values = [0.05, 0.1, 0.3]

[[vary]]
of = ["theta", "omega", "u"]
random = "normal"
mean = [0.5, 1, 0.1]
deviation = [1, 0.5, 0.6]
count = 7

[[vary]]
of = "a"
values = [0.3, 1.0]

[set]
g = 0.2

[start]
x = 0
"theta'" = "omega"
"x'" = "sqrt(u)*cos(theta)"
"y'" = "sqrt(u)*sin(theta)"

[keep]
times = {from = 0, to = 6, count = 4}
statistics = ["energy", "p_theta*y", "a*x + theta'"]

[[section]]
name = "level"
of = "sin(theta)"

[[section]]
name = "down"
of = "y + 0.01"
direction = "down"
most = 1

[[histogram]]
name = "heights"
of = "y"
at = "times"
bins = 5
from = -2
to = 2

[[histogram]]
name = "speeds"
of = "x'"
at = "level"
bins = 4
from = -1
to = 1

[[volume]]
name = "cloud"
of = ["x", "y", "p_theta"]
at = "times"
)toml";

/// The same for methods whose step carries a multiplier along.
std::string everything_gni() {
  std::string spec = everything_sleigh;
  const std::string methods = R"(["dla:midpoint", "rk4", "dla:order=4"])";
  return spec.replace(spec.find(methods), methods.size(), R"(["gni:midpoint", "gni:trapezoidal"])");
}

/// The same for the particle, with methods that cannot run in lanes.
const std::string everything_particle = R"toml(model = "quadratic-particle"
method = ["dla:midpoint", "rdla:midpoint", "hdel", "reference", "dla:trapezoidal:order=4"]
time = 5
seed = 11

[[vary]]
of = "step"
values = [0.1, 0.25]

[[vary]]
of = ["x", "y"]
random = "ball"
center = [0.2, 0.1]
radius = 0.6
count = 9

[[vary]]
of = "E"
values = [0.2, 1.0]

[start]
"x'" = "sqrt(2*(E - x^2 - y^2)/(1 + y^2))"
"y'" = 0
"z'" = "y*sqrt(2*(E - x^2 - y^2)/(1 + y^2))"

[keep]
times = [0, 1, 2.5]
statistics = ["y_energy", "p_x"]

[[section]]
name = "returns"
of = "x"
direction = "up"

[[histogram]]
name = "ends"
of = "x"
at = "last"
bins = 6
from = -1
to = 1

[[volume]]
name = "hull"
of = ["x", "y", "x'"]
at = "last"
)toml";

/// A well whose wall is a root: trajectories fail when they come to x = 0, each at another time.
const std::string well = R"toml(coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - k*sqrt(x)"
[parameters]
k = 1
[initial]
q = [1, 0]
v = [0, 1]
)toml";

const std::string falls = R"toml(model = "well.toml"
method = ["rk4", "dla:midpoint"]
step = 0.02
time = 2

[[vary]]
of = "x"
from = 0.1
to = 4
count = 40

[keep]
times = [0, 1, 2]
statistics = ["energy"]
)toml";

// ---------------------------------------------------------------------------------------------------------------------
// What is varied

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

// ---------------------------------------------------------------------------------------------------------------------
// What is kept, against numbers from elsewhere

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
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
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

// ---------------------------------------------------------------------------------------------------------------------
// Failures

TEST(Ensemble, starts_that_are_impossible_are_reported_and_the_others_run) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.1\ntime = 1\n" +
                    "[[vary]]\nof = \"z'\"\nvalues = [0, 0.5]\n"   // 0.5 violates z' = y x'
                    "[[vary]]\nof = \"w\"\nvalues = [1, -1, 4]\n"  // no root of -1
                    "[start]\ny = \"sqrt(w)\"\n[keep]\ntimes = [0, 1]\nstatistics = [\"energy\"]\n");
  const Answer a = desk("ensemble s.toml");
  expect_ok(a);
  EXPECT_TRUE(contains(a.out, "4 failed"));
  for (const char* part : {"member 1: ", "member 3: ", "member 4: ", "member 5: ", "constraint 1", "y is nan"}) {
    EXPECT_TRUE(contains(a.out, part));
  }
  EXPECT_FALSE(contains(a.out, "-nan")) << "a number that is none has no sign";
  for (const char* part : {"member 0: ", "member 2: "}) EXPECT_FALSE(contains(a.out, part));
  const json d = desk.document("ensemble s.toml");
  EXPECT_EQ(d.at("members"), 6);
  EXPECT_EQ(d.at("failed"), 4);
  EXPECT_EQ(d.at("finished"), 2);
  ASSERT_EQ(d.at("failures").size(), 4U);
  EXPECT_TRUE(contains(d.at("failures").at(0), "member 1: "));
  EXPECT_TRUE(contains(d.at("failures").at(1), "member 3: "));
  EXPECT_TRUE(contains(d.at("failures").at(1), "constraint 1"));

  const Result5 r(desk / "s.h5");
  EXPECT_EQ(r["status"].values, (std::vector<double>{0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(r["varied/w"].values, (std::vector<double>{1, -1, 4, 1, -1, 4}));
  const std::vector<std::string> reasons = lines(r.text("failures"));  // "a line for each"
  ASSERT_EQ(reasons.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(contains(reasons[i].substr(0, 10), std::to_string(std::array{1, 3, 4, 5}[i]) + ": ")) << reasons[i];
  }
  for (const std::size_t m : {1U, 3U, 4U, 5U}) {
    EXPECT_EQ(r["steps"][m], 0);
    EXPECT_TRUE(std::isnan(r["times/q"].at(m, 1, 0)));
    EXPECT_TRUE(std::isnan(r["times/energy"].at(m, 1)));
  }
  EXPECT_EQ(r["steps"][2], 10);
  EXPECT_NEAR(r["times/q"].at(2, 0, 1), 2, 1e-15);
}

TEST(Ensemble, failures_on_the_way_keep_the_last_good_node) {
  const Workplace desk;
  desk.add("well", well);
  desk.add("falls", falls);
  const json d = desk.document("ensemble falls.toml");
  const Result5 r(desk / "falls.h5");
  const Numbers status = r["status"], time = r["last/time"], steps = r["steps"], q = r["last/q"],
                kept = r["times/time"], x = r["varied/x"], energy = r["last/energy"];
  std::size_t failed = 0;
  for (std::size_t m = 0; m < 80; ++m) {
    // From rest at X the wall is reached at T = (4/3) √2 X^(3/4) ∫… = (2√2/3)·2·X^(3/4).
    const double T = 4 * std::numbers::sqrt2 / 3 * std::pow(x[m], 0.75);
    if (T < 1.9) {
      EXPECT_EQ(status[m], 1) << x[m];
    }
    if (T > 2.1) {
      EXPECT_EQ(status[m], 0) << x[m];
    }
    failed += status[m] == 1 ? 1 : 0;
    EXPECT_NEAR(steps[m] * 0.02, time[m], 1e-12);
    // The midpoint rule does not look at nodes: the last one may lie behind the wall, where there is no energy.
    EXPECT_GT(q.at(m, 0), m < 40 ? 0 : -0.02);
    EXPECT_EQ(std::isnan(energy[m]), q.at(m, 0) < 0);
    EXPECT_EQ(std::isnan(kept.at(m, 1)), time[m] < 0.99) << m;
    EXPECT_EQ(std::isnan(kept.at(m, 2)), status[m] == 1) << m;
    EXPECT_EQ(kept.at(m, 0), 0);
    if (status[m] == 1) {
      EXPECT_LT(time[m], std::max(T, 0.03) + 0.02);
      EXPECT_GT(time[m], T - 0.1);
    }
  }
  EXPECT_GT(failed, 15U);
  EXPECT_LT(failed, 30U);
  EXPECT_EQ(d.at("failed"), failed);
  EXPECT_EQ(lines(r.text("failures")).size(), failed);
}

TEST(Ensemble, all_failed_is_a_failure) {
  const Workplace desk;
  desk.add("s", particle_head + "step = 0.1\ntime = 1\n[[vary]]\nof = \"z'\"\nvalues = [1, 2]\n");
  const Answer a = desk("ensemble s.toml");
  EXPECT_EQ(a.status, numerics_failed);
  EXPECT_TRUE(contains(a.err, "all members failed"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].values, (std::vector<double>{1, 1}));
  const Answer quiet = desk("ensemble s.toml --quiet");
  EXPECT_EQ(quiet.status, numerics_failed);
  EXPECT_EQ(quiet.out, "");
  const Answer document = desk("ensemble s.toml --json");
  EXPECT_EQ(document.status, numerics_failed);
  EXPECT_EQ(json::parse(document.out).at("failed"), 2);
}

TEST(Ensemble, all_failed_is_a_failure_whatever_the_reason) {
  const Workplace desk;  // not even one position is a number
  desk.add("s", particle_head +
                    "step = 0.1\ntime = 1\n[[vary]]\nof = \"w\"\nvalues = [-1, -2]\n"
                    "[start]\ny = \"sqrt(w)\"\n");
  const Answer a = desk("ensemble s.toml");
  EXPECT_EQ(a.status, numerics_failed) << a.err;
  EXPECT_TRUE(contains(a.err, "all members failed"));
  ASSERT_TRUE(fs::exists(desk / "s.h5"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].values, (std::vector<double>{1, 1}));
}

TEST(Ensemble, few_good_members_after_many_that_fail_run_and_the_first_10000_reasons_are_kept) {
  const Workplace desk;
  desk.add("s", particle_head +
                    "step = 0.1\ntime = 1\n[[vary]]\nof = \"w\"\nfrom = -10039.5\nto = 10.5\n"
                    "count = 10051\n[start]\ny = \"sqrt(w)\"\n");
  const Answer a = desk("ensemble s.toml --quiet");
  ASSERT_EQ(a.status, 0) << a.err;
  const Result5 r(desk / "s.h5");
  const Numbers status = r["status"];
  ASSERT_EQ(status.shape, Shape{10051});
  for (std::size_t m = 0; m < 10051; ++m) ASSERT_EQ(status[m], m < 10040 ? 1 : 0) << m;
  const std::vector<std::string> reasons = lines(r.text("failures"));
  ASSERT_EQ(reasons.size(), 10000U);
  EXPECT_TRUE(contains(reasons.front().substr(0, 10), "0: "));
  EXPECT_TRUE(contains(reasons.back().substr(0, 14), "9999: "));
}

// ---------------------------------------------------------------------------------------------------------------------
// The same bytes, whoever computed what

bool have_mpirun() { return shell("command -v mpirun >/dev/null 2>&1").status == 0; }

/// Runs an ensemble with ranks.
Answer with_ranks(const Workplace& desk, int ranks, const std::string& arguments) {
  const int status = shell("cd '" + desk.path() + "' && mpirun --allow-run-as-root --oversubscribe -n " +
                           std::to_string(ranks) + " " + RATTLEBACK_COMMAND + " " + arguments + " >out.txt 2>err.txt")
                         .status;
  return {status, content(desk / "out.txt"), content(desk / "err.txt")};
}

struct Spec {
  const char* name;
  std::string text;
};
void PrintTo(const Spec& spec, std::ostream* out) { *out << spec.name; }
std::string name_of(const testing::TestParamInfo<Spec>& spec) { return spec.param.name; }

class SameBytes : public testing::TestWithParam<Spec> {
 protected:
  void SetUp() override {
    desk.add("s", GetParam().text);
    desk.add("well", well);
    const Answer a = desk("ensemble s.toml --quiet -o one.h5 --lanes 1 --threads 1");
    ASSERT_EQ(a.status, 0) << a.err;
    expected = content(desk / "one.h5");
    EXPECT_GT(expected.size(), 10000U);
    // It is worth comparing only if there is something of everything.
    const Result5 r(desk / "one.h5");
    EXPECT_GE(r["status"].size(), 40U);
    EXPECT_GT(std::ranges::count(r["status"].values, 1.0), 0);
    EXPECT_GT(std::ranges::count(r["status"].values, 0.0), 20);
    if (r.has("sections")) {
      const std::string name = r.has("sections/level") ? "level" : "returns";
      EXPECT_GT(r["sections/" + name + "/time"].size(), 20U);
    }
  }
  Workplace desk;
  std::string expected;
};

class SameBytesByLanes : public SameBytes {};
class SameBytesByRanks : public SameBytes {};

TEST_P(SameBytesByLanes, for_any_lanes_and_threads) {
  for (const char* lanes : {"1", "4", "8", "16"}) {
    for (const char* threads : {"1", "2"}) {
      expect_ok(desk("ensemble s.toml --quiet -o two.h5 --lanes " + std::string(lanes) + " --threads " + threads));
      EXPECT_TRUE(content(desk / "two.h5") == expected) << lanes << " lanes, " << threads << " threads";
    }
  }
}

TEST_P(SameBytesByRanks, for_any_number_of_ranks) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  for (const int ranks : {1, 2, 3}) {
    const Answer a =
        with_ranks(desk, ranks, "ensemble s.toml --json -o two.h5 --threads " + std::to_string(ranks % 2 + 1));
    EXPECT_EQ(a.status, 0) << a.err;
    const json d = json::parse(a.out, nullptr, false);
    ASSERT_TRUE(d.is_object()) << a.out;  // one document, not one of each rank
    EXPECT_EQ(d.at("ranks"), ranks);
    EXPECT_TRUE(content(desk / "two.h5") == expected) << ranks << " ranks";
    EXPECT_FALSE(fs::exists(desk / "two.h5.parts"));
  }
}

INSTANTIATE_TEST_SUITE_P(Ensemble, SameBytesByLanes,
                         testing::Values(Spec{"sleigh", everything_sleigh}, Spec{"particle", everything_particle},
                                         Spec{"gni", everything_gni()}, Spec{"falls", falls}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Ensemble, SameBytesByRanks,
                         testing::Values(Spec{"sleigh", everything_sleigh}, Spec{"particle", everything_particle}),
                         name_of);

TEST(Ensemble, a_wrong_spec_is_complained_about_by_one_rank) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  const Workplace desk;
  desk.add("s", particle_head + "stepp = 0.1\n");
  const Answer wrong = with_ranks(desk, 2, "ensemble s.toml --quiet");
  EXPECT_EQ(wrong.status, wrong_request);
  const std::size_t first = wrong.err.find("unknown key 'stepp'");
  ASSERT_NE(first, std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("unknown key 'stepp'", first + 1), std::string::npos) << "said more than once";
}

// ---------------------------------------------------------------------------------------------------------------------
// Killed and resumed

const std::string long_spec = R"toml(model = "quadratic-particle"
method = ["dla:midpoint", "rk4"]
step = 0.05
steps = 40000

[[vary]]
of = "x"
from = 0.5
to = 1.5
count = 200

[[vary]]
of = "z'"
values = [0, 1]

[keep]
times = [0, 100, 2000]
statistics = ["energy"]

[[section]]
name = "up"
of = "x"
direction = "up"
)toml";

/// A process of ours, with its output in files.
class Process {
 public:
  Process(const std::string& folder, const std::vector<std::string>& command) {
    pid_ = fork();
    if (pid_ != 0) return;
    if (chdir(folder.c_str()) != 0) _exit(126);
    const int out = open("process.out", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int err = open("process.err", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(out, 1);
    dup2(err, 2);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Process() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  bool running() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return !ended_;
  }
  int wait() {
    if (!ended_) waitpid(pid_, &status_, 0);
    ended_ = true;
    return status_;
  }
  /// Those that it has started.
  std::vector<pid_t> children() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
    std::vector<pid_t> ids;
    for (pid_t id = 0; file >> id;) ids.push_back(id);
    return ids;
  }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

std::uintmax_t journals(const std::string& parts) {
  std::error_code none;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(parts, none)) {
    const auto size = entry.file_size(none);
    if (!none) bytes += size;
  }
  return bytes;
}

/// Waits until the journals hold something; false if the process ends before, or if nothing ever happens.
bool under_way(Process& process, const std::string& parts, std::uintmax_t bytes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (!process.running()) return false;
    if (journals(parts) >= bytes) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// The bytes of an undisturbed run, made once.
class Interrupted : public testing::Test {
 protected:
  Interrupted() {
    static const std::string undisturbed = [] {
      const Workplace other;
      other.add("s", long_spec);
      expect_ok(other("ensemble s.toml --quiet --threads 1"));
      return content(other / "s.h5");
    }();
    expected = undisturbed;
    EXPECT_GT(expected.size(), 100000U);
    desk.add("s", long_spec);
  }
  std::vector<std::string> command(int threads = 1) const {
    return {RATTLEBACK_COMMAND, "ensemble", "s.toml", "--quiet", "--threads", std::to_string(threads)};
  }
  std::vector<std::string> command_of_ranks(int ranks) const {
    std::vector<std::string> words{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(ranks)};
    for (const std::string& word : command()) words.push_back(word);
    return words;
  }
  void expect_the_same_bytes() const {
    EXPECT_TRUE(content(desk / "s.h5") == expected);
    EXPECT_FALSE(fs::exists(desk / "s.h5.parts"));
  }
  Workplace desk;
  std::string expected;
  const std::uintmax_t some = 400000;  ///< bytes of journals, a small part of all
};

TEST_F(Interrupted, by_a_kill_it_is_refused_without_resume_and_resumed_to_the_same_bytes) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    const int status = process.wait();
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended before it was killed";
  }
  const std::uintmax_t kept = journals(desk / "s.h5.parts");
  ASSERT_GE(kept, some);

  const Answer again = desk("ensemble s.toml");
  EXPECT_EQ(again.status, wrong_request);
  for (const char* part : {"s.h5.parts", "unfinished", "--resume", "--force"}) EXPECT_TRUE(contains(again.err, part));
  EXPECT_EQ(again.out, "") << "standard output is for answers";
  EXPECT_EQ(journals(desk / "s.h5.parts"), kept) << "what was computed is lost";

  // With another spec it is refused too, and nothing is lost.
  std::string changed = long_spec;
  changed.replace(changed.find("steps = 40000"), 13, "steps = 40001");
  desk.add("s", changed);
  const Answer other = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(other.status, wrong_request);
  EXPECT_TRUE(contains(other.err, "another ensemble"));
  EXPECT_EQ(journals(desk / "s.h5.parts"), kept);
  desk.add("s", long_spec);

  expect_ok(desk("ensemble s.toml --resume --quiet --threads 2 --lanes 4"));
  expect_the_same_bytes();

  const Answer finished = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(finished.status, wrong_request);
  EXPECT_TRUE(contains(finished.err, "nothing to resume"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_kills_again_and_again_it_goes_on_where_it_was) {
  std::uintmax_t goal = some;
  std::map<std::string, std::string> before;
  for (int round = 0; round < 3; ++round, goal += some) {
    std::vector<std::string> words = command(round % 2 + 1);
    if (round > 0) words.push_back("--resume");
    Process process(desk.path(), words);
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", goal)) << round << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    process.wait();
    ASSERT_GE(journals(desk / "s.h5.parts"), goal);
    // Nothing that was there is thrown away. (A record that was being written may be.)
    for (const auto& [name, text] : before) {
      EXPECT_EQ(content(name).substr(0, text.size() / 2), text.substr(0, text.size() / 2)) << name;
    }
    for (const auto& entry : fs::directory_iterator(desk / "s.h5.parts")) {
      before[entry.path().string()] = content(entry.path());
    }
  }
  // A kill may come in the middle of a record: the journal then ends with a part of it.
  std::uintmax_t largest = 0;
  fs::path file;
  for (const auto& entry : fs::directory_iterator(desk / "s.h5.parts")) {
    if (entry.file_size() > largest) largest = entry.file_size(), file = entry.path();
  }
  fs::resize_file(file, largest - 37);
  expect_ok(desk("ensemble s.toml --resume --quiet"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, force_gives_up_what_is_there) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some));
    kill(process.id(), SIGKILL);
    process.wait();
  }
  std::string other = particle_head + "step = 0.1\ntime = 1\n";
  desk.add("s", other);
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, wrong_request);
  expect_ok(desk("ensemble s.toml --quiet --force"));
  EXPECT_FALSE(fs::exists(desk / "s.h5.parts"));
  EXPECT_EQ(Result5(desk / "s.h5")["status"].size(), 1U);
}

TEST_F(Interrupted, it_is_not_resumed_with_another_model) {
  desk.add("well", well);
  desk.add("s",
           "model = \"well.toml\"\nmethod = \"rk4\"\nstep = 0.00001\ntime = 1\n"
           "[[vary]]\nof = \"x\"\nfrom = 2\nto = 4\ncount = 10000\n");
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", 5000)) << content(desk / "process.err");
    kill(process.id(), SIGKILL);
    process.wait();
  }
  std::string other = well;
  other.replace(other.find("k = 1"), 5, "k = 2");
  desk.add("well", other);
  const Answer a = desk("ensemble s.toml --resume --quiet");
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_TRUE(contains(a.err, "another ensemble"));
}

TEST_F(Interrupted, by_the_user_it_writes_what_is_there_and_can_be_resumed) {
  {
    Process process(desk.path(), command());
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some));
    kill(process.id(), SIGINT);
    const int status = process.wait();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  EXPECT_TRUE(contains(content(desk / "process.err"), "--resume"));
  {
    const Result5 r(desk / "s.h5");
    const Numbers status = r["status"], energy = r["last/energy"], x = r["varied/x"], member = r["sections/up/member"];
    ASSERT_EQ(status.shape, Shape{800});
    const auto missing = std::ranges::count(status.values, 2.0);
    EXPECT_GT(missing, 0);
    EXPECT_LT(missing, 800);
    EXPECT_EQ(missing + std::ranges::count(status.values, 0.0) + std::ranges::count(status.values, 1.0), 800);
    for (std::size_t m = 0; m < status.size(); ++m) {
      EXPECT_FALSE(std::isnan(x[m]));
      if (status[m] == 2) {
        EXPECT_TRUE(std::isnan(energy[m]));
      }
    }
    for (const double m : member.values) ASSERT_EQ(status[static_cast<std::size_t>(m)], 0);
  }
  EXPECT_EQ(desk("ensemble s.toml --quiet").status, wrong_request);
  expect_ok(desk("ensemble s.toml --resume --quiet"));
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_the_death_of_one_rank_it_is_resumed_by_other_numbers_of_ranks) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  {
    Process process(desk.path(), command_of_ranks(3));
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    const std::vector<pid_t> ranks = process.children();
    ASSERT_EQ(ranks.size(), 3U);
    kill(ranks[1], SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  ASSERT_TRUE(fs::exists(desk / "s.h5.parts")) << "it ended before it was killed";
  EXPECT_GE(journals(desk / "s.h5.parts"), some);
  const Answer a = with_ranks(desk, 2, "ensemble s.toml --quiet --resume");
  EXPECT_EQ(a.status, 0) << a.err;
  expect_the_same_bytes();
}

TEST_F(Interrupted, by_the_death_of_all_ranks_it_is_resumed_by_one_process) {
  if (!have_mpirun()) GTEST_SKIP() << "there is no mpirun";
  {
    Process process(desk.path(), command_of_ranks(2));
    ASSERT_TRUE(under_way(process, desk / "s.h5.parts", some)) << content(desk / "process.err");
    const std::vector<pid_t> ranks = process.children();
    ASSERT_EQ(ranks.size(), 2U);
    for (const pid_t rank : ranks) kill(rank, SIGKILL);
    EXPECT_NE(process.wait(), 0);
  }
  ASSERT_TRUE(fs::exists(desk / "s.h5.parts")) << "it ended before it was killed";
  expect_ok(desk("ensemble s.toml --quiet --resume --lanes 16"));
  expect_the_same_bytes();
}

// ---------------------------------------------------------------------------------------------------------------------
// The command

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

}  // namespace
