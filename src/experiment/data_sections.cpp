// [common] and [data.NAME] of an experiment: how its tables are made.

#include "data_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace {

const std::vector<std::string> data_keys{"kind",    "model",      "method",     "set",    "q0",      "v0",      "q1",
                                         "step",    "steps",      "time",       "every",  "from",    "to",      "count",
                                         "observe", "against",    "points",     "radius", "weights", "ells",    "order",
                                         "at",      "ends_early", "associated", "t0",     "inputs",  "ensemble"};

constexpr std::int64_t most_steps = 1000000000;
constexpr std::int64_t most_rows = 10000000;   ///< of a table
constexpr std::int64_t most_points = 1000000;  ///< of a cloud
constexpr std::int64_t most_associated = 10000;
constexpr std::int64_t highest_order = 12;  ///< of what is known of modified quantities

}  // namespace

enum class DataKind : std::uint8_t { trajectory, convergence, cloud, points, modified, inverse, ensemble };

template <>
inline constexpr auto words<DataKind> = std::to_array<Word<DataKind>>({{DataKind::trajectory, "trajectory"},
                                                                       {DataKind::convergence, "convergence"},
                                                                       {DataKind::cloud, "cloud"},
                                                                       {DataKind::points, "points"},
                                                                       {DataKind::modified, "modified"},
                                                                       {DataKind::inverse, "inverse"},
                                                                       {DataKind::ensemble, "ensemble"}});

std::vector<std::string> DataSections::texts(const toml::node& node, const std::string& what) const {
  std::vector<std::string> list;
  for (const toml::node& item : array_of(node, what))
    list.push_back(text_of(item, fmt::format("an entry of {}", what)));
  return list;
}

std::vector<double> DataSections::numbers(const toml::node& node, const std::string& what) const {
  std::vector<double> list;
  for (const toml::node& item : array_of(node, what)) list.push_back(value(item, fmt::format("an entry of {}", what)));
  return list;
}

std::int64_t DataSections::integer(const toml::node& node, const std::string& what, std::int64_t least,
                                   std::int64_t most) const {
  const double x = value(node, what);
  if (x != std::round(x) || !(x >= static_cast<double>(least) && x <= static_cast<double>(most))) {
    fail(node, fmt::format("{} must be an integer between {} and {}, found {}", what, least, most, x));
  }
  return static_cast<std::int64_t>(x);
}

double DataSections::positive(const toml::node& node, const std::string& what) const {
  const double x = value(node, what);
  if (!(x > 0.0 && std::isfinite(x))) fail(node, fmt::format("{} must be positive, found {}", what, x));
  return x;
}

void DataSections::require_data(const toml::node& node, const std::string& name) const {
  std::vector<std::string> names;
  for (const DataRecipe& d : data_) names.push_back(d.name);
  if (std::ranges::find(names, name) != names.end()) return;
  const auto meant = closest_name(name, names);
  fail(node, fmt::format("there are no data '{}'; {}", name,
                         meant ? fmt::format("did you mean '{}'?", *meant)
                               : fmt::format("there are {}", fmt::join(names, ", "))));
}

const DataRecipe& DataSections::require_trajectory(const toml::node& node, const std::string& name) const {
  require_data(node, name);
  const DataRecipe& recipe = *std::ranges::find(data_, name, &DataRecipe::name);
  if (!std::holds_alternative<TrajectoryRecipe>(recipe.kind)) fail(node, fmt::format("'{}' is no trajectory", name));
  return recipe;
}

/// One section [data.NAME]; what it does not say is taken from [common].
class DataSections::Section {
 public:
  Section(const DataSections& file, const toml::table& own, const toml::table* common, DataRecipe named)
      : file_(file), own_(own), common_(common), recipe_(std::move(named)) {}

  DataRecipe read() {
    const toml::node* const given = find("kind");
    kind_ = given == nullptr ? DataKind::trajectory : file_.choice<DataKind>(*given, "kind");
    if (kind_ == DataKind::ensemble) {
      read_ensemble();
      return std::move(recipe_);
    }
    read_problem();
    switch (kind_) {
      case DataKind::trajectory: read_trajectory(); break;
      case DataKind::convergence: read_convergence(); break;
      case DataKind::cloud:
      case DataKind::points: read_cloud(); break;
      case DataKind::modified: read_modified(); break;
      default: recipe_.kind = InverseRecipe{static_cast<std::size_t>(count_or("associated", 0, 0, most_associated))};
    }
    return std::move(recipe_);
  }

