// rdla, hdel and pthdel as users call them: which systems they take, where they stop, times of their own, and files.

#include <hdf5.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "tests/places.hpp"

namespace reduced_method_test {

using namespace rattleback::test;
using nlohmann::json;

/// The numbers of a CSV file by the name of their column.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  std::size_t column(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return static_cast<std::size_t>(found - names.begin());
  }
  double at(std::size_t row, const std::string& name) const { return rows.at(row).at(column(name)); }
};

/// A folder in which the command runs.
class Workshop : public Workplace {
 public:
  Table table(const std::string& name) const {
    Table table;
    std::istringstream text(content(folder_ / name));
    for (std::string line; std::getline(text, line);) {
      std::istringstream cells(line);
      if (!table.names.empty()) table.rows.emplace_back();
      const bool head = table.rows.empty();
      for (std::string cell; std::getline(cells, cell, ',');) {
        head ? table.names.push_back(cell) : table.rows.back().push_back(std::stod(cell));
      }
    }
    return table;
  }
  /// The table of a run of which a file is kept.
  Table trajectory(const std::string& arguments) const {
    const Answer a = (*this)(arguments + " --quiet --force -o trajectory.csv");
    EXPECT_EQ(a.status, 0) << arguments << "\n" << a.err;
    return table("trajectory.csv");
  }
};

std::string with(const std::string& method) { return "run quadratic-particle --step 0.1 --steps 5 -m " + method; }

// ---------------------------------------------------------------------------------------------------------------------
// rdla

TEST(Rdla, with_general_forces_moves_as_dla) {
  const Workshop workshop;
  for (const auto& [model, rule] :
       {std::pair{"generic-connection", "midpoint"}, std::pair{"generic-connection", "alpha=0.3"},
        std::pair{"knife-edge-incline", "trapezoidal"}, std::pair{"chaplygin-ball", "sym=0.25"},
        std::pair{"rubber-body-on-sphere", "midpoint"}}) {
    SCOPED_TRACE(std::string(model) + " " + rule);
    const std::string arguments = std::string("run ") + model + " --step 0.05 --steps 40 -m ";
    const Table full = workshop.trajectory(arguments + "dla:" + rule);
    const Table reduced = workshop.trajectory(arguments + "rdla:forces=general:" + rule);
    ASSERT_EQ(full.rows.size(), 41U);
    ASSERT_EQ(reduced.rows.size(), 41U);
    EXPECT_EQ(full.names, reduced.names);
    const std::size_t columns = full.column("p_" + full.names[1]);  // time, q, v
    for (std::size_t row = 0; row < 41; ++row) {
      for (std::size_t k = 0; k < columns; ++k) {
        EXPECT_NEAR(full.rows[row][k], reduced.rows[row][k], 1e-12) << full.names[k] << " in row " << row;
      }
    }
  }
}

TEST(Rdla, averaged_forces_are_the_general_ones_for_linear_connections_only) {
  const Workshop workshop;
  const auto difference = [&](const std::string& model) {
    const std::string arguments = "run " + model + " --step 0.1 --steps 20 -m ";
    const json a = workshop.document(arguments + "rdla").at("q");
    const json b = workshop.document(arguments + "dla").at("q");
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::abs(a.at(i).get<double>() - b.at(i).get<double>()));
    }
    return largest;
  };
  EXPECT_LT(difference("quadratic-particle"), 1e-12);
  EXPECT_GT(difference("generic-connection"), 1e-7);
  EXPECT_LT(difference("generic-connection"), 1e-1);
}

