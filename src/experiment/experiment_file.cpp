// The format of experiments (docs/experiments.md): TOML, with formulas of tables in strings.

#include <fmt/format.h>

#include <filesystem>

#include "data_sections.hpp"
#include "rattleback/experiment/experiment.hpp"

namespace rattleback {
namespace {

class ExperimentReader : DataSections {
 public:
  using DataSections::DataSections;

  Experiment read(const std::string& folder) {
    check_keys(root(), {"title", "place", "text", "common", "data", "values", "claims", "figures", "animations"},
               "an experiment");
    const std::filesystem::path path(source().file());
    experiment_.paper = path.parent_path().filename().string();
    experiment_.name = path.stem().string();
    experiment_.title = text_value("title");
    experiment_.place = text_value("place");
    experiment_.text = text_value("text");
    read_data(folder.empty() ? path.parent_path().string() : folder);
    experiment_.data = data();
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
    if (has_third_axis(f.kind)) f.axes.push_back(read_axis(figure, "z", "$z$"));
    for (const toml::node& item : array_of(required(figure, "series", "a figure"), "series")) {
      f.series.push_back(read_series(table_of(item, "a series", "as in {data = \"dla\", y = \"energy\"}"), f));
    }
    if (f.kind == FigureKind::map && f.series.size() != 1) {
      fail(*figure.get("series"), fmt::format("a map shows one series, found {}", f.series.size()));
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
    if (has_third_axis(figure.kind)) coordinate("z", "z");
    s.style = choice_or(series, "style", SeriesStyle::line);
    if (const toml::node* dashed = series.get("dashed")) s.dashed = flag(*dashed, "dashed");
    return s;
  }

  void read_animation(const toml::table& animation) {
    check_keys(animation, {"title", "data", "names", "opening"}, "an animation");
    const toml::node& data = required(animation, "data", "an animation");
    AnimationRecipe a{text_of(required(animation, "title", "an animation"), "title"), texts(data, "data"), {}};
    if (const toml::node* names = animation.get("names")) {
      a.names = texts(*names, "names");
      if (a.names.size() != a.data.size()) fail(*names, "names must have an entry for each of data");
    }
    a.opening = text_or(animation, "opening", "");
    if (a.data.empty()) fail(data, "an animation needs data");
    for (const std::string& name : a.data) {
      if (require_trajectory(data, name).model != require_trajectory(data, a.data[0]).model) {
        fail(data, "all data of an animation must be of one model");
      }
    }
    experiment_.animations.push_back(std::move(a));
  }

  Experiment experiment_;
};

}  // namespace

Experiment read_experiment(std::string_view text, const std::string& file, const std::string& folder) {
  return ExperimentReader(text, file).read(folder);
}

Paper read_paper(std::string_view text, const std::string& file) { return ExperimentReader(text, file).read_paper(); }

}  // namespace rattleback
