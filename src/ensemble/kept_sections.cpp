// What is kept of an ensemble: [keep], [[section]], [[histogram]], [[volume]].

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/observe/observers.hpp"
#include "spec_sections.hpp"

namespace rattleback {
namespace {

constexpr std::int64_t most_times = 1000000;
constexpr std::int64_t most_bins = 1000000;

std::vector<double> read_times(const SpecFile& file, const toml::node& node, const Ensemble& ensemble) {
  std::vector<double> times;
  if (const toml::table* line = node.as_table()) {
    file.check_keys(*line, {"from", "to", "count"}, "times");
    const double from = line->contains("from") ? file.value(*line->get("from"), "from") : 0.0;
    const double to = file.value(file.required(*line, "to", "times"), "to");
    const std::int64_t size = file.count(file.required(*line, "count", "times"), "count", most_times);
    const Axis axis = line_axis({"t"}, {from}, {to}, size);
    for (std::int64_t k = 0; k < size; ++k) axis.point(k, std::span(&times.emplace_back(), 1));
  } else {
    for (const toml::node& entry : file.array_of(node, "times")) times.push_back(file.value(entry, "a time"));
  }
  if (!std::ranges::is_sorted(times)) {
    const auto place = std::ranges::is_sorted_until(times);
    file.fail(node, fmt::format("times must not decrease, found {} after {}", *place, *(place - 1)));
  }
  if (!times.empty() && times.front() < 0.0) file.fail(node, "times cannot be negative");
  if (ensemble.time && !times.empty() && times.back() > *ensemble.time * (1.0 + 1e-12)) {
    file.fail(node,
              fmt::format("the time {} is after the end of the trajectories at {}", times.back(), *ensemble.time));
  }
  return times;
}

/// A formula of the quantities of a node.
Expression node_formula(const SpecFile& file, const toml::node& node, const std::string& what, const System& system) {
  ParseOptions options = file.options_at(node);
  options.names = std::vector<std::string>{};
  for (const NamedExpression& q : node_quantities(system)) options.names->push_back(q.name);
  return SpecFile::parsed([&] { return parse(file.text_of(node, what), options); });
}

std::string name_of(const SpecFile& file, const toml::table& table, const std::string& fallback) {
  const toml::node* node = table.get("name");
  const std::string name = node == nullptr ? fallback : file.text_of(*node, "name");
  if (name.empty() || name.find_first_of("/\n") != std::string::npos || name == "." || name == "..") {
    file.fail(node == nullptr ? static_cast<const toml::node&>(table) : *node,
              fmt::format("'{}' cannot be a name in the result: give a name without a slash", name));
  }
  return name;
}

Gathering read_gathering(const SpecFile& file, const toml::table& table, const Ensemble& ensemble) {
  const toml::node* node = table.get("at");
  if (node == nullptr) return {};
  const std::string& word = file.text_of(*node, "at");
  if (word == "last") return {};
  if (word == "times") {
    if (ensemble.times.empty()) file.fail(*node, "no times are kept: give them in [keep]");
    return {Gathering::At::times, 0};
  }
  for (std::size_t k = 0; k < ensemble.sections.size(); ++k) {
    if (ensemble.sections[k].name == word) return {Gathering::At::section, k};
  }
  std::vector<std::string> known{"last", "times"};
  for (const Section& section : ensemble.sections) known.push_back(section.name);
  const auto meant = closest_name(word, known);
  file.fail(*node, fmt::format("'at' is last, times or the name of a section, found '{}'; {}", word,
                               meant ? fmt::format("did you mean '{}'?", *meant)
                                     : fmt::format("there are {}", fmt::join(known, ", "))));
}

}  // namespace

void read_keep(const SpecFile& file, Ensemble& ensemble) {
  const toml::table* const keep = file.table("keep");
  if (keep == nullptr) return;
  file.check_keys(*keep, {"times", "statistics", "observers"}, "[keep]");
  if (const toml::node* times = keep->get("times")) ensemble.times = read_times(file, *times, ensemble);
  if (const toml::node* statistics = keep->get("statistics")) {
    for (const toml::node& entry : file.array_of(*statistics, "statistics")) {
      ensemble.statistics.push_back(
          {file.text_of(entry, "statistics"), node_formula(file, entry, "statistics", ensemble.system)});
    }
  }
  if (const toml::node* observers = keep->get("observers")) {
    for (const toml::node& entry : file.array_of(*observers, "observers")) {
      ensemble.observers.push_back(file.text_of(entry, "observers"));
      try {
        check_observer(ensemble.observers.back());
      } catch (const MethodError& error) {
        file.fail(entry, error.what());
      }
    }
  }
}

void read_section(const SpecFile& file, const toml::table& section, Ensemble& ensemble) {
  file.check_keys(section, {"name", "of", "direction", "most"}, "[[section]]");
  const toml::node& of = file.required(section, "of", "[[section]]");
  Section read{name_of(file, section, fmt::format("section {}", ensemble.sections.size() + 1)),
               node_formula(file, of, "of", ensemble.system)};
  if (read.name == "last" || read.name == "times") {
    file.fail(*section.get("name"),
              fmt::format("a section cannot be called {}: histograms mean something else by it", read.name));
  }
  for (const Section& other : ensemble.sections) {
    if (other.name == read.name) file.fail(section, fmt::format("there are two sections with the name {}", read.name));
  }
  if (const toml::node* direction = section.get("direction")) {
    read.direction = file.choice<Section::Direction>(*direction, "direction");
  }
  if (const toml::node* most = section.get("most")) read.most = file.count(*most, "most");
  ensemble.sections.push_back(std::move(read));
}

Histogram read_histogram(const SpecFile& file, const toml::table& table, const Ensemble& ensemble) {
  file.check_keys(table, {"name", "of", "at", "bins", "from", "to"}, "[[histogram]]");
  const toml::node& of = file.required(table, "of", "[[histogram]]");
  Histogram histogram{name_of(file, table, file.text_of(of, "of")), node_formula(file, of, "of", ensemble.system),
                      read_gathering(file, table, ensemble)};
  if (const toml::node* bins = table.get("bins")) {
    histogram.bins = static_cast<std::size_t>(file.count(*bins, "bins", most_bins));
  }
  if (const toml::node* from = table.get("from")) histogram.from = file.value(*from, "from");
  if (const toml::node* to = table.get("to")) histogram.to = file.value(*to, "to");
  if (histogram.from && histogram.to && !(*histogram.from < *histogram.to)) {
    file.fail(table, fmt::format("a histogram from {} to {} is empty", *histogram.from, *histogram.to));
  }
  return histogram;
}

Volume read_volume(const SpecFile& file, const toml::table& table, const Ensemble& ensemble) {
  file.check_keys(table, {"name", "of", "at"}, "[[volume]]");
  const toml::array& of = file.array_of(file.required(table, "of", "[[volume]]"), "of");
  Volume volume{name_of(file, table, "volume"), {}, read_gathering(file, table, ensemble)};
  for (const toml::node& entry : of) volume.coordinates.push_back(node_formula(file, entry, "of", ensemble.system));
  if (volume.coordinates.size() < 2) file.fail(of, "a volume needs at least two coordinates");
  if (volume.where.at == Gathering::At::section)
    file.fail(table, "a volume is of nodes at one time: at = \"last\" or \"times\"");
  return volume;
}

}  // namespace rattleback