TEST(Rdla, takes_friction_and_other_lagrangians) {
  const Workshop workshop;
  const std::string coordinates = "coordinates = ['x', 'y', 'z']\n";
  const std::string rest = "constraints = [\"z' - y*x'\"]\n[initial]\nq = [0, 1, 0]\nv = [0.1, 0.1, 0.1]\n";
  workshop.add("friction",
               coordinates + "lagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n" + rest + "[forces]\nx = \"-x'\"\n");
  workshop.add("relativistic", coordinates + "lagrangian = \"-sqrt(1 - x'^2 - y'^2 - z'^2)\"\n" + rest);
  workshop.add("magnetic", coordinates + "lagrangian = \"0.5*(x'^2 + y'^2 + z'^2) + x*y' - y*x'\"\n" + rest);
  for (const auto& [model, reason] : {std::pair{"friction", "forces are not quadratic"},
                                      std::pair{"relativistic", "the Lagrangian is not quadratic in the velocity"},
                                      std::pair{"magnetic", "linear in the velocities"}}) {
    const std::string arguments = std::string("run ") + model + ".toml --step 0.01 --steps 100 -m ";
    const json exact = workshop.document(arguments + "reference").at("q");
    for (const char* method : {"rdla", "rdla:forces=general"}) {
      const json q = workshop.document(arguments + method).at("q");
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(q.at(i), exact.at(i), 1e-4) << model << " " << method;
    }
    for (const char* method : {"hdel", "pthdel"}) {
      const Answer a = workshop(arguments + method);
      EXPECT_EQ(a.status, wrong_request);
      EXPECT_TRUE(contains(a.err, std::string(method) + " needs a multiplier: "));
      EXPECT_TRUE(contains(a.err, reason));
    }
  }
}

TEST(ReducedMethods, without_constraints_are_del) {
  const Workshop workshop;
  workshop.add("pendulum", "coordinates = ['a']\nlagrangian = \"0.5*a'^2 + cos(a)\"\n[initial]\nq = [1]\n");
  const std::string arguments = "run pendulum.toml --step 0.1 --steps 50 -m ";
  const double q = workshop.document(arguments + "del").at("q").at(0);
  for (const char* method : {"rdla", "rdla:forces=general", "hdel", "pthdel"}) {
    EXPECT_NEAR(workshop.document(arguments + method).at("q").at(0), q, 1e-12) << method;
  }
  EXPECT_NEAR(workshop.document(arguments + "hdel").at("time"), 5.0, 1e-13) << "N = 1";
}

// ---------------------------------------------------------------------------------------------------------------------
// Requests that are refused

struct Refused {
  std::string label;
  std::string arguments;
  std::string says;  ///< parts of the message, separated by " ... "
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.label; }

class RefusedRequests : public testing::TestWithParam<Refused> {};

void expect_parts(const std::string& message, const std::string& parts) {
  for (std::size_t begin = 0; begin < parts.size();) {
    const std::size_t end = std::min(parts.find(" ... ", begin), parts.size());
    EXPECT_TRUE(contains(message, parts.substr(begin, end - begin)));
    begin = end + 5;
  }
}

TEST_P(RefusedRequests, get_status_2_and_the_reason) {
  const Refused& refused = GetParam();
  const Workshop workshop;
  const Answer a = workshop(refused.arguments + " -o a.csv");
  SCOPED_TRACE(refused.arguments + "\n" + a.err);
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_EQ(a.out, "");
  EXPECT_TRUE(a.err.starts_with("rattleback: "));
  expect_parts(a.err, refused.says);
  EXPECT_FALSE(std::filesystem::exists(workshop / "a.csv")) << "nothing was begun";
}

