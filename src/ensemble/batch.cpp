#include "rattleback/ensemble/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lane_data.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/registry.hpp"
#include "trouble.hpp"

namespace rattleback {

struct Batch::Implementation {
  Implementation(const Problem& p, const MethodSpec& spec, std::size_t members, int lanes)
      : problem(p), derived(spec, p), maps(maps_of(map(), p)), starts(map(), maps, p),
        whole(map(), maps, {true, {}, 0}), step(ChainStep::make(whole.chain, lanes)), space(p.system.space()),
        width(static_cast<std::size_t>(lanes)), outputs(step ? step->outputs_size() * width : 0),
        blocks((members + width - 1) / width, {whole, map().state, width}), q(members * space.shown_positions()),
        v(members * space.velocities()), failures(members) {
    if (maps.node) node.emplace(*maps.node, p);
    for (std::size_t i = 0; i < members; ++i) {
      parameters.insert(parameters.end(), p.parameters.begin(), p.parameters.end());
    }
    for (std::size_t i = 0; i < members; ++i) begin(i, p.start);
    for (std::size_t b = 0; b < blocks.size(); ++b) park(b);
  }

  const Method& map() const {
    if (!derived.needs_only_maps()) {
      throw MethodError(fmt::format("{} does more than its maps say and cannot step in lanes; dla, gni, rk4 can",
                                    derived.spec.text()));
    }
    return *derived.map;
  }
  std::size_t members() const { return failures.size(); }
  std::span<double> parameters_of(std::size_t member) {
    const std::size_t count = problem.parameters.size();
    return std::span(parameters).subspan(member * count, count);
  }
  bool lives(std::size_t b, std::size_t l) const {
    return b * width + l < members() && failures[b * width + l].empty();
  }

  void begin(std::size_t member, const State& at) {
    LaneData& block = blocks[member / width];
    const std::size_t l = member % width;
    const std::span<const double> own = parameters_of(member);
    const auto state = starts(at, problem.step, own);
    if (!state) throw MethodError(fmt::format("the method cannot start: {}", starts.failure()));
    const std::vector<double> before = block.gather(l);
    block.scatter(l, block.kept(), *state);
    block.scatter(l, whole.layout[Slot::step], {&problem.step, 1});
    block.scatter(l, whole.layout[Slot::parameters], own);
    if (whole.layout.size(Slot::time) > 0) block.scatter(l, whole.layout[Slot::time], {&at.t, 1});
    State begun = at;
    if (node) {
      node->set(Slot::state, block.gather(l, whole.layout[Slot::state]));
      node->set(Slot::velocity, at.v);
      node->set_time(at.t);
      node->surround(problem.step, own);
      if (!node->run()) {
        block.scatter(l, {0, whole.layout.size()}, before);
        throw MethodError(fmt::format("the velocity at the start: {}", node->failure()));
      }
      std::ranges::copy((*node)(Slot::velocity), begun.v.begin());
    }
    if (block.keeps_velocity()) block.scatter(l, block.velocity(), begun.v);
    failures[member].clear();
    show(member, block.node(l));
  }

  void show(std::size_t member, const State& at) {
    show_position(member, at.q);
    std::ranges::copy(at.v, v.begin() + static_cast<std::ptrdiff_t>(member * space.velocities()));
  }

  void show_position(std::size_t member, std::span<const double> position) {
    const auto row = std::span(q).subspan(member * space.shown_positions(), space.shown_positions());
    std::ranges::copy(space.shown(position, row), row.begin());
  }

  void show_lanes(std::size_t b) {
    const LaneData& block = blocks[b];
    const auto copy = [&](std::span<const double> from, std::size_t size, std::vector<double>& to) {
      for (std::size_t l = 0; l < width; ++l) {
        if (!lives(b, l)) continue;
        double* row = to.data() + (b * width + l) * size;
        for (std::size_t i = 0; i < size; ++i) row[i] = from[i * width + l];
      }
    };
    copy(block.all(block.velocity()), space.velocities(), v);
    if (space.rotations == 0) return copy(block.all(block.position()), space.numbers, q);
    for (std::size_t l = 0; l < width; ++l) {
      if (lives(b, l)) show_position(b * width + l, block.node(l).q);
    }
  }

