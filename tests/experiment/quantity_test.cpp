// Numbers from tables, checked against values worked out by hand.

#include "rattleback/experiment/quantity.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rattleback/expr/parse.hpp"
#include "tests/case_name.hpp"

namespace rattleback {
namespace quantity_test {

constexpr double pi = std::numbers::pi;

Table small() {
  return {{{"time", {0, 1, 2, 3, 4}}, {"x", {1, -2, 3, -4, 5}}, {"x'", {0, 1, 4, 9, 16}}}, {{"steps", 4}}};
}

double number(const std::string& text, const Table& table, std::map<std::string, double> values = {}) {
  return evaluate(parse_quantity(text), {[&](const std::string&) -> const Table& { return table; }, std::move(values)});
}
double number(const std::string& text) { return number(text, small()); }

struct Case {
  const char* text;
  double value;
};

class Reduction : public testing::TestWithParam<Case> {};

TEST_P(Reduction, has_the_value_worked_out_by_hand) {
  EXPECT_NEAR(number(GetParam().text), GetParam().value, 1e-14) << GetParam().text;
}

const auto by_text = [](const testing::TestParamInfo<Case>& p) { return test::case_name(p.param.text); };
INSTANTIATE_TEST_SUITE_P(Quantity, Reduction,
                         testing::Values(Case{"max[t: x]", 5}, Case{"min[t: x]", -4}, Case{"mean[t: x]", 0.6},
                                         Case{"rms[t: x]", std::sqrt(11.0)}, Case{"first[t: x]", 1},
                                         Case{"last[t: x]", 5}, Case{"range[t: x]", 9}, Case{"sum[t: x]", 3},
                                         Case{"count[t: x]", 5}, Case{"turns[t: x]", 3}, Case{"turns[t: x']", 0},
                                         Case{"crossings[t: x]", 4}, Case{"crossings[t: x']", 0},
                                         Case{"alternation[t: x]", 4}, Case{"alternation[t: x']", 0.5},
                                         Case{"max[t: abs(x)]", 5}, Case{"max[t: abs(abs(x) - 4)]", 3},
                                         Case{"min[t: -abs(x)]", -5}),
                         by_text);
INSTANTIATE_TEST_SUITE_P(Pairs, Reduction,
                         testing::Values(Case{"slope[t: 3 - 2*time over time]", -2}, Case{"slope[t: x' over time]", 4},
                                         Case{"correlation[t: -time over time]", -1},
                                         Case{"correlation[t: x over time]", 0.2 / std::sqrt(10.0 * 53.2) * 30},
                                         Case{"slope[t: x' over time where time in 1..2]", 3}),
                         by_text);
INSTANTIATE_TEST_SUITE_P(Rows, Reduction,
                         testing::Values(Case{"max[t: x where time in 0..3]", 3},
                                         Case{"max[t: x where time in ..0]", 1}, Case{"min[t: time where x in 3..]", 2},
                                         Case{"count[t: x where time in 1.. and x in ..0]", 2}, Case{"sum[t: row]", 10},
                                         Case{"max[t: x - before_x]", 9}, Case{"count[t: before_x]", 4},
                                         Case{"sum[t: before_x']", 14},
                                         Case{"last[t: x where time in 1 + 1..2*1.5]", -4}, Case{"count[t: 1]", 5}),
                         by_text);
INSTANTIATE_TEST_SUITE_P(Formula, Reduction,
                         testing::Values(Case{"max[t: x]/min[t: x]", -1.25}, Case{"2*t.steps^2 - 1e-3", 31.999},
                                         Case{"sqrt(max[t: x'])", 4}, Case{"abs(min[t: x])", 4}, Case{"1.5", 1.5}),
                         by_text);

TEST(Quantity, knows_circles_and_areas) {
  Table t{{{"x", {}}, {"y", {}}}, {}};
  for (int k = 0; k < 20; ++k) {  // three quarters of a circle
    t.columns[0].values.push_back(3 + 2 * std::cos(0.25 * k));
    t.columns[1].values.push_back(-1 + 2 * std::sin(0.25 * k));
  }
  EXPECT_NEAR(number("radius[t: y over x]", t), 2, 1e-12);
  EXPECT_NEAR(number("centre_x[t: y over x]", t), 3, 1e-12);
  EXPECT_NEAR(number("centre_y[t: y over x]", t), -1, 1e-12);
  const Table square{{{"x", {0, 1, 1, 0, 0.5}}, {"y", {0, 0, 2, 2, 1}}}, {}};
  EXPECT_NEAR(number("area[t: y over x]", square), 2, 1e-12);
}

TEST(Quantity, finds_the_frequency_below_a_trend) {
  Table t{{{"x", {}}}, {}};
  for (int k = 0; k < 400; ++k) t.columns[0].values.push_back(5 + 0.1 * k + std::sin(0.3 * k + 1));
  EXPECT_NEAR(number("frequency[t: x]", t), 0.3, 2 * pi / 400 / 4);
}

TEST(Quantity, may_use_values_that_have_names) {
  EXPECT_EQ(number("max[t: x - c]", small(), {{"c", 2.0}}), 3);
  EXPECT_EQ(number("c + max[t: x]", small(), {{"c", 2.0}}), 7);
}

TEST(Quantity, pairs_the_same_rows) {
  // y_k = x_{k-1}: one of the two looks back.
  const Table t{{{"x", {1, 4, 2, 8, 5}}, {"y", {0, 1, 4, 2, 8}}}, {}};
  EXPECT_NEAR(number("slope[t: y over before_x]", t), 1, 1e-14);
  EXPECT_NEAR(number("correlation[t: before_x over y]", t), 1, 1e-14);
  EXPECT_NEAR(number("slope[t: y over before_x where row in 2..]", t), 1, 1e-14);
}

TEST(Quantity, does_not_take_what_a_window_cannot_judge_for_outside) {
  const Table t{{{"x", {1, std::nan(""), 3}}, {"y", {1, 2, 3}}}, {}};
  EXPECT_TRUE(std::isnan(number("max[t: y where x in 0..]", t)));
  EXPECT_TRUE(std::isnan(number("count[t: y where x in 0..]", t)));
  EXPECT_EQ(number("max[t: y where x in 0.. and row in ..0]", t), 1);
}

TEST(Quantity, refuses_what_would_take_for_ever) {
  const Table t{{{"x", std::vector<double>(20000, 1.0)}}, {}};
  EXPECT_THROW(number("frequency[t: x]", t), ParseError);
}

TEST(Quantity, is_not_a_number_where_something_is_missing) {
  const double nan = std::nan("");
  const Table holes{{{"x", {1, nan, 3}}}, {}};
  EXPECT_TRUE(std::isnan(number("max[t: x]", holes)));
  EXPECT_EQ(number("max[t: x where row in 2..]", holes), 3);
  EXPECT_TRUE(std::isnan(number("max[t: x where row in 7..]", holes)));
  EXPECT_TRUE(std::isnan(number("count[t: x]", holes)));
  EXPECT_TRUE(std::isnan(number("max[t: x]", Table{{{"x", {}}}, {}})));
  EXPECT_EQ(number("count[t: x]", Table{{{"x", {}}}, {}}), 0);
}

std::string complaint(const std::string& text) {
  try {
    number(text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(Quantity, explains_what_is_wrong) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(complaint(text).find(part), std::string::npos) << text << ": " << complaint(text);
  };
  expect("maximum[t: x]", "'maximum[' is not known; there are max, min");
  expect("max[t: x", "a bracket is not closed");
  expect("max[x]", "expected 'table: formula' in brackets");
  expect("slope[t: x]", "a slope is one of y over x: 'slope[table: y over x]'");
  expect("max[t: x where time]", "expected 'where column in from..to'");
  expect("max[t: x where time in 0..x]", "a bound must be a number");
  expect("max[t: tine]", "there is no column 'tine'; did you mean 'time'?");
  expect("max[t: abs(x]", "a parenthesis is not closed");
  expect("energy", "there is no value 'energy'");
  expect("t.step", "has no number 'step'; it has steps");
  expect("max[t: before_zz]", "there is no column 'before_zz'");
}

TEST(Criterion, compares_as_it_says) {
  const Surroundings none{[](const std::string&) -> const Table& { throw std::logic_error("no table"); }};
  const auto check = [&](Criterion::Kind kind, const char* first, const char* second, double value) {
    const Criterion criterion{kind, parse_quantity(first), parse_quantity(second)};
    return measure(parse_quantity(fmt::format("{}", value)), criterion, none).satisfied;
  };
  using enum Criterion::Kind;
  EXPECT_TRUE(check(below, "2", "0", 1));
  EXPECT_FALSE(check(below, "2", "0", 2));
  EXPECT_TRUE(check(above, "2", "0", 3));
  EXPECT_FALSE(check(above, "2", "0", 2));
  EXPECT_TRUE(check(between, "2", "3", 2));
  EXPECT_FALSE(check(between, "2", "3", 3.01));
  EXPECT_TRUE(check(equals, "2", "0.1", 2.05));
  EXPECT_FALSE(check(equals, "2", "0.1", 1.8));
}

TEST(Criterion, is_not_satisfied_by_infinity) {
  const Table zero{{{"x", {0}}}, {}};
  const Surroundings where{[&](const std::string&) -> const Table& { return zero; }};
  const Measured m = measure(parse_quantity("1/max[t: x]"), {Criterion::Kind::above, parse_quantity("1"), {}}, where);
  EXPECT_FALSE(m.known);
  EXPECT_FALSE(m.satisfied);
}

TEST(Criterion, is_satisfied_by_no_missing_number) {
  const Table empty{{{"x", {}}}, {}};
  const Surroundings where{[&](const std::string&) -> const Table& { return empty; }};
  for (const auto kind :
       {Criterion::Kind::below, Criterion::Kind::above, Criterion::Kind::between, Criterion::Kind::equals}) {
    EXPECT_FALSE(measure(parse_quantity("max[t: x]"), {kind, parse_quantity("-1e300"), parse_quantity("1e300")}, where)
                     .satisfied);
    EXPECT_FALSE(measure(parse_quantity("0"), {kind, parse_quantity("max[t: x]"), parse_quantity("max[t: x]")}, where)
                     .satisfied);
  }
}

}  // namespace quantity_test
}  // namespace rattleback