const std::string no_structure = " needs a Chaplygin system, and this is none: ";
const std::string no_closed_form = "needs a multiplier, and this system has none: the one-form ... not closed ... rdla";
const std::vector<Refused> systems{
    {"no_symmetry", "run mclachlan-perlmutter --steps 3 -m rdla", "rdla" + no_structure + "no symmetry ... analyse"},
    {"holonomic", "run cart-pendulum --steps 3 -m rdla:forces=general", "rdla" + no_structure + "there are holonomic"},
    {"affine", "run ball-on-turntable --steps 3 -m hdel", "hdel" + no_structure + "the constraints are affine"},
    {"affine_pthdel", "run ball-on-turntable --steps 3 -m pthdel", "pthdel" + no_structure + "the constraints are"},
    {"hdel_not_closed", "run generic-connection --steps 3 -m hdel", "hdel " + no_closed_form},
    {"pthdel_not_closed", "run generic-connection --steps 3 -m pthdel", "pthdel " + no_closed_form},
    {"sleigh", "run chaplygin-sleigh-horizontal --steps 3 -m hdel:resample", "hdel " + no_closed_form},
    {"not_simple", "run chaplygin-ball --steps 3 -m hdel", "the gyroscopic force is not that of a multiplier ... dla"},
    {"not_simple_pthdel", "run chaplygin-ball --steps 3 -m pthdel", "force is not that of a multiplier ... rdla"},
};
const std::vector<Refused> options{
    {"unknown_quadrature", with("hdel:quadrature=gauss"),
     "quadrature must be one of trapezoidal, simpson, boole, found 'gauss'"},
    {"quadrature_without_value", with("hdel:quadrature"), "quadrature needs a value"},
    {"order_beyond_trapezoidal", with("hdel:order=4"),
     "trapezoidal ... order 2 only: give quadrature=simpson or boole"},
    {"order_beyond_simpson", with("hdel:order=6:quadrature=simpson"), "simpson ... order 4 only"},
    {"order_beyond_boole", with("hdel:order=8:quadrature=boole"), "boole ... order 6 only: give order=6 at most"},
    {"resample_with_value", with("hdel:resample=1"), "resample takes no value, found 'resample=1'"},
    {"through_with_equal_tau", with("hdel:nodes=tau:through"),
     "tau turns back ... give through with nodes=t or nodes=ref"},
    {"through_and_resample", with("hdel:through:resample"),
     "resample is for nodes at equal steps of tau, and through has"},
    {"quadrature_of_equal_times", with("hdel:nodes=t:quadrature=boole"),
     "quadrature is for ... and nodes=t has them at"},
    {"unknown_nodes", with("hdel:nodes=x"), "nodes must be one of tau, t, reference, found 'x'"},
    {"through_with_value", with("pthdel:through=1"), "through takes no value, found 'through=1'"},
    {"through_of_rdla", with("rdla:through"), "rdla has no option 'through'"},
    {"map_of_steps_that_differ", with("hdel:nodes=reference --observe spectral-radius"),
     "differ ... drop nodes=reference"},
    {"start_of_hdel", with("hdel:start=reference"), "hdel has no option 'start'; there are ... quadrature"},
    {"forces_of_hdel", with("hdel:forces=general"), "hdel has no option 'forces'"},
    {"unknown_forces", with("rdla:forces=foo"), "forces must be one of averaged, general, found 'foo'"},
    {"quadrature_of_rdla", with("rdla:quadrature=boole"), "rdla has no option 'quadrature'"},
    {"resample_of_pthdel", with("pthdel:resample"), "pthdel has no option 'resample'; there are midpoint"},
    {"start_and_order", with("rdla:start=reference:order=4"), "a composition cannot start from two positions"},
    {"order_without_symmetry", with("pthdel:order=4:alpha=0.3"), "order needs a symmetric rule"},
    {"q1_of_a_composition", with("hdel:order=4:quadrature=boole --q1 1,0.1,0"), "cannot start from two positions"},
    {"time_error_of_dla", with("dla --observe time-error"),
     "time-error cannot be observed here: dla takes steps of t itself"},
    {"time_error_of_pthdel", with("pthdel --observe time-error"), "pthdel takes steps of t itself"},
    {"impulses", with("hdel --observe impulses"), "hdel has no multipliers that belong to a step"},
    {"symplectic", with("rk4 --observe symplectic"), "the state of the method is not (q, p)"},
};

std::string label_of(const testing::TestParamInfo<Refused>& parameter) { return parameter.param.label; }
INSTANTIATE_TEST_SUITE_P(Systems, RefusedRequests, testing::ValuesIn(systems), label_of);
INSTANTIATE_TEST_SUITE_P(Options, RefusedRequests, testing::ValuesIn(options), label_of);

// ---------------------------------------------------------------------------------------------------------------------
// Zeros of the multiplier

