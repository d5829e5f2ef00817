// Modified Hamiltonians of variational methods, from orbits and as series: against García-Naranjo & Vermeeren's formulas
// and the power series of modified_numbers.py; that they are constant along trajectories, and where there are none.

#include <fmt/format.h>

#include <array>
#include <random>
#include <set>

#include "modified_numbers.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/modified_series.hpp"

namespace rattleback::test {
namespace {

using Values = std::unordered_map<Expression, double>;
using Digits = ModifiedHamiltonian::Digits;

/// What the symbols of a series stand for.
Values values_of(const ModifiedSeries& series, const Method& method, const Problem& problem,
                 std::span<const double> state) {
  const CanonicalStep& c = *method.canonical;
  Values values;
  for (std::size_t i = 0; i < c.positions.size(); ++i) {
    values[series.coordinates[i]] = state[c.positions[i]];
    values[series.momenta[i]] = state[c.momenta[i]];
  }
  if (series.energy_symbol) values[*series.energy_symbol] = state[c.conformal->entry];
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    values[problem.system.parameters()[i]] = problem.parameters[i];
  return values;
}

// -------------------------------------------------------------------------------------------------- GV, appendix A

/// A system and a rule.
using Case = std::pair<std::string, std::string>;
std::string name_of_case(const testing::TestParamInfo<Case>& which) {
  return identifier(which.param.first + "_" + which.param.second);
}

class Appendix : public testing::TestWithParam<Case> {
 protected:
  static constexpr const char* names[] = {"K2", "E2", "N2"};

  Appendix() {
    static const nlohmann::json all = json_beside_tests("gv_appendix.json");
    const auto& record = all.at(GetParam().first).at(GetParam().second);
    for (std::size_t k = 0; k < 3; ++k) formulas_[k] = parse(record.at(names[k]).get<std::string>());
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-1.5, 1.5);
    for (int k = 0; k < 100; ++k) {
      std::array<double, 4> z{};
      for (double& x : z) x = any(random);
      states_.push_back(state_of(method_, std::span(z).first(2), std::span(z).last(2), any(random)));
    }
  }
  double formula(std::size_t which, std::span<const double> state) const {
    const CanonicalStep& c = *method_.canonical;
    const auto at = [&](std::size_t entry) { return state[entry]; };
    return evaluate(formulas_[which], {{Expression::symbol("x"), at(c.positions[0])},
                                       {Expression::symbol("y"), at(c.positions[1])},
                                       {Expression::symbol("px"), at(c.momenta[0])},
                                       {Expression::symbol("py"), at(c.momenta[1])},
                                       {Expression::symbol("E"), at(c.conformal->entry)}});
  }

  Problem problem_ = recorded_problem(GetParam().first);
  Method method_ = make_method("conformal:" + GetParam().second, problem_);
  std::array<Expression, 3> formulas_;
  std::vector<std::vector<double>> states_;
};

// The terms of the numerators, divided by 96 or 24, are below 50 at these points: rounding is about 1e-14.
TEST_P(Appendix, has_the_formulas_of_the_series) {
  const ModifiedSeries series = modified_series(method_, 2);
  const Expression ours[] = {series.hamiltonian[2], series.energy[2], series.factor[2]};
  EXPECT_TRUE(series.hamiltonian[1].is_constant(0.0));
  for (const auto& state : states_) {
    const Values values = values_of(series, method_, problem_, state);
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = formula(k, state);
      EXPECT_NEAR(evaluate(ours[k], values), expected, 1e-12 * std::max(1.0, std::abs(expected))) << names[k];
    }
  }
}

