// Vectors, matrices, functions and time derivatives of the notation.

#include "rattleback/expr/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/expr/definitions.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "within_seconds.hpp"

namespace rattleback {
namespace matrix_test {

ParseOptions some_names() {
  ParseOptions options;
  options.names = std::vector<std::string>{"x",  "y",  "z",  "psi",  "phi",  "theta",  "x'", "y'",
                                           "z'", "y1", "y2", "psi'", "phi'", "theta'", "m",  "n"};
  options.integers = {{"n", 2}};
  return options;
}

void expect_equal(const std::string& text, const std::string& written_out) {
  EXPECT_EQ(parse(text, some_names()), parse(written_out, some_names())) << text;
}

std::string summary_of(const std::string& text, const ParseOptions& options = some_names()) {
  try {
    parse(text, options);
  } catch (const ParseError& error) {
    return error.summary();
  }
  return "no error";
}

TEST(Vectors, are_what_their_components_are) {
  expect_equal("dot([x, y, z], [1, 2, 3])", "x + 2*y + 3*z");
  expect_equal("r = [x, y, z]; r[2]", "y");
  expect_equal("[x, y, z][n]", "y");
  expect_equal("(2*[x, y] + [1, 1]/m)[1]", "2*x + 1/m");
  expect_equal("(-[x, y] - [m, m])[2]", "-y - m");
  expect_equal("norm([x, y])", "sqrt(x^2 + y^2)");
  expect_equal("cross([x, y, z], [0, 0, 1])[1]", "y");
  expect_equal("cross([x, y, z], [0, 0, 1])[2]", "-x");
  expect_equal("sum(i = 1..n, i*[x, y])[2]", "3*y");
  expect_equal("dot([[i = 1..n] y[i]], [[i = 1..n] i])", "y1 + 2*y2");
  expect_equal("y[1] + y[2]", "y1 + y2");
  expect_equal("r = [x, y]; r[1]*y[1]", "x*y1");
  EXPECT_EQ(std::get<Vector>(parse_tensor("[x, 2*y]", some_names())).size(), 2U);
}

TEST(Vectors, matrices_multiply) {
  expect_equal("([[x, y], [z, m]]*[1, 2])[2]", "z + 2*m");
  expect_equal("([[x, y], [z, m]]*[[1, 2], [3, 4]])[1, 2]", "2*x + 4*y");
  expect_equal("transpose([[x, y], [z, m]])[1, 2]", "z");
  expect_equal("[[x, y], [z, m]][2][1]", "z");
  expect_equal("dot([x, y], diag(m, 2)*[x, y])", "m*x^2 + 2*y^2");
  expect_equal("diag([m, 2])[2, 2] + diag(m, 2)[1, 2]", "2");
  expect_equal("(x*[[1, 2], [3, 4]]*m/y)[2, 1]", "3*x*m/y");
  expect_equal("(rotz(psi)*[1, 0, 0])[2]", "sin(psi)");
  expect_equal("(rotx(psi)*[0, 1, 0])[3]", "sin(psi)");
  expect_equal("(roty(psi)*[0, 0, 1])[1]", "sin(psi)");
  EXPECT_EQ(std::get<Matrix>(parse_tensor("[[x, y], [z, m]]", some_names())),
            (Matrix{{parse("x"), parse("y")}, {parse("z"), parse("m")}}));
}

TEST(TimeDerivatives, are_total) {
  expect_equal("(x^2)'", "2*x*x'");
  expect_equal("r = x*y; r'", "x'*y + x*y'");
  expect_equal("(m*x + 3)'", "m*x'");
  expect_equal("r = [x, y^2]; r'[2]", "2*y*y'");
  expect_equal("r = [x, y^2]; r[2]'", "2*y*y'");
  expect_equal("[x, y]'[1]^2", "x'^2");
  expect_equal("sin(x)'", "cos(x)*x'");
  expect_equal("(m)'", "0");
  ParseOptions timed = some_names();
  timed.names->push_back("t");
  timed.time = "t";
  EXPECT_EQ(parse("(x*t)'", timed), parse("x'*t + x", timed));
  EXPECT_EQ(parse("(a*b)'"), parse("a'*b + a*b'")) << "where any name may occur, any may change";
}

// Euler angles: the formulas of every textbook, and the derivative of the rotation by differences.
TEST(TimeDerivatives, angular_velocity_in_the_body) {
  const Tensor w = parse_tensor("angular(rotz(psi)*rotx(theta)*rotz(phi))", some_names());
  EXPECT_EQ(std::get<Vector>(w)[0], parse("psi'*sin(theta)*sin(phi) + theta'*cos(phi)"));
  EXPECT_EQ(std::get<Vector>(w)[1], parse("psi'*sin(theta)*cos(phi) - theta'*sin(phi)"));
  EXPECT_EQ(std::get<Vector>(w)[2], parse("psi'*cos(theta) + phi'"));

  const std::vector<Expression> angles{parse("psi"), parse("phi"), parse("theta")};
  const Matrix q = rotz(angles[0]) * rotx(angles[1]) * roty(angles[2]);
  const Vector found = angular(q, angles);
  const auto at = [&](double t) {
    return std::unordered_map<Expression, double>{{angles[0], 0.3 + 0.7 * t}, {angles[1], -0.4 + 0.2 * t},
                                                  {angles[2], 1.1 - 0.5 * t}, {dot(angles[0]), 0.7},
                                                  {dot(angles[1]), 0.2},      {dot(angles[2]), -0.5}};
  };
  const double h = 1e-4;
  double s[3][3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        s[i][j] += evaluate(q(k, i), at(0)) * (evaluate(q(k, j), at(h)) - evaluate(q(k, j), at(-h))) / (2 * h);
      }
    }
  }
  EXPECT_NEAR(evaluate(found[0], at(0)), s[2][1], 1e-8);
  EXPECT_NEAR(evaluate(found[1], at(0)), s[0][2], 1e-8);
  EXPECT_NEAR(evaluate(found[2], at(0)), s[1][0], 1e-8);
}