TEST(Multiplier, where_it_vanishes_the_run_ends_and_its_rows_are_kept) {
  const Workshop workshop;
  struct End {
    std::string method;
    std::size_t steps;
    double phi;  ///< of the last node, before pi/2
  };
  for (const End& end : {End{"hdel", 14, 1.363}, End{"hdel:quadrature=boole", 14, 1.363}, End{"pthdel", 22, 1.539}}) {
    const Answer a = workshop("run knife-edge-incline -m " + end.method + " --force -o a.csv --json");
    SCOPED_TRACE(end.method + "\n" + a.err);
    ASSERT_EQ(a.status, numerics_failed);
    const std::string step = std::to_string(end.steps + 1);
    expect_parts(a.err, "rattleback: knife-edge-incline: the run failed in step " + step + " of 100, from t = 1");
    expect_parts(a.err, "the multiplier N = cos(phi) vanishes within this step ... rdla and dla may pass ... in a.csv");
    const json d = json::parse(a.out);
    EXPECT_EQ(d.at("outcome"), "failed");
    EXPECT_EQ(d.at("steps"), end.steps);
    EXPECT_NEAR(d.at("q").at(2), end.phi, 1e-3);
    const Table table = workshop.table("a.csv");
    ASSERT_EQ(table.rows.size(), end.steps + 1);
    EXPECT_EQ(table.rows.back()[0], d.at("time").get<double>());
    EXPECT_EQ(table.at(end.steps, "phi"), d.at("q").at(2).get<double>());
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.names.size());
  }
  EXPECT_EQ(workshop("run knife-edge-incline -m rdla --quiet").status, 0) << "as the message says";
  const Answer compared = workshop("compare knife-edge-incline -m dla,hdel,pthdel");
  EXPECT_EQ(compared.status, numerics_failed);
  expect_parts(compared.err,
               "not all methods reached the end ... hdel failed in step 15 of 100 ... pthdel failed in step 23");
  expect_parts(compared.out, "  dla  ...   hdel  ...   pthdel  ... failed at t = 1.54");
}

TEST(Multiplier, where_it_vanishes_a_run_passes_if_it_is_told_to) {
  const Workshop workshop;
  for (const char* method : {"pthdel:through", "hdel:through", "hdel:nodes=reference:through"}) {
    const std::string run = std::string("run knife-edge-incline --force --json -m ") + method;
    const json d = workshop.document(run + " -o a.csv");
    EXPECT_EQ(d.at("steps"), 100) << method;
    EXPECT_EQ(d.at("remarks").at("multiplier_crossings"), 2.0) << method;
    EXPECT_GT(d.at("remarks").at("crossing_energy_change"), 1e-4) << method;
    EXPECT_NEAR(d.at("q").at(2), 7.0, 0.02) << method;
    EXPECT_NEAR(d.at("time"), 7.0, 1e-12) << method;
  }
  const Answer text = workshop("run knife-edge-incline -m pthdel:through");
  expect_parts(text.out,
               "2 is how often the multiplier N = cos(phi) changed its sign ... change of the energy in such a");
}

TEST(Multiplier, where_it_vanishes_at_the_start_nothing_begins) {
  const Workshop workshop;
  const std::string arguments = "run knife-edge-incline --q0 0,0,pi/2 --v0 0,0,1 -m ";
  for (const char* method : {"hdel", "hdel:resample", "pthdel", "rdla"}) {
    const Answer a = workshop(arguments + method + " -o a.csv");
    SCOPED_TRACE(method + a.err);
    EXPECT_EQ(a.status, wrong_request);
    EXPECT_EQ(a.out, "");
    expect_parts(a.err, "cannot start here ... cos(phi)");
    EXPECT_FALSE(std::filesystem::exists(workshop / "a.csv"));
  }
  EXPECT_EQ(workshop(arguments + "dla --quiet").status, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Times of their own

std::vector<double> dataset(const std::string& file, const char* name) {
  const hid_t h5 = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0)));
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(h5);
  return values;
}

TEST(Hdel, files_have_the_times_of_the_nodes) {
  const Workshop workshop;
  const std::string arguments = "run quadratic-particle --step 0.1 --steps 40 --json -m hdel -o ";
  const json d = json::parse(workshop(arguments + "a.csv").out);
  ASSERT_EQ(workshop(arguments + "a.h5").status, 0);
  const Table table = workshop.table("a.csv");
  ASSERT_EQ(table.rows.size(), 41U);
  const std::vector<double> times = dataset(workshop / "a.h5", "time");
  ASSERT_EQ(times.size(), 41U);
  double time = 0.0;
  double shortest = 1.0;
  double longest = 0.0;
  for (std::size_t row = 0; row < 41; ++row) {
    if (row > 0) {  // 1/N by the trapezoidal rule
      const double step = 0.05 * (std::hypot(1.0, table.at(row - 1, "y")) + std::hypot(1.0, table.at(row, "y")));
      time += step;
      shortest = std::min(shortest, step);
      longest = std::max(longest, step);
    }
    EXPECT_NEAR(table.at(row, "time"), time, 1e-13);
    EXPECT_EQ(table.at(row, "time"), times[row]);
  }
  EXPECT_GT(longest, 1.1 * shortest) << "not uniform";
  EXPECT_EQ(d.at("time"), times.back());
  EXPECT_NEAR(d.at("remarks").at("tau"), 4.0, 1e-12);
  EXPECT_GT(d.at("remarks").at("time_quadrature_bound"), 0.0);

  // The same nodes at better times.
  const Table better = workshop.trajectory("run quadratic-particle --step 0.1 --steps 40 -m hdel:quadrature=boole");
  for (std::size_t row = 1; row < 41; ++row) {
    EXPECT_EQ(better.at(row, "y"), table.at(row, "y"));
    EXPECT_NE(better.at(row, "time"), table.at(row, "time"));
    EXPECT_NEAR(better.at(row, "time"), table.at(row, "time"), d.at("remarks").at("time_quadrature_bound"));
  }
}

