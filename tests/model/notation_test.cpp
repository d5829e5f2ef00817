// Models of the catalogue in the notation of vectors and definitions, against the same models written out by hand
// (tests/model/written_out).

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "rattleback/model/model.hpp"
#include "tests/case_name.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace notation_test {

class Notation : public testing::TestWithParam<std::string> {};

/// All that a system is made of.
std::vector<Expression> parts(const System& s) {
  std::vector<Expression> all{s.lagrangian(), s.energy()};
  for (const auto* list : {&s.constraints(), &s.holonomic(), &s.applied_forces(), &s.momenta(), &s.forces()}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  for (const NamedExpression& c : s.conserved()) all.push_back(c.expression);
  return all;
}

TEST_P(Notation, means_what_is_written_out) {
  const Model shorter = load_model(GetParam());
  const Model longer = load_model(test::source_file("tests/model/written_out/" + GetParam() + ".toml"));
  const std::string_view text = shorter.text;  // without what is only for the eye
  EXPECT_LT(text.substr(0, text.find("[view")).size(), longer.text.size());
  const System& s = shorter.system;
  ASSERT_EQ(s.coordinates(), longer.system.coordinates());
  ASSERT_EQ(s.parameters(), longer.system.parameters());
  EXPECT_EQ(s.parameter_values(), longer.system.parameter_values());
  const std::vector<Expression> ours = parts(s);
  const std::vector<Expression> theirs = parts(longer.system);
  ASSERT_EQ(ours.size(), theirs.size());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0.3, 1.3);
  for (int point = 0; point < 5; ++point) {
    std::unordered_map<Expression, double> values;
    for (const auto* list : {&s.coordinates(), &s.velocities(), &s.parameters()}) {
      for (const Expression& e : *list) values[e] = number(random);
    }
    for (std::size_t k = 0; k < ours.size(); ++k) {
      const double size = size_of_terms(theirs[k], values);
      EXPECT_NEAR(evaluate(ours[k], values), evaluate(theirs[k], values), 1e-13 * std::max(size, 1.0)) << k;
    }
  }
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    EXPECT_EQ(shorter.initial->q[i], longer.initial->q[i]);
    EXPECT_NEAR(shorter.initial->v[i], longer.initial->v[i], 1e-15) << "solved from the constraints";
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Notation,
                         testing::Values("chaplygin-ball", "rubber-routh-sphere", "rubber-spheroid", "veselova",
                                         "veselova-4d"),
                         [](const auto& p) { return test::case_name(p.param); });

}  // namespace notation_test
}  // namespace rattleback
