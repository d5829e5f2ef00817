#include "checkpoint_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "../base/checksum.hpp"

namespace rattleback {
namespace {

using nlohmann::json;

constexpr const char* first_words = "rattleback checkpoint 2";

/// JSON has no infinity and no NaN; a conserved quantity may have either.
json number(double x) { return std::isfinite(x) ? json(x) : json(fmt::format("{}", x)); }
json numbers(const std::vector<double>& list) {
  json result = json::array();
  for (const double x : list) result.push_back(number(x));
  return result;
}
double number_from(const json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}
/// The library would convert any number, beyond the range too.
template <std::integral T>
T integer_from(const json& value) {
  if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>())) return value.get<T>();
  if (value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>())) return value.get<T>();
  throw std::range_error("no integer of the type");
}
template <std::integral T>
void read_integer(const json& value, T& to) {
  to = integer_from<T>(value);
}
std::vector<double> numbers_from(const json& list) {
  std::vector<double> result;
  for (const json& value : list) result.push_back(number_from(value));
  return result;
}

json largest(const Largest& l) {
  json result = json::array({number(l.value)});
  if (l.end) result.insert(result.end(), {l.end->at.step, number(l.end->at.time), l.end->why});
  return result;
}
json largest(const std::vector<Largest>& list) {
  json result = json::array();
  for (const Largest& l : list) result.push_back(largest(l));
  return result;
}
Largest largest_from(const json& value) {
  Largest result{number_from(value.at(0)), {}};
  if (value.size() > 1) result.end = {{integer_from<std::int64_t>(value.at(1)), number_from(value.at(2))}, value.at(3)};
  return result;
}

json event(const EventRecord& e) {
  return {e.event, number(e.time), e.rising, numbers(e.node.q), numbers(e.node.v), number(e.node.t), numbers(e.after)};
}
EventRecord event_from(const json& value) {
  return {integer_from<std::size_t>(value.at(0)),
          number_from(value.at(1)),
          value.at(2).get<bool>(),
          {numbers_from(value.at(3)), numbers_from(value.at(4)), number_from(value.at(5))},
          numbers_from(value.at(6))};
}
void write_events(const RunStatistics& s, json& document) {
  if (s.event_counts.empty()) return;
  json list = json::array();
  for (const EventRecord& e : s.events) list.push_back(event(e));
  document["events"] = {{"list", list},
                        {"counts", s.event_counts},
                        {"energy", number(s.impact_energy)},
                        {"conserved", numbers(s.impact_conserved)}};
}
void read_events(const json& document, RunStatistics& s) {
  if (!document.contains("events")) return;
  const json& events = document.at("events");
  for (const json& value : events.at("list")) s.events.push_back(event_from(value));
  for (const json& value : events.at("counts")) s.event_counts.push_back(integer_from<std::int64_t>(value));
  s.impact_energy = number_from(events.at("energy"));
  s.impact_conserved = numbers_from(events.at("conserved"));
  if (!s.impact_conserved.empty() && s.impact_conserved.size() != s.initial_conserved.size())
    throw std::range_error("other conserved quantities");
}

}  // namespace

std::string checkpoint_text(const StoredCheckpoint& stored) {
  const RunDescription& d = stored.description;
  const RunStatistics& s = stored.checkpoint.statistics;
  json parameters = json::array();
  for (const Parameter& p : d.parameters) parameters.push_back({p.name, p.value});
  json observed = json::array();
  for (const ObservedQuantity& o : d.observed) observed.push_back({o.name, o.labels});
  json document{{"version", d.version},
                {"model", d.model},
                {"title", d.title},
                {"model_text", d.model_text},
                {"parameters", parameters},
                {"method", d.method},
                {"step_size", d.step},
                {"every", d.every},
                {"q", d.start.q},
                {"v", d.start.v},
                {"second_position", d.second_position},
                {"observed", observed},
                {"step", stored.checkpoint.step},
                {"stepper", stored.checkpoint.stepper},
                {"row_bytes", stored.row_bytes},
                {"row_checksum", stored.row_checksum},
                {"initial_energy", s.initial_energy},
                {"final_energy", s.final_energy},
                {"energy_error", largest(s.energy_error)},
                {"energy_scale", number(s.energy_scale)},
                {"constraint", largest(s.constraint)},
                {"initial_conserved", numbers(s.initial_conserved)},
                {"conserved_error", largest(s.conserved_error)},
                {"conserved_scale", numbers(s.conserved_scale)},
                {"midpoint_energy", numbers(s.midpoint_energy)},
                {"observed_values", largest(s.observed)},
                {"seconds", s.seconds}};
  if (d.start.t != 0.0) document["t"] = d.start.t;
  if (!stored.checkpoint.shown.empty()) document["shown"] = stored.checkpoint.shown;
  if (!d.inputs.empty()) document["inputs"] = d.inputs;
  if (s.work != 0.0) document["work"] = number(s.work);
  if (!d.stop_when.empty()) document["stop_when"] = d.stop_when;
  write_events(s, document);
  const std::string body = document.dump(1, ' ', false, json::error_handler_t::replace);
  return with_checksum(body);
}

std::string with_checksum(std::string_view body) {
  return fmt::format("{} {:016x}\n{}\n", first_words, checksum_of(body), body);
}