TEST(Hdel, resampled_has_the_times_that_were_asked_for) {
  const Workshop workshop;
  const Table table = workshop.trajectory("run quadratic-particle --step 0.1 --steps 40 -m hdel:resample");
  ASSERT_EQ(table.rows.size(), 41U);
  for (std::size_t row = 0; row < 41; ++row) {
    EXPECT_NEAR(table.at(row, "time"), 0.1 * static_cast<double>(row), 1e-13);
    const double t = table.at(row, "time");
    EXPECT_NEAR(table.at(row, "y"), std::sin(std::sqrt(2.0) * t) / std::sqrt(2.0), 2e-2) << "the exact solution";
    EXPECT_LT(std::abs(table.at(row, "constraint_1")), 1e-13);
  }
}

TEST(Hdel, starts_from_two_positions) {
  const Workshop workshop;
  const Table table = workshop.trajectory(
      "run quadratic-particle --step 0.1 --steps 20 -m hdel --q1 "
      "0.9900497512437811,0.09950309116260472,-0.00049504025");
  const Table plain = workshop.trajectory("run quadratic-particle --step 0.1 --steps 20 -m hdel");
  EXPECT_EQ(table.at(1, "x"), 0.9900497512437811);
  EXPECT_EQ(table.at(1, "y"), 0.09950309116260472);
  EXPECT_EQ(table.at(1, "z"), -0.00049504025);
  EXPECT_NEAR(table.at(1, "time"), 0.05 * (1.0 + std::hypot(1.0, 0.09950309116260472)), 1e-15);
  EXPECT_NEAR(table.at(20, "y"), plain.at(20, "y"), 1e-12) << "the second node of the plain run";
  const Table other = workshop.trajectory("run quadratic-particle --step 0.1 --steps 20 -m hdel --q1 0.98,0.1,-0.001");
  EXPECT_GT(std::abs(other.at(20, "x") - plain.at(20, "x")), 1e-3);
}

TEST(Hdel, the_error_of_the_time_is_nearly_the_sum_of_its_parts) {
  const Workshop workshop;
  const auto largest = [&](const std::string& method, const std::string& part) {
    const Table table =
        workshop.trajectory("run quadratic-particle --step 0.1 --steps 42 --observe time-error -m " + method);
    double found = 0.0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const double sum = table.at(row, "time_error_quadrature") + table.at(row, "time_error_trajectory");
      EXPECT_NEAR(table.at(row, "time_error"), sum, 1e-5) << method;
      found = std::max(found, std::abs(table.at(row, part)));
    }
    return found;
  };
  EXPECT_GT(largest("hdel", "time_error_quadrature"), 1e-4);
  EXPECT_LT(largest("hdel", "time_error_quadrature"), 1e-3);
  EXPECT_LT(largest("hdel:quadrature=boole", "time_error_quadrature"), 1e-5);
  EXPECT_EQ(largest("hdel", "time_error_trajectory"), largest("hdel:quadrature=boole", "time_error_trajectory"));
  EXPECT_LT(largest("hdel:quadrature=boole:order=6", "time_error"), 1e-5);
}

