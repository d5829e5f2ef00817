// Slots by name: a map finds its numbers wherever they stand.

#include "rattleback/mech/compiled_map.hpp"

#include <gtest/gtest.h>

#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace compiled_map_test {

TEST(Layouts, know_where_slots_are) {
  Layout layout;
  layout.add(Slot::position, 3);
  layout.add(Slot::parameters, 2);
  layout.insert_after(Slot::position, Slot::velocity, 3);
  EXPECT_EQ(layout.size(), 8u);
  EXPECT_EQ(layout[Slot::velocity].begin, 3u);
  EXPECT_EQ(layout[Slot::parameters].begin, 6u);
  EXPECT_EQ(layout[Slot::parameters].end(), 8u);
  EXPECT_FALSE(layout.has(Slot::step));
  EXPECT_EQ(layout.size(Slot::step), 0u);
  EXPECT_THROW(layout[Slot::step], std::logic_error);
  EXPECT_THROW(layout.add(Slot::position, 1), std::logic_error) << "twice";
  EXPECT_THROW(layout.insert_after(Slot::step, Slot::state, 1), std::logic_error) << "after nothing";
  std::vector<double> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(layout.of(numbers, Slot::velocity)[0], 3.0);
  EXPECT_TRUE(layout.of(numbers, Slot::step).empty());
}

/// The unconstrained fall of a body with a force that depends on a parameter: a = g.
Problem falling() {
  const Expression x = Expression::symbol("x");
  const Expression g = Expression::symbol("g");
  const System system({x}, 0.5 * sq(Expression::symbol("x'")) + g * x, {}, {{"g", 2.0}});
  return {system, {3.0}, {{1.0}, {-1.0}}, 0.5};
}

TEST(CompiledMaps, are_called_with_slots_in_any_order) {
  const Problem problem = falling();
  ImplicitSystem reordered;  // the same equations, with other places of the data
  const ImplicitSystem motion = accelerations(problem.system);
  reordered.take(Slot::parameters, problem.system.parameters());
  reordered.take(Slot::velocity, problem.system.velocities());
  reordered.take(Slot::position, problem.system.coordinates());
  reordered.solve_as(motion);
  reordered.give(Slot::multipliers, motion.given(Slot::multipliers));
  reordered.give(Slot::acceleration, motion.given(Slot::acceleration));
  for (const ImplicitSystem& map : {motion, reordered}) {
    CompiledMap compiled(map, problem);
    ASSERT_TRUE(compiled.run(problem.start));
    EXPECT_EQ(compiled(Slot::acceleration)[0], 3.0);
    compiled.surround(0.0, std::vector{5.0});
    ASSERT_TRUE(compiled.run());
    EXPECT_EQ(compiled(Slot::acceleration)[0], 5.0);
  }
}

TEST(CompiledMaps, begin_with_the_numbers_of_a_problem) {
  const Problem problem = falling();
  const Layout layout = map_of_node(problem.system).data_layout;
  EXPECT_EQ(data_of(layout, problem), (std::vector{1.0, -1.0, 3.0}));
  Problem wrong = problem;
  wrong.parameters = {1.0, 2.0};
  EXPECT_THROW(data_of(layout, wrong), std::invalid_argument);
}

TEST(CompiledMaps, of_functions_need_no_step) {
  const Problem problem = falling();
  CompiledMap watched = CompiledMap::functions(observables(problem.system), problem);
  ASSERT_TRUE(watched.run({{1.0}, {2.0}}));
  EXPECT_EQ(watched(Slot::energy)[0], 0.5 * 4.0 - 3.0 * 1.0);
  EXPECT_TRUE(watched(Slot::constraints).empty());
}

}  // namespace compiled_map_test
}  // namespace rattleback
