#include "rattleback/expr/print.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "random_expression.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace print_test {

using test::RandomExpression;

Expression var(const std::string& name) { return Expression::symbol(name); }

void expect_round_trip(const Expression& e) {
  const std::string text = to_text(e);
  try {
    EXPECT_EQ(parse(text), e) << text.substr(0, 2000);
  } catch (const ParseError& error) {
    ADD_FAILURE() << error.what();
  }
}

/// The text is a fixed point: what is printed reads back and prints the same.
std::string reprint(const std::string& text) { return to_text(parse(text)); }

TEST(Text, RoundTripOfRandomExpressionsAndTheirDerivatives) {
  RandomExpression random(2718);
  for (int i = 0; i < 2000; ++i) {
    const Expression e = random(1 + i % 6);
    expect_round_trip(e);
    for (const Expression& g : gradient(e, random.symbols())) expect_round_trip(g);
  }
}

TEST(Text, RoundTripOfSecondDerivatives) {
  RandomExpression random(1);
  for (int i = 0; i < 100; ++i) {
    const Expression e = random(4);
    for (const auto& entry : hessian(e, random.symbols()).entries) expect_round_trip(entry.value);
  }
}

TEST(Text, RoundTripOfExponentiallySharedExpressions) {
  const Expression x = var("x");
  Expression e = x;
  for (int i = 0; i < 200; ++i) {
    e = sin(e) * e + 1;
    if (i % 20 == 19) expect_round_trip(e);
  }
  EXPECT_LT(to_text(e).size(), 40000U) << "as a formula it would have 2^200 symbols";
  expect_round_trip(derivative(e, x));

  Expression f = var("_1") + var("_3");  // names that the printer would like to use itself
  for (int i = 0; i < 100; ++i) f = cos(f) / (2 + f);
  expect_round_trip(f);
}

TEST(Text, RoundTripOfDeepChains) {
  const Expression x = var("x");
  const Expression y = var("y");
  Expression functions = x;
  Expression quotients = x;
  Expression powers = x;
  Expression sums = x;
  for (int i = 0; i < 10000; ++i) {
    functions = exp(functions);
    quotients = y / (1 + 1 / (quotients * sq(y)));
    powers = pow(2, pow(powers, y));
    sums = 2 * sums + y;
  }
  expect_round_trip(functions);
  expect_round_trip(quotients);
  expect_round_trip(powers);
  expect_round_trip(sums);
}

TEST(Text, RoundTripOfLongSumsAndProducts) {
  std::vector<Term> terms;
  for (int i = 0; i < 30; ++i) terms.push_back({var("a" + std::to_string(i)), i % 3 == 0 ? -1.0 : 1.0});
  const Expression s = sum(terms);
  const Expression p = product(terms);
  const Expression x = var("x");
  for (const Expression& e :
       {s,     p,     -s,    -p,    2 * s, 2 * p, s / 3, p / 3,     1 / s, 1 / p,   s + 1,     s + x,
        x - s, p + x, x - p, p * x, p / x, x / p, sq(p), 2 * p + s, s * p, sqrt(p), pow(s, x), -p / (x * s)}) {
    expect_round_trip(e);
  }
  std::vector<Term> inverse(terms);
  for (Term& t : inverse) t.weight = -1.0;
  expect_round_trip(product(inverse));
  for (std::size_t k = 6; k < 12; ++k) {  // around the length where products stop merging
    expect_round_trip(product(std::span(inverse).first(k)));
    expect_round_trip(x * product(std::span(inverse).first(k), -0.25));
  }
}

TEST(Text, RoundTripOfAwkwardNumbers) {
  const Expression x = var("x");
  const Expression y = var("y");
  const double numbers[] = {0.1,
                            1.0 / 3,
                            -1.0 / 3,
                            2.0 / 3,
                            1e-5,
                            1e300,
                            5e-324,
                            9.81,
                            1.0 / 7,
                            22.0 / 7,
                            123456789.0,
                            0.30000000000000004,
                            355.0 / 113,
                            -1e-7,
                            99999.0 / 998,
                            std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::max()};
  for (const double c : numbers) {
    for (const Expression& e : {Expression(c), c * x, c * x * y, x / y + c, c * x + y, sin(x) + c, atan2(x, c),
                                pow(x + 1, c), c * (x + y), c / x}) {
      expect_round_trip(e);
    }
    if (c > 0.0) expect_round_trip(pow(c, x));
  }
}

