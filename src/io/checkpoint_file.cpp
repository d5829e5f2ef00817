#include "checkpoint_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace rattleback {
namespace {

using nlohmann::json;

constexpr const char* first_words = "rattleback checkpoint 1";

/// FNV-1a.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return h;
}

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
std::vector<double> numbers_from(const json& list) {
  std::vector<double> result;
  for (const json& value : list) result.push_back(number_from(value));
  return result;
}

}  // namespace

std::string checkpoint_text(const StoredCheckpoint& stored) {
  const RunDescription& d = stored.description;
  const RunStatistics& s = stored.checkpoint.statistics;
  json parameters = json::array();
  for (const Parameter& p : d.parameters) parameters.push_back({p.name, p.value});
  json observed = json::array();
  for (const ObservedQuantity& o : d.observed) observed.push_back({o.name, o.labels});
  const json document{{"version", d.version},
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
                      {"initial_energy", s.initial_energy},
                      {"final_energy", s.final_energy},
                      {"max_energy_error", s.max_energy_error},
                      {"max_constraint", number(s.max_constraint)},
                      {"initial_conserved", numbers(s.initial_conserved)},
                      {"max_conserved_error", numbers(s.max_conserved_error)},
                      {"midpoint_energy", numbers(s.midpoint_energy)},
                      {"max_observed", numbers(s.max_observed)},
                      {"seconds", s.seconds}};
  const std::string body = document.dump(1, ' ', false, json::error_handler_t::replace);
  return fmt::format("{} {:016x}\n{}\n", first_words, checksum(body), body);
}

StoredCheckpoint read_checkpoint(const std::string& text, const std::string& path) {
  const auto damaged = [&](const std::string& why) {
    return FileError(fmt::format("the checkpoint {} is damaged ({}); the run must start anew (`force`)", path, why));
  };
  const std::size_t end = text.find('\n');
  if (!text.starts_with(first_words) || end == std::string::npos)
    throw damaged("its first line is not that of a checkpoint");
  const std::string_view body(text.data() + end + 1, text.size() - end - (text.ends_with('\n') ? 2 : 1));
  if (text.substr(0, end) != fmt::format("{} {:016x}", first_words, checksum(body)))
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
    document.at("every").get_to(d.every);
    document.at("q").get_to(d.start.q);
    document.at("v").get_to(d.start.v);
    document.at("second_position").get_to(d.second_position);
    for (const json& o : document.at("observed")) d.observed.push_back({o.at(0), o.at(1)});
    document.at("step").get_to(stored.checkpoint.step);
    document.at("stepper").get_to(stored.checkpoint.stepper);
    document.at("row_bytes").get_to(stored.row_bytes);
    RunStatistics& s = stored.checkpoint.statistics;
    document.at("initial_energy").get_to(s.initial_energy);
    document.at("final_energy").get_to(s.final_energy);
    document.at("max_energy_error").get_to(s.max_energy_error);
    s.max_constraint = number_from(document.at("max_constraint"));
    s.initial_conserved = numbers_from(document.at("initial_conserved"));
    s.max_conserved_error = numbers_from(document.at("max_conserved_error"));
    s.midpoint_energy = numbers_from(document.at("midpoint_energy"));
    s.max_observed = numbers_from(document.at("max_observed"));
    document.at("seconds").get_to(s.seconds);
    return stored;
  } catch (const json::exception& error) {
    throw damaged(error.what());
  }
}

std::string difference(const RunDescription& then, const RunDescription& now) {
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
  if (then.model_text != now.model_text) return "the file of its model has changed since";
  for (std::size_t i = 0; i < std::min(then.start.q.size(), now.start.q.size()); ++i) {
    if (then.start.q[i] != now.start.q[i]) {
      return differ(fmt::format("initial position {}", i + 1), then.start.q[i], now.start.q[i]);
    }
    if (then.start.v[i] != now.start.v[i]) {
      return differ(fmt::format("initial velocity {}", i + 1), then.start.v[i], now.start.v[i]);
    }
  }
  return "";
}

}  // namespace rattleback