StoredCheckpoint read_checkpoint(const std::string& text, const std::string& path) {
  const auto damaged = [&](const std::string& why) {
    return FileError(fmt::format("the checkpoint {} is damaged ({}); the run must start anew (`force`)", path, why));
  };
  const std::size_t end = text.find('\n');
  if (!text.starts_with(first_words) || end == std::string::npos)
    throw damaged("its first line is not that of a checkpoint of this version");
  const std::string_view body(text.data() + end + 1, text.size() - end - (text.ends_with('\n') ? 2 : 1));
  if (text.substr(0, end) != fmt::format("{} {:016x}", first_words, checksum_of(body)))
    throw damaged("its checksum is wrong");
  try {
    const json document = json::parse(body);
    StoredCheckpoint stored;
    RunDescription& d = stored.description;
    document.at("version").get_to(d.version);
    document.at("model").get_to(d.model);
    document.at("title").get_to(d.title);
    document.at("model_text").get_to(d.model_text);
    for (const json& p : document.at("parameters")) d.parameters.push_back({p.at(0), p.at(1)});
    document.at("method").get_to(d.method);
    document.at("step_size").get_to(d.step);
    read_integer(document.at("every"), d.every);
    document.at("q").get_to(d.start.q);
    document.at("v").get_to(d.start.v);
    if (document.contains("inputs")) document.at("inputs").get_to(d.inputs);
    if (document.contains("t")) document.at("t").get_to(d.start.t);
    document.at("second_position").get_to(d.second_position);
    for (const json& o : document.at("observed")) d.observed.push_back({o.at(0), o.at(1)});
    read_integer(document.at("step"), stored.checkpoint.step);
    document.at("stepper").get_to(stored.checkpoint.stepper);
    if (document.contains("shown")) document.at("shown").get_to(stored.checkpoint.shown);
    read_integer(document.at("row_bytes"), stored.row_bytes);
    read_integer(document.at("row_checksum"), stored.row_checksum);
    RunStatistics& s = stored.checkpoint.statistics;
    document.at("initial_energy").get_to(s.initial_energy);
    document.at("final_energy").get_to(s.final_energy);
    if (document.contains("work")) s.work = number_from(document.at("work"));
    s.energy_error = largest_from(document.at("energy_error"));
    s.energy_scale = number_from(document.at("energy_scale"));
    s.constraint = largest_from(document.at("constraint"));
    s.initial_conserved = numbers_from(document.at("initial_conserved"));
    for (const json& value : document.at("conserved_error")) s.conserved_error.push_back(largest_from(value));
    s.conserved_scale = numbers_from(document.at("conserved_scale"));
    s.midpoint_energy = numbers_from(document.at("midpoint_energy"));
    for (const json& value : document.at("observed_values")) s.observed.push_back(largest_from(value));
    document.at("seconds").get_to(s.seconds);
    if (document.contains("stop_when")) document.at("stop_when").get_to(d.stop_when);
    read_events(document, s);
    return stored;
  } catch (const json::exception&) {
    throw damaged("an entry is missing or is not what it should be");
  } catch (const std::range_error&) {
    throw damaged("an entry that counts something is not an integer in its range");
  }
}

std::string difference(const RunDescription& then, const RunDescription& given) {
  // Names of files need not be UTF-8, and a checkpoint has what JSON makes of them.
  const RunDescription now = read_checkpoint(checkpoint_text({given, {}, 0}), "").description;
  const auto differ = [](const std::string& what, const auto& a, const auto& b) {
    return fmt::format("its {} was {}, now it is {}", what, a, b);
  };
  if (then.version != now.version) return differ("version of Rattleback", then.version, now.version);
  if (then.model != now.model) return differ("model", then.model, now.model);
  if (then.method != now.method) return differ("method", then.method, now.method);
  if (then.step != now.step) return differ("step", then.step, now.step);
  const auto observed = [](const RunDescription& d) {
    std::string names;
    for (const ObservedQuantity& o : d.observed) names += (names.empty() ? "" : ",") + o.name;
    return names.empty() ? std::string("nothing") : names;
  };
  if (observed(then) != observed(now)) return differ("list of observers", observed(then), observed(now));
  if (then.second_position != now.second_position) return "its second position was another one";
  if (then.every != now.every) return differ("interval of recording", then.every, now.every);
  for (std::size_t i = 0; i < std::min(then.parameters.size(), now.parameters.size()); ++i) {
    if (then.parameters[i].value != now.parameters[i].value) {
      return differ("parameter " + then.parameters[i].name, then.parameters[i].value, now.parameters[i].value);
    }
  }
  for (std::size_t i = 0; i < std::min(then.inputs.size(), now.inputs.size()); ++i) {
    if (then.inputs[i] != now.inputs[i]) {
      return differ("input " + then.inputs[i].first, then.inputs[i].second, now.inputs[i].second);
    }
  }
  if (then.stop_when != now.stop_when) {
    const auto text = [](const RunDescription& d) { return d.stop_when.empty() ? "nothing" : d.stop_when; };
    return differ("stop_when", text(then), text(now));
  }
  if (then.model_text != now.model_text) return "the file of its model has changed since";
  if (then.start.t != now.start.t) return differ("initial time", then.start.t, now.start.t);
  const auto compared = [&](const char* what, const std::vector<double>& before, const std::vector<double>& after) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (before[i] != after[i]) return differ(fmt::format("initial {} {}", what, i + 1), before[i], after[i]);
    }
    return std::string();
  };
  if (auto difference = compared("position", then.start.q, now.start.q); !difference.empty()) return difference;
  return compared("velocity", then.start.v, now.start.v);
}

}  // namespace rattleback
