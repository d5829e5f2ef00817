#include "rattleback/kernel/kernel.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "execute.hpp"
#include "jit.hpp"

namespace rattleback {

struct Kernel::Code {
  Code(const Program& program, Backend backend)
      : as_compiled(backend == Backend::automatic), warmup(program.code, count_sines(program.code), backend) {}

  void use(Compiled<ProgramFunction> found) {
    if (found.function == nullptr) return;
    const std::lock_guard lock(mutex);
    if (function != nullptr) return;
    compiled = std::move(found);
    function = compiled.function;
  }

  bool as_compiled;
  Warmup warmup;
  std::mutex mutex;
  Compiled<ProgramFunction> compiled;
  std::atomic<ProgramFunction> function = nullptr;  ///< set when the rest is there
};

Kernel::Kernel(const Program& program, int lanes, Backend backend) : program_(program), lanes_(lanes) {
  check_lanes(lanes);
  code_ = std::make_shared<Code>(program, backend);
  if (backend != Backend::interpreted) code_->use(find_compiled(program, lanes));
  if (!is_compiled() && code_->warmup.is_over(0)) code_->use(compile_cached(program, lanes));
}

const void* Kernel::address() const { return code_->function != nullptr ? code_->compiled.code.get() : nullptr; }

void Kernel::operator()(const double* inputs, double* outputs) const {
  if (code_->function == nullptr && !code_->warmup.is_over(lanes_)) {
    left_range() = false;
    interpret(inputs, outputs);
    if (!left_range() || !code_->warmup.can_end()) return;
  }
  if (code_->function == nullptr) code_->use(compile_cached(program_, lanes_));
  const ProgramFunction function = code_->function;
  thread_local std::vector<double> workspace;
  if (workspace.size() < code_->compiled.workspace) workspace.resize(code_->compiled.workspace);
  function(inputs, outputs, workspace.data());
}

void Kernel::interpret(const double* inputs, double* outputs) const {
  const auto width = static_cast<std::size_t>(lanes_);
  thread_local std::vector<double> lane_inputs;
  thread_local std::vector<double> values;
  lane_inputs.resize(program_.inputs);
  values.resize(program_.code.size());
  for (std::size_t lane = 0; lane < width; ++lane) {
    for (std::size_t i = 0; i < lane_inputs.size(); ++i) lane_inputs[i] = inputs[i * width + lane];
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = execute<double>(program_.code[i], program_.constants.data(), lane_inputs.data(), nullptr,
                                  values.data(), code_->as_compiled);
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
