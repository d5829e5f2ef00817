// A report as a page: its data as JSON in a page that was made from web/.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "../base/files.hpp"
#include "kinds.hpp"
#include "rattleback/base/error.hpp"
#include "rattleback/base/installation.hpp"
#include "rattleback/report/report.hpp"

namespace rattleback::report {
namespace {

using nlohmann::json;

/// More digits than a screen or a printer shows, in fewer bytes than all of them.
json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

json numbers(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

/// Keys without a content are left away.
void put(json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <class T>
json list(const std::vector<T>& items, auto&& convert) {
  json array = json::array();
  for (const T& item : items) array.push_back(convert(item, array.size()));
  return array;
}

json to_json(const Series& s) {
  json object{{"name", s.name}, {"style", word_of(s.style)}};
  if (s.dashed) object["dashed"] = true;
  const char* names[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < s.coordinates.size(); ++k) object[names[k]] = numbers(s.coordinates[k]);
  return object;
}

json to_json(const Figure& f, std::size_t index) {
  json object{{"id", fmt::format("figure-{}", index + 1)}, {"title", f.title}, {"kind", word_of(f.kind)}};
  put(object, "caption", f.caption);
  const char* names[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < f.axes.size(); ++k) {
    object[names[k]] = {{"label", f.axes[k].label}, {"scale", word_of(f.axes[k].scale)}};
  }
  object["series"] = list(f.series, [](const Series& s, std::size_t) { return to_json(s); });
  return object;
}

/// What never changes is written once.
template <std::size_t N>
json columns(const std::array<std::vector<double>, N>& all) {
  json list = json::array();
  for (const std::vector<double>& values : all) {
    const bool constant = std::ranges::all_of(values, [&](double value) { return value == values.front(); });
    list.push_back(constant && !values.empty() ? json::array({number(values.front())}) : numbers(values));
  }
  return list;
}

json to_json(const View::Body& b) {
  json object{{"name", b.name}, {"shape", word_of(b.shape)}, {"axis", word_of(b.axis)}, {"marks", word_of(b.marks)}};
  put(object, "colour", b.colour);
  for (const View::Size& size : b.sizes) object["sizes"][size.name] = numbers(size.numbers);
  return object;
}

json to_json(const Track& t) {
  json object{{"name", t.name}, {"t", numbers(t.t)}, {"energy", numbers(t.energy)}};
  object["bodies"] = list(t.bodies, [](const Track::Body& b, std::size_t) {
    json body{{"position", columns(b.position)}};
    if (!b.rotation[0].empty()) body["rotation"] = columns(b.rotation);
    if (!b.end[0].empty()) body["end"] = columns(b.end);
    return body;
  });
  object["traces"] = list(t.traces, [](const Track::Trace& trace, std::size_t) {
    json line{{"point", columns(trace.point)}};
    if (!trace.on_body[0].empty()) line["onBody"] = columns(trace.on_body);
    return line;
  });
  return object;
}

json to_json(const Animation& a, std::size_t index) {
  const View::Ground& g = a.view.ground;
  json object{{"id", fmt::format("animation-{}", index + 1)},
              {"title", a.title},
              {"bodies", list(a.view.bodies, [](const View::Body& b, std::size_t) { return to_json(b); })},
              {"traces", list(a.view.traces,
                              [](const View::Trace& trace, std::size_t) {
                                json line{{"name", trace.name}};
                                if (trace.body) line["body"] = *trace.body;
                                return line;
                              })},
              {"ground",
               {{"kind", word_of(g.kind)},
                {"radius", number(g.radius)},
                {"centre", numbers({g.centre.begin(), g.centre.end()})},
                {"slope", {{"x", number(g.slope[0])}, {"y", number(g.slope[1])}}}}},
              {"tracks", list(a.tracks, [](const Track& t, std::size_t) { return to_json(t); })}};
  put(object, "opening", a.opening);
  return object;
}

json to_json(const ClaimEntry& c) {
  json object{{"says", c.says},
              {"quantity", c.quantity},
              {"measured", c.measured},
              {"expected", c.expected},
              {"verdict", word_of(c.verdict)}};
  put(object, "place", c.place);
  put(object, "note", c.note);
  return object;
}

json to_json(const ExperimentEntry& e) {
  json object{
      {"id", e.id},
      {"title", e.title},
      {"systems", list(e.systems,
                       [](const SystemEntry& s, std::size_t) {
                         return json{{"name", s.name},
                                     {"title", s.title},
                                     {"lagrangian", s.lagrangian},
                                     {"constraints", s.constraints},
                                     {"parameters", s.parameters}};
                       })},
      {"runs", list(e.runs,
                    [](const RunEntry& r, std::size_t) {
                      json run{{"name", r.name}, {"system", r.system}, {"method", r.method}, {"settings", r.settings}};
                      put(run, "failure", r.failure);
                      return run;
                    })},
      {"claims", list(e.claims, [](const ClaimEntry& c, std::size_t) { return to_json(c); })},
      {"figures", list(e.figures, [](const Figure& f, std::size_t i) { return to_json(f, i); })},
      {"animations", list(e.animations, [](const Animation& a, std::size_t i) { return to_json(a, i); })},
      {"files", e.files}};
  put(object, "place", e.place);
  put(object, "text", e.text);
  return object;
}

json to_json(const StatementEntry& s) {
  json object{{"label", s.label}, {"kind", word_of(s.kind)}, {"says", s.says}};
  object["judged"] = list(s.judged, [](const StatementEntry::Judged& judged, std::size_t) {
    return json{{"experiment", judged.experiment}, {"claims", judged.claims}};
  });
  if (s.verdict) object["verdict"] = word_of(*s.verdict);
  put(object, "reason", s.reason);
  put(object, "note", s.note);
  return object;
}

json to_json(const Report& r) {
  json object{{"kind", word_of(r.kind)}, {"title", r.title}, {"program", r.program}};
  put(object, "text", r.text);
  put(object, "command", r.command);
  object["chapters"] = list(r.chapters, [](const Chapter& c, std::size_t) {
    json chapter{{"id", c.id}, {"title", c.title}};
    put(chapter, "citation", c.citation);
    put(chapter, "text", c.text);
    chapter["statements"] = list(c.statements, [](const StatementEntry& s, std::size_t) { return to_json(s); });
    chapter["experiments"] = list(c.experiments, [](const ExperimentEntry& e, std::size_t) { return to_json(e); });
    return chapter;
  });
  return object;
}

/// JSON inside a script element must not close it.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

const ResultKind page_result{
    "a page of Rattleback", [](const std::string& path) {
      constexpr std::size_t head = 4096;
      return beginning_of(path, head).find("<meta name=\"generator\" content=\"Rattleback\">") != std::string::npos;
    }};

void write_page(const Report& report, const std::string& path) {
  constexpr std::string_view place = "/*REPORT*/";
  std::string page = read_file(shared_data("report.html").string());
  const std::size_t at = page.find(place);
  if (at == std::string::npos)
    throw FileError("report.html, the page that reports are made from, has no place for data");
  page.replace(at, place.size(), escaped(to_json(report).dump(-1, ' ', false, json::error_handler_t::replace)));
  replace_file(path, page);
}

}  // namespace rattleback::report