TEST(Functions, are_read_where_they_are_called) {
  Definitions d;
  d.add("kinetic(m, v, J, w)", "0.5*m*dot(v, v) + 0.5*dot(w, J*w)", some_names());
  d.add("square(u)", "u*u", some_names());
  d.add("rate(f)", "f'", some_names());
  d.add("chain(i)", "(y[i + 1] - y[i])^2", some_names());
  d.add("r", "[x, y]", some_names());
  d.add("quarter(u)", "square(square(u))", some_names());
  ParseOptions options = some_names();
  options.definitions = &d;
  const auto equal = [&](const std::string& text, const std::string& written_out) {
    EXPECT_EQ(parse(text, options), parse(written_out, some_names())) << text;
  };
  equal("kinetic(2, r', diag(1, 3), [z, m])", "x'^2 + y'^2 + 0.5*(z^2 + 3*m^2)");
  equal("square(x + 1)", "(x + 1)^2");
  equal("quarter(x)", "x^4");
  equal("rate(x*y)", "x'*y + x*y'");
  equal("chain(1)", "(y2 - y1)^2");
  equal("sum(i = 1..1, chain(i))", "(y2 - y1)^2");
  equal("r[1] + square(r[2])", "x + y^2");
  equal("square([[1, x], [0, 1]])[1, 2]", "2*x");
  EXPECT_EQ(d.find("kinetic")->header(), "kinetic(m, v, J, w)");
}

TEST(Functions, errors_say_where_they_are_called) {
  Definitions d;
  ParseOptions place = some_names();
  place.source = "m.toml";
  place.line = 7;
  d.add("f(u)", "1 + dot(u, [1, 2])", place);
  ParseOptions options = some_names();
  options.definitions = &d;
  options.source = "m.toml";
  options.line = 9;
  try {
    parse("2*f([x, y, z])", options);
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_STREQ(error.what(),
                 "m.toml:7:5: cannot take the dot product of a vector of 3 components and a vector of 2 components\n"
                 "  1 + dot(u, [1, 2])\n      ^\n  in f, which is called at m.toml:9:3");
  }
}

