#include "rattleback/kernel/kernel.hpp"

#include <fmt/format.h>

#include <vector>

#include "execute.hpp"
#include "jit.hpp"

namespace rattleback {

Kernel::Kernel(const Program& program, int lanes, Backend backend) : program_(program), lanes_(lanes) {
  check_lanes(lanes);
  if (use_compiler(backend)) {
    auto compiled = compile_cached(program, lanes);
    function_ = compiled.function;
    workspace_ = compiled.workspace;
    code_ = std::move(compiled.code);
  }
}

void Kernel::operator()(const double* inputs, double* outputs) const {
  if (function_ != nullptr) {
    thread_local std::vector<double> workspace;
    if (workspace.size() < workspace_) workspace.resize(workspace_);
    function_(inputs, outputs, workspace.data());
    return;
  }
  const auto width = static_cast<std::size_t>(lanes_);
  std::vector<double> lane_inputs(program_.inputs);
  std::vector<double> values(program_.code.size());
  for (std::size_t lane = 0; lane < width; ++lane) {
    for (std::size_t i = 0; i < lane_inputs.size(); ++i) lane_inputs[i] = inputs[i * width + lane];
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          execute<double>(program_.code[i], program_.constants.data(), lane_inputs.data(), nullptr, values.data());
    }
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) outputs[i * width + lane] = values[program_.outputs[i]];
  }
}

void Kernel::operator()(std::span<const double> inputs, std::span<double> outputs) const {
  const auto width = static_cast<std::size_t>(lanes_);
  if (inputs.size() != program_.inputs * width || outputs.size() != program_.outputs.size() * width) {
    throw std::invalid_argument(fmt::format("a kernel of {} lanes needs {} inputs and {} outputs, found {} and {}",
                                            lanes_, program_.inputs * width, program_.outputs.size() * width,
                                            inputs.size(), outputs.size()));
  }
  (*this)(inputs.data(), outputs.data());
}

}  // namespace rattleback
