#include "rattleback/method/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "rattleback/expr/parse.hpp"
#include "rattleback/method/method.hpp"
#include "rattleback/method/reference.hpp"

namespace rattleback {
namespace {

using Options = std::map<std::string, std::string>;

/// A method and how to start it with options that were checked.
struct Entry {
  MethodInfo info;
  std::function<std::unique_ptr<Stepper>(const Options&, const Problem&)> start;
  /// Checks the options' values.
  std::function<void(const Options&)> check = [](const Options&) {};
};

double number_option(const Options& options, const std::string& key, double otherwise, double low, double high) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  double value = 0.0;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    throw MethodError(fmt::format("{} must be a number between {} and {}, found '{}'", key, low, high, text));
  }
  return value;
}

double tolerance(const Options& options) {
  return number_option(options, "tolerance", ReferenceFlow::default_tolerance, 1e-15, 1e-2);
}

/// For coordinates much smaller than 1; as the relative one if not given.
double absolute_tolerance(const Options& options) {
  return number_option(options, "absolute", tolerance(options), 1e-300, 1e-2);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {{"reference",
        "CVODE (Adams, variable order) on the index-1 form, projected onto the constraints",
        {fmt::format("tolerance={}", ReferenceFlow::default_tolerance),
         fmt::format("absolute={}", ReferenceFlow::default_tolerance)}},
       [](const Options& o, const Problem& p) { return make_reference(p, tolerance(o), absolute_tolerance(o)); },
       [](const Options& o) { tolerance(o), absolute_tolerance(o); }},
      {{"rk4", "classical Runge-Kutta of order 4 on the index-1 form", {}},
       [](const Options&, const Problem& p) { return make_one_step(rk4(p.system), p); }},
      {{"rk4-index0", "classical Runge-Kutta of order 4 with the multipliers as a state", {}},
       [](const Options&, const Problem& p) {
         try {
           return make_one_step(rk4_index0(p.system), p);
         } catch (const StructureError&) {
           throw MethodError(
               "rk4-index0 needs inertia in every coordinate: it solves for the accelerations before the multipliers; "
               "rk4 does not");
         }
       }},
  };
  return all;
}

struct Request {
  const Entry* entry;
  Options options;
};

std::string suggestion(std::string_view found, const std::vector<std::string>& known) {
  const auto meant = closest_name(found, known);
  return meant ? fmt::format("; did you mean '{}'?", *meant)
               : fmt::format("; {} {}", known.size() == 1 ? "there is" : "there are", fmt::join(known, ", "));
}

Request read(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Request request{nullptr, {}};
  std::vector<std::string> names;
  for (const Entry& e : entries()) {
    names.push_back(e.info.name);
    if (e.info.name == words[0]) request.entry = &e;
  }
  if (request.entry == nullptr) {
    if (words[0].find(',') != std::string::npos) {
      throw MethodError(fmt::format("there is no method '{}'; 'rattleback compare' takes several", words[0]));
    }
    throw MethodError(fmt::format("there is no method '{}'{}", words[0], suggestion(words[0], names)));
  }
  std::vector<std::string> known;
  for (const std::string& o : request.entry->info.options) known.push_back(o.substr(0, o.find('=')));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw MethodError(fmt::format("the method {} has no option '{}'{}", words[0], key,
                                    known.empty() ? "; it has none" : suggestion(key, known)));
    }
    if (equals == std::string::npos) throw MethodError(fmt::format("the option {0} needs a value: {0}=...", key));
    request.options[key] = words[i].substr(equals + 1);
  }
  request.entry->check(request.options);
  return request;
}

}  // namespace

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> list;
    for (const Entry& e : entries()) list.push_back(e.info);
    return list;
  }();
  return all;
}

void check_method(std::string_view name) { read(name); }

std::unique_ptr<Stepper> make_stepper(std::string_view name, const Problem& problem) {
  const Request request = read(name);
  return request.entry->start(request.options, problem);
}

}  // namespace rattleback
