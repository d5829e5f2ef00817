// What is said about a system before it runs.

#include "rattleback/mech/diagnosis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace diagnosis_test {

std::vector<Expression> parse_list(const std::vector<std::string>& texts) {
  std::vector<Expression> list;
  for (const std::string& text : texts) list.push_back(parse(text));
  return list;
}

System make(const std::vector<std::string>& coordinates, const std::string& lagrangian,
            const std::vector<std::string>& constraints, const std::vector<std::string>& holonomic = {}) {
  SystemDefinition definition;
  definition.coordinates = parse_list(coordinates);
  definition.lagrangian = parse(lagrangian);
  definition.constraints = parse_list(constraints);
  definition.holonomic = parse_list(holonomic);
  return System(definition);
}

const char* const free_in_space = "0.5*(x'^2 + y'^2 + z'^2)";

std::string start_error(const System& system, const State& state) {
  try {
    require_regular_start(system, system.parameter_values(), state);
  } catch (const StartError& error) {
    return error.what();
  }
  return "";
}

testing::AssertionResult says(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos)
      return testing::AssertionFailure() << "'" << part << "' is not in: " << message;
  }
  return testing::AssertionSuccess();
}

TEST(Diagnosis, a_contact_form_is_not_integrable) {
  const System s = make({"x", "y", "z"}, free_in_space, {"z' - y*x'"});
  const ConstraintReport r = examine_constraints(s, {}, {{0.0, 0.0, 0.0}, {}});
  EXPECT_EQ(r.generic_rank, 1U);
  EXPECT_TRUE(r.integrable.empty());
  EXPECT_FALSE(r.all_integrable);
  EXPECT_FALSE(find_rank_drop(s, {}, {{0.0, 0.0, 0.0}, {}}));
}

TEST(Diagnosis, holonomic_constraints_in_disguise_are_found) {
  // d(x² + y² z) = 2x dx + 2yz dy + y² dz, multiplied by a function that hides it.
  const System s = make({"x", "y", "z"}, free_in_space, {"exp(x*y)*(2*x*x' + 2*y*z*y' + y^2*z')"});
  const ConstraintReport r = examine_constraints(s, {}, {{1.0, 1.0, 1.0}, {}});
  EXPECT_EQ(r.integrable, std::vector<std::size_t>{0});
  EXPECT_TRUE(r.all_integrable);
}

TEST(Diagnosis, one_integrable_constraint_among_others_is_named) {
  const System s = make({"x", "y", "z", "w"}, "0.5*(x'^2 + y'^2 + z'^2 + w'^2)", {"z' - y*x'", "w' - 2*w*x'"});
  const ConstraintReport r = examine_constraints(s, {}, {{0.0, 0.0, 0.0, 1.0}, {}});
  EXPECT_EQ(r.integrable, std::vector<std::size_t>{1});
  EXPECT_FALSE(r.all_integrable);
}

TEST(Diagnosis, constraints_may_be_integrable_together_only) {
  // ker{dx − z dy, dz} is spanned by a single field in R³ — always integrable; the first form alone is a contact form.
  const System s = make({"x", "y", "z"}, free_in_space, {"x' - z*y'", "z'"});
  const ConstraintReport r = examine_constraints(s, {}, {{0.0, 0.0, 0.3}, {}});
  EXPECT_EQ(r.integrable, std::vector<std::size_t>{1});
  EXPECT_TRUE(r.all_integrable);
}

TEST(Diagnosis, an_affine_constraint_is_a_form_on_space_and_time) {
  // x' = 1 integrates to x = x₀ + t; x' − y z' + 1 does not integrate.
  const System moving = make({"x", "y", "z"}, free_in_space, {"x' - 1"});
  EXPECT_TRUE(examine_constraints(moving, {}, {{0.0, 0.0, 0.0}, {}}).all_integrable);
  // In two dimensions x' − y·y' is integrable; with the affine part x it is not: d(dx − y dy + x dt) = dx∧dt.
  const System two = make({"x", "y"}, "0.5*(x'^2 + y'^2)", {"x' - y*y'"});
  EXPECT_TRUE(examine_constraints(two, {}, {{0.2, 0.1}, {}}).all_integrable);
  const System affine = make({"x", "y"}, "0.5*(x'^2 + y'^2)", {"x' - y*y' + x"});
  EXPECT_FALSE(examine_constraints(affine, {}, {{0.2, 0.1}, {}}).all_integrable);
}

TEST(Diagnosis, redundant_constraints_are_named) {
  const System s = make({"x", "y", "z"}, free_in_space, {"z' - y*x'", "y'", "x*z' - x*y*x' + 2*y'"});
  const State start{{1, 1, 0}, {0, 0, 0}};
  const ConstraintReport r = examine_constraints(s, {}, start);
  EXPECT_EQ(r.generic_rank, 2U);
  EXPECT_EQ(r.redundant, std::vector<std::size_t>{2});
  EXPECT_TRUE(says(start_error(s, start), {"constraint 3", "is redundant", "everywhere; remove it"}));
}