TEST(Text, NumbersAreShortAndExact) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(2.0), "2");
  EXPECT_EQ(number_text(-2.5), "-2.5");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1.0 / 3), "1/3");
  EXPECT_EQ(number_text(-2.0 / 3), "-2/3");
  EXPECT_EQ(number_text(355.0 / 113), "355/113");
  EXPECT_EQ(number_text(0.5), "0.5");
  RandomExpression random(4);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::ldexp(random.uniform(-1.0, 1.0), static_cast<int>(random.below(200)) - 100);
    EXPECT_EQ(parse(number_text(value)), Expression(value));
    const double fraction = static_cast<double>(random.below(2000)) / static_cast<double>(1 + random.below(2000));
    EXPECT_EQ(parse(number_text(fraction)), Expression(fraction));
  }
}

TEST(Text, ReadsAsWritten) {
  EXPECT_EQ(reprint("x"), "x");
  EXPECT_EQ(reprint("-x"), "-x");
  EXPECT_EQ(reprint("x - y"), "x - y");
  EXPECT_EQ(reprint("2*x + y/3 - 1"), "2*x + y/3 - 1");
  EXPECT_EQ(reprint("x*x"), "x^2");
  EXPECT_EQ(reprint("x/y/z"), "x/(y*z)");
  EXPECT_EQ(reprint("x/x"), "x/x");
  EXPECT_EQ(reprint("(x + y)^2"), "(x + y)^2");
  EXPECT_EQ(reprint("(x^y)^z"), "(x^y)^z");
  EXPECT_EQ(reprint("x^(y^z)"), "x^(y^z)");
  EXPECT_EQ(reprint("x^(-y)"), "x^(-y)");
  EXPECT_EQ(reprint("(-2)^x"), "(-2)^x");
  EXPECT_EQ(reprint("x^0.5"), "sqrt(x)");
  EXPECT_EQ(reprint("atan2(y, x)"), "atan2(y, x)");
  EXPECT_EQ(reprint("2*(x + y)"), "2*(x + y)");
  EXPECT_EQ(reprint("a*(b + c)/(d - 1)"), "a*(b + c)/(d - 1)");
  EXPECT_EQ(reprint("m*x'^2/2"), "0.5*m*x'^2");
  EXPECT_EQ(reprint("1/x"), "1/x");
  EXPECT_EQ(reprint("-3/x"), "-3/x");
  EXPECT_EQ(to_text(Expression(0)), "0");
  EXPECT_EQ(to_text(Expression(-1.5)), "-1.5");
}

