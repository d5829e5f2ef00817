#include "rattleback/kernel/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../base/signed_size.hpp"
#include "chain_program.hpp"
#include "step_runner.hpp"

namespace rattleback {
namespace {

StepProgram as_step(const Program& program) {
  StepProgram step;
  step.code = program.code;
  step.constants = program.constants;
  step.inputs = program.inputs;
  step.after = {0, static_cast<Value>(program.code.size())};
  step.outputs = program.outputs;
  step.sines = count_sines(program.code);
  return step;
}

void check(const Chain& chain) {
  const auto exists = [&](const ChainValue& v, std::size_t before) {
    if (v.link == ChainValue::data) return v.index < chain.data;
    if (v.link >= before) return false;
    const Chain::Link& link = chain.links[v.link];
    return v.index < (link.map.outputs.empty() ? link.program.outputs.size() : link.map.outputs.size());
  };
  for (std::size_t k = 0; k < chain.links.size(); ++k) {
    const Chain::Link& link = chain.links[k];
    const std::size_t size = link.map.outputs.empty() ? link.program.inputs : link.map.data.size();
    if (link.takes.size() != size) {
      throw std::invalid_argument(fmt::format("link {} has {} data, and takes {}", k, size, link.takes.size()));
    }
    for (const ChainValue& v : link.takes) {
      if (!exists(v, k)) throw std::invalid_argument(fmt::format("link {} takes what is not there", k));
    }
  }
  if (chain.state > chain.data || chain.state > chain.outputs.size()) {
    throw std::invalid_argument("the state of a chain is larger than its data or its outputs");
  }
  for (const ChainValue& v : chain.outputs) {
    if (!exists(v, chain.links.size())) throw std::invalid_argument("a chain has an output that is not there");
  }
  for (const Chain::Extremes& e : chain.extremes) {
    const auto is_there = [&](const ChainValue& v) { return exists(v, chain.links.size()); };
    if (e.least >= chain.state || e.largest >= chain.state || !std::ranges::all_of(e.of, is_there)) {
      throw std::invalid_argument("a chain has extremes of what is not there, or outside its state");
    }
  }
}

}  // namespace

std::uint32_t Chain::add(ImplicitSystem map, std::vector<ChainValue> takes, bool is_counted) {
  links.push_back({std::move(map), {}, std::move(takes), is_counted});
  return static_cast<std::uint32_t>(links.size() - 1);
}

std::uint32_t Chain::add(Program program, std::vector<ChainValue> takes) {
  links.push_back({{}, std::move(program), std::move(takes), false});
  return static_cast<std::uint32_t>(links.size() - 1);
}

std::optional<ChainStep> ChainStep::make(const Chain& chain, int lanes, Backend backend) {
  check_lanes(lanes);
  check(chain);
  std::vector<StepProgram> links;
  bool any_inline = false;
  bool any_called = false;
  for (const Chain::Link& link : chain.links) {
    // Stages of a composition are the same map: it is derived once.
    const auto same =
        std::ranges::find_if(chain.links.begin(), chain.links.begin() + signed_size(links.size()),
                             [&](const Chain::Link& other) {
                               return !link.map.outputs.empty() && other.map.outputs == link.map.outputs &&
                                      other.map.residuals == link.map.residuals && other.map.end == link.map.end;
                             }) -
        chain.links.begin();
    if (same < signed_size(links.size())) {
      links.push_back(links[static_cast<std::size_t>(same)]);
    } else {
      links.push_back(link.map.outputs.empty() ? as_step(link.program) : make_step_program(link.map));
    }
    if (links.back().sines == 0) continue;
    (links.back().sines > max_inline_sines ? any_called : any_inline) = true;
  }
  if (any_inline && any_called) return std::nullopt;
  return ChainStep(std::make_unique<StepRunner>(make_chain_program(chain, std::move(links)), lanes, backend));
}

ChainStep::ChainStep(std::unique_ptr<StepRunner> runner) : runner_(std::move(runner)) {}
ChainStep::ChainStep(ChainStep&&) noexcept = default;
ChainStep& ChainStep::operator=(ChainStep&&) noexcept = default;
ChainStep::~ChainStep() = default;

std::int64_t ChainStep::run(std::span<double> data, std::span<double> outputs, std::int64_t steps) {
  const auto width = static_cast<std::size_t>(runner_->lanes());
  if (data.size() != data_size() * width || outputs.size() != outputs_size() * width || steps < 0) {
    throw std::invalid_argument(fmt::format("a chain of {} lanes needs {} data and {} outputs, found {} and {}", width,
                                            data_size() * width, outputs_size() * width, data.size(), outputs.size()));
  }
  return steps == 0 ? 0 : runner_->run(data.data(), outputs.data(), steps);
}

bool ChainStep::has_failed(int lane) const { return runner_->counters().failed[lane] != 0; }
std::int64_t ChainStep::iterations(int lane) const { return runner_->counters().iterations[lane]; }
int ChainStep::max_iterations(int lane) const { return static_cast<int>(runner_->counters().max_iterations[lane]); }
int ChainStep::lanes() const { return runner_->lanes(); }
std::size_t ChainStep::data_size() const { return runner_->data_size(); }
std::size_t ChainStep::outputs_size() const { return runner_->outputs_size(); }

}  // namespace rattleback
