#include "rattleback/expr/tidy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_expression.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace tidy_test {

std::string tidied(const char* text) { return to_text(tidy(parse(text))); }

TEST(Tidy, knows_that_sines_and_cosines_are_on_a_circle) {
  EXPECT_EQ(tidied("sin(x)^2 + cos(x)^2"), "1");
  EXPECT_EQ(tidied("m*(R*cos(x)*v)^2 + m*(R*sin(x)*v)^2"), "R^2*m*v^2");
  EXPECT_EQ(tidied("1 + sin(x)^2/cos(x)^2"), "1/cos(x)^2");
  EXPECT_EQ(tidied("1 + tan(x)^2"), "1/cos(x)^2");
  EXPECT_EQ(tidied("(a*cos(x) - b*sin(x))^2 + (a*sin(x) + b*cos(x))^2"), "a^2 + b^2");
}

TEST(Tidy, cancels) {
  EXPECT_EQ(tidied("(x + y)^2 - x^2 - y^2"), "2*x*y");
  EXPECT_EQ(tidied("x*y/x"), "y");
  EXPECT_EQ(tidied("(1 + x^2)/sqrt(1 + x^2)"), "sqrt(x^2 + 1)");
  EXPECT_EQ(tidied("(1 + x^2)/sqrt(1 + x^2)^2"), "1");
  EXPECT_EQ(tidied("a*(x + y) - a*x - a*y"), "0");
}

TEST(Tidy, leaves_alone_what_would_become_longer) {
  for (const char* text : {"(x + y)^7", "x*(y + z)", "sqrt(x)", "exp(x*y)", "(a + b)*(c + d)*(x + y)"}) {
    EXPECT_EQ(tidied(text), to_text(parse(text))) << text;
  }
  const Expression long_sum = parse("(a1 + a2 + a3 + a4 + a5)^8*(b1 + b2 + b3 + b4)^8");
  EXPECT_EQ(tidy(long_sum), long_sum);
}

TEST(Tidy, of_infinite_constants_gives_up_quietly) {
  const Expression huge = parse("(x*1e200 + 1)^3 - x");
  EXPECT_EQ(tidy(huge), huge);
}

// Coefficients of different monomials have different units: a small one is not rounding of a large one.
TEST(Tidy, factored_keeps_small_terms) {
  EXPECT_NE(factored(parse("(x^2 + 1 + 1e-13*z)/(x^2 + 1)")), Expression(1.0));
  EXPECT_EQ(to_text(factored(parse("(x^4 + 2*x^2 + 1)/(x^2 + 1)"))), "x^2 + 1");
  EXPECT_EQ(to_text(factored(parse("(a*x^2 + a + b*x^3 + b*x)/(x^2 + 1)^2"))), "(a + b*x)/(x^2 + 1)");
  EXPECT_EQ(to_text(factored(parse("x/6 + y/4"))), "(2*x + 3*y)/12");
  const std::unordered_map<Expression, double> at{{Expression::symbol("x"), 0.7}, {Expression::symbol("y"), 1.0}};
  EXPECT_NEAR(evaluate(factored(parse("0.5*x + 1.000000000003*y + x*x")), at), 0.35 + 1.000000000003 + 0.49, 1e-15);
}

// Sines and cosines are on a circle in numerators and denominators; what stands under a root is found in them.
TEST(Tidy, factored_cancels_what_is_equal) {
  const auto text = [](const char* expression) { return to_text(factored(parse(expression))); };
  EXPECT_EQ(text("(1 - cos(x)^4)/(1 + cos(x)^2)"), "sin(x)^2");
  EXPECT_EQ(text("sin(x)/(1 - cos(x)^2)"), "1/sin(x)");
  EXPECT_EQ(text("tan(x)*cos(x)"), "sin(x)");
  EXPECT_EQ(text("(a^2 + a*b*sin(x)^2)/(sin(x)^2*(a + b - b*cos(x)^2))"), "a/sin(x)^2");
  EXPECT_EQ(text("(x^2 + 1)/sqrt(x^2 + 1)^3"), "1/sqrt(x^2 + 1)");
  EXPECT_EQ(text("1/sqrt(x + 1) + sqrt(x + 1)"), "(x + 2)/sqrt(x + 1)");
  EXPECT_EQ(text("x*(1 + x)^(a + 1)/(1 + x)^a"), "x*(x + 1)");
  EXPECT_EQ(text("1/(1 + y) - 1/(1 + y)"), "0");
}

// 0.1 + 0.2 − 0.3 is not 0 in double precision.
TEST(Tidy, factored_takes_numbers_for_symbols) {
  const auto symbol = [](const char* name) { return Expression::symbol(name); };
  const std::unordered_map<Expression, double> numbers{{symbol("a"), 0.1}, {symbol("b"), 0.2}, {symbol("c"), 0.3}};
  EXPECT_EQ(to_text(factored(parse("(a + b - c)*x + a*y"), 300, numbers)), "0.1*y");
  EXPECT_EQ(to_text(factored(parse("(a*x^2 + b*x + a)/(c*x + c)"), 300, numbers)), "(x + 1)/3");
  EXPECT_EQ(to_text(factored(parse("a*(x + y + z)^9"), 10, numbers)), "0.1*(x + y + z)^9");
}

TEST(Tidy, factored_does_not_change_values) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    test::RandomExpression random(seed);
    const auto [e, value] = random.sample(5);
    const Expression t = factored(e);
    EXPECT_NEAR(evaluate(t, random.point()), value, 1e-7 * (1.0 + std::abs(value))) << to_text(e) << "\n" << to_text(t);
  }
}

TEST(Tidy, takes_common_factors_out) {
  EXPECT_EQ(to_text(without_common_factors(parse("a*x*y + b*x"))), "b + a*y");
  EXPECT_EQ(to_text(without_common_factors(parse("a*sin(x)^2*cos(y)^2 + b - b*cos(x)^2"))), "b + a*cos(y)^2");
  EXPECT_EQ(to_text(without_common_factors(parse("x + 1"))), "x + 1");
}

TEST(Tidy, does_not_change_values) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    test::RandomExpression random(seed);
    const auto [e, value] = random.sample(5);
    const Expression t = tidy(e);
    EXPECT_LE(operation_count(t), operation_count(e));
    EXPECT_NEAR(evaluate(t, random.point()), value, 1e-7 * (1.0 + std::abs(value))) << to_text(e) << "\n" << to_text(t);
  }
}

// Parts become shorter even where the whole would not.
TEST(Readable, shortens_parts_and_leaves_the_rest_as_it_stands) {
  const auto readable_text = [](const char* text) { return to_text(readable(parse(text))); };
  EXPECT_EQ(readable_text("psi' - psi'*cos(theta)/cos(theta)"), "0");
  EXPECT_EQ(readable_text("-(-psi' - phi'*cos(theta))"), to_text(parse("psi' + phi'*cos(theta)")));
  EXPECT_EQ(readable_text("J*(a + b) + J*(a - b)"), "2*J*a");
  EXPECT_EQ(readable_text("0.5*m*(x'^2 + y'^2)"), "0.5*m*(x'^2 + y'^2)");
  EXPECT_EQ(readable_text("(a + b)^2*(c + d)^2*(x - x*cos(q)/cos(q) + z)"), to_text(parse("(a + b)^2*(c + d)^2*z")));
}

}  // namespace tidy_test
}  // namespace rattleback