// (f(h) − f₀)/h² − f₂ = h² f₄ + …, added up over a few points, because f₄ may vanish at one of them. With h about 0.01
// the terms are above 1e-8 and rounding, 1e-16/h², is 1e-12; the terms in h⁴ change the exponent by less than 0.01.
TEST_P(Appendix, is_what_orbits_lead_to) {
  const ModifiedSeries series = modified_series(method_, 0);
  ModifiedHamiltonian modified(method_, problem_, Digits::extended);
  modified.set_tolerance(1e-20);
  const auto remainders = [&](double h) {
    std::array<double, 3> sums{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto velocity = velocity_at(method_, problem_, states_[k]);
      const Values values = values_of(series, method_, problem_, states_[k]);
      const ConformalValues c = modified.conformal(states_[k], velocity, h);
      const double f[] = {modified.value(states_[k], velocity, h).value, c.energy.value, c.factor.value};
      const Expression zeroth[] = {series.hamiltonian[0], series.energy[0], series.factor[0]};
      for (std::size_t i = 0; i < 3; ++i)
        sums[i] += std::abs((f[i] - evaluate(zeroth[i], values)) / (h * h) - formula(i, states_[k]));
    }
    return sums;
  };
  const auto coarse = remainders(0.02);
  const auto fine = remainders(0.01);
  for (std::size_t i = 0; i < 3; ++i) {
    fmt::print("{} {} {}: {:.2e} {:.2e} {:.4f}\n", GetParam().first, GetParam().second, names[i], coarse[i], fine[i], std::log2(coarse[i]/fine[i]));
    EXPECT_LT(fine[i], 1e-3) << names[i];
    EXPECT_NEAR(std::log2(coarse[i] / fine[i]), 2.0, 0.05) << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(GarciaNaranjoVermeeren, Appendix,
                         testing::ValuesIn([] {
                           std::vector<Case> cases;
                           for (const char* system : {"harmonic", "free"}) {
                             for (const char* rule : {"M", "MT", "TM", "TT", "T"}) cases.emplace_back(system, rule);
                           }
                           return cases;
                         }()),
                         name_of_case);

// ------------------------------------------------------------------------------------------------------ coefficients

class Coefficients : public testing::TestWithParam<Case> {
 protected:
  /// The records of the case.
  std::vector<nlohmann::json> records() const {
    std::vector<nlohmann::json> found;
    for (const char* section : {"coefficients", "others", "del"}) {
      for (const auto& record : modified_numbers().at(section)) {
        if (record.at("system") == GetParam().first && rule_name(record) == GetParam().second) found.push_back(record);
      }
    }
    EXPECT_GE(found.size(), 2U);
    return found;
  }
  static int highest(const nlohmann::json& record) {
    int order = 8;
    while (!record.contains(fmt::format("K{}", order))) --order;
    return order;
  }
  /// Of K, E or N; those that are not stored are 0.
  static double coefficient(const nlohmann::json& record, char name, int j) {
    const std::string key = fmt::format("{}{}", name, j);
    return record.contains(key) ? number(record, key) : 0.0;
  }
  static double sum(const nlohmann::json& record, char name, double h, int ell) {
    double total = 0.0;
    for (int j = ell; j >= 0; --j) total = total * h + coefficient(record, name, j);
    return total;
  }

  Problem problem_ = recorded_problem(GetParam().first);
  Method method_ = make_method((records()[0].contains("E") ? "conformal:" : "del:") + GetParam().second, problem_);
};

TEST_P(Coefficients, of_formulas) {
  // Order 6 takes seconds for some.
  const int order = 4;
  const ModifiedSeries series = modified_series(method_, order);
  double worst = 0;
  for (const auto& record : records()) {
    const Values values = values_of(series, method_, problem_, recorded_state(method_, problem_, record));
    for (int j = 0; j <= order; ++j) {
      const auto power = static_cast<std::size_t>(j);
      worst = std::max(worst, std::abs(evaluate(series.hamiltonian[power], values)-coefficient(record, 'K', j)));
      EXPECT_NEAR(evaluate(series.hamiltonian[power], values), coefficient(record, 'K', j), 1e-12) << j;
      ASSERT_EQ(series.energy_symbol.has_value(), record.contains("E"));
      if (!series.energy_symbol) continue;
      EXPECT_NEAR(evaluate(series.energy[power], values), coefficient(record, 'E', j), 1e-12) << j;
      EXPECT_NEAR(evaluate(series.factor[power], values), coefficient(record, 'N', j), 1e-12) << j;
    }
  }
  fmt::print("worst {:.1e}\n", worst);
}

TEST_P(Coefficients, of_orbits) {
  ModifiedHamiltonian modified(method_, problem_);
  double worst[2]={0,0};
  for (const auto& record : records()) {
    const auto state = recorded_state(method_, problem_, record);
    const auto velocity = velocity_at(method_, problem_, state);
    for (const double h : {0.25, 0.5, 1.0}) {
      for (int ell = method_.structure.symmetric ? 2 : 1; ell <= highest(record);
           ell += method_.structure.symmetric ? 2 : 1) {
        const Estimate k = modified.truncated(state, velocity, h, ell);
        double &w = worst[h==1.0];
        w = std::max(w, std::abs(k.value-sum(record, 'K', h, ell)));
        EXPECT_NEAR(k.value, sum(record, 'K', h, ell), 1e-12) << h << " " << ell;
        if (!record.contains("E")) continue;
        const ConformalValues c = modified.truncated_conformal(state, velocity, h, ell);
        w = std::max(w, std::abs(c.energy.value-sum(record, 'E', h, ell)));
        w = std::max(w, std::abs(c.factor.value-sum(record, 'N', h, ell)));
        if (ell == highest(record)) fmt::print("h {} true {:.1e} est {:.1e}   N true {:.1e} est {:.1e}  K true {:.1e} est {:.1e}\n", h, c.energy.value - sum(record, 'E', h, ell), c.energy.error, c.factor.value - sum(record, 'N', h, ell), c.factor.error, k.value- sum(record, 'K', h, ell), k.error);
        EXPECT_NEAR(c.energy.value, sum(record, 'E', h, ell), 1e-12) << h << " " << ell;
        EXPECT_NEAR(c.factor.value, sum(record, 'N', h, ell), 1e-12) << h << " " << ell;
      }
    }
  }
  fmt::print("worst {:.1e} {:.1e}\n", worst[0], worst[1]);
}

INSTANTIATE_TEST_SUITE_P(Numbers, Coefficients,
                         testing::ValuesIn([] {
                           std::set<Case> cases;
                           for (const char* section : {"coefficients", "others", "del"}) {
                             for (const auto& record : modified_numbers().at(section))
                               cases.emplace(record.at("system"), rule_name(record));
                           }
                           return std::vector<Case>(cases.begin(), cases.end());
                         }()),
                         name_of_case);

}  // namespace
}  // namespace rattleback::test
