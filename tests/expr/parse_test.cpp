#include "rattleback/expr/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "tests/places.hpp"
#include "within_seconds.hpp"

namespace rattleback {
namespace parse_test {

using namespace std::string_literals;
using test::within_seconds;

Expression var(const std::string& name) { return Expression::symbol(name); }

const Expression x = var("x");
const Expression y = var("y");
const Expression z = var("z");

std::string repeated(std::string_view part, std::size_t n) {
  std::string text;
  text.reserve(part.size() * n);
  for (std::size_t i = 0; i < n; ++i) text += part;
  return text;
}

std::optional<ParseError> error_of(std::string_view text, const ParseOptions& options = {}) {
  try {
    parse(text, options);
  } catch (const ParseError& error) {
    return error;
  }
  return std::nullopt;
}

std::string message_of(std::string_view text, const ParseOptions& options = {}) {
  const auto error = error_of(text, options);
  return error ? error->what() : "no error";
}

ParseOptions with_names(std::vector<std::string> names) {
  ParseOptions options;
  options.names = std::move(names);
  return options;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if ((lead >= 0x80 && lead < 0xC2) || lead >= 0xF5) return false;
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    i += length;
  }
  return true;
}

TEST(Grammar, Precedence) {
  EXPECT_EQ(parse("x + y*z"), x + y * z);
  EXPECT_EQ(parse("(x + y)*z"), (x + y) * z);
  EXPECT_EQ(parse("x - y - z"), x - y - z);
  EXPECT_EQ(parse("x - (y - z)"), x - y + z);
  EXPECT_EQ(parse("x/y*z"), x * z / y);
  EXPECT_EQ(parse("x/y/z"), x / (y * z));
  EXPECT_EQ(parse("x/(y/z)"), x / (y / z));
  EXPECT_EQ(parse("2*x^3"), 2 * pow(x, 3));
  EXPECT_EQ(parse("x*y^2/z"), x * sq(y) / z);
}

TEST(Grammar, PowersAssociateToTheRight) {
  EXPECT_EQ(parse("x^y^z"), pow(x, pow(y, z)));
  EXPECT_EQ(parse("(x^y)^z"), pow(pow(x, y), z));
  EXPECT_EQ(parse("2^3^2"), Expression(512));
  EXPECT_EQ(parse("x^2^3"), pow(x, 8));
}

TEST(Grammar, SignsBindLooserThanPowers) {
  EXPECT_EQ(parse("-x^2"), -sq(x));
  EXPECT_EQ(parse("(-x)^2"), sq(x));
  EXPECT_EQ(parse("-2^2"), Expression(-4));
  EXPECT_EQ(parse("x^-2"), pow(x, -2));
  EXPECT_EQ(parse("x^-y^2"), pow(x, -sq(y)));
  EXPECT_EQ(parse("x*-y"), -x * y);
  EXPECT_EQ(parse("x/-y"), -x / y);
  EXPECT_EQ(parse("x - -y"), x + y);
  EXPECT_EQ(parse("--x"), x);
  EXPECT_EQ(parse("+-+-+x"), x);
  EXPECT_EQ(parse("-x + y"), y - x);
  EXPECT_EQ(parse("-(x + y)*z"), -1 * (x + y) * z);
}

TEST(Grammar, Numbers) {
  EXPECT_EQ(parse("0"), Expression(0));
  EXPECT_EQ(parse("007"), Expression(7));
  EXPECT_EQ(parse("1.5"), Expression(1.5));
  EXPECT_EQ(parse(".5"), Expression(0.5));
  EXPECT_EQ(parse("2."), Expression(2));
  EXPECT_EQ(parse("1e3"), Expression(1000));
  EXPECT_EQ(parse("1E+3"), Expression(1000));
  EXPECT_EQ(parse("25e-2"), Expression(0.25));
  EXPECT_EQ(parse("0.1"), Expression(0.1));
  EXPECT_EQ(parse("1.7976931348623157e308"), Expression(1.7976931348623157e308));
  EXPECT_EQ(parse("4.9406564584124654e-324"), Expression(4.9406564584124654e-324));
  EXPECT_EQ(parse("0e999"), Expression(0));
  EXPECT_EQ(parse("pi"), Expression(std::numbers::pi));
  EXPECT_EQ(parse("x - 1e1"), x - 10);
  EXPECT_EQ(parse("0." + std::string(1000, '3')), Expression(1.0 / 3.0));
}

TEST(Grammar, Names) {
  EXPECT_EQ(parse("x1"), var("x1"));
  EXPECT_EQ(parse("_a_B2"), var("_a_B2"));
  EXPECT_EQ(parse("x'"), dot(x));
  EXPECT_EQ(parse("x''"), dot(dot(x)));
  EXPECT_EQ(parse("x'^2"), sq(dot(x)));
  EXPECT_EQ(parse("θ'*ω₁ + Ω"), dot(var("θ")) * var("ω₁") + var("Ω"));
  EXPECT_EQ(parse("sinx"), var("sinx"));
  EXPECT_EQ(parse("pie"), var("pie"));
  EXPECT_EQ(parse("e"), var("e"));
  EXPECT_EQ(parse("E1"), var("E1"));
}

TEST(Grammar, Functions) {
  for (const Function f : all_functions()) {
    const std::string name(info(f).name);
    const Expression arguments[] = {x + 1, y};
    const std::string text = info(f).arity == 1 ? name + "(x + 1)" : name + " ( x + 1 , y )";
    EXPECT_EQ(parse(text), call(f, std::span(arguments).first(static_cast<std::size_t>(info(f).arity))));
  }
  EXPECT_EQ(parse("sin(x)^2 + cos(x)^2"), sq(sin(x)) + sq(cos(x)));
  EXPECT_EQ(parse("sin(0)"), Expression(0));
}

TEST(Grammar, SpaceIsFree) {
  EXPECT_EQ(parse(" \t\r\n x\n+\r\ny\t* z \n"), x + y * z);
  EXPECT_EQ(parse("x+y*z"), x + y * z);
}

TEST(Grammar, Definitions) {
  EXPECT_EQ(parse("r = x + y; r^2 + r"), sq(x + y) + x + y);
  EXPECT_EQ(parse("a = x;\nb = a*y;\nc = b + a;\nc"), x * y + x);
  EXPECT_EQ(parse("a = 2; x^a"), sq(x));
  EXPECT_EQ(parse("a = x; y"), y);
  EXPECT_EQ(parse("a = b; a"), var("b"));
  // A name in its own definition is the free one: definitions abbreviate, they do not recurse.
  EXPECT_EQ(parse("a = a + 1; 2*a"), 2 * (var("a") + 1));
  EXPECT_EQ(parse("a = x + 1; a", with_names({"x"})), x + 1);
}

TEST(Grammar, NamesMayBeRestricted) {
  const ParseOptions options = with_names({"x", "theta", "x'"});
  EXPECT_EQ(parse("theta*x'", options), var("theta") * dot(x));
  EXPECT_EQ(parse("2*pi*x", options), 2 * std::numbers::pi * x);
  EXPECT_TRUE(error_of("y", options));
  EXPECT_EQ(parse("pi", with_names({"pi"})), var("pi")) << "a listed name has the meaning of the list";
  EXPECT_EQ(parse("1 + 1", with_names({})), Expression(2));
}

struct WrongInput {
  std::string text;
  std::string summary;  ///< a part of it
  int line;
  int column;
};

TEST(Mistakes, AreNamedAndPlaced) {
  const std::vector<WrongInput> table{
      {"", "the expression is empty", 1, 1},
      {"   ", "the expression is empty", 1, 4},
      {" \n\n ", "the expression is empty", 3, 2},
      {"x +", "found the end", 1, 4},
      {"x + * y", "expected a number, a name or '(', found '*'", 1, 5},
      {"* x", "found '*'", 1, 1},
      {"x^", "found the end", 1, 3},
      {"-", "found the end", 1, 2},
      {"()", "found ')'", 1, 2},
      {"(x", "this ( is never closed", 1, 1},
      {"((x)", "this ( is never closed", 1, 1},
      {"sin(x", "this ( is never closed", 1, 4},
      {"x)", "this ) has no matching (", 1, 2},
      {"(x))", "this ) has no matching (", 1, 4},
      {"2x", "an operator is missing before 'x'", 1, 2},
      {"x y", "an operator is missing before 'y'; a product is written with *", 1, 3},
      {"x 2", "an operator is missing before '2'", 1, 3},
      {"(x)(y)", "an operator is missing before '('", 1, 4},
      {"1.2.3", "an operator is missing before '.3'", 1, 4},
      {"(x y)", "an operator is missing before 'y'", 1, 4},
      {"x**2", "'**' is not an operator; write ^ for a power", 1, 2},
      {"x, y", "expected an operator or the end, found ','", 1, 2},
      {"(x, y)", "expected ')', found ','", 1, 3},
      {"sin x", "'sin' is a function; write sin(...)", 1, 1},
      {"x + sin", "'sin' is a function", 1, 5},
      {"sin(x, y)", "'sin' takes 1 argument, found 2", 1, 1},
      {"atan2(x)", "'atan2' takes 2 arguments, found 1", 1, 1},
      {"sin()", "found ')'", 1, 5},
      {"arcsin(x)", "'arcsin' is not a function", 1, 1},
      {"coss(x)", "'coss' is not a function; did you mean 'cos'?", 1, 1},
      {"2*length(x + 1)", "'length' is not a function; the functions are sin cos tan ", 1, 3},
      {"2*length(x + 1)", " euler_zxy contact_support; a product is written length*(...)", 1, 3},
      {"dot(x)", "'dot' takes 2 arguments, found 1; the velocity of x is written x'", 1, 1},
      {"1 + sin^2(x)", "'sin' is a function; its power is written sin(...)^2", 1, 5},
      {"sin'(x)", "'sin'' is not a function", 1, 1},
      {"x = 1", "expected ';' after the definition, found the end", 1, 6},
      {"x = ; y", "found ';'", 1, 5},
      {"a = 1; a = 2; a", "'a' is defined twice", 1, 8},
      {"sin = 1; x", "'sin' has a meaning already", 1, 1},
      {"pi = 3; x", "'pi' has a meaning already", 1, 1},
      {"x' = 3; x", "a velocity cannot be defined; an equation is written as left - right", 1, 1},
      {"a = 1;", "found the end", 1, 7},
      {"a = 1; ; a", "found ';'", 1, 8},
      {"x; y", "found ';'", 1, 2},
      {"x + y = 3", "an equation is written as left - right", 1, 7},
      {"(x = 3)", "'=' may only follow a new name", 1, 4},
      {"x == 3", "found '='", 1, 4},
      {"1/0", "division by zero", 1, 2},
      {"x/(y - y)", "division by zero", 1, 2},
      {"log(0)", "log of a constant is not a finite number", 1, 1},
      {"x*sqrt(-1)", "sqrt of a constant is not a finite number", 1, 3},
      {"0^-1", "power of constants is not a finite number", 1, 2},
      {"1e200*x*1e200", "is not a finite number", 1, 1},
      {"y + 1e308*x + 1e308*x", "is not a finite number", 1, 1},
      {"x^9007199254740993", "exponent", 1, 2},
      {"1e999", "the number 1e999 is outside the range of double precision", 1, 1},
      {"x + 1e-999", "the number 1e-999 is outside the range", 1, 5},
      {"x % y", "unexpected character '%'", 1, 3},
      {"x \"y\"", "unexpected character '\"'", 1, 3},
      {"x.", "unexpected character '.'", 1, 2},
      {"[x]", "a scalar is expected here, found a vector of 1 component; take a component, as in r[1]", 1, 1},
      {"{x}", "unexpected character '{'; group with ( and )", 1, 1},
      {"x×y", "unexpected character '×'; write * for a product", 1, 2},
      {"x·y", "write * for a product", 1, 2},
      {"x÷y", "write / for a quotient", 1, 2},
      {"x − y", "unexpected character '−'; write - for a difference", 1, 3},
      {"x²", "unexpected character '²'; write ^2 for a square", 1, 2},
      {"x³", "write ^3 for a cube", 1, 2},
      {"√x", "write sqrt(...) for a root", 1, 1},
      {"x’", "write ' for a velocity", 1, 2},
      {"é", "unexpected character 'é'", 1, 1},
      {"x\u00A0+ y", "unexpected character", 1, 2},
      {"x + \x1B[31m", "unexpected character U+001B", 1, 5},
      {"x\x00y"s, "unexpected character U+0000", 1, 2},
      {"x +\n  y +\n  * z", "found '*'", 3, 3},
      {"x +\r\n  %", "unexpected character '%'", 2, 3},
      {"θ + ω %", "unexpected character '%'", 1, 7},
      {"'x", "unexpected character '''", 1, 1},
      {"x '", "unexpected character '''", 1, 3},
  };
  EXPECT_GE(table.size(), 40U);
  for (const WrongInput& wrong : table) {
    const auto error = error_of(wrong.text);
    if (!error) {
      ADD_FAILURE() << wrong.text << " parses";
      continue;
    }
    EXPECT_NE(error->summary().find(wrong.summary), std::string::npos) << wrong.text << ": " << error->summary();
    EXPECT_EQ(error->line(), wrong.line) << error->what();
    EXPECT_EQ(error->column(), wrong.column) << error->what();
    EXPECT_TRUE(is_utf8(error->what())) << wrong.text;
  }
}

TEST(Mistakes, InNamesAreExplained) {
  const ParseOptions options = with_names({"x", "theta", "x'", "theta'", "mass", "length", "a"});
  const auto summary = [&](std::string_view text) {
    const auto error = error_of(text, options);
    return error ? error->summary() : "no error";
  };
  EXPECT_EQ(summary("cos(thta)"), "unknown name 'thta'; did you mean 'theta'?");
  EXPECT_EQ(summary("tehta"), "unknown name 'tehta'; did you mean 'theta'?");
  EXPECT_EQ(summary("Mass"), "unknown name 'Mass'; did you mean 'mass'?");
  EXPECT_EQ(summary("thta'"), "unknown name 'thta''; did you mean 'theta''?");
  EXPECT_EQ(summary("energy"), "unknown name 'energy'");
  EXPECT_EQ(summary("b"), "unknown name 'b'") << "one letter is not a misspelling of another";
  EXPECT_EQ(summary("mass'"), "'mass' has no velocity: it is not a coordinate");
  EXPECT_EQ(summary("x''"), "'x''': only first derivatives may occur");
  EXPECT_EQ(summary("mass(x)"), "'mass' is not a function; a product is written mass*(...)");
  EXPECT_EQ(summary("sine(x)"), "'sine' is not a function; did you mean 'sin'?");
  EXPECT_EQ(summary("theta = 1; x"), "'theta' has a meaning already; an equation is written as left - right");
  EXPECT_EQ(summary("theta' = x"), "a velocity cannot be defined; an equation is written as left - right");
  EXPECT_EQ(summary("radius = 2*x; rdius"), "unknown name 'rdius'; did you mean 'radius'?");
}

TEST(Sums, AreWrittenOut) {
  ParseOptions options = with_names({"x", "y1", "y2", "y3", "y1'", "y2'", "y3'", "n"});
  options.integers = {{"n", 3}};
  const auto equal = [&](std::string_view text, std::string_view written_out) {
    EXPECT_EQ(parse(text, options), parse(written_out, options)) << text;
  };
  equal("sum(i = 1..3, y[i]^2)", "y1^2 + y2^2 + y3^2");
  equal("x + sum(i = 1..n, y[i]'*y[i])", "x + y1'*y1 + y2'*y2 + y3'*y3");
  equal("sum(i = 1..n, y'[i])", "y1' + y2' + y3'");
  equal("sum(i = 1..n - 1, (y[i+1] - y[i])^2)", "(y2 - y1)^2 + (y3 - y2)^2");
  equal("sum(i = 1..n, sum(j = i..n, y[i]*y[j]*(i + 10*j)))",
        "11*y1*y1 + 21*y1*y2 + 31*y1*y3 + 22*y2*y2 + 32*y2*y3 + 33*y3*y3");
  equal("2*sum(i=1..n,(-1)^i*y[i])/n", "2*(-y1 + y2 - y3)/n");
  equal("y[n]", "y3");
  equal("y[2*n - 5]' - x", "y1' - x");
  equal("sum(i = 2..2, i)", "2");
  equal("x + sum(i = n + 1..n, y[i]*(i + 1)) + 1", "x + 1");
  equal("a = 2; sum(i = 1..2, a*y[i])", "2*y1 + 2*y2");
}

TEST(Sums, EntriesAreRepeated) {
  ParseOptions options;
  options.integers = {{"n", 3}};
  EXPECT_EQ(parse_entry("x + 1", options), std::vector{parse("x + 1")});
  EXPECT_EQ(parse_entry("[i = 1..n] y[i]", options), (std::vector{parse("y1"), parse("y2"), parse("y3")}));
  EXPECT_EQ(parse_entry("[k = n..4] a = k; a*y[k]' - x", options),
            (std::vector{parse("3*y3' - x"), parse("4*y4' - x")}));
}

TEST(Sums, MistakesAreExplained) {
  ParseOptions options = with_names({"x", "y1", "y2", "n", "m"});
  options.integers = {{"n", 2}};
  const auto summary = [&](std::string_view text) {
    try {
      parse_entry(text, options);
    } catch (const ParseError& error) {
      return error.summary();
    }
    return std::string("no error");
  };
  EXPECT_EQ(summary("sum(i = 1..m, y[i])"), "a bound of a range must be an integer, found m; the integers are n");
  EXPECT_EQ(summary("sum(i = 1..2.5, y[i])"), "a bound of a range must be an integer, found 2.5");
  EXPECT_EQ(summary("sum(i = 1..n + 1, y[i])"), "unknown name 'y3'; did you mean 'y1'?");
  EXPECT_EQ(summary("sum(i = 1..0, y[i]"), "this ( is never closed");
  EXPECT_EQ(summary("[i = 2..1] y[i]"), "the range 2..1 is empty");
  EXPECT_EQ(summary("y[x]"), "an index must be an integer, found x; the integers are n");
  EXPECT_EQ(summary("y[1 - n]"), "the index -1 is negative");
  EXPECT_EQ(summary("y[1"), "expected ']' after the index, found the end");
  EXPECT_EQ(summary("sum(1..n, x)"), "expected an index and its range, as in i = 1..n, found '1'");
  EXPECT_EQ(summary("sum(i, x)"), "expected '=' and a range, as in i = 1..n, found ','");
  EXPECT_EQ(summary("sum(i = 1, x)"), "expected '..' and the last index, as in i = 1..n, found ','");
  EXPECT_EQ(summary("sum(i = 1..2 x)"), "an operator is missing before 'x'; a product is written with *");
  EXPECT_EQ(summary("sum(x = 1..2, x)"), "'x' has a meaning already");
  EXPECT_EQ(summary("sum(i = 1..2, sum(i = 1..2, i))"), "'i' has a meaning already");
  EXPECT_EQ(summary("sum(i = 1..2, y[i]) + i"), "unknown name 'i'");
  EXPECT_EQ(summary("sum(i = 1..2, y[i]"), "this ( is never closed");
  EXPECT_EQ(summary("[i = 1..2 y[i]"), "an operator is missing before 'y'; a product is written with *");
  EXPECT_EQ(summary("sum(i = 1..9999, sum(j = 1..9999, x))"),
            "written out, the expression has more than 4194304 words");
}

TEST(Mistakes, ClosestName) {
  const std::vector<std::string> names{"alpha", "beta", "gamma", "x1", "x2"};
  EXPECT_EQ(closest_name("alpa", names), "alpha");
  EXPECT_EQ(closest_name("bata", names), "beta");
  EXPECT_EQ(closest_name("agmma", names), "gamma");
  EXPECT_EQ(closest_name("gamma", names), "gamma");
  EXPECT_EQ(closest_name("omega", names), std::nullopt);
  EXPECT_EQ(closest_name("", names), std::nullopt);
  EXPECT_EQ(closest_name("alpha", {}), std::nullopt);
  EXPECT_EQ(closest_name(std::string(1000000, 'a'), names), std::nullopt);
}

TEST(Messages, ShowThePlace) {
  EXPECT_EQ(message_of("m*a*cos(thta)", with_names({"m", "a", "theta"})),
            "expression:1:9: unknown name 'thta'; did you mean 'theta'?\n"
            "  m*a*cos(thta)\n"
            "          ^");
  EXPECT_EQ(message_of("sin(x"),
            "expression:1:4: this ( is never closed\n"
            "  sin(x\n"
            "     ^");
  EXPECT_EQ(message_of("x +"),
            "expression:1:4: expected a number, a name or '(', found the end\n"
            "  x +\n"
            "     ^");
  EXPECT_EQ(message_of(""),
            "expression:1:1: the expression is empty\n"
            "  \n"
            "  ^");
}

TEST(Messages, CountCharactersAndNotBytes) {
  EXPECT_EQ(message_of("θ'*ω₁ $ φ"),
            "expression:1:7: unexpected character '$'\n"
            "  θ'*ω₁ $ φ\n"
            "        ^");
}

TEST(Messages, ShowTheLineOfTheMistake) {
  EXPECT_EQ(message_of("T = m*v^2/2;\nV = m*g*;\nT - V"),
            "expression:2:9: expected a number, a name or '(', found ';'\n"
            "  V = m*g*;\n"
            "          ^");
  EXPECT_EQ(message_of("T = m*v^2/2;\r\nV = m*g*;\r\nT - V"),
            "expression:2:9: expected a number, a name or '(', found ';'\n"
            "  V = m*g*;\n"
            "          ^")
      << "the end of a Windows line is not shown";
  EXPECT_EQ(message_of("x\t+\t$"),
            "expression:1:5: unexpected character '$'\n"
            "  x + $\n"
            "      ^");
}

TEST(Messages, ShowAWindowOfALongLine) {
  const std::string text = repeated("x + ", 100) + "$" + repeated(" + y", 100);
  EXPECT_EQ(message_of(text), "expression:1:401: unexpected character '$'\n  " + repeated("x + ", 15) + "$" +
                                  repeated(" + y", 14) + " + \n  " + std::string(60, ' ') + "^");
}

TEST(Messages, WindowsOfGreekTextAreNotCutInsideALetter) {
  for (int shift = 0; shift < 4; ++shift) {
    const std::string pad(static_cast<std::size_t>(shift), ' ');
    const std::string message = message_of(repeated("θ+", 100) + pad + "$" + pad + repeated("+₁₂𝛼", 100));
    EXPECT_TRUE(is_utf8(message)) << message;
    EXPECT_LT(message.size(), 400U);
  }
}

TEST(Messages, PlaceTheTextInItsSource) {
  ParseOptions options;
  options.source = "model.toml";
  options.line = 3;
  options.column = 15;
  EXPECT_EQ(message_of("x + %", options),
            "model.toml:3:19: unexpected character '%'\n"
            "  x + %\n"
            "      ^");
  const auto second_line = error_of("x +\n %", options);
  ASSERT_TRUE(second_line);
  EXPECT_EQ(second_line->line(), 4);
  EXPECT_EQ(second_line->column(), 2) << "the offset belongs to the first line";
}

TEST(Messages, StayShortAndPrintable) {
  const std::string name(500000, 'a');
  const ParseOptions options = with_names({"x"});
  for (const std::string& text : {name, name + "(x)", name + "'", "x " + name, name + " = 1; " + name + " = 2; x",
                                  "x" + repeated("θ", 1000) + "(2)", std::string(500000, '1')}) {
    const std::string message = message_of(text, options);
    EXPECT_NE(message, "no error");
    EXPECT_LT(message.size(), 600U);
    EXPECT_TRUE(is_utf8(message));
  }
  const std::string controls = message_of("x \x07\x1B\x7F\xC2\x9B $");
  for (std::size_t i = 0; i < controls.size(); ++i) {
    EXPECT_TRUE(controls[i] == '\n' || static_cast<unsigned char>(controls[i]) >= 0x20) << i;
  }
  EXPECT_EQ(controls.find("\xC2\x9B"), std::string::npos) << "a control sequence in one character";
}

TEST(Robustness, NestingHasALimit) {
  within_seconds([] {
    for (const std::string& text :
         {repeated("(", 1000000), repeated("(", 100000) + "x" + repeated(")", 100000), repeated("sin(", 200000),
          repeated("x^", 500000) + "x", repeated("x^-", 300000) + "x", repeated("(x^", 300000),
          repeated("atan2(x,", 100000), repeated("-(", 500000), repeated("2*(1+", 200000)}) {
      const auto error = error_of(text);
      ASSERT_TRUE(error) << text.substr(0, 20);
      EXPECT_NE(error->summary().find("nested deeper than"), std::string::npos) << error->summary();
    }
  });
  const auto nested = [](int n) {
    return repeated("sin(", static_cast<std::size_t>(n)) + "x" + repeated(")", static_cast<std::size_t>(n));
  };
  EXPECT_FALSE(error_of(nested(max_expression_nesting - 1)));
  EXPECT_TRUE(error_of(nested(max_expression_nesting + 1)));
  EXPECT_FALSE(error_of(nested(200) + "+" + nested(200))) << "the levels of neighbours do not add up";
}

TEST(Robustness, SignsDoNotNest) {
  within_seconds([] {
    EXPECT_EQ(parse(repeated("-", 1000000) + "x"), x);
    EXPECT_EQ(parse(repeated("-", 1000001) + "x"), -x);
    EXPECT_TRUE(error_of(repeated("-", 1000000)));
    EXPECT_TRUE(error_of(repeated("+", 1000000)));
  });
}

TEST(Robustness, LengthHasALimit) {
  within_seconds([] {
    const auto error = error_of(std::string(100000000, 'x'));
    ASSERT_TRUE(error);
    EXPECT_NE(error->summary().find("100000000 bytes"), std::string::npos);
    EXPECT_LT(std::string(error->what()).size(), 500U);

    const auto bytes = error_of(std::string(100000000, '\x80'));
    ASSERT_TRUE(bytes);
    EXPECT_LT(std::string(bytes->what()).size(), 500U);
    EXPECT_TRUE(is_utf8(bytes->what()));

    EXPECT_FALSE(error_of(std::string(max_expression_length, 'x')));
    EXPECT_TRUE(error_of(std::string(max_expression_length + 1, 'x')));
  });
}

TEST(Robustness, LongTextsParse) {
  within_seconds([] {
    EXPECT_EQ(parse(repeated("x+", 500000) + "x"), 500001 * x);
    EXPECT_EQ(parse(repeated("x*", 500000) + "x"), pow(x, 500001));
    EXPECT_EQ(parse(repeated(" ", 1000000) + "x"), x);
    EXPECT_EQ(parse("0." + std::string(1000000, '0') + "*x"), Expression(0));
    std::string sum_of_names;
    for (int i = 0; i < 100000; ++i) sum_of_names += "+x" + std::to_string(i);
    EXPECT_EQ(free_symbols(parse(sum_of_names)).size(), 100000U);
  });
}

TEST(Robustness, ManyDefinitions) {
  within_seconds([] {
    std::string flat;
    for (int i = 0; i < 100000; ++i) flat += "a" + std::to_string(i) + "=x;";
    EXPECT_EQ(parse(flat + "a5+a99999"), 2 * x);
    EXPECT_TRUE(error_of(flat + "a5=x;x"));
    const auto unknown = error_of(flat + "b5b5b5", with_names({"x"}));
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown->summary(), "unknown name 'b5b5b5'");

    // Each level doubles the formula; as a tree it would have 2^10000 leaves.
    std::string doubling = "a0=x;";
    for (int i = 1; i <= 10000; ++i) {
      const std::string before = "a" + std::to_string(i - 1);
      doubling += "a" + std::to_string(i) + "=sin(" + before + ")+cos(" + before + ");";
    }
    EXPECT_EQ(operation_count(parse(doubling + "a10000")), 30000U);
    // Squaring 60 times overflows the exponent and must not wrap around.
    std::string squaring = "a0=x;";
    for (int i = 1; i <= 60; ++i) {
      const std::string before = "a" + std::to_string(i - 1);
      squaring += "a" + std::to_string(i) + "=" + before + "*" + before + ";";
    }
    EXPECT_TRUE(error_of(squaring + "a60"));
  });
}

