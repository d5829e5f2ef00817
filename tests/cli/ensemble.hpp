#pragma once

// Results of ensembles, and files that describe some.

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

namespace rattleback::test {

using nlohmann::json;
namespace fs = std::filesystem;

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
  /// An attribute of a dataset that is a list of numbers.
  std::vector<double> numbers(const std::string& name, const char* attribute_name) const {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    const hid_t attribute = H5Aopen(set, attribute_name, H5P_DEFAULT);
    EXPECT_GE(attribute, 0) << name << " has no " << attribute_name;
    if (attribute < 0) return {};
    const hid_t space = H5Aget_space(attribute);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
    H5Sclose(space);
    H5Aclose(attribute);
    H5Dclose(set);
    return values;
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
inline std::map<std::string, std::vector<double>> table(const std::string& path) {
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
inline std::string digits(double x) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  return text.data();
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

inline void expect_ok(const Answer& a) { EXPECT_EQ(a.status, 0) << a.out << a.err; }

inline const std::string particle_head =
    "model = \"quadratic-particle\"\n"
    "method = \"dla:midpoint\"\n";

/// The first example of the documentation.
inline const std::string sleighs = R"toml(title = "Sleighs that start in all directions"
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
inline const std::string everything_sleigh = R"toml(model = "chaplygin-sleigh"
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
inline std::string everything_gni() {
  std::string spec = everything_sleigh;
  const std::string methods = R"(["dla:midpoint", "rk4", "dla:order=4"])";
  return spec.replace(spec.find(methods), methods.size(), R"(["gni:midpoint", "gni:trapezoidal"])");
}

/// The same for the particle, with methods that cannot run in lanes.
inline const std::string everything_particle = R"toml(model = "quadratic-particle"
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
inline const std::string well = R"toml(coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - k*sqrt(x)"
[parameters]
k = 1
[initial]
q = [1, 0]
v = [0, 1]
)toml";

inline const std::string falls = R"toml(model = "well.toml"
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

}  // namespace rattleback::test
