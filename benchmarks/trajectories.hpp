#pragma once

// Trajectories of a method, in lanes, started anew for every measurement.

#include "rattleback/kernel/step.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"
#include "src/bench/ratio.hpp"

namespace rattleback::benchmark {

inline Problem problem_of(const Model& model, double step) {
  return {model.system, model.system.parameter_values(), *model.initial, step};
}

class Trajectories {
 public:
  Trajectories(const std::string& method, const Problem& problem, int lanes = 1)
      : Trajectories(make_method(method, problem.system), problem, lanes) {}

  Trajectories(const Method& method, const Problem& problem, int lanes)
      : start_(start(method, problem)), step_(typical(method.step), lanes, Backend::compiled),
        data_(start_.size() * static_cast<std::size_t>(lanes)),
        outputs_(method.step.outputs.size() * static_cast<std::size_t>(lanes)) {}

  void run(std::int64_t steps) {
    const auto lanes = static_cast<std::size_t>(step_.lanes());
    for (std::size_t i = 0; i < start_.size(); ++i) {
      for (std::size_t l = 0; l < lanes; ++l) {  // slightly different trajectories
        data_[i * lanes + l] = start_[i] * (i < step_.system().state ? 1.0 + 1e-3 * static_cast<double>(l) : 1.0);
      }
    }
    if (step_.run(data_, outputs_, steps) != steps) throw std::runtime_error(step_.describe(step_.reports()[0]));
    keep(data_.data());
  }

  const LaneReport& report() const { return step_.reports()[0]; }
  std::span<const double> data() const { return data_; }

 private:
  static std::vector<double> start(const Method& method, const Problem& problem) {
    std::vector<double> given = problem.start.q;
    given.insert(given.end(), problem.start.v.begin(), problem.start.v.end());
    const std::vector<double> time(method.depends_on_time() ? 1 : 0, problem.start.t);
    given.insert(given.end(), time.begin(), time.end());
    given.push_back(problem.step);
    given.insert(given.end(), problem.parameters.begin(), problem.parameters.end());
    Step map(method.start, 1, Backend::interpreted);
    std::vector<double> data(method.start.outputs.size());
    if (map.run(given, data) != 1) throw std::runtime_error(map.describe(map.reports()[0]));
    data.insert(data.end(), time.begin(), time.end());
    data.push_back(problem.step);
    data.insert(data.end(), problem.parameters.begin(), problem.parameters.end());
    return data;
  }
  ImplicitSystem typical(ImplicitSystem step) const {
    step.typical = start_;
    return step;
  }

  std::vector<double> start_;
  Step step_;
  std::vector<double> data_;
  std::vector<double> outputs_;
};

}  // namespace rattleback::benchmark