TEST(Latex, ReadsAsInAPaper) {
  const auto latex = [](const char* text) { return to_latex(parse(text)); };
  EXPECT_EQ(latex("x"), "x");
  EXPECT_EQ(latex("x'"), "\\dot{x}");
  EXPECT_EQ(latex("x''"), "\\ddot{x}");
  EXPECT_EQ(latex("x''''"), "\\ddddot{x}");
  EXPECT_EQ(latex("x'''''"), "{x}^{(5)}");
  EXPECT_EQ(latex("theta"), "\\theta");
  EXPECT_EQ(latex("Omega'"), "\\dot{\\Omega}");
  EXPECT_EQ(latex("q1"), "q_{1}");
  EXPECT_EQ(latex("q12'"), "\\dot{q}_{12}");
  EXPECT_EQ(latex("x_1_2"), "x_{1,2}");
  EXPECT_EQ(latex("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex("_"), "\\mathrm{\\_}");
  EXPECT_EQ(latex("_a"), "\\mathrm{\\_a}");
  EXPECT_EQ(latex("x + 2*y - 1"), "x + 2 y - 1");
  EXPECT_EQ(latex("x/y"), "\\frac{x}{y}");
  EXPECT_EQ(latex("1/y"), "\\frac{1}{y}");
  EXPECT_EQ(latex("-x*y"), "-x y");
  EXPECT_EQ(latex("x^2"), "x^{2}");
  EXPECT_EQ(latex("a1'^2"), "\\dot{a}_{1}^{2}");
  EXPECT_EQ(latex("(x + 1)^y"), "{\\left(x + 1\\right)}^{y}");
  EXPECT_EQ(latex("x*(y + 1)"), "x \\left(y + 1\\right)");
  EXPECT_EQ(latex("sqrt(x + 1)"), "\\sqrt{x + 1}");
  EXPECT_EQ(latex("sin(x)"), "\\sin x");
  EXPECT_EQ(latex("sin(2*x)"), "\\sin\\left(2 x\\right)");
  EXPECT_EQ(latex("asin(x)"), "\\arcsin x");
  EXPECT_EQ(latex("x/3"), "\\frac{1}{3} x");
  EXPECT_EQ(latex("1e20*x"), "1\\cdot 10^{20} x");
}

TEST(Latex, IsWrittenAsOnABlackboard) {
  const auto latex = [](const char* text) { return to_latex(parse(text)); };
  EXPECT_EQ(latex("0.125*M*R^2"), "\\frac{1}{8} M R^{2}");
  EXPECT_EQ(latex("0.4*a"), "\\frac{2}{5} a");
  EXPECT_EQ(latex("9.81*m"), "9.81 m");
  EXPECT_EQ(latex("1.5*a/b"), "\\frac{3 a}{2 b}");
  EXPECT_EQ(latex("x + 2*a/b"), "x + \\frac{2 a}{b}");
  EXPECT_EQ(latex("a/(b + c)"), "\\frac{a}{b + c}");
  EXPECT_EQ(latex("a/(b + c)^2"), "\\frac{a}{\\left(b + c\\right)^{2}}");
  EXPECT_EQ(latex("0.5*a^2/(b + c)"), "\\frac{a^{2}}{2 \\left(b + c\\right)}");
  EXPECT_EQ(latex("x - 1.5*a/(b + c)"), "x - \\frac{3 a}{2 \\left(b + c\\right)}");
  EXPECT_EQ(latex("2*a/(b + c)"), "\\frac{2 a}{b + c}");
  EXPECT_EQ(latex("y + x'^19007199254741"), "\\dot{x}^{19007199254741} + y");
  EXPECT_EQ(latex("sin(theta)^2*cos(phi)"), "\\sin^{2}\\theta \\cos\\phi");
  EXPECT_EQ(latex("sin(x)*(y + z)"), "\\left(y + z\\right) \\sin x") << "y + z is no argument";
  EXPECT_EQ(latex("1 - exp(-t)"), "1 - \\exp\\left(-t\\right)");
  EXPECT_EQ(latex("-x'*sin(a) + y'*cos(a)"), "\\dot{y} \\cos a - \\dot{x} \\sin a");
  EXPECT_EQ(latex("-m*g*y + 0.5*m*y'^2"), "\\frac{1}{2} m \\dot{y}^{2} - g m y");
  EXPECT_EQ(latex("lambda_slip"), "\\lambda_{\\mathrm{slip}}");
  EXPECT_EQ(to_latex(var("W[3]")), "W_{3}");
  EXPECT_EQ(to_latex(var("Q[1,2]'")), "\\dot{Q}_{12}");
}

// Reading order is printing order alone: what is read back is the same expression.
TEST(Text, IsOrderedForPeople) {
  const auto reading = [](const char* text) { return to_reading_text(parse(text)); };
  EXPECT_EQ(reading("-m*g*y + 0.5*m*(x'^2 + y'^2)"), "0.5*m*(x'^2 + y'^2) - g*m*y");
  EXPECT_EQ(reading("-x'*sin(a) + y'*cos(a)"), "y'*cos(a) - x'*sin(a)");
  EXPECT_EQ(reading("f*(-exp(-t) + 1)"), "f*(1 - exp(-t))");
  EXPECT_EQ(reading("-x - y"), "-x - y");
  RandomExpression random(7);
  for (int i = 0; i < 200; ++i) {
    const Expression e = random(4);
    EXPECT_EQ(parse(to_reading_text(e)), e) << to_text(e);
  }
}

TEST(Latex, NumbersDoNotRunTogether) {
  const auto latex = [](const char* text) { return to_latex(parse(text)); };
  EXPECT_EQ(latex("2*3^x"), "2 \\cdot {3}^{x}");
  EXPECT_EQ(latex("2*3^x + y"), "y + 2 \\cdot {3}^{x}");
  EXPECT_EQ(latex("(1/3)^x"), "{\\left(\\frac{1}{3}\\right)}^{x}");
  EXPECT_EQ(latex("1e20^x"), "{\\left(1\\cdot 10^{20}\\right)}^{x}");
  EXPECT_EQ(latex("(-2)^x"), "{\\left(-2\\right)}^{x}");
}

TEST(Latex, BracesAreBalanced) {
  RandomExpression random(6, {"x", "q1'", "theta_2", "mass"});
  for (int i = 0; i < 500; ++i) {
    int depth = 0;
    const std::string text = to_latex(random(4));
    for (const char c : text) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      ASSERT_GE(depth, 0) << text;
    }
    EXPECT_EQ(depth, 0) << text;
  }
}

TEST(Latex, RefusesWhatNobodyCanRead) {
  const Expression x = var("x");
  Expression e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) * e + 1;
  EXPECT_THROW(to_latex(e), ExpressionError);
  std::vector<Term> terms;
  for (int i = 0; i < 20001; ++i) terms.push_back({var("x" + std::to_string(i)), 1.0});
  EXPECT_THROW(to_latex(sum(terms)), ExpressionError);
  EXPECT_NO_THROW(to_latex(sum(std::span(terms).first(10000))));
}