TEST(Mistakes, of_shape_name_the_shapes) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"[x, y]", "a scalar is expected here, found a vector of 2 components; take a component, as in r[1]"},
      {"[[x, y], [y, x]]", "a scalar is expected here, found a 2 by 2 matrix; take a component, as in R[1,1]"},
      {"1 + [x, y]", "cannot add a scalar and a vector of 2 components"},
      {"[x, y] - [x, y, z]", "cannot subtract a vector of 2 components and a vector of 3 components"},
      {"[x, y]*[x, y]", "cannot multiply a vector of 2 components by a vector of 2 components; there are dot(a, b)"},
      {"[x, y]*diag(1, 2)", "cannot multiply a vector of 2 components by a 2 by 2 matrix; a matrix stands before"},
      {"diag(1, 2, 3)*[x, y]", "cannot multiply a 3 by 3 matrix by a vector of 2 components"},
      {"diag(1, 2)*diag(1, 2, 3)", "cannot multiply a 2 by 2 matrix by a 3 by 3 matrix"},
      {"1/[x, y]", "cannot divide by a vector of 2 components"},
      {"[x, y]^2", "a vector has no powers; its square is dot(r, r)"},
      {"diag(x, y)^2", "a matrix has no powers; write the product"},
      {"2^[x, y]", "an exponent must be a scalar, found a vector of 2 components"},
      {"sin([x, y])", "the argument of 'sin' must be a scalar, found a vector of 2 components"},
      {"[x, [y, z]]", "a vector has scalars as components, a matrix has vectors as rows, found a scalar and a vector"},
      {"[[x, y], [z]]", "the rows of a matrix must have one length, found a vector of 2 components and a vector of 1"},
      {"[diag(1, 2)]", "a vector has scalars as components, a matrix has vectors as rows, found a 2 by 2 matrix"},
      {"[x, y][3]", "the index 3 is not between 1 and 2: this is a vector of 2 components"},
      {"[x, y][0]", "the index 0 is not between 1 and 2"},
      {"[x, y][1, 2]", "two indices are for a matrix, found a vector of 2 components"},
      {"diag(1, 2)[1, 3]", "the index 3 is not between 1 and 2: this is a 2 by 2 matrix"},
      {"(x)[1]", "a scalar has no components"},
      {"[x, y][z]", "an index must be an integer, found z; the integers are n"},
      {"[x, y", "this [ is never closed"},
      {"[]", "expected a number, a name or '(', found ']'"},
      {"dot([x], y)", "'dot' takes two vectors, found a vector of 1 component and a scalar"},
      {"dot([x, y])", "'dot' takes 2 arguments, found 1; the velocity of x is written x'"},
      {"cross([x, y], [x, y])", "cannot take the cross product of a vector of 2 components and a vector of 2"},
      {"norm(x)", "'norm' takes a vector, found a scalar"},
      {"transpose([x, y])", "'transpose' takes a matrix, found a vector of 2 components; the product of a row and"},
      {"rotz([x, y])", "'rotz' takes an angle, found a vector of 2 components"},
      {"angular(x)", "'angular' takes a rotation, which is a 3 by 3 matrix, found a scalar"},
      {"angular(diag(1, x))", "a rotation is a 3 by 3 matrix, found a 2 by 2 matrix"},
      {"(x')'", "this would be a second derivative: what is differentiated contains x'; only first derivatives"},
      {"v = x'; v'", "this would be a second derivative"},
      {"x''", "'x''': only first derivatives may occur"},
  };
  EXPECT_GE(table.size(), 30U);
  for (const auto& [text, message] : table) {
    EXPECT_NE(summary_of(text).find(message), std::string::npos) << text << ": " << summary_of(text);
  }
}

