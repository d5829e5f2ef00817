// What belongs to an ensemble as a whole.

#include "ensemble_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/not_a_number.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/observe/cloud.hpp"
#include "trouble.hpp"

namespace rattleback {
namespace {

/// Values of formulas at the nodes that are gathered, instant by instant.
class Gatherer {
 public:
  Gatherer(const EnsembleFile& file, const std::vector<Expression>& formulas, Gathering where)
      : file_(file), where_(where), members_(file.ensemble), formulas_([&] {
          Substitution meanings;
          for (const NamedExpression& q : node_quantities(file.ensemble.system)) {
            meanings.emplace(Expression::symbol(q.name), q.expression);
          }
          return make_program(state_and_parameters(file.ensemble.system), substitute(formulas, meanings));
        }()),
        layout_(map_of_node(file.ensemble.system).data_layout), data_(layout_.size()), values_(formulas.size()) {}

  std::size_t instants() const { return where_.at == Gathering::At::times ? file_.ensemble.times.size() : 1; }
  /// NaN if it is none.
  double time(std::size_t instant) const {
    return where_.at == Gathering::At::times ? file_.ensemble.times[instant] : not_a_number;
  }

  /// use(instant, values), where the values are defined; leave_out(instant, time) where they are not.
  void operator()(const MemberResult& result, auto&& use, auto&& leave_out) {
    // Also where they have come to: what is compared at two instants are the same members.
    if (!result.failure.empty()) return;
    parameters_ = members_.at(result.member).parameters;
    const auto one = [&](std::size_t instant, const NodeRow& row) {
      if (std::isnan(row.time)) return;  // it has not come to there
      std::ranges::copy(file_.ensemble.system.space().from_shown(row.q), layout_.of(data_, Slot::position).begin());
      std::ranges::copy(row.v, layout_.of(data_, Slot::velocity).begin());
      std::ranges::fill(layout_.of(data_, Slot::time), row.time);
      std::ranges::copy(parameters_, layout_.of(data_, Slot::parameters).begin());
      formulas_(data_, values_);
      if (std::ranges::all_of(values_, [](double value) { return std::isfinite(value); })) {
        use(instant, std::span<const double>(values_));
      } else {
        leave_out(instant, row.time);
      }
    };
    switch (where_.at) {
      case Gathering::At::last: one(0, result.last); break;
      case Gathering::At::times:
        for (std::size_t k = 0; k < result.nodes.size(); ++k) one(k, result.nodes[k]);
        break;
      case Gathering::At::section:
        for (const Crossing& crossing : result.crossings[where_.section]) one(0, crossing.node);
        break;
    }
  }

 private:
  const EnsembleFile& file_;
  Gathering where_;
  Members members_;
  Kernel formulas_;
  Layout layout_;
  std::vector<double> data_;
  std::vector<double> values_;
  std::vector<double> parameters_;
};

std::vector<HistogramResult> histogram(const EnsembleFile& file, const Histogram& h, const EachResult& each) {
  Gatherer gather(file, {h.quantity}, h.where);
  std::vector<HistogramResult> results(gather.instants());
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k] = {h.name, gather.time(k), 0, 0.0, 0.0, not_a_number, not_a_number, {}, {}, 0, {}};
  }
  const auto moments = [&](std::size_t k, std::span<const double> values) {
    HistogramResult& r = results[k];
    const double x = values[0];
    // Welford's recurrence, in the order of the members.
    ++r.count;
    const double change = x - r.mean;
    r.mean += change / static_cast<double>(r.count);
    r.deviation += change * (x - r.mean);
    if (!(r.least <= x)) r.least = x;
    if (!(r.largest >= x)) r.largest = x;
  };
  each([&](const MemberResult& member) {
    gather(member, moments, [&](std::size_t k, double time) { results[k].undefined.add(member.member, time); });
  });
  // One set of intervals for all instants, so that they can be compared.
  double from = not_a_number;
  double to = not_a_number;
  for (HistogramResult& r : results) {
    if (r.count == 0) r.mean = not_a_number;
    r.deviation = r.count > 1 ? std::sqrt(r.deviation / static_cast<double>(r.count - 1)) : not_a_number;
    if (!(from <= r.least)) from = r.least;
    if (!(to >= r.largest)) to = r.largest;
  }
  from = h.from.value_or(std::isnan(from) ? 0.0 : from);
  to = h.to.value_or(std::isnan(to) ? from : to);
  if (!(from < to)) to = from + std::max(1.0, std::abs(from)) * 1e-9;  // all values are the same
  for (HistogramResult& r : results) {
    r.counts.assign(h.bins, 0.0);
    for (std::size_t b = 0; b <= h.bins; ++b) {
      r.edges.push_back(from + (to - from) * static_cast<double>(b) / static_cast<double>(h.bins));
    }
  }
  const auto count = [&](std::size_t k, std::span<const double> values) {
    const double x = values[0];
    if (x < from || x > to) {
      ++results[k].outside;
      return;
    }
    const double place = (x - from) / (to - from) * static_cast<double>(h.bins);
    results[k].counts[std::min(static_cast<std::size_t>(place), h.bins - 1)] += 1.0;
  };
  each([&](const MemberResult& member) { gather(member, count, [](std::size_t, double) {}); });
  return results;
}

