// Rotations in the language of models: what texts about them mean, and how their starts are given.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace rotations_test {

const std::string body = "rotations = [\"R\"]\nlagrangian = \"0.5*dot(R.omega, diag(1, 2, 3)*R.omega)\"\n";

Model with(const std::string& rest) { return read_model(body + rest, "m.toml"); }

double value(const std::string& text, const std::unordered_map<Expression, double>& values) {
  return evaluate(parse(text), values);
}

// rotz(a)*rotx(b)*roty(c) has the angles a, b, c: for every order, with angles in the range of the answer.
TEST(Rotations, euler_angles_are_those_of_the_product_of_three_rotations) {
  const std::unordered_map<Expression, double> angles{
      {Expression::symbol("a"), -2.5}, {Expression::symbol("b"), 0.4}, {Expression::symbol("c"), 1.9}};
  int orders = 0;
  for (const AttitudeForm& form : attitude_forms()) {
    if (form.kind != AttitudeForm::Kind::euler) continue;
    ++orders;
    const std::string order(form.order);
    const std::string product =
        "rot" + order.substr(0, 1) + "(a)*rot" + order.substr(1, 1) + "(b)*rot" + order.substr(2, 1) + "(c)";
    const double wanted[] = {-2.5, 0.4, 1.9};
    RotationMatrix matrix{};
    for (int i = 0; i < 9; ++i) {
      const std::string entry =
          "Q = " + product + "; Q[" + std::to_string(i / 3 + 1) + "," + std::to_string(i % 3 + 1) + "]";
      matrix[static_cast<std::size_t>(i)] = value(entry, angles);
    }
    const std::vector<double> numbers = form.numbers_of(matrix);
    const RotationMatrix again = form.matrix_of(wanted);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string text = "euler_" + order + "(" + product + ")[" + std::to_string(k + 1) + "]";
      EXPECT_NEAR(value(text, angles), wanted[k], 1e-14) << text;
      EXPECT_NEAR(numbers[k], wanted[k], 1e-14) << text;
    }
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(again[i], matrix[i], 1e-15) << order;
  }
  EXPECT_EQ(orders, 12);
}

// The rotation by 0.7 about (1, 2, 2)/3 by the formula of Rodrigues, computed elsewhere.
constexpr double rodrigues[] = {0.7909708331417675,  -0.3772211664439025, 0.48173574987301876,
                                0.48173574987301876, 0.8693567707136047,  -0.11022464565011411,
                                -0.3772211664439025, 0.3192538125083465,  0.8693567707136047};

TEST(Rotations, starts_in_all_forms_are_the_same) {
  std::vector<std::string> starts{
      "{ axis = [1, 2, 2], angle = 0.7 }",
      "{ quaternion = [\"2*cos(0.35)\", \"2*sin(0.35)/3\", \"4*sin(0.35)/3\", \"4*sin(0.35)/3\"] }",
      "{ matrix = [[0.7909708331417675, -0.3772211664439025, 0.48173574987301876], [0.48173574987301876, "
      "0.8693567707136047, -0.11022464565011411], [-0.3772211664439025, 0.3192538125083465, 0.8693567707136047]] }"};
  const Model named = with("[initial]\nq = { R = " + starts[0] + " }\n");
  for (const AttitudeForm& form : attitude_forms()) {
    if (form.kind != AttitudeForm::Kind::euler) continue;
    const auto a = form.numbers_of(rodrigues);
    starts.push_back(fmt::format("{{ euler = \"{}\", angles = [{}, {}, {}] }}", form.order, a[0], a[1], a[2]));
  }
  for (const std::string& start : starts) {
    const Model model = with("[initial]\nq = { R = " + start + " }\nv = { R = [1, 2, 3] }\n");
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(model.initial->q[i], rodrigues[i], 1e-15) << start;
  }
  for (const AttitudeForm& form : attitude_forms()) {
    std::map<std::string, double> numbers;
    const std::vector<double> values = form.numbers_of(rodrigues);
    for (std::size_t i = 0; i < values.size(); ++i) numbers[form.names("R")[i]] = values[i];
    std::vector<double> q = named.system.space().origin();
    positions_by_name(named.system, numbers, "q0", q);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(q[i], rodrigues[i], 1e-15) << form.names("R")[0];
  }
  // What is not named of angles is that of the start: zero turned about the first axis by 0.3.
  std::vector<double> q = named.system.space().origin();
  positions_by_name(named.system, {{"R.zxy2", 0.3}}, "q0", q);
  EXPECT_NEAR(q[7], std::sin(0.3), 1e-16);
}

TEST(Rotations, starts_that_are_none_are_refused) {
  const System system = with("").system;
  const auto message = [&](const std::map<std::string, double>& named) -> std::string {
    std::vector<double> q = system.space().origin();
    try {
      positions_by_name(system, named, "q0", q);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{"R.w", 1}}), "q0 has some of R.w, R.x, R.y, R.z; a quaternion needs all");
  EXPECT_EQ(message({{"R.zxy1", 1}, {"R.turn1", 1}}),
            "q0 gives R in two ways, by R.turn1, R.turn2, R.turn3 and by R.zxy1: give one");
  EXPECT_NE(message({{"nothing", 1}}).find("; the coordinates are "), std::string::npos);
  EXPECT_NE(message({{"nothing", 1}}).find("R, which is a rotation"), std::string::npos);
  EXPECT_EQ(message({{"nothing", 1}}).find("R.w"), std::string::npos) << "its numbers are not told one by one";
  EXPECT_EQ(message({{"R.zxy4", 1}}), "q0 has a value for 'R.zxy4', which is not a coordinate; did you mean 'R.zxy1'?");
  EXPECT_NE(message({{"R", 1}}).find("'R', which is a rotation; give its numbers, as R.w"), std::string::npos);
  EXPECT_NE(message({{"R.w", 0}, {"R.x", 0}, {"R.y", 0}, {"R.z", 0}}).find("q0, R: a quaternion is zero"),
            std::string::npos);
}

// d/dt (R r) = R (Ω × r), of whatever is written with R: in models and in texts about their motion.
TEST(Rotations, change_by_the_angular_velocity) {
  const Model model = with("");
  Definitions definitions;
  const ParseOptions options = options_of_motion(model, "text", definitions);
  std::unordered_map<Expression, double> values;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const auto* list : {&model.system.coordinates(), &model.system.velocities()}) {
    for (const Expression& s : *list) values[s] = number(random);
  }
  for (const char* i : {"[1]", "[2]", "[3]"}) {
    const Expression rate = parse(std::string("((R*[1, 2, 3])") + i + ")'", options);
    const Expression wanted = parse(std::string("(R*cross(R.omega, [1, 2, 3]))") + i, options);
    EXPECT_NEAR(evaluate(rate, values), evaluate(wanted, values), 1e-15);
    const Expression of_matrix = parse(std::string("(R'*[1, 2, 3])") + i, options);
    EXPECT_NEAR(evaluate(of_matrix, values), evaluate(wanted, values), 1e-15);
  }
}

TEST(Rotations, names_of_entries_are_read_as_they_are_printed) {
  const Model model = with("");
  for (const auto* list : {&model.system.coordinates(), &model.system.velocities()}) {
    for (const Expression& s : *list) EXPECT_EQ(parse(to_text(s)), s) << to_text(s);
  }
  EXPECT_EQ(to_latex(Expression::symbol("R.omega3")), "\\omega_{R,3}");
  EXPECT_EQ(to_latex(Expression::symbol("R[1,2]")), "R_{12}");
}

}  // namespace rotations_test
}  // namespace rattleback
