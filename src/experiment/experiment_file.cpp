// The format of experiments (docs/experiments.md): TOML, with formulas of tables in strings.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "../model/toml_file.hpp"
#include "rattleback/experiment/experiment.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace {

const std::vector<std::string> data_keys{"kind",    "model",      "method",     "set",    "q0",      "v0",   "q1",
                                         "step",    "steps",      "time",       "every",  "from",    "to",   "count",
                                         "observe", "against",    "points",     "radius", "weights", "ells", "order",
                                         "at",      "ends_early", "associated", "t0",     "inputs"};

constexpr std::int64_t most_steps = 1000000000;
constexpr std::int64_t most_rows = 10000000;   ///< of a table
constexpr std::int64_t most_points = 1000000;  ///< of a cloud
constexpr std::int64_t most_associated = 10000;
constexpr std::int64_t highest_order = 12;  ///< of what is known of modified quantities

enum class DataKind : std::uint8_t { trajectory, convergence, cloud, points, modified, inverse };

}  // namespace

template <>
inline constexpr auto words<DataKind> = std::to_array<Word<DataKind>>({{DataKind::trajectory, "trajectory"},
                                                                       {DataKind::convergence, "convergence"},
                                                                       {DataKind::cloud, "cloud"},
                                                                       {DataKind::points, "points"},
                                                                       {DataKind::modified, "modified"},
                                                                       {DataKind::inverse, "inverse"}});

namespace {

class ExperimentReader : TomlFile {
 public:
  using TomlFile::TomlFile;

  Experiment read(const std::string& folder) {
    folder_ = folder.empty() ? std::filesystem::path(source().file()).parent_path().string() : folder;
    check_keys(root(), {"title", "place", "text", "common", "data", "values", "claims", "figures", "animations"},
               "an experiment");
    const std::filesystem::path path(source().file());
    experiment_.paper = path.parent_path().filename().string();
    experiment_.name = path.stem().string();
    experiment_.title = text_value("title");
    experiment_.place = text_value("place");
    experiment_.text = text_value("text");
    common_ = table("common");
    if (common_ != nullptr) check_keys(*common_, data_keys, "[common]");
    if (const toml::table* data = table("data")) {
      for (const auto& [name, node] : in_order(*data)) read_data(name, *node);
    }
    if (const toml::table* values = table("values")) {
      for (const auto& [name, node] : in_order(*values)) experiment_.values.push_back({name, quantity(*node, name)});
    }
    each("claims", [&](const toml::table& claim) { read_claim(claim); });
    each("figures", [&](const toml::table& figure) { read_figure(figure); });
    each("animations", [&](const toml::table& animation) { read_animation(animation); });
    return std::move(experiment_);
  }

  Paper read_paper() {
    check_keys(root(), {"title", "citation", "year", "text"}, "a paper");
    return {std::filesystem::path(source().file()).parent_path().filename().string(), text_value("title"),
            text_value("citation"), integer(required(root(), "year", "a paper"), "year", 1, 9999), text_value("text")};
  }

 private:
  std::string text_or(const toml::table& table, const char* key, const std::string& otherwise) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? otherwise : text_of(*node, key);
  }