TEST(Diagnosis, a_start_where_the_rank_drops_is_refused) {
  const System s = make({"x", "y", "z"}, free_in_space, {"z' - y*x'", "z' - x*y'"});
  EXPECT_EQ(start_error(s, {{1, 2, 0}, {0, 0, 0}}), "");
  EXPECT_TRUE(says(start_error(s, {{0, 0, 0}, {0, 0, 0}}),
                   {"rank 1 at q = [0, 0, 0] and 2 elsewhere", "constraint 2 (0 = ", "start from another position"}));
}

TEST(Diagnosis, a_configuration_where_the_rank_drops_is_found) {
  // Both rows are multiples of dz exactly where x = y = 0.
  const System s = make({"x", "y", "z"}, free_in_space, {"z' - y*x'", "z' - x*y'"});
  const auto drop = find_rank_drop(s, {}, {{1.0, 2.0, 0.0}, {}});
  ASSERT_TRUE(drop);
  EXPECT_NEAR(drop->q[0], 0.0, 1e-6);
  EXPECT_NEAR(drop->q[1], 0.0, 1e-6);
  EXPECT_EQ(drop->rows, (std::vector<std::size_t>{0, 1}));
  // A single row that vanishes at x = 0.
  const auto vanishing = find_rank_drop(make({"x", "y"}, "0.5*(x'^2 + y'^2)", {"x*y'"}), {}, {{1.0, 0.0}, {}});
  ASSERT_TRUE(vanishing);
  EXPECT_NEAR(vanishing->q[0], 0.0, 1e-9);
  // One that only fades at infinity never vanishes.
  EXPECT_FALSE(find_rank_drop(make({"x", "y"}, "0.5*(x'^2 + y'^2)", {"exp(-x)*y'"}), {}, {{1.0, 0.0}, {}}));
}

TEST(Diagnosis, integrable_forms_with_cancelling_derivatives_are_recognised) {
  // d(xyz/D) with D = 1 + x² + y²: its exterior derivative is zero up to rounding only.
  const System s = make({"x", "y", "z"}, free_in_space,
                        {"D = 1 + x^2 + y^2; x'*y*z/D - 2*x^2*y*z*x'/D^2 + y'*x*z/D - 2*x*y^2*z*y'/D^2 + z'*x*y/D"});
  EXPECT_TRUE(examine_constraints(s, {}, {{1.0, 1.0, 1.0}, {}}).all_integrable);
}

TEST(Diagnosis, units_do_not_make_a_system_singular) {
  EXPECT_EQ(start_error(make({"x", "phi"}, "0.5*1e9*x'^2 + 0.5*1e-6*phi'^2", {}), {{0, 0}, {1, 1}}), "");
  EXPECT_EQ(start_error(make({"x", "y", "th"}, "x'^2 + y'^2 + th'^2", {"x' - 1e12*th'", "y' - 1e12*th'"}),
                        {{0, 0, 0}, {0, 0, 0}}),
            "");
}

TEST(Diagnosis, rank_drops_are_searched_for_on_the_holonomic_constraints) {
  const System pendulum = make({"x", "y"}, "0.5*(x'^2 + y'^2) - y", {}, {"x^2 + y^2 - 1"});
  EXPECT_FALSE(find_rank_drop(pendulum, {}, {{1.0, 0.0}, {}})) << "(0, 0) is not on the circle";
  EXPECT_FALSE(examine_constraints(pendulum, {}, {{1.0, 0.0}, {}}).all_integrable) << "nothing is in disguise";
  const System cone = make({"x", "y"}, "0.5*(x'^2 + y'^2)", {}, {"x^2 - y^2"});
  EXPECT_TRUE(find_rank_drop(cone, {}, {{1.0, 1.0}, {}}));
}

TEST(Diagnosis, rank_drops_are_found_whatever_the_scale_of_the_rows) {
  const System s =
      make({"x", "y", "z", "w"}, "x'^2 + y'^2 + z'^2 + w'^2", {"z'*cos(x) - w'*sin(x)", "50*(x*x' + y*y'*3)"});
  const auto drop = find_rank_drop(s, {}, {{1.0, 1.0, 0.0, 0.0}, {}});
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->rows, std::vector<std::size_t>{1});
}

TEST(Diagnosis, contradictions_are_not_called_redundant) {
  const System s = make({"x", "y"}, "x'^2 + y'^2", {"x' - 1", "x' - 2"});
  EXPECT_EQ(examine_constraints(s, {}, {{0.0, 0.0}, {}}).contradictory, std::vector<std::size_t>{1});
  EXPECT_TRUE(says(start_error(s, {{0, 0}, {1, 0}}), {"constraint 2", "contradicts the constraints before it"}));
}

