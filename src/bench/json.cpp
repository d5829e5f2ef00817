// The tables as programs read them.

#include <nlohmann/json.hpp>

#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

using nlohmann::json;

json to_json(const Comparison& c, const char* first, const char* second) {
  return {{"ratio", c.ratio}, {"quartiles", {c.low, c.high}}, {first, c.ours}, {second, c.theirs}};
}

const char* name(Contestant::Setting setting) { return setting == Contestant::Setting::step ? "step" : "tolerance"; }

const char* name(SearchEnd end) {
  switch (end) {
    case SearchEnd::found: return "found";
    case SearchEnd::found_in_haste: return "found, search out of time";
    case SearchEnd::too_dear: return "more than 20 times the best";
    case SearchEnd::out_of_time: return "out of time";
    case SearchEnd::never: return "never";
  }
  return "";
}

}  // namespace

json to_json(const CostTable& table) {
  json document{{"time", table.options.time}, {"search_seconds", table.options.seconds}, {"bounds", json::array()}};
  for (const CostColumn& c : table.columns) {
    json column{{"bound", c.bound}, {"goal", c.goal}, {"entries", json::array()}};
    for (const CostEntry& e : c.entries) {
      json entry{{"name", e.name}, {"ours", e.side != Side::theirs}, {"search", name(e.result.end)}};
      if (e.result.holds()) {
        entry[name(e.setting)] = e.result.setting;
        entry["seconds_per_time"] = e.result.seconds;
        entry["quartiles"] = {e.result.low, e.result.high};
        entry["worst_error"] = e.result.worst;
      }
      column["entries"].push_back(std::move(entry));
    }
    if (const auto ratio = c.theirs_over_ours()) {
      column["theirs_over_ours"] = to_json(*ratio, "theirs", "ours");
      column["reached"] = ratio->ratio >= c.goal;
    }
    if (c.theirs_over_maps) column["theirs_over_maps"] = to_json(*c.theirs_over_maps, "theirs", "ours");
    if (c.theirs_over_flows) column["theirs_over_flows"] = to_json(*c.theirs_over_flows, "theirs", "ours");
    if (c.theirs_over_run) column["theirs_over_run"] = to_json(*c.theirs_over_run, "theirs", "run");
    document["bounds"].push_back(std::move(column));
  }
  return document;
}

json to_json(const std::vector<PrecisionTable>& tables) {
  json document = json::array();
  for (const PrecisionTable& t : tables) {
    json one{{"problem", t.problem}, {"time", t.time}, {"floor", t.floor}, {"entries", json::array()}};
    for (const PrecisionEntry& e : t.entries) {
      json entry{{"name", e.name}, {"ours", e.side != Side::theirs}, {"points", json::array()}};
      for (const PrecisionPoint& p : e.points) {
        entry["points"].push_back({{name(e.setting), p.setting}, {"error", p.error}, {"seconds", p.seconds}});
      }
      one["entries"].push_back(std::move(entry));
    }
    document.push_back(std::move(one));
  }
  return document;
}

json to_json(const std::vector<StepGroup>& groups) {
  json document = json::array();
  for (const StepGroup& g : groups) {
    json one{{"problem", g.problem}, {"iterations", g.iterations}, {"rows", json::array()}};
    for (const StepRow& r : g.rows) {
      json row = to_json(r.ours_over_theirs, "ours", "theirs");
      row["against"] = r.against;
      if (r.goal > 0.0) row["goal"] = r.goal;
      one["rows"].push_back(std::move(row));
    }
    if (g.build) one["build"] = {{"seconds", *g.build}, {"goal", g.build_goal}};
    document.push_back(std::move(one));
  }
  return document;
}

json to_json(const RunTable& table) {
  json document{{"rows", json::array()}, {"outputs", json::array()}};
  for (const RunRow& r : table.rows) {
    json row = to_json(r.run_over_step, "run", "step");
    row["what"] = r.what;
    if (r.goal > 0.0) row["goal"] = r.goal;
    document["rows"].push_back(std::move(row));
  }
  for (const OutputRow& r : table.outputs) {
    document["outputs"].push_back(
        {{"format", r.format}, {"rows_per_second", r.rows_per_second}, {"bytes_per_second", r.bytes_per_second}});
  }
  return document;
}

json to_json(const ThroughputTable& table) {
  json document{{"trajectories", table.trajectories}, {"steps", table.steps},           {"peak", table.peak},
                {"peak_width", table.peak_width},     {"operations", table.operations}, {"rows", json::array()}};
  for (const ThroughputRow& r : table.rows) {
    json row{{"name", r.name}, {"available", r.available}};
    if (r.available) {
      row["seconds_per_step"] = r.step;
      row["quartiles"] = {r.low, r.high};
      row["of_peak"] = r.of_peak;
    }
    document["rows"].push_back(std::move(row));
  }
  return document;
}

json to_json(const ScalingTable& table) {
  json document{
      {"trajectories", table.trajectories}, {"steps", table.steps}, {"cores", table.cores}, {"rows", json::array()}};
  for (const ScalingRow& r : table.rows) {
    json row{{r.ranks ? "ranks" : "threads", r.count}, {"available", r.available}};
    if (r.available) {
      row["seconds_per_step"] = r.step;
      row["quartiles"] = {r.low, r.high};
      row["speedup"] = r.speedup;
    }
    document["rows"].push_back(std::move(row));
  }
  return document;
}

json to_json(const GrowthTable& table) {
  json document{{"goal", table.goal}, {"rows", json::array()}};
  for (const GrowthRow& r : table.rows) {
    document["rows"].push_back({{"n", r.n},
                                {"seconds_per_step", r.step},
                                {"quartiles", {r.low, r.high}},
                                {"seconds_per_coordinate", r.per_coordinate},
                                {"relative", r.relative},
                                {"iterations", r.iterations},
                                {"build_seconds", r.build}});
  }
  return document;
}

}  // namespace rattleback::bench