  /// Lanes whose trajectories have failed, or that have none, compute along with another one.
  void park(std::size_t b) {
    std::size_t live = 0;
    while (live < width && !lives(b, live)) ++live;
    if (live == width) return;
    for (std::size_t l = 0; l < width; ++l) {
      if (!lives(b, l)) blocks[b].copy(live, l);
    }
  }
  /// One step by the stepper of single trajectories, which has more means: all data of the lane after it, or nothing.
  std::optional<std::vector<double>> rescued(std::size_t b, std::size_t l) {
    LaneData& block = blocks[b];
    bool taken = false;
    const State before = block.node(l);
    const std::string trouble = trouble_of([&] {
      Problem here{problem.system, block.gather(l, whole.layout[Slot::parameters]), before, problem.step};
      for (const double t : block.gather(l, whole.layout[Slot::time])) here.start.t = t;
      if (!rescuer) rescuer = make_one_step(map(), maps, problem);
      taken = rescuer->take_over(here, block.gather(l, block.kept())) && rescuer->advance();
    });
    if (!taken) {
      failures[b * width + l] = trouble.empty() ? rescuer->failure() : trouble;
      show(b * width + l, before);
      return std::nullopt;
    }
    block.scatter(l, block.kept(), rescuer->kept());
    if (block.keeps_velocity()) block.scatter(l, block.velocity(), rescuer->node().v);
    return block.gather(l);
  }

  /// A step that some lanes cannot take together with the others.
  void step_with_rescue(std::size_t b) {
    LaneData& block = blocks[b];
    std::vector<std::optional<std::vector<double>>> done(width);
    while (true) {
      for (std::size_t l = 0; l < width; ++l) {
        if (lives(b, l) && !done[l] && (!step || step->has_failed(static_cast<int>(l)))) done[l] = rescued(b, l);
      }
      std::size_t healthy = 0;
      while (healthy < width && (!lives(b, healthy) || done[healthy])) ++healthy;
      if (healthy == width) break;
      for (std::size_t l = 0; l < width; ++l) {
        if (done[l] || !lives(b, l)) block.copy(healthy, l);
      }
      if (step->run(block.numbers(), outputs, 1) == 1) break;
    }
    for (std::size_t l = 0; l < width; ++l) {
      if (done[l]) block.scatter(l, {0, whole.layout.size()}, *done[l]);
    }
    park(b);
  }

  void advance(std::size_t b, std::int64_t count) {
    while (count > 0) {
      bool any = false;
      for (std::size_t l = 0; l < width; ++l) any = any || lives(b, l);
      if (!any) return;
      if (step) count -= step->run(blocks[b].numbers(), outputs, count);
      if (count == 0) break;
      step_with_rescue(b);
      --count;
    }
    show_lanes(b);
  }

  Problem problem;
  DerivedMethod derived;
  MethodMaps maps;
  WholeStart starts;
  WholeStep whole;
  std::optional<ChainStep> step;  ///< none if its maps could not keep their bits: then one at a time
  Space space;
  std::size_t width;
  std::vector<double> outputs;
  std::vector<LaneData> blocks;
  std::vector<double> q;
  std::vector<double> v;
  std::vector<std::string> failures;
  std::vector<double> parameters;  ///< of each member, whether it has a lane or not
  std::optional<CompiledMap> node;
  std::unique_ptr<OneStepper> rescuer;
};

Batch::Batch(const Problem& problem, const MethodSpec& method, std::size_t members, int lanes)
    : implementation_(std::make_unique<Implementation>(problem, method, members, lanes)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch::~Batch() = default;

std::size_t Batch::size() const { return implementation_->members(); }
std::span<const double> Batch::q() const { return implementation_->q; }
std::span<const double> Batch::v() const { return implementation_->v; }
const std::vector<std::string>& Batch::failures() const { return implementation_->failures; }

void Batch::set(std::size_t parameter, std::span<const double> values) {
  Implementation& i = *implementation_;
  const Layout::Range slot = i.whole.layout[Slot::parameters];
  for (std::size_t member = 0; member < size(); ++member) {
    const std::size_t l = member % i.width;
    i.parameters_of(member)[parameter] = values[member];
    if (!i.lives(member / i.width, l)) continue;
    i.blocks[member / i.width].scatter(l, {slot.begin + parameter, 1}, values.subspan(member, 1));
  }
}

void Batch::start(std::size_t member, const State& node) {
  const Problem& problem = implementation_->problem;
  const bool is_known = node.q == problem.start.q && node.v == problem.start.v;
  if (!is_known) require_regular_start(problem.system, implementation_->parameters_of(member), node);
  implementation_->begin(member, node);
}

void Batch::step(std::int64_t count) {
  for (std::size_t b = 0; b < implementation_->blocks.size(); ++b) {
    keep_working();
    implementation_->advance(b, count);
  }
}

}  // namespace rattleback