TEST(Hdel, is_compared_at_the_end_only_if_it_is_there) {
  const Workshop workshop;
  const json d =
      workshop.document("compare quadratic-particle -m reference,hdel,hdel:resample,pthdel --step 0.1 --time 5");
  const json& methods = d.at("methods");
  ASSERT_EQ(methods.size(), 4U);
  EXPECT_TRUE(methods.at(1).at("from_reference").is_null());
  EXPECT_GT(methods.at(1).at("time"), 5.2);
  for (const std::size_t there : {2U, 3U}) {
    EXPECT_NEAR(methods.at(there).at("time"), 5.0, 1e-12);
    EXPECT_GT(methods.at(there).at("from_reference"), 1e-4);
    EXPECT_LT(methods.at(there).at("from_reference"), 2e-2);
  }
  const Answer text = workshop("compare quadratic-particle -m reference,hdel --step 0.1 --time 5");
  expect_parts(text.out, "hdel  ... ends at t = 5.5 ... with :resample at t = 5");
}

TEST(Hdel, converges_where_it_is_resampled) {
  const Workshop workshop;
  const Answer a = workshop("converge quadratic-particle -m dla,hdel --time 5 --json");
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_EQ(a.out, "");
  expect_parts(a.err, "hdel has nodes at times of its own and not at the end: hdel:resample has");
  const json d = workshop.document(
      "converge quadratic-particle --time 5 --count 4 -m "
      "rdla,pthdel,hdel:resample,hdel:resample:quadrature=simpson:order=4,pthdel:order=4");
  for (const json& m : d.at("methods")) {
    EXPECT_NEAR(m.at("order"), m.at("expected_order"), 0.15) << m.at("method");
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Resuming

class ResumedRuns : public testing::TestWithParam<std::string> {};

TEST_P(ResumedRuns, write_the_file_of_a_run_without_interruption) {
  const Workshop workshop;
  const auto arguments = [&](std::int64_t steps, const std::string& file) {
    return "run quadratic-particle --step 0.01 --every 5003 --quiet --steps " + std::to_string(steps) + " -m " +
           GetParam() + " -o '" + (workshop / file) + "'";
  };
  const std::string checkpoint = workshop / "parts.csv.checkpoint";
  const Result killed = shell(rattleback::test::rattleback_command() + " " + arguments(1000000000000, "parts.csv") +
                              " & pid=$!\nfor i in $(seq 6000); do grep -q '\"step\": [1-9]' '" + checkpoint +
                              "' 2>/dev/null && break; sleep 0.01; done\nkill -9 $pid; wait $pid; echo $?");
  EXPECT_TRUE(contains(killed.output, "137")) << "it was still running";
  const std::string text = content(checkpoint);
  ASSERT_FALSE(text.empty());
  const std::int64_t reached = json::parse(text.substr(text.find('\n'))).at("step");
  ASSERT_GT(reached, 0);
  const std::int64_t steps = reached + 20000;
  const Result resumed = run(arguments(steps, "parts.csv") + " --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.output;
  ASSERT_EQ(run(arguments(steps, "whole.csv")).status, 0);
  EXPECT_TRUE(content(workshop / "parts.csv") == content(workshop / "whole.csv")) << "from step " << reached;
  EXPECT_EQ(workshop.table("whole.csv").rows.size(), static_cast<std::size_t>(steps / 5003 + 1));
}

std::string name_of(const testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Method, ResumedRuns, testing::Values("dla:order=4", "rk4", "conformal:every-step"), name_of);
INSTANTIATE_TEST_SUITE_P(Hdel, ResumedRuns,
                         testing::Values("hdel", "hdel:quadrature=boole", "hdel:resample", "hdel:nodes=reference"),
                         name_of);

TEST(Hdel, resampled_refuses_what_it_cannot_observe) {
  const Workshop workshop;
  for (const char* observer :
       {"time-error", "midpoint-energy", "discrete-constraint", "spectral-radius", "reversibility"}) {
    const Answer a = workshop(with("hdel:resample --observe ") + observer);
    EXPECT_EQ(a.status, wrong_request) << observer;
    expect_parts(a.err, std::string(observer) + " cannot be observed here");
  }
}

TEST(Hdel, is_refused_by_converge_before_anything_is_printed) {
  const Workshop workshop;
  const Answer a = workshop("converge quadratic-particle -m hdel --time 5");
  EXPECT_EQ(a.status, wrong_request);
  EXPECT_EQ(a.out, "");
}

}  // namespace reduced_method_test