TEST(Diagnosis, what_cannot_be_judged_is_not_judged) {
  const System s = make({"x", "y"}, "x'^2 + y'^2", {"x' + sqrt(1e-8 - x^2)*y'"});
  EXPECT_FALSE(examine_constraints(s, {}, {{0.0, 1.0}, {}}).judged);
}

TEST(Diagnosis, small_units_do_not_make_a_symmetry) {
  SystemDefinition d;
  d.coordinates = parse_list({"x", "y"});
  d.lagrangian = parse("1e-12*(0.5*(x'^2 + y'^2) - 9.8*x)");
  d.symmetries = {{"translation of x", parse_list({"1", "0"})}};
  EXPECT_EQ(broken_symmetries(System(d), {}, {{0, 0}, {0, 0}}).size(), 1U);
}

TEST(Diagnosis, a_direction_without_inertia_is_named) {
  const System s = make({"x", "y", "z"}, "0.5*(x'^2 + (y' + z')^2)", {});
  const PointReport r = examine(s, {}, {{0, 0, 0}, {0, 0, 0}});
  ASSERT_EQ(r.massless_direction.size(), 3U);
  EXPECT_NEAR(std::abs(r.massless_direction[1]), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(r.massless_direction[1] + r.massless_direction[2], 0.0, 1e-12);
  EXPECT_TRUE(says(start_error(s, {{0, 0, 0}, {0, 0, 0}}),
                   {"not regular", "y: ", "z: ", "is a mass or a moment of inertia zero?"}));
}

TEST(Diagnosis, a_massless_coordinate_that_is_constrained_is_regular) {
  // z has no inertia of its own, but z' = y x' ties it down.
  EXPECT_EQ(start_error(make({"x", "y", "z"}, "0.5*(x'^2 + y'^2)", {"z' - y*x'"}), {{1, 1, 0}, {1, 0, 1}}), "");
}

TEST(Diagnosis, inconsistent_velocities_come_with_the_nearest_consistent_ones) {
  const System s = make({"x", "y", "z"}, "0.5*(2*x'^2 + y'^2 + 3*z'^2)", {"z' - y*x'"});
  const State start{{0, 2, 0}, {1, 1, 1}};
  const PointReport r = examine(s, {}, start);
  EXPECT_FALSE(r.consistent);
  EXPECT_DOUBLE_EQ(r.velocity_residuals[0], -1.0);
  ASSERT_TRUE(r.projected);
  // By hand: minimise (x'−1)² + 3/2 (z'−1)² with z' = 2x': x' = 4/7, z' = 8/7.
  EXPECT_NEAR(r.projected->v[0], 4.0 / 7.0, 1e-15);
  EXPECT_NEAR(r.projected->v[1], 1.0, 1e-15);
  EXPECT_NEAR(r.projected->v[2], 8.0 / 7.0, 1e-15);
  EXPECT_TRUE(says(start_error(s, start), {"constraint 1 (0 = ", "the velocity gives -1, a sum of terms of size 3",
                                           "v = [0.571428571428571"}));
  EXPECT_EQ(start_error(s, *r.projected), "") << "the advice can be followed";
}

TEST(Diagnosis, rounding_of_functions_is_no_inconsistency) {
  const System s = make({"x", "y", "phi"}, "0.5*(x'^2 + y'^2 + phi'^2)", {"x'*sin(phi) - y'*cos(phi)"});
  const double right_angle = std::acos(0.0);
  EXPECT_EQ(start_error(s, {{0, 0, right_angle}, {0, 1, 0}}), "");
  EXPECT_NE(start_error(s, {{0, 0, right_angle}, {1e-9, 1, 0}}), "");
}

TEST(Diagnosis, positions_off_a_holonomic_constraint_are_projected_too) {
  const System s = make({"x", "y"}, "0.5*(x'^2 + y'^2) - y", {}, {"x^2 + y^2 - 1"});
  const State start{{0.6, 0.9}, {1.0, 0.0}};
  const PointReport r = examine(s, {}, start);
  EXPECT_FALSE(r.consistent);
  ASSERT_TRUE(r.projected);
  EXPECT_NEAR(std::hypot(r.projected->q[0], r.projected->q[1]), 1.0, 1e-15);
  EXPECT_NEAR(r.projected->q[0] * r.projected->v[0] + r.projected->q[1] * r.projected->v[1], 0.0, 1e-15);
  EXPECT_TRUE(says(start_error(s, start), {"holonomic constraint 1", "the position gives 0.17", "q = [", "v = ["}));
  EXPECT_EQ(start_error(s, *r.projected), "");
}

TEST(Diagnosis, numbers_outside_the_domain_are_refused) {
  const System s = make({"x"}, "0.5*x'^2 + log(x)", {});
  EXPECT_TRUE(says(start_error(s, {{-1}, {0}}), {"outside the domain of the model", "log(x) is not finite there"}));
  EXPECT_TRUE(says(start_error(s, {{1, 2}, {0}}), {"the initial position has 2 entries, expected 1"}));
}

TEST(Diagnosis, declared_symmetries_are_verified) {
  SystemDefinition d;
  d.coordinates = parse_list({"x", "y", "z"});
  d.lagrangian = parse("0.5*(x'^2 + y'^2 + z'^2) - x^2 - y^2");
  d.constraints = parse_list({"z' - y*x'"});
  d.symmetries = {{"translation of z", parse_list({"0", "0", "1"})},
                  {"translation of x", parse_list({"1", "0", "0"})},
                  {"rotation", parse_list({"-y", "x", "0"})}};
  const auto broken = broken_symmetries(System(d), {}, {{0, 0, 0}, {0, 0, 0}});
  ASSERT_EQ(broken.size(), 2U);
  EXPECT_TRUE(says(broken[0], {"the Lagrangian is not invariant under translation of x", "its rate of change -2*x"}));
  EXPECT_TRUE(says(broken[1], {"constraint 1 is not invariant under rotation"}));
}

TEST(Diagnosis, constraints_need_to_be_invariant_only_as_a_whole) {
  // Under a rotation of the plane the two rows mix; the distribution is invariant.
  SystemDefinition d;
  d.coordinates = parse_list({"x", "y", "u", "w"});
  d.lagrangian = parse("0.5*(x'^2 + y'^2 + u'^2 + w'^2)");
  d.constraints = parse_list({"x' - u'", "y' - w'"});
  d.symmetries = {{"rotation", parse_list({"-y", "x", "-w", "u"})}};
  EXPECT_TRUE(broken_symmetries(System(d), {}, {{0, 0, 0, 0}, {0, 0, 0, 0}}).empty());
}

TEST(Diagnosis, declared_conserved_quantities_are_verified) {
  SystemDefinition d;
  d.coordinates = parse_list({"x", "y", "z"});
  d.lagrangian = parse("0.5*(x'^2 + y'^2 + z'^2) - x^2 - y^2");
  d.constraints = parse_list({"z' - y*x'"});
  d.conserved = {{"y_energy", parse("0.5*y'^2 + y^2")}, {"x_energy", parse("0.5*x'^2 + x^2")}};
  const auto broken = broken_conservation(System(d), {}, {{0, 0, 0}, {0, 0, 0}});
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_TRUE(says(broken[0], {"x_energy is not conserved", "its rate of change is "}));
}

TEST(Diagnosis, conservation_is_judged_on_the_constraints_only) {
  // A pendulum in Cartesian coordinates: the length is conserved, and so is the energy written differently.
  SystemDefinition d;
  d.coordinates = parse_list({"x", "y"});
  d.lagrangian = parse("0.5*(x'^2 + y'^2) - y");
  d.holonomic = parse_list({"x^2 + y^2 - 1"});
  d.conserved = {{"again", parse("0.5*(x*y' - y*x')^2 + y")}, {"height", parse("y")}};
  const auto broken = broken_conservation(System(d), {}, {{0, -1}, {1, 0}});
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_TRUE(says(broken[0], {"height is not conserved"}));
}

TEST(Diagnosis, forces_that_do_no_work_along_the_constraints_conserve_the_energy) {
  const auto conserved = [](const std::vector<std::string>& forces, const std::vector<std::string>& constraints) {
    SystemDefinition definition;
    definition.coordinates = parse_list({"x", "y", "z"});
    definition.lagrangian = parse(free_in_space);
    definition.constraints = parse_list(constraints);
    definition.applied_forces = parse_list(forces);
    return conserves_energy(System(definition), {}, {{1, 0.5, 0}, {0.2, 1, 0.1}});
  };
  EXPECT_TRUE(conserved({}, {"z' - y*x'"}));
  EXPECT_TRUE(conserved({"y'", "-x'", "0"}, {}));  // gyroscopic
  EXPECT_TRUE(conserved({"y'/(1 + x^2)", "-x'/(1 + x^2)", "0"}, {"z' - y*x'"}));
  EXPECT_TRUE(conserved({"-y*sin(x)", "0", "sin(x)"}, {"z' - y*x'"}));  // a multiple of the row of the constraint
  EXPECT_FALSE(conserved({"-y*sin(x)", "0", "sin(x)"}, {}));
  EXPECT_FALSE(conserved({"-1e-6*x'", "0", "0"}, {}));  // friction
  EXPECT_FALSE(conserved({}, {"z' - y*x' - 1"}));       // affine
}

}  // namespace diagnosis_test
}  // namespace rattleback
