#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../expr/random_expression.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/quadruple.hpp"

namespace rattleback {
namespace program_test {

std::ptrdiff_t count(const Program& program, Opcode op) {
  return std::ranges::count_if(program.code, [op](const Instruction& i) { return i.op == op; });
}

Program program_of(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::vector<Expression> in;
  std::vector<Expression> out;
  for (const auto& name : inputs) in.push_back(Expression::symbol(name));
  for (const auto& text : outputs) out.push_back(parse(text));
  return make_program(in, out);
}

TEST(Program, computes_common_subexpressions_once) {
  const Program p = program_of({"x", "y"}, {"exp(x*y) + 1", "exp(x*y)*x", "2*exp(x*y)"});
  EXPECT_EQ(count(p, Opcode::exp), 1);
  EXPECT_EQ(p.outputs.size(), 3U);
}

TEST(Program, pairs_sines_with_cosines_of_the_same_angle_only) {
  const Program p = program_of({"x", "y"}, {"sin(x)*cos(x)", "sin(y)", "cos(2*y)"});
  EXPECT_EQ(count(p, Opcode::sincos), 1);
  EXPECT_EQ(count(p, Opcode::cosine_of), 1);
  EXPECT_EQ(count(p, Opcode::sin), 1);
  EXPECT_EQ(count(p, Opcode::cos), 1);
}

TEST(Program, fuses_multiplications_into_additions) {
  const Program p = program_of({"a", "b", "c", "d"}, {"a*b + c*d"});
  EXPECT_EQ(count(p, Opcode::fma), 1);
  EXPECT_EQ(count(p, Opcode::multiply), 1);
  EXPECT_EQ(count(p, Opcode::add), 0);
}

TEST(Program, multiplies_integer_powers_out) {
  const Program p = program_of({"x"}, {"x^12"});
  EXPECT_EQ(count(p, Opcode::multiply), 4);  // x², x³, x⁶, x¹²
  EXPECT_EQ(count(p, Opcode::pow), 0);
}

TEST(Program, divides_once_by_what_divides_often) {
  const Program p = program_of({"x", "y", "z", "r"}, {"x/r", "y/r", "z/r"});
  EXPECT_LE(count(p, Opcode::divide), 2);
}

TEST(Program, prefix_sums_are_shared) {
  std::vector<Expression> inputs;
  std::vector<Expression> outputs;
  Expression total;
  for (int i = 0; i < 400; ++i) {
    inputs.push_back(Expression::symbol("u" + std::to_string(i)));
    total += inputs.back();
    outputs.push_back(total);
  }
  EXPECT_LT(make_program(inputs, outputs).code.size(), 400U * 4U);
}

TEST(Program, rejects_symbols_that_are_no_inputs) {
  try {
    program_of({"x"}, {"x + y"});
    FAIL();
  } catch (const ExpressionError& e) {
    EXPECT_STREQ(e.what(), "'y' is not among the inputs of the program");
  }
}

TEST(Program, rejects_inputs_that_are_no_symbols_or_come_twice) {
  const Expression x = Expression::symbol("x");
  const auto complaint = [&](const std::vector<Expression>& inputs) -> std::string {
    try {
      make_program(inputs, std::vector{x});
    } catch (const ExpressionError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(complaint({x + 1}), "inputs must be symbols, found x + 1");
  EXPECT_EQ(complaint({x, x}), "'x' is an input twice");
}

TEST(Program, lists_itself) {
  EXPECT_EQ(listing(program_of({"x"}, {"2*x"})), "%0 = input [0]\n%1 = constant 2\n%2 = multiply %0 %1\nout[0] = %2\n");
}

TEST(Interpreter, agrees_with_plain_evaluation_of_random_expressions) {
  test::RandomExpression random(11);
  for (int n = 0; n < 300; ++n) {
    const test::Sample sample = random.sample(5);
    Interpreter<double> run(make_program(random.symbols(), std::vector{sample.expression}));
    std::vector<double> point;
    for (const Expression& s : random.symbols()) point.push_back(random.point().at(s));
    const double value = run(point)[0];
    // Both carry rounding errors; a wrong operation would be off by far more.
    EXPECT_NEAR(value, sample.value, 1e-8 * (1.0 + std::abs(sample.value)));
  }
}

TEST(Interpreter, gains_digits_with_the_number_type) {
  const Program p = program_of({"x"}, {"(1 + x)^2 - 1 - 2*x"});  // x², by cancellation
  const double x = 0x1p-30;
  const double exact = x * x;
  EXPECT_NEAR(static_cast<double>(Interpreter<long double>(p)(std::vector<long double>{x})[0]), exact, 1e-19);
  EXPECT_EQ(static_cast<double>(Interpreter<float128>(p)(std::vector<float128>{x})[0]), exact);
}

TEST(Interpreter, complex_step_differentiates_every_function) {
  // Truth: the derivative by symbolic differentiation is tested elsewhere against float128; here the
  // complex type is tested against float128 differences.
  for (const Function f : all_functions()) {
    const Expression x = Expression::symbol("x");
    std::vector<Expression> arguments{0.3 + 0.4 * x};
    if (info(f).arity == 2) arguments.push_back(x - 1.1);
    const Program p = make_program(std::vector{x}, std::vector{call(f, arguments)});
    const double at = 0.7;
    const float128 step = 1e-12;
    Interpreter<float128> real(p);
    const float128 difference =
        (real(std::vector<float128>{at + step})[0] - real(std::vector<float128>{at - step})[0]) / (2 * step);
    const auto complex = Interpreter<std::complex<double>>(p)(std::vector<std::complex<double>>{{at, 1e-40}})[0];
    EXPECT_NEAR(complex.imag() / 1e-40, static_cast<double>(difference), 1e-13) << info(f).name;
  }
}

TEST(Interpreter, checks_the_number_of_arguments) {
  Interpreter<double> run(program_of({"x"}, {"x"}));
  try {
    run(std::vector<double>{1.0, 2.0});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "a program of 1 inputs and 1 outputs was called with 2 and 1");
  }
}

}  // namespace program_test
}  // namespace rattleback