  template <class E>
  E choice_or(const toml::table& table, const char* key, E otherwise) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? otherwise : choice<E>(*node, key);
  }

  std::vector<std::string> texts(const toml::node& node, const std::string& what) const {
    std::vector<std::string> list;
    for (const toml::node& item : array_of(node, what))
      list.push_back(text_of(item, fmt::format("an entry of {}", what)));
    return list;
  }

  std::vector<double> numbers(const toml::node& node, const std::string& what) const {
    std::vector<double> list;
    for (const toml::node& item : array_of(node, what))
      list.push_back(value(item, fmt::format("an entry of {}", what)));
    return list;
  }

  std::int64_t integer(const toml::node& node, const std::string& what, std::int64_t least, std::int64_t most) const {
    const double x = value(node, what);
    if (x != std::round(x) || !(x >= static_cast<double>(least) && x <= static_cast<double>(most))) {
      fail(node, fmt::format("{} must be an integer between {} and {}, found {}", what, least, most, x));
    }
    return static_cast<std::int64_t>(x);
  }

  double positive(const toml::node& node, const std::string& what) const {
    const double x = value(node, what);
    if (!(x > 0.0 && std::isfinite(x))) fail(node, fmt::format("{} must be positive, found {}", what, x));
    return x;
  }

  auto formula(const toml::node& node, const std::string& what, auto&& parse_it) const {
    const std::string& text = text_of(node, what);
    try {
      return parse_it(text);
    } catch (const ParseError& error) {
      fail(node, fmt::format("{}: {}", what, error.summary()));
    }
  }

  Quantity quantity(const toml::node& node, const std::string& what) const {
    if (!node.is_string()) return parse_quantity(fmt::format("{}", number(node, what)));
    Quantity q = formula(node, what, parse_quantity);
    for (const Quantity::Part& part : q.parts) require_data(node, part.table);
    return q;
  }

  void require_data(const toml::node& node, const std::string& name) const {
    std::vector<std::string> names;
    for (const DataRecipe& d : experiment_.data) names.push_back(d.name);
    if (std::ranges::find(names, name) != names.end()) return;
    const auto meant = closest_name(name, names);
    fail(node, fmt::format("there are no data '{}'; {}", name,
                           meant ? fmt::format("did you mean '{}'?", *meant)
                                 : fmt::format("there are {}", fmt::join(names, ", "))));
  }

  const DataRecipe& require_trajectory(const toml::node& node, const std::string& name) const {
    require_data(node, name);
    const DataRecipe& recipe = *std::ranges::find(experiment_.data, name, &DataRecipe::name);
    if (!std::holds_alternative<TrajectoryRecipe>(recipe.kind)) fail(node, fmt::format("'{}' is no trajectory", name));
    return recipe;
  }

  // [data.NAME]: how a table is made; what it does not say is taken from [common]
  void read_data(const std::string& name, const toml::node& node) {
    const toml::table& own = table_of(node, "data." + name, fmt::format("written as a section [data.{}]", name));
    check_keys(own, data_keys, fmt::format("[data.{}]", name));
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (name.empty() || !std::ranges::all_of(name, plain)) {
      fail(own, fmt::format("'{}' cannot be the name of data; names are letters, digits and _", name));
    }
    const auto find = [&](const char* key) -> const toml::node* {
      const toml::node* found = own.get(key);
      const bool other_end = (std::string_view(key) == "time" && own.contains("steps")) ||
                             (std::string_view(key) == "steps" && own.contains("time"));
      return found != nullptr || common_ == nullptr || other_end ? found : common_->get(key);
    };
    const auto need = [&](const char* key) -> const toml::node& {
      if (const toml::node* found = find(key)) return *found;
      fail(own, fmt::format("[data.{}] needs the key {}", name, key));
    };
    DataRecipe recipe;
    recipe.name = name;
    recipe.folder = folder_;
    recipe.model = text_of(need("model"), "model");
    const toml::node* const given = find("kind");
    const DataKind kind = given == nullptr ? DataKind::trajectory : choice<DataKind>(*given, "kind");
    if (kind != DataKind::inverse) {
      const std::string method = text_of(need("method"), "method");
      checked(need("method"), [&] { recipe.method = method; });
    }
    if (const toml::node* set = find("set")) {
      for (const auto& [parameter, entry] : in_order(table_of(*set, "set", "as in {m = 2}"))) {
        recipe.parameters[parameter] = value(*entry, parameter);
      }
    }
    if (const toml::node* inputs = find("inputs")) {
      for (const auto& [input, entry] : in_order(table_of(*inputs, "inputs", "as in {torque = \"sin(t)\"}"))) {
        recipe.inputs[input] = text_of(*entry, "the input " + input);
      }
    }
    if (const toml::node* t0 = find("t0")) recipe.t0 = value(*t0, "t0");
    if (find("q0") != nullptr || find("v0") != nullptr) {
      recipe.start = State{numbers(need("q0"), "q0"), numbers(need("v0"), "v0")};
    }
    if (const toml::node* q1 = find("q1")) recipe.second_position = numbers(*q1, "q1");
    if (const toml::node* early = find("ends_early")) recipe.ends_early = flag(*early, "ends_early");
    const auto count_or = [&](const char* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
      return find(key) == nullptr ? otherwise : integer(need(key), key, least, most);
    };
    const auto steps = [&] {
      if (find("steps") != nullptr && find("time") != nullptr) {
        fail(*find("steps"), "steps and time say the same in two ways: give one");
      }
      recipe.step = positive(need("step"), "step");
      const toml::node& end = find("steps") == nullptr ? need("time") : need("steps");
      const double count = find("steps") == nullptr ? value(end, "time") / recipe.step : value(end, "steps");
      if (!(std::round(count) >= 1.0 && count <= static_cast<double>(most_steps))) {
        fail(end, fmt::format("these are {:.0f} steps; between 1 and {:.0e} are possible", count,
                              static_cast<double>(most_steps)));
      }
      return static_cast<std::int64_t>(std::llround(count));
    };
    const std::int64_t every = count_or("every", 1, 1, most_steps);
    const auto require_rows = [&](std::int64_t all, std::int64_t each) {  // a table is kept in memory
      if (all / every * each <= most_rows) return;
      fail(find("steps") == nullptr ? need("time") : need("steps"),
           fmt::format("these are {} rows; up to {} are kept: choose a larger every, fewer steps or fewer points",
                       all / every * each, most_rows));
    };
    if (kind == DataKind::trajectory) {
      TrajectoryRecipe t;
      t.steps = steps();
      t.every = every;
      require_rows(t.steps, 1);
      if (const toml::node* observe = find("observe")) {
        t.observe = texts(*observe, "observe");
        for (const std::string& o : t.observe) checked(*observe, [&] { check_observer_or_quantity(o); });
      }
      if (const toml::node* against = find("against")) {
        t.against = text_of(*against, "against");
        if (t.against == name) t.against.clear();  // of [common]
        if (!t.against.empty() && t.against != "exact") require_trajectory(*against, t.against);
      }
      recipe.kind = t;
    } else if (kind == DataKind::convergence) {
      const std::int64_t from = integer(need("from"), "from", 2, most_steps);
      const std::int64_t to = integer(need("to"), "to", 2, most_steps);
      const std::int64_t count = integer(need("count"), "count", 2, 1000);
      if (to <= from) {
        fail(need("to"), "from and to are numbers of points in time, at least 2 and increasing");
      }
      const double time = positive(need("time"), "time");
      recipe.kind = ConvergenceRecipe{time, step_counts(from, to, static_cast<int>(count))};
    } else if (kind == DataKind::cloud || kind == DataKind::points) {
      CloudRecipe c;
      c.steps = steps();
      c.every = every;
      if (const toml::node* points = find("points"); points != nullptr && points->is_string()) {
        c.shape.file = text_of(*points, "points");
        if (!c.shape.file.ends_with(".csv")) {
          fail(*points, fmt::format("points must be a number, or a file ending with .csv, found '{}'", c.shape.file));
        }
      } else if (const std::int64_t count = count_or("points", 0, 0, most_points); count > 0) {
        c.shape.count = count;
      }
      if (const toml::node* weights = find("weights")) c.weights = choice<HullWeights>(*weights, "weights");
      if (const toml::node* radius = find("radius")) c.radius = positive(*radius, "radius");
      if (const toml::node* ells = find("ells")) {
        for (const toml::node& ell : array_of(*ells, "ells")) {
          c.ells.push_back(static_cast<int>(integer(ell, "an entry of ells", 0, highest_order)));
        }
      }
      c.keep_points = kind == DataKind::points;
      require_rows(c.steps, c.keep_points ? c.shape.count.value_or(1) : 1);
      recipe.kind = c;
    } else if (kind == DataKind::modified) {
      recipe.step = find("step") == nullptr ? 1.0 : positive(need("step"), "step");
      ModifiedRecipe m;
      m.order = static_cast<int>(count_or("order", 2, 0, highest_order));
      for (const toml::node& item : array_of(need("at"), "at")) m.at.push_back(numbers(item, "an entry of at"));
      recipe.kind = m;
    } else {
      recipe.kind = InverseRecipe{static_cast<std::size_t>(count_or("associated", 0, 0, most_associated))};
    }
    experiment_.data.push_back(std::move(recipe));
  }

  void checked(const toml::node& node, auto&& check) const {
    try {
      check();
    } catch (const MethodError& error) {
      fail(node, error.what());
    }
  }

  void read_claim(const toml::table& claim) {
    check_keys(claim,
               {"says", "place", "quantity", "below", "above", "between", "equals", "within", "correction",
                "contradicted", "note"},
               "a claim");
    Claim c;
    c.says = text_of(required(claim, "says", "a claim"), "says");
    c.place = text_or(claim, "place", "");
    c.quantity = quantity(required(claim, "quantity", "a claim"), "quantity");
    read_criterion(claim, c.criterion);
    c.note = text_or(claim, "note", "");
    const auto expect = [&](const char* key, Claim::Holds holds) {
      if (const toml::node* node = claim.get(key)) {
        if (!c.note.empty()) fail(*node, "a claim has one note: correction, contradicted or note");
        c.note = text_of(*node, key);
        c.expected = holds;
      }
    };
    expect("correction", Claim::Holds::after_correction);
    expect("contradicted", Claim::Holds::no);
    experiment_.claims.push_back(std::move(c));
  }

  void read_criterion(const toml::table& claim, Criterion& criterion) const {
    using Kind = Criterion::Kind;
    int given = 0;
    for (const auto& [key, kind] : {std::pair("below", Kind::below), std::pair("above", Kind::above),
                                    std::pair("between", Kind::between), std::pair("equals", Kind::equals)}) {
      const toml::node* node = claim.get(key);
      if (node == nullptr) continue;
      ++given;
      criterion.kind = kind;
      if (kind == Kind::between) {
        const toml::array& bounds = array_of(*node, key);
        if (bounds.size() != 2) fail(*node, "between must be a list of two bounds");
        criterion.first = quantity(bounds[0], "a bound");
        criterion.second = quantity(bounds[1], "a bound");
      } else {
        criterion.first = quantity(*node, key);
      }
      if (kind == Kind::equals) criterion.second = quantity(required(claim, "within", "a claim with equals"), "within");
    }
    if (given != 1) fail(claim, "a claim has one of below, above, between, and equals with within");
  }

  FigureAxis read_axis(const toml::table& figure, const char* key, const char* otherwise) const {
    const toml::node* node = figure.get(key);
    if (node == nullptr) return {otherwise};
    const toml::table& axis = table_of(*node, key, "as in {label = \"$t$\", scale = \"log\"}");
    check_keys(axis, {"label", "scale"}, fmt::format("the axis {}", key));
    return {text_or(axis, "label", otherwise), choice_or(axis, "scale", Scale::linear)};
  }

  void read_figure(const toml::table& figure) {
    check_keys(figure, {"title", "caption", "kind", "x", "y", "z", "series"}, "a figure");
    FigureRecipe f;
    f.title = text_of(required(figure, "title", "a figure"), "title");
    f.caption = text_or(figure, "caption", "");
    f.kind = choice_or(figure, "kind", FigureKind::line);
    f.axes = {read_axis(figure, "x", f.kind == FigureKind::line ? "$t$" : "$x$"), read_axis(figure, "y", "$y$")};
    if (f.kind == FigureKind::space) f.axes.push_back(read_axis(figure, "z", "$z$"));
    for (const toml::node& item : array_of(required(figure, "series", "a figure"), "series")) {
      f.series.push_back(read_series(table_of(item, "a series", "as in {data = \"dla\", y = \"energy\"}"), f));
    }
    experiment_.figures.push_back(std::move(f));
  }

  SeriesRecipe read_series(const toml::table& series, const FigureRecipe& figure) const {
    check_keys(series, {"name", "data", "x", "y", "z", "style", "dashed"}, "a series");
    SeriesRecipe s;
    s.data = text_of(required(series, "data", "a series"), "data");
    require_data(*series.get("data"), s.data);
    s.name = text_or(series, "name", s.data);
    const auto coordinate = [&](const char* key, const char* otherwise) {
      const toml::node* node = series.get(key);
      s.coordinates.push_back(node == nullptr ? parse_row_formula(otherwise) : formula(*node, key, parse_row_formula));
    };
    coordinate("x", figure.kind == FigureKind::line ? "time" : "x");
    coordinate("y", "y");
    if (figure.kind == FigureKind::space) coordinate("z", "z");
    s.style = choice_or(series, "style", SeriesStyle::line);
    if (const toml::node* dashed = series.get("dashed")) s.dashed = flag(*dashed, "dashed");
    return s;
  }

  void read_animation(const toml::table& animation) {
    check_keys(animation, {"title", "data", "names"}, "an animation");
    const toml::node& data = required(animation, "data", "an animation");
    AnimationRecipe a{text_of(required(animation, "title", "an animation"), "title"), texts(data, "data"), {}};
    if (const toml::node* names = animation.get("names")) {
      a.names = texts(*names, "names");
      if (a.names.size() != a.data.size()) fail(*names, "names must have an entry for each of data");
    }
    if (a.data.empty()) fail(data, "an animation needs data");
    for (const std::string& name : a.data) {
      if (require_trajectory(data, name).model != require_trajectory(data, a.data[0]).model) {
        fail(data, "all data of an animation must be of one model");
      }
    }
    experiment_.animations.push_back(std::move(a));
  }

  Experiment experiment_;
  std::string folder_;  ///< of the files that it names
  const toml::table* common_ = nullptr;
};

}  // namespace

Experiment read_experiment(std::string_view text, const std::string& file, const std::string& folder) {
  return ExperimentReader(text, file).read(folder);
}

Paper read_paper(std::string_view text, const std::string& file) { return ExperimentReader(text, file).read_paper(); }

}  // namespace rattleback
