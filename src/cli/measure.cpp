// `rattleback measure`: how well methods preserve an invariant measure.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/cloud.hpp"
#include "rattleback/observe/observers.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  std::vector<std::string> methods{"conformal", "pthdel", "dla"};
  std::vector<int> ells;
  std::optional<std::string> cloud;
  std::string radius = "0.01";
  std::string every = "1";
  std::optional<std::string> file;
  std::optional<std::string> points;
};

/// A quantity at the samples of a run.
struct Column {
  std::string name;
  std::vector<double> values;
  double largest() const {
    double most = 0.0;
    for (const double x : values) {
      if (!(std::abs(x) <= most)) most = std::abs(x);
      if (std::isnan(x)) break;
    }
    return most;
  }
};

struct MethodTable {
  std::string method;
  std::vector<double> time;
  std::vector<Column> columns;
  std::string failure;
  std::vector<Points> points;  ///< at each time, if they are wanted
  bool interrupted = false;
};

std::string measure_name(int ell) { return ell == 0 ? "mu" : fmt::format("mu_{}", ell); }

/// Whether a method has modified measures.
bool is_conformal(const std::string& name, const Problem& problem) {
  if (name.starts_with("reference")) return false;
  const Method method = make_method(name, problem);
  return method.canonical && method.canonical->conformal;
}

/// Relative changes of the infinitesimal measure around the trajectory of the start.
class Samples final : public Recorder {
 public:
  explicit Samples(MethodTable& table) : table_(table) {}
  void record(const Sample& sample) override {
    table_.time.push_back(sample.time);
    for (std::size_t k = 0; k < sample.observed.size(); ++k) table_.columns[k].values.push_back(sample.observed[k]);
  }
  void checkpoint(const Checkpoint&) override {}

 private:
  MethodTable& table_;
};

MethodTable local_table(const std::string& method, const Request& request, const std::vector<int>& ells,
                        std::int64_t every, const InterruptGuard& guard, ProgressBar& bar) {
  MethodTable table{method, {}, {}, {}, {}};
  std::vector<std::unique_ptr<Observer>> observers;
  observers.push_back(make_observer("measure", method, request.problem));
  for (const int ell : ells) {
    observers.push_back(make_observer(fmt::format("measure:ell={}", ell), method, request.problem));
  }
  for (std::size_t k = 0; k < observers.size(); ++k) {
    table.columns.push_back({"local " + measure_name(k == 0 ? 0 : ells[k - 1]), {}});
  }
  Samples samples(table);
  RunOptions options;
  options.steps = request.steps;
  options.every = every;
  options.recorder = &samples;
  for (const auto& observer : observers) options.observers.push_back(observer.get());
  options.interrupt = &guard.flag();
  options.progress = [&](const Progress& p) { bar(p); };
  const auto stepper = make_stepper(method, request.problem);
  const RunResult result = run(*stepper, request.problem, options);
  table.interrupted = result.outcome == RunOutcome::interrupted;
  table.failure = result.failure;
  return table;
}

MethodTable cloud_table(const std::string& method, const Request& request, const CloudOptions& options) {
  const CloudResult cloud = follow_cloud(method, request.problem, options);
  MethodTable table{method, {}, {{"hull dr dp", {}}, {"hull mu", {}}}, cloud.failure, {}};
  table.interrupted = cloud.interrupted;
  for (const int ell : options.ells) table.columns.push_back({"hull " + measure_name(ell), {}});
  const CloudSample& first = cloud.samples.front();
  for (const CloudSample& s : cloud.samples) {
    table.time.push_back(s.time);
    if (options.keep_points) table.points.push_back(s.points);
    table.columns[0].values.push_back(s.volume / first.volume - 1.0);
    table.columns[1].values.push_back(s.mass / first.mass - 1.0);
    for (std::size_t k = 0; k < s.modified.size(); ++k) {
      table.columns[k + 2].values.push_back(s.modified[k] / first.modified[k] - 1.0);
    }
  }
  return table;
}

Points directions(const Options& o, const Problem& problem) {
  const std::size_t dimension = phase_coordinates(problem).size();
  if (*o.cloud == "600-cell") {
    if (dimension == 4) return six_hundred_cell();
    throw Failure(ExitStatus::wrong_request,
                  fmt::format("the 600-cell lies in four dimensions, and here (r, p) have {}; give a number of points",
                              dimension));
  }
  const std::int64_t count = positive_integer(*o.cloud, "--cloud");
  if (static_cast<std::size_t>(count) <= dimension + 1 || count > 1000000) {
    throw Failure(ExitStatus::wrong_request,
                  fmt::format("--cloud must be 600-cell, or a number of points between {} and 1000000; found {}",
                              dimension + 2, count));
  }
  if (dimension > 8) {
    throw Failure(ExitStatus::wrong_request,
                  fmt::format("convex hulls are computed in up to 8 dimensions, and here (r, p) have {}", dimension));
  }
  return points_on_sphere(static_cast<std::size_t>(count), dimension);
}