TEST(Mistakes, in_definitions) {
  const auto refusal = [](const std::string& header, const std::string& text) {
    Definitions d;
    d.add("W", "[x, y]", some_names());
    d.add("f(u, v)", "u + v", some_names());
    try {
      d.add(header, text, some_names());
    } catch (const ParseError& error) {
      return error.summary();
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal("W", "1"), "'W' has a meaning already; choose another name");
  EXPECT_EQ(refusal("x", "1"), "'x' has a meaning already; choose another name");
  EXPECT_EQ(refusal("sin", "1"), "'sin' has a meaning already");
  EXPECT_EQ(refusal("dot", "1"), "'dot' has a meaning already");
  EXPECT_EQ(refusal("x'", "1"), "a definition must be a name, as in W, or kinetic(m, v) for a function");
  EXPECT_EQ(refusal("2", "1"), "a definition must be a name, as in W, or kinetic(m, v) for a function");
  EXPECT_EQ(refusal("g(", "1"), "an argument must be a name, as in W, or kinetic(m, v) for a function");
  EXPECT_EQ(refusal("g()", "1"), "an argument must be a name, as in W, or kinetic(m, v) for a function");
  EXPECT_EQ(refusal("g(u", "1"), "expected ',' or ')' after an argument");
  EXPECT_EQ(refusal("g(u, u)", "1"), "two arguments are called 'u'");
  EXPECT_EQ(refusal("g(u) h", "1"), "expected the end after ')'");
  EXPECT_EQ(refusal("g h", "1"), "expected the end of the name or '(' with the arguments of a function");
  EXPECT_EQ(refusal("g(u)", "u +"), "expected a number, a name or '(', found the end");
  EXPECT_EQ(refusal("g(u)", "u + w"), "unknown name 'w'; did you mean 'W'?");
  EXPECT_EQ(refusal("again(u)", "again(u)").find("'again' is not a function"), 0U) << "a function does not call itself";
  EXPECT_EQ(refusal("A", "A + 1"), "unknown name 'A'");
  EXPECT_EQ(refusal("A", "f(x)"), "'f' takes 2 arguments, found 1: it is f(u, v)");
  EXPECT_EQ(refusal("A", "f"), "'f' is a function; write f(u, v)");
  EXPECT_EQ(refusal("A", "f'(x, y)"), "'f' is a function; write f(u, v)");
  EXPECT_EQ(refusal("A", "W(x)"), "'W' is not a function; a product is written W*(...)");
  EXPECT_EQ(refusal("A", "W = 1; W"), "'W' has a meaning already");
  EXPECT_EQ(refusal("A", "sum(W = 1..2, x)"), "'W' has a meaning already");
}

// A definition that contains more than may stand somewhere cannot be used there.
TEST(Mistakes, definitions_of_the_wrong_things) {
  Definitions d;
  d.add("speed", "x'", some_names());
  d.add("half", "m/2", some_names());
  ParseOptions parameters;
  parameters.names = std::vector<std::string>{"m"};
  parameters.definitions = &d;
  EXPECT_EQ(parse("half + 1", parameters), parse("m/2 + 1"));
  EXPECT_EQ(summary_of("speed", parameters), "the definition speed contains x', which cannot be used here");
}

TEST(Robustness, what_is_written_out_has_a_limit) {
  test::within_seconds([] {
    // Functions that call each other twice: 2^40 calls.
    Definitions twice;
    twice.add("f0(u)", "sin(u)");
    for (int i = 1; i <= 40; ++i) {
      const std::string before = "f" + std::to_string(i - 1);
      twice.add("f" + std::to_string(i) + "(u)", before + "(2*u) + " + before + "(2*u + 1)");
    }
    ParseOptions options;
    options.definitions = &twice;
    EXPECT_EQ(summary_of("f40(x)", options), "written out, the expression has more than 4194304 words");

    // Functions inside each other: a thousand levels.
    Definitions deep;
    deep.add("f0(u)", "sin(u)");
    for (int i = 1; i <= 1000; ++i) deep.add("f" + std::to_string(i) + "(u)", "f" + std::to_string(i - 1) + "(u)");
    options.definitions = &deep;
    EXPECT_NE(summary_of("f1000(x)", options).find("nested deeper than 256 levels"), std::string::npos);
    EXPECT_EQ(summary_of("f100(x)", options), "no error");

    // Matrices of 800 rows, multiplied.
    EXPECT_EQ(summary_of("A = diag([[i = 1..800] x]); (A*A*A*A)[1, 1]", {}),
              "written out, the expression has more than 4194304 words");
    std::string brackets(100000, '[');
    EXPECT_NE(summary_of(brackets).find("nested deeper than"), std::string::npos);
    std::string primes = "(x)" + std::string(100000, '\'');
    EXPECT_NE(summary_of(primes).find("second derivative"), std::string::npos);

    // Definitions that double: the derivative of a graph, not of a tree.
    Definitions doubling;
    doubling.add("a0", "x");
    for (int i = 1; i <= 500; ++i) {
      const std::string before = "a" + std::to_string(i - 1);
      doubling.add("a" + std::to_string(i), "sin(" + before + ") + cos(" + before + ")");
    }
    options.definitions = &doubling;
    EXPECT_LT(operation_count(parse("a500'", options)), 5000U);
  });
}

TEST(Printing, symbols_with_primes_are_not_derivatives_of_definitions) {
  Expression e = parse("_1'");
  for (int i = 0; i < 80; ++i) e = sin(e) + e;
  EXPECT_EQ(parse(to_text(e)), e);
}

/// The value of a text with numbers for u, at which everything is hand-computed.
std::vector<double> point(const std::string& text, const std::vector<double>& u) {
  Definitions d;
  d.add("egg(n)", "sqrt(4*n[1]^2 + 9*n[2]^2 + n[3]^2) + 0.5*norm(n) + 0.25*n[3]");
  ParseOptions options;
  options.definitions = &d;
  std::unordered_map<Expression, double> at;
  for (std::size_t i = 0; i < 3; ++i) at.emplace(Expression::symbol("u" + std::to_string(i + 1)), u[i]);
  std::vector<double> result;
  const auto components = std::get<Vector>(parse_tensor("u = [u1, u2, u3]; " + text, options));
  for (const Expression& e : components) result.push_back(evaluate(e, at));
  return result;
}

void expect_point(const std::string& text, const std::vector<double>& u, const std::vector<double>& expected) {
  const std::vector<double> found = point(text, u);
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << text << ", component " << i + 1;
}

TEST(Contacts, are_the_points_one_finds_by_hand) {
  const std::vector<double> up{0.0, 0.0, 1.0};
  const std::vector<double> tilted{0.6, 0.0, 0.8};
  expect_point("contact_ellipsoid(u, 3, 2, 1)", up, {0, 0, -1});
  // the tangent plane of x²/9 + z²/16 = 1 with the normal (0.6, 0.8) touches where x/9 : z/16 = 0.6 : 0.8
  expect_point("contact_ellipsoid(u, 3, 2, 4)", tilted, {-5.4 / std::sqrt(13.48), 0, -12.8 / std::sqrt(13.48)});
  expect_point("contact_sphere(u, 2)", tilted, {-1.2, 0, -1.6});
  expect_point("contact_disk(u, 5)", {0.48, 0.6, 0.64}, {-3, 0, -4});
  expect_point("contact_disk(u, 5, [0, 0, 1])", {0.48, 0.64, 0.6}, {-3, -4, 0});
  expect_point("contact_torus(u, 5, 1)", {0.48, 0.6, 0.64}, {-3.48, -0.6, -4.64});
  expect_point("contact_torus(u, 5, 1, [1, 0, 0])", {0.6, 0.64, 0.48}, {-0.6, -4.64, -3.48});
  expect_point("contact_support(egg, u)", up, {0, 0, -1.25});  // the lowest point of the ellipsoid, its coat, raised
}

TEST(Contacts, by_a_support_function_are_those_of_the_bodies_it_is_made_of) {
  const std::vector<double> u{0.48, -0.6, 0.64};
  expect_point("contact_support(egg, u)", u,
               point("contact_ellipsoid(u, 2, 3, 1) + contact_sphere(u, 0.5) + [0, 0, 0.25]", u));
}

// The surface has the normal u there: points of contact with verticals a little apart differ by what is orthogonal to
// u. This is why the third row of rolling is the rate of the height.
TEST(Contacts, move_along_the_ground) {
  const std::vector<double> u{0.48, -0.6, 0.64};
  for (const char* text : {"contact_ellipsoid(u, 3, 2, 1)", "contact_disk(u, 5)", "contact_disk(u, 5, [0.6, 0, 0.8])",
                           "contact_torus(u, 5, 1)", "contact_support(egg, u)"}) {
    for (const std::vector<double>& turn :
         {std::vector<double>{0.6, 0.48, 0.0}, {0.64, 0.0, -0.48}, {0.0, 0.64, 0.6}}) {  // orthogonal to u
      const double e = 1e-5;
      const auto at = [&](double s) {
        return point(text, {u[0] + s * turn[0], u[1] + s * turn[1], u[2] + s * turn[2]});
      };
      const std::vector<double> after = at(e);
      const std::vector<double> before = at(-e);
      double moved = 0.0;
      for (std::size_t i = 0; i < 3; ++i) moved += u[i] * (after[i] - before[i]) / (2 * e);
      EXPECT_NEAR(moved, 0.0, 1e-8) << text;
    }
  }
}

TEST(Contacts, that_are_none_are_refused) {
  Definitions d;
  d.add("square(n)", "dot(n, n)");
  d.add("two(a, b)", "a + b");
  ParseOptions options = some_names();
  options.definitions = &d;
  const auto expect_said = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(summary_of(text, options).find(part), std::string::npos) << text << ": " << summary_of(text, options);
  };
  expect_said("contact_support(square, [x, y, z])[1]", "a support function is homogeneous, h(2n) = 2h(n), as ");
  for (const char* none : {"two", "x", "1", "cube"}) {
    expect_said(std::string("contact_support(") + none + ", [x, y, z])[1]",
                "'contact_support' takes the name of a function of one vector");
  }
  expect_said("contact_support(square)[1]", "this ) has no matching (");
  expect_said("contact_support(square, x)[1]", "the vertical is a vector, found a scalar");
  expect_said("contact_ellipsoid([x, y, z], 1, 2)[1]", "'contact_ellipsoid' takes 4 arguments, found 3");
  expect_said("contact_disk([x, y, z])[1]", "'contact_disk' takes 2 or 3 arguments, found 1");
  expect_said("contact_disk([x, y, z], 1, 2)[1]", "'contact_disk' takes a vector, a radius and an axis, found ");
  expect_said("contact_sphere([x, y], 1)[1]", "the vertical has 3 components, found a vector of 2 components");
  expect_said("contact_torus([x, y, z], 1, 1, [1, 0])[1]", "the axis has 3 components, found a vector of 2 components");
  expect_said("contact_circle([x, y, z], 1)[1]", "contact_");
}

}  // namespace matrix_test
}  // namespace rattleback