 private:
  const toml::node* find(const char* key) const {
    const toml::node* found = own_.get(key);
    const bool other_end = (std::string_view(key) == "time" && own_.contains("steps")) ||
                           (std::string_view(key) == "steps" && own_.contains("time"));
    return found != nullptr || common_ == nullptr || other_end ? found : common_->get(key);
  }

  const toml::node& need(const char* key) const {
    if (const toml::node* found = find(key)) return *found;
    file_.fail(own_, fmt::format("[data.{}] needs the key {}", recipe_.name, key));
  }

  std::int64_t count_or(const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
    return find(key) == nullptr ? otherwise : file_.integer(need(key), key, least, most);
  }

  void checked(const toml::node& node, auto&& check) const {
    try {
      check();
    } catch (const MethodError& error) {
      file_.fail(node, error.what());
    }
  }

  /// What a file of an ensemble says; another method, and other parameters.
  void read_ensemble() {
    for (const auto& [key, node] : in_order(own_)) {
      if (key == "kind" || key == "ensemble" || key == "method" || key == "set") continue;
      file_.fail(*node, fmt::format("the file of the ensemble says everything but method and set: [data.{}] has the "
                                    "key {}",
                                    recipe_.name, key));
    }
    recipe_.kind = EnsembleRecipe{file_.text_of(need("ensemble"), "ensemble")};
    if (own_.contains("method")) read_method();
    if (const toml::node* set = own_.get("set")) read_parameters(*set);
  }

  void read_method() {
    const std::string method = file_.text_of(need("method"), "method");
    checked(need("method"), [&] { recipe_.method = method; });
  }

  void read_parameters(const toml::node& set) {
    for (const auto& [parameter, entry] : in_order(file_.table_of(set, "set", "as in {m = 2}"))) {
      recipe_.parameters[parameter] = file_.value(*entry, parameter);
    }
  }

  /// What is run, from where.
  void read_problem() {
    recipe_.model = file_.text_of(need("model"), "model");
    if (kind_ != DataKind::inverse) read_method();
    if (const toml::node* set = find("set")) read_parameters(*set);
    if (const toml::node* inputs = find("inputs")) {
      for (const auto& [input, entry] : in_order(file_.table_of(*inputs, "inputs", "as in {torque = \"sin(t)\"}"))) {
        recipe_.inputs[input] = file_.text_of(*entry, "the input " + input);
      }
    }
    if (const toml::node* t0 = find("t0")) recipe_.t0 = file_.value(*t0, "t0");
    if (find("q0") != nullptr || find("v0") != nullptr) {
      recipe_.start = State{file_.numbers(need("q0"), "q0"), file_.numbers(need("v0"), "v0")};
    }
    if (const toml::node* q1 = find("q1")) recipe_.second_position = file_.numbers(*q1, "q1");
    if (const toml::node* early = find("ends_early")) recipe_.ends_early = file_.flag(*early, "ends_early");
    every_ = count_or("every", 1, 1, most_steps);
  }

  std::int64_t read_steps() {
    if (find("steps") != nullptr && find("time") != nullptr) {
      file_.fail(*find("steps"), "steps and time say the same in two ways: give one");
    }
    recipe_.step = file_.positive(need("step"), "step");
    const toml::node& end = find("steps") == nullptr ? need("time") : need("steps");
    const double count = find("steps") == nullptr ? file_.value(end, "time") / recipe_.step : file_.value(end, "steps");
    if (!(std::round(count) >= 1.0 && count <= static_cast<double>(most_steps))) {
      file_.fail(end, fmt::format("these are {:.0f} steps; between 1 and {:.0e} are possible", count,
                                  static_cast<double>(most_steps)));
    }
    return static_cast<std::int64_t>(std::llround(count));
  }

