// Functions that are not smooth everywhere, conditions, and tables of numbers.

#include "rattleback/expr/piecewise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {
namespace piecewise_test {

const Expression x = Expression::symbol("x");
const Expression y = Expression::symbol("y");

double at(const Expression& e, double x_value, double y_value = 0.0) {
  return evaluate(e, {{x, x_value}, {y, y_value}});
}

TEST(Piecewise, signs_leave_in_one_form) {
  EXPECT_EQ(abs(-x), abs(x));
  EXPECT_EQ(abs(y - x), abs(x - y));
  EXPECT_EQ(abs(-3 * x), 3 * abs(x));
  EXPECT_EQ(abs(abs(x)), abs(x));
  EXPECT_EQ(abs(sq(x)), sq(x));
  EXPECT_EQ(sign(-2 * x), -sign(x));
  EXPECT_EQ(sign(y - x), -sign(x - y));
  EXPECT_EQ(min(x, y), min(y, x));
  EXPECT_EQ(max(x, x), x);
  EXPECT_EQ(abs(Expression(-2)), Expression(2));
}

TEST(Piecewise, conditions_fold) {
  EXPECT_EQ(parse("if(1 < 2, x, y)"), x);
  EXPECT_EQ(parse("if(2 < 1, x, y)"), y);
  EXPECT_EQ(parse("if(x < y, x, x)"), x);
  EXPECT_EQ(parse("if(x < x, 1, y)"), y);
  EXPECT_EQ(parse("if(x <= x and 1 > 0, 1, y)"), Expression(1));
  EXPECT_EQ(parse("if(not x < y, 1, 2)"), parse("if(x >= y, 1, 2)"));
  EXPECT_EQ(parse("if(not (x < y or x > 1), 1, 2)"), parse("if(x >= y and x <= 1, 1, 2)"));
  EXPECT_EQ(parse("if(((x + 1) < (2)), 1, 2)"), parse("if(x + 1 < 2, 1, 2)"));
  EXPECT_EQ(parse("if((x < 1 or y < 1) and x > 0, 1, 2)"),
            if_else(both(either(less(x, 1), less(y, 1)), less(0, x)), 1, 2));
  EXPECT_EQ(parse("min(x, y, 1)"), min(min(x, y), 1));
}

TEST(Piecewise, is_read_back_as_it_was_written) {
  for (const char* text :
       {"abs(x - y)", "2*sign(x)^3", "min(x, max(y, 2))", "if(x > 0 and (y < 1 or x + y <= 2), sqrt(x), -y)",
        "if(x < y, if(y > 1, x, 2), 3)*y", "if(not (x > 1 and y > 1), 1, 2)"}) {
    const Expression e = parse(text);
    EXPECT_EQ(parse(to_text(e)), e) << to_text(e);
  }
  EXPECT_EQ(to_text(parse("if(x > 0, x, -y)")), "if(x > 0, x, -y)");
  EXPECT_EQ(to_latex(parse("abs(x)*y")), "y \\left\\lvert x \\right\\rvert");
  EXPECT_EQ(to_latex(parse("if(x >= 1, x, y)")), "\\begin{cases} x & x \\ge 1 \\\\ y & \\text{otherwise} \\end{cases}");
  // A formula that is cut by definitions keeps its conditions in one piece.
  Expression deep = x;
  for (int i = 0; i < 200; ++i) deep = if_else(less(deep, y), sin(deep), cos(deep));
  EXPECT_EQ(parse(to_text(deep)), deep);
}

TEST(Piecewise, as_C) {
  const Expression inputs[] = {x, y};
  const Expression outputs[] = {parse("if(x < y, abs(x), sign(y))")};
  const std::string text = to_c("f", inputs, outputs);
  EXPECT_NE(text.find("fabs(in[0])"), std::string::npos) << text;
  EXPECT_NE(text.find("in[0] < in[1]"), std::string::npos) << text;
}

TEST(Piecewise, derivatives_are_those_of_the_pieces) {
  EXPECT_EQ(derivative(abs(x), x), sign(x));
  EXPECT_EQ(derivative(sign(x), x), Expression(0));
  EXPECT_EQ(derivative(parse("if(x > y, x^2, y)"), x), parse("if(x > y, 2*x, 0)"));
  EXPECT_EQ(derivative(parse("if(x > y, 1, 2)"), x), Expression(0));
  EXPECT_EQ(at(derivative(parse("max(x^2, x)"), x), 3.0), 6.0);
  EXPECT_EQ(at(derivative(parse("min(x^2, x)"), x), 3.0), 1.0);
}

// if(x > 0, sqrt(x), 0) has the slope 0 at −1, although that of the root is not defined; forwards, backwards and twice.
TEST(Piecewise, what_is_not_chosen_may_be_undefined) {
  const Expression f = parse("3*if(x > 0, sqrt(x)*y, if(x > -2, y, log(x)))^2");
  EXPECT_EQ(at(f, -1.0, 2.0), 12.0);
  const Expression variables[] = {x, y};
  const auto slopes = gradient(f, variables);
  EXPECT_EQ(at(slopes[0], -1.0, 2.0), 0.0);
  EXPECT_EQ(at(slopes[1], -1.0, 2.0), 12.0);
  const Expression direction[] = {1.0, 1.0};
  EXPECT_EQ(at(directional_derivative({&f, 1}, variables, direction)[0], -1.0, 2.0), 12.0);
  EXPECT_EQ(at(hessian(f, variables).at(1, 1), -1.0, 2.0), 6.0);
  EXPECT_EQ(at(slopes[0], 1.0, 2.0), 12.0);  // 3 x y²: 3 y²
  EXPECT_EQ(at(derivative(parse("max(sqrt(x), 1)"), x), 0.0), 0.0);
}

TEST(Piecewise, what_is_not_a_number_stays_so) {
  const double nan = std::nan("");
  for (const char* text :
       {"abs(x)", "sign(x)", "min(x, y)", "max(y, x)", "if(x < y, 1, 2)", "if(y > 1 or x > 1, 1, 2)"})
    EXPECT_TRUE(std::isnan(at(parse(text), nan, 0.0))) << text;
  EXPECT_EQ(at(parse("if(y < 1, y, x)"), nan, 0.5), 0.5);
}

TEST(Piecewise, is_opaque_to_algebra) {
  const Expression e = parse("(abs(x) + 1)^2 - abs(x)^2 - 2*abs(x)");
  EXPECT_EQ(tidy(e), Expression(1));
  EXPECT_EQ(factored(parse("if(x < 1, x, y)*(x + y) - x*if(x < 1, x, y)")), parse("y*if(x < 1, x, y)"));
}

TEST(NumberTable, holds_and_draws_lines) {
  const std::vector<double> times{0.0, 1.0, 3.0};
  const std::vector<double> values{1.0, 2.0, -2.0};
  const NumberTable& hold = make_number_table("u", times, values, Interpolation::hold);
  const NumberTable& linear = make_number_table("u", times, values, Interpolation::linear);
  for (const auto& [t, held, straight] : {std::tuple{-1.0, 1.0, 1.0},
                                          {0.0, 1.0, 1.0},
                                          {0.5, 1.0, 1.5},
                                          {1.0, 2.0, 2.0},
                                          {2.0, 2.0, 0.0},
                                          {3.0, -2.0, -2.0},
                                          {9.0, -2.0, -2.0}}) {
    EXPECT_EQ(hold(t), held) << t;
    EXPECT_EQ(linear(t), straight) << t;
  }
  EXPECT_TRUE(std::isnan(linear(std::nan(""))));
  EXPECT_EQ(linear(std::numeric_limits<double>::infinity()), -2.0);
  EXPECT_EQ(linear(-std::numeric_limits<double>::infinity()), 1.0);
  EXPECT_EQ(&linear, &make_number_table("u", times, values, Interpolation::linear));
  const Expression u = interpolated(linear, x);
  EXPECT_EQ(at(derivative(u, x), 0.5), 1.0);
  EXPECT_EQ(at(derivative(u, x), 2.0), -2.0);
  EXPECT_EQ(at(derivative(u, x), 5.0), 0.0);
  EXPECT_EQ(derivative(u, x, 2), Expression(0));
  EXPECT_EQ(derivative(interpolated(hold, x), x), Expression(0));
}

// Truth: scipy.interpolate.PchipInterpolator, another implementation of the same formulas.
TEST(NumberTable, is_the_monotone_cubic_of_scipy) {
  const NumberTable& u = make_number_table("u", std::vector{0.0, 0.5, 1.5, 2.0, 4.0, 4.5},
                                           std::vector{0.0, 1.0, 1.5, 0.5, 0.25, 3.0}, Interpolation::cubic);
  for (const auto& [t, value, slope] : {std::tuple{0.1, 0.2502857142857143, 2.48},
                                        {0.4, 0.881142857142857, 1.4942857142857142},
                                        {1.0, 1.3571428571428572, 0.5357142857142857},
                                        {1.7, 1.161714285714286, -2.7885714285714283},
                                        {2.9, 0.31590178571428573, -0.13062500000000002},
                                        {4.2, 0.900000000000001, 5.800000000000004},
                                        {4.45, 2.6546875000000005, 7.143749999999997}}) {
    EXPECT_NEAR(u(t), value, 1e-14) << t;
    EXPECT_NEAR(u.derivative()(t), slope, 1e-13) << t;
  }
}

// Rows at random times, in clusters and on a grid: the piece is the one that a search from the left finds.
TEST(NumberTable, finds_the_piece_whatever_the_rows_are) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (const int kind : {0, 1, 2, 3}) {
    std::vector<double> times{-2.0};
    std::vector<double> values{0.0};
    for (int i = 1; i < 1000; ++i) {
      const double gap = kind == 0 ? 0.1 : kind == 1 ? uniform(random) + 1e-3 : std::pow(10.0, -12.0 * uniform(random));
      times.push_back(kind == 3 && i == 999 ? 1e12 : times.back() + gap);
      values.push_back(i);
    }
    const NumberTable& u = make_number_table("u", times, values, Interpolation::hold);
    const auto check = [&](double t) {
      const auto after = std::upper_bound(times.begin(), times.end(), t) - times.begin();
      ASSERT_EQ(u(t), static_cast<double>(std::max<std::ptrdiff_t>(after - 1, 0))) << kind << " " << t;
    };
    for (const double t : times) {
      for (const double near : {std::nextafter(t, -1e300), t, std::nextafter(t, 1e300)}) check(near);
    }
    for (int i = 0; i < 2000; ++i) check(times.front() - 1.0 + uniform(random) * (times[998] - times.front() + 2.0));
  }
}

}  // namespace piecewise_test
}  // namespace rattleback