std::vector<VolumeResult> volume(const EnsembleFile& file, const Volume& v, const EachResult& each) {
  Gatherer gather(file, v.coordinates, v.where);
  std::vector<Points> points(gather.instants());
  std::vector<VolumeResult> results;
  for (std::size_t k = 0; k < points.size(); ++k) results.push_back({v.name, gather.time(k), not_a_number, 0, {}});
  const auto place = [&](std::size_t k, std::span<const double> values) {
    points[k].emplace_back(values.begin(), values.end());
  };
  each([&](const MemberResult& member) {
    gather(member, place, [&](std::size_t k, double time) { results[k].undefined.add(member.member, time); });
  });
  for (std::size_t k = 0; k < points.size(); ++k) {
    results[k].count = static_cast<std::int64_t>(points[k].size());
    if (!points[k].empty()) results[k].volume = 0.0;
    if (points[k].size() > v.coordinates.size()) {
      trouble_of(
          [&] { results[k].volume = ConvexHull(points[k]).volume(); });  // they lie in a plane if there is trouble
    }
  }
  return results;
}

/// What each member has, or has not.
void count(const EnsembleFile& file, const std::vector<std::string>& statistics, const EachResult& each,
           EnsembleQuantities& all) {
  all.crossings.assign(file.ensemble.sections.size() + file.ensemble.system.events().size(), 0);
  all.unreached.resize(file.ensemble.times.size());
  for (const std::string& name : statistics) all.statistics_undefined.push_back({name, {}});
  for (const Section& section : file.ensemble.sections) all.sections_undefined.push_back({section.name, {}});
  each([&](const MemberResult& result) {
    for (std::size_t k = 0; k < all.crossings.size(); ++k) {
      all.crossings[k] += static_cast<std::int64_t>(result.crossings[k].size());
    }
    for (std::size_t k = 0; k < result.undefined.size(); ++k) {
      if (std::isnan(result.undefined[k])) continue;
      (k < statistics.size() ? all.statistics_undefined[k] : all.sections_undefined[k - statistics.size()])
          .absence.add(result.member, result.undefined[k]);
    }
    for (std::size_t k = 0; k < result.nodes.size() && result.failure.empty(); ++k) {
      if (std::isnan(result.nodes[k].time)) all.unreached[k].add(result.member, result.last.time);
    }
  });
}

}  // namespace

EnsembleQuantities ensemble_quantities(const EnsembleFile& file, const std::vector<std::string>& statistics,
                                       const EachResult& each) {
  EnsembleQuantities all;
  count(file, statistics, each, all);
  for (const Histogram& h : file.histograms) {
    for (HistogramResult& r : histogram(file, h, each)) all.histograms.push_back(std::move(r));
  }
  for (const Volume& v : file.volumes) {
    for (VolumeResult& r : volume(file, v, each)) all.volumes.push_back(std::move(r));
  }
  return all;
}