  /// A table is kept in memory.
  void require_rows(std::int64_t all, std::int64_t each) const {
    if (all / every_ * each <= most_rows) return;
    file_.fail(find("steps") == nullptr ? need("time") : need("steps"),
               fmt::format("these are {} rows; up to {} are kept: choose a larger every, fewer steps or fewer points",
                           all / every_ * each, most_rows));
  }

  void read_trajectory() {
    TrajectoryRecipe t;
    t.steps = read_steps();
    t.every = every_;
    require_rows(t.steps, 1);
    if (const toml::node* observe = find("observe")) {
      t.observe = file_.texts(*observe, "observe");
      for (const std::string& o : t.observe) checked(*observe, [&] { check_observer_or_quantity(o); });
    }
    if (const toml::node* against = find("against")) {
      t.against = file_.text_of(*against, "against");
      if (t.against == recipe_.name) t.against.clear();  // of [common]
      if (!t.against.empty() && t.against != "exact") file_.require_trajectory(*against, t.against);
    }
    recipe_.kind = t;
  }

  void read_convergence() {
    const std::int64_t from = file_.integer(need("from"), "from", 2, most_steps);
    const std::int64_t to = file_.integer(need("to"), "to", 2, most_steps);
    const std::int64_t count = file_.integer(need("count"), "count", 2, 1000);
    if (to <= from) {
      file_.fail(need("to"), "from and to are numbers of points in time, at least 2 and increasing");
    }
    const double time = file_.positive(need("time"), "time");
    recipe_.kind = ConvergenceRecipe{time, step_counts(from, to, static_cast<int>(count))};
  }

  void read_cloud() {
    CloudRecipe c;
    c.steps = read_steps();
    c.every = every_;
    if (const toml::node* points = find("points"); points != nullptr && points->is_string()) {
      c.shape.file = file_.text_of(*points, "points");
      if (!c.shape.file.ends_with(".csv")) {
        file_.fail(*points,
                   fmt::format("points must be a number, or a file ending with .csv, found '{}'", c.shape.file));
      }
    } else if (const std::int64_t count = count_or("points", 0, 0, most_points); count > 0) {
      c.shape.count = count;
    }
    if (const toml::node* weights = find("weights")) c.weights = file_.choice<HullWeights>(*weights, "weights");
    if (const toml::node* radius = find("radius")) c.radius = file_.positive(*radius, "radius");
    if (const toml::node* ells = find("ells")) {
      for (const toml::node& ell : file_.array_of(*ells, "ells")) {
        c.ells.push_back(static_cast<int>(file_.integer(ell, "an entry of ells", 0, highest_order)));
      }
    }
    c.keep_points = kind_ == DataKind::points;
    require_rows(c.steps, c.keep_points ? c.shape.count.value_or(1) : 1);
    recipe_.kind = c;
  }

  void read_modified() {
    recipe_.step = find("step") == nullptr ? 1.0 : file_.positive(need("step"), "step");
    ModifiedRecipe m;
    m.order = static_cast<int>(count_or("order", 2, 0, highest_order));
    for (const toml::node& item : file_.array_of(need("at"), "at"))
      m.at.push_back(file_.numbers(item, "an entry of at"));
    recipe_.kind = m;
  }

  const DataSections& file_;
  const toml::table& own_;
  const toml::table* common_;
  DataRecipe recipe_;
  DataKind kind_ = DataKind::trajectory;
  std::int64_t every_ = 1;
};

void DataSections::read_data(const std::string& folder) {
  const toml::table* const common = table("common");
  if (common != nullptr) check_keys(*common, data_keys, "[common]");
  const toml::table* const sections = table("data");
  if (sections == nullptr) return;
  for (const auto& [name, node] : in_order(*sections)) {
    const toml::table& own = table_of(*node, "data." + name, fmt::format("written as a section [data.{}]", name));
    check_keys(own, data_keys, fmt::format("[data.{}]", name));
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (name.empty() || !std::ranges::all_of(name, plain)) {
      fail(own, fmt::format("'{}' cannot be the name of data; names are letters, digits and _", name));
    }
    DataRecipe recipe;
    recipe.name = name;
    recipe.folder = folder;
    data_.push_back(Section(*this, own, common, std::move(recipe)).read());
  }
}

}  // namespace rattleback