TEST(Robustness, BytesThatAreNotUtf8) {
  struct Case {
    const char* what;
    std::string bytes;
  };
  const std::vector<Case> cases{
      {"lone continuation", "\x80"},
      {"lone continuation in the upper half", "\xBF"},
      {"two bytes cut short", "\xCE"},
      {"three bytes cut short", "\xE2\x82"},
      {"four bytes cut short", "\xF0\x9D\x9B"},
      {"two bytes without continuation", "\xCE+"},
      {"three bytes without continuation", "\xE2\x82+"},
      {"overlong slash of two bytes", "\xC0\xAF"},
      {"overlong in two bytes", "\xC1\xBF"},
      {"overlong in three bytes", "\xE0\x80\xAF"},
      {"overlong in four bytes", "\xF0\x80\x80\xAF"},
      {"surrogate", "\xED\xA0\x80"},
      {"last surrogate", "\xED\xBF\xBF"},
      {"past U+10FFFF", "\xF4\x90\x80\x80"},
      {"five bytes", "\xF8\x88\x80\x80\x80"},
      {"six bytes", "\xFC\x84\x80\x80\x80\x80"},
      {"0xFE", "\xFE"},
      {"0xFF", "\xFF"},
      {"Latin-1 e acute", "\xE9 "},
  };
  for (const Case& c : cases) {
    for (const std::string& after : {""s, " + y"s}) {
      const auto error = error_of("θ + " + c.bytes + after);
      ASSERT_TRUE(error) << c.what;
      EXPECT_NE(error->summary().find("is not UTF-8"), std::string::npos) << c.what << ": " << error->summary();
      EXPECT_EQ(error->line(), 1) << c.what;
      EXPECT_EQ(error->column(), 5) << c.what;
      EXPECT_TRUE(is_utf8(error->what())) << c.what;
    }
  }
  EXPECT_EQ(message_of("x + \xFF + y"),
            "expression:1:5: byte 0xFF is not UTF-8; save the file as UTF-8\n"
            "  x + ? + y\n"
            "      ^");
  for (const char* valid : {"\xF4\x8F\xBF\xBF", "\xEE\x80\x80", "\xED\x9F\xBF", "\xC2\xA0", "\xF0\x90\x80\x80"}) {
    const auto error = error_of(valid);  // well formed, but no character of the language
    ASSERT_TRUE(error);
    EXPECT_NE(error->summary().find("unexpected character"), std::string::npos);
  }
}

TEST(Robustness, EveryByteAndPairOfBytesIsAnswered) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text{'x', static_cast<char>(a), static_cast<char>(b), 'y'};
      const auto error = error_of(text);
      if (error) {
        EXPECT_TRUE(is_utf8(error->what()));
        EXPECT_GE(error->column(), 1);
        EXPECT_LE(error->column(), 5);
      }
    }
  }
}

TEST(Documents, ShowTheMessageThatIsGiven) {
  std::ifstream file(test::source_file("docs/expressions.md"));
  const std::string document(std::istreambuf_iterator<char>(file), {});
  try {
    parse("m*a*cos(thta)", {"Lagrangian", 1, 1, std::vector<std::string>{"m", "a", "theta"}});
    FAIL();
  } catch (const ParseError& e) {
    std::istringstream lines(e.what());
    for (std::string line; std::getline(lines, line);) EXPECT_NE(document.find(line + "\n"), std::string::npos) << line;
  }
}

}  // namespace parse_test
}  // namespace rattleback