/// C source compiled into a library of its own and loaded.
class CompiledC {
 public:
  using FunctionPointer = void (*)(const double*, double*);

  explicit CompiledC(const std::string& source) {
    std::ofstream(folder_ / "code.c") << "#include <math.h>\n" << source;
    const std::string in = folder_ / "code.c";
    const std::string out = folder_ / "code.so";
    const std::string command = "cc -O1 -Wall -Werror -shared -fPIC -o '" + out + "' '" + in + "' -lm";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("the generated C does not compile");
    library_ = ::dlopen(out.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
  }
  ~CompiledC() {
    if (library_ != nullptr) ::dlclose(library_);
  }
  CompiledC(const CompiledC&) = delete;
  CompiledC& operator=(const CompiledC&) = delete;

  FunctionPointer function(const char* name) const {
    return reinterpret_cast<FunctionPointer>(::dlsym(library_, name));
  }

 private:
  test::TemporaryFolder folder_;
  void* library_ = nullptr;
};

TEST(C, CompilesToTheSameValues) {
  RandomExpression random(8);
  std::vector<Expression> outputs{Expression(7), Expression(-0.5), random.symbols()[0]};
  for (int i = 0; i < 60; ++i) {
    const Expression e = random(2 + i % 4);
    outputs.push_back(e);
    for (const Expression& g : gradient(e, random.symbols())) outputs.push_back(g);
  }
  std::vector<double> in;
  for (const Expression& s : random.symbols()) in.push_back(random.point().at(s));
  const CompiledC code(to_c("everything", random.symbols(), outputs));
  const auto function = code.function("everything");
  ASSERT_NE(function, nullptr);
  std::vector<double> out(outputs.size(), std::numeric_limits<double>::quiet_NaN());
  function(in.data(), out.data());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // Both round differently in powers and quotients, and differences of large terms magnify that.
    const double expected = evaluate(outputs[i], random.point());
    EXPECT_NEAR(out[i], expected, 1e-9 * std::max(1.0, std::abs(expected))) << to_text(outputs[i]);
  }
}

TEST(C, ComputesSharedPartsOnce) {
  const Expression x = var("x");
  Expression e = x;
  for (int i = 0; i < 100; ++i) e = 0.5 * sin(e) * e + 1;
  const std::string code = to_c("f", {&x, 1}, {&e, 1});
  std::size_t calls = 0;
  for (std::size_t at = code.find("sin("); at != std::string::npos; at = code.find("sin(", at + 1)) ++calls;
  EXPECT_EQ(calls, 100U);
}

TEST(C, DividesAsDoubles) {
  const Expression x = var("x");
  const Expression outputs[] = {1 / x, 3 / sq(x), pow(2, x), pow(x, -3), pow(x, 1e10), -x / 3, 1e20 * x};
  const CompiledC code(to_c("g", {&x, 1}, outputs));
  const double in = 2.0;
  double out[7] = {};
  code.function("g")(&in, out);
  EXPECT_EQ(out[0], 0.5);
  EXPECT_EQ(out[1], 0.75);
  EXPECT_EQ(out[2], 4.0);
  EXPECT_EQ(out[3], 0.125);
  EXPECT_EQ(out[4], std::numeric_limits<double>::infinity());
  EXPECT_NEAR(out[5], -2.0 / 3.0, 1e-16);
  EXPECT_EQ(out[6], 2e20);
}

TEST(C, NeedsEverySymbolAmongItsInputs) {
  const Expression x = var("x");
  const Expression e = x * var("y");
  EXPECT_THROW(to_c("f", {&x, 1}, {&e, 1}), ExpressionError);
  const Expression unused[] = {x, var("y"), var("z")};
  EXPECT_NO_THROW(to_c("f", unused, {&e, 1}));
}

}  // namespace print_test
}  // namespace rattleback