namespace {

/// Beside what each member has not, how many have it not, and the first of them.
void write_absences(const Hdf5Writer& writer, const EnsembleQuantities& quantities) {
  std::vector<double> counts;
  std::vector<double> members;
  std::vector<double> times;
  for (const auto* list : {&quantities.statistics_undefined, &quantities.sections_undefined}) {
    for (const NamedAbsence& a : *list) {
      counts.push_back(static_cast<double>(a.absence.count));
      members.push_back(a.absence.count > 0 ? static_cast<double>(a.absence.member) : not_a_number);
      times.push_back(a.absence.count > 0 ? a.absence.time : not_a_number);
    }
  }
  if (!counts.empty()) {
    const Hdf5Handle dataset = writer.opened("undefined");
    writer.attribute(dataset, "members", counts);
    writer.attribute(dataset, "first_member", members);
    writer.attribute(dataset, "first_time", times);
  }
  if (quantities.unreached.empty()) return;
  std::vector<double> unreached;
  for (const Absence& a : quantities.unreached) unreached.push_back(static_cast<double>(a.count));
  const std::vector<hsize_t> size{unreached.size()};
  writer.write_rows(writer.dataset(writer.root(), "times/unreached", size), size, 0, unreached.data());
}

}  // namespace

void write_quantities(const Hdf5Writer& writer, const EnsembleQuantities& quantities) {
  const auto write = [&](hid_t group, const char* name, const std::vector<hsize_t>& size,
                         const std::vector<double>& values) {
    writer.write_rows(writer.dataset(group, name, size), size, 0, values.data());
  };
  write_absences(writer, quantities);
  const auto together = [](const auto& list, std::size_t first, auto&& use) {
    std::size_t end = first;
    while (end < list.size() && list[end].name == list[first].name) use(list[end++]);
    return end;
  };
  if (!quantities.histograms.empty()) writer.group("histograms");
  for (std::size_t k = 0; k < quantities.histograms.size();) {
    const HistogramResult& first = quantities.histograms[k];
    std::vector<double> counts;
    std::vector<double> moments[8];
    const std::size_t end = together(quantities.histograms, k, [&](const HistogramResult& r) {
      counts.insert(counts.end(), r.counts.begin(), r.counts.end());
      const double numbers[] = {r.time,
                                static_cast<double>(r.count),
                                static_cast<double>(r.undefined.count),
                                static_cast<double>(r.outside),
                                r.mean,
                                r.deviation,
                                r.least,
                                r.largest};
      for (std::size_t i = 0; i < std::size(numbers); ++i) moments[i].push_back(numbers[i]);
    });
    const Hdf5Handle group = writer.group("histograms/" + first.name);
    write(group, "edges", {first.edges.size()}, first.edges);
    write(group, "counts", {end - k, first.counts.size()}, counts);
    const char* const names[] = {"time", "count", "undefined", "outside", "mean", "deviation", "least", "largest"};
    for (std::size_t i = 0; i < std::size(names); ++i) write(group, names[i], {end - k}, moments[i]);
    k = end;
  }
  if (!quantities.volumes.empty()) writer.group("volumes");
  for (std::size_t k = 0; k < quantities.volumes.size();) {
    std::vector<double> times;
    std::vector<double> volumes;
    std::vector<double> counts;
    std::vector<double> undefined;
    const std::size_t end = together(quantities.volumes, k, [&](const VolumeResult& r) {
      times.push_back(r.time);
      volumes.push_back(r.volume);
      counts.push_back(static_cast<double>(r.count));
      undefined.push_back(static_cast<double>(r.undefined.count));
    });
    const Hdf5Handle group = writer.group("volumes/" + quantities.volumes[k].name);
    write(group, "time", {end - k}, times);
    write(group, "volume", {end - k}, volumes);
    write(group, "count", {end - k}, counts);
    write(group, "undefined", {end - k}, undefined);
    k = end;
  }
}

}  // namespace rattleback