/// Of all methods, in the order in which they occur.
std::vector<std::string> column_names(const std::vector<MethodTable>& tables) {
  std::vector<std::string> names;
  for (const MethodTable& t : tables) {
    for (const Column& c : t.columns) {
      if (std::ranges::find(names, c.name) == names.end()) names.push_back(c.name);
    }
  }
  return names;
}

void require_csv(const std::optional<std::string>& path, const char* option) {
  if (path && !path->ends_with(".csv")) {
    throw Failure(ExitStatus::wrong_request, fmt::format("{} '{}' must end with .csv", option, *path));
  }
}

/// Found out before hours of computation, not after.
std::ofstream opened(const std::string& path) {
  std::ofstream file(path);
  if (!file) {
    throw Failure(ExitStatus::system, fmt::format("{} cannot be written; does its folder exist?", path));
  }
  return file;
}

void finish(std::ofstream& file, const std::string& path) {
  file.flush();
  if (!file) throw Failure(ExitStatus::system, fmt::format("{} could not be written to its end", path));
}

void write_points(std::ofstream& file, const std::vector<std::string>& names, const std::vector<MethodTable>& tables) {
  file << fmt::format("method,time,point,{}\n", fmt::join(names, ","));
  for (const MethodTable& t : tables) {
    for (std::size_t i = 0; i < t.points.size(); ++i) {
      for (std::size_t k = 0; k < t.points[i].size(); ++k) {
        file << fmt::format("{},{},{},{}\n", t.method, t.time[i], k + 1, fmt::join(t.points[i][k], ","));
      }
    }
  }
}

/// One header for all methods; what a method does not have stays empty.
void write(std::ofstream& file, const std::vector<MethodTable>& tables) {
  const std::vector<std::string> names = column_names(tables);
  file << fmt::format("method,time,{}\n", fmt::join(names, ","));
  for (const MethodTable& t : tables) {
    for (std::size_t i = 0; i < t.time.size(); ++i) {
      file << fmt::format("{},{}", t.method, t.time[i]);
      for (const std::string& name : names) {
        const auto found = std::ranges::find(t.columns, name, &Column::name);
        file << (found == t.columns.end() ? "," : fmt::format(",{}", found->values[i]));
      }
      file << '\n';
    }
  }
}

void print(const std::vector<MethodTable>& tables, const Request& request) {
  fmt::print("{}: h = {}, {} steps\n\n", request.model.title, request.problem.step, request.steps);
  const std::vector<std::string> names = column_names(tables);
  std::size_t width = 6;
  for (const MethodTable& t : tables) width = std::max(width, t.method.size());
  fmt::print("  {:<{}}", "method", width);
  for (const std::string& name : names) fmt::print("  {:>10}", name);
  fmt::print("\n");
  for (const MethodTable& t : tables) {
    fmt::print("  {:<{}}", t.method, width);
    for (const std::string& name : names) {
      const auto found = std::ranges::find(t.columns, name, &Column::name);
      fmt::print("  {:>10}", found == t.columns.end() ? "-" : fmt::format("{:.2e}", found->largest()));
    }
    fmt::print("{}\n", t.failure.empty() ? "" : "  failed");
  }
  fmt::print("\n  largest relative change since the start");
  if (std::ranges::any_of(names, [](const std::string& n) { return n.starts_with("local"); })) {
    fmt::print(" of an infinitesimal volume around the trajectory (local)");
  }
  if (std::ranges::any_of(names, [](const std::string& n) { return n.starts_with("hull"); })) {
    fmt::print(" of the convex hull of the cloud (hull)");
  }
  fmt::print(",\n  in the invariant measure of the system (mu) and in the modified measures up to h^L (mu_L)\n");
}

