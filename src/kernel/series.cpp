#include "rattleback/kernel/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "as_compiled.hpp"
#include "jit.hpp"
#include "rattleback/base/work.hpp"
#include "series_interpreter.hpp"

namespace rattleback {
struct Series::State {
  State(const SeriesSystem& system, int order, int lane_count, Backend backend)
      : program(make_series_program(system, order)), lanes(lane_count), interpreter(program),
        warmup(program.code, program.sines, backend), trial(program.trial.size() * width()) {
    if (backend != Backend::interpreted) use(find_compiled(program, lanes));
    if (compiled.function == nullptr && warmup.is_over(0)) use(compile_cached(program, lanes));
  }

  std::size_t width() const { return static_cast<std::size_t>(lanes); }

  void use(Compiled<SeriesFunction> found) {
    if (found.function == nullptr) return;
    compiled = std::move(found);
    workspace.resize(compiled.workspace);
    history.resize(program.history(lanes) + cache_line);
  }

  void expand(const double* data, double* coefficients) {
    if (compiled.function == nullptr && !warmup.is_over(static_cast<std::int64_t>(program.order) * lanes)) {
      left_range() = false;
      interpret(data, coefficients);
      if (!left_range() || !warmup.can_end()) return;
    }
    if (compiled.function == nullptr) use(compile_cached(program, lanes));
    for (std::size_t i = 0; i < program.state() * width(); ++i) coefficients[i] = data[i];
    const auto address = reinterpret_cast<std::uintptr_t>(history.data()) / sizeof(double);
    compiled.function(data, coefficients, trial.data(), history.data() + (0 - address) % cache_line, workspace.data());
  }

  void interpret(const double* data, double* coefficients) {
    keep_working();
    const std::size_t all = program.state() * static_cast<std::size_t>(program.order + 1);
    lane_data.resize(program.inputs);
    lane_coefficients.resize(all);
    lane_trial.resize(program.trial.size());
    for (std::size_t l = 0; l < width(); ++l) {
      for (std::size_t i = 0; i < lane_data.size(); ++i) lane_data[i] = data[i * width() + l];
      std::copy_n(lane_data.begin(), program.state(), lane_coefficients.begin());
      interpreter(lane_data.data(), lane_coefficients.data(), lane_trial.data());
      for (std::size_t i = 0; i < all; ++i) coefficients[i * width() + l] = lane_coefficients[i];
      for (std::size_t i = 0; i < lane_trial.size(); ++i) trial[i * width() + l] = lane_trial[i];
    }
  }

  static constexpr std::size_t cache_line = 8;  ///< doubles
  SeriesProgram program;
  int lanes;
  SeriesInterpreter<double> interpreter;
  Warmup warmup;
  Compiled<SeriesFunction> compiled;
  std::vector<double> trial;
  std::vector<double> workspace;
  std::vector<double> history;
  std::vector<double> lane_data;
  std::vector<double> lane_coefficients;
  std::vector<double> lane_trial;
};

Series::Series(const SeriesSystem& system, int order, int lanes, Backend backend) {
  check_lanes(lanes);
  if (order < 1) throw std::invalid_argument(fmt::format("a series of order {}: the order must be positive", order));
  state_ = std::make_unique<State>(system, order, lanes, backend);
}

Series::Series(Series&&) noexcept = default;
Series& Series::operator=(Series&&) noexcept = default;
Series::~Series() = default;

int Series::order() const { return state_->program.order; }
std::size_t Series::data_size() const { return state_->program.inputs; }
std::size_t Series::state_size() const { return state_->program.state(); }
bool Series::is_compiled() const { return state_->compiled.function != nullptr; }
std::span<const double> Series::trial() const { return state_->trial; }

void Series::expand(std::span<const double> data, std::span<double> coefficients) {
  const std::size_t size = state_size() * static_cast<std::size_t>(order() + 1);
  if (data.size() != data_size() * state_->width() || coefficients.size() != size * state_->width()) {
    throw std::invalid_argument(fmt::format("series of {} lanes need {} data and {} coefficients, found {} and {}",
                                            state_->lanes, data_size() * state_->width(), size * state_->width(),
                                            data.size(), coefficients.size()));
  }
  state_->expand(data.data(), coefficients.data());
}

}  // namespace rattleback