void measure(const Options& o) {
  check_methods(o.methods);
  for (const int ell : o.ells) check_observer(fmt::format("measure:ell={}", ell));
  require_csv(o.file, "-o");
  require_csv(o.points, "--points");
  if (o.points && !o.cloud) throw Failure(ExitStatus::wrong_request, "--points are those of a cloud: give --cloud");
  const Request request = make_request(o.problem);
  print_notes(request.notes, o.output);
  const std::int64_t every = positive_integer(o.every, "--every");
  CloudOptions cloud;
  if (o.cloud) {
    cloud.directions = directions(o, request.problem);
    cloud.radius = positive(o.radius, "--radius");
    cloud.steps = request.steps;
    cloud.every = every;
    cloud.keep_points = o.points.has_value();
  }
  std::ofstream file;
  std::ofstream points;
  if (o.file) file = opened(*o.file);
  if (o.points) points = opened(*o.points);
  const InterruptGuard guard;
  cloud.interrupt = &guard.flag();
  std::vector<MethodTable> tables;
  for (const std::string& method : o.methods) {
    ProgressBar bar(method, o.output.talks());
    const std::vector<int> ells = is_conformal(method, request.problem) ? o.ells : std::vector<int>{};
    try {
      if (o.cloud) {
        cloud.ells = ells;
        cloud.progress = [&](const Progress& p) { bar(p); };
        tables.push_back(cloud_table(method, request, cloud));
      } else {
        tables.push_back(local_table(method, request, ells, every, guard, bar));
      }
    } catch (const MethodError& error) {
      throw MethodError(fmt::format("{}: {}", method, error.what()));
    }
    if (tables.back().interrupted) break;
  }
  if (o.file) {
    write(file, tables);
    finish(file, *o.file);
  }
  if (o.points) {
    write_points(points, phase_coordinates(request.problem), tables);
    finish(points, *o.points);
  }
  if (o.output.json) {
    nlohmann::json document{{"model", request.model.name},
                            {"step", request.problem.step},
                            {"steps", request.steps},
                            {"methods", nlohmann::json::array()}};
    for (const MethodTable& t : tables) {
      nlohmann::json entry{{"method", t.method}, {"time", t.time}};
      for (const Column& c : t.columns) entry["columns"][c.name] = {{"max", c.largest()}, {"values", c.values}};
      if (!t.failure.empty()) entry["failure"] = t.failure;
      document["methods"].push_back(std::move(entry));
    }
    fmt::print("{}\n", document.dump(2));
  }
  if (o.output.talks()) {
    print(tables, request);
    if (o.file) fmt::print("\nWritten to {}\n", *o.file);
    if (o.points) fmt::print("{}Points written to {}\n", o.file ? "" : "\n", *o.points);
  }
  if (tables.back().interrupted) {
    throw Failure(ExitStatus::interrupted,
                  fmt::format("interrupted at t = {:.6g} of {}{}", tables.back().time.back(), tables.back().method,
                              o.file ? "; everything up to there is in " + *o.file : ""));
  }
  std::string failures;
  for (const MethodTable& t : tables) {
    if (!t.failure.empty()) failures += fmt::format("\n  {} failed in {}", t.method, t.failure);
  }
  if (!failures.empty()) throw Failure(ExitStatus::numerics_failed, "not all methods reached the end:" + failures);
}

}  // namespace

Command measure_command() {
  Command command{"measure", "How well methods preserve the invariant measure of a system"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command);
  add_methods_option(command, o->methods);
  command.add({.names = "--ell",
               .value = "L,...",
               .help = "Also the modified measures up to these powers of h, of pthdel and conformal",
               .target = &o->ells,
               .list = true});
  command.add({.names = "--cloud",
               .value = "600-cell|N",
               .help = "The volume of a cloud: 600-cell, or a number of points on a sphere",
               .target = &o->cloud,
               .values = {Values::Kind::word, {"600-cell"}}});
  command.add({.names = "--radius", .value = "R", .help = "The radius of the cloud", .target = &o->radius});
  command.add({.names = "--every", .value = "K", .help = "Looks at every K-th step", .target = &o->every});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "Where all values go: a file ending with .csv",
               .target = &o->file,
               .values = {Values::Kind::file, {".csv"}}});
  command.add({.names = "--points",
               .value = "FILE",
               .help = "Where the points of the cloud go: a file ending with .csv",
               .target = &o->points,
               .values = {Values::Kind::file, {".csv"}}});
  o->output.add_to(command);
  command.notes = {"Without --cloud: from the tangent map along the trajectory of the start."};
  command.examples = {
      "rattleback measure harmonic-particle -m conformal:TT,pthdel --ell 2,4 --step 0.25 --time 20",
      "rattleback measure harmonic-particle -m conformal:M --ell 2,4 --cloud 600-cell --step 0.25 --time 20 -o c.csv"};
  command.action = [o] { measure(*o); };
  return command;
}

}  // namespace rattleback::cli
