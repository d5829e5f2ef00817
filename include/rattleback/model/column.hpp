#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rattleback {

/// What a column of results is about.
enum class ColumnKind : std::uint8_t {
  time,
  position,
  velocity,
  momentum,
  multiplier,
  energy,
  work,        ///< done on the system since the start
  constraint,  ///< the residual of a row
  holonomic,   ///< the residual of a holonomic constraint itself
  conserved,
  observed,
  error,  ///< of another column
  other,
};

/// The name of a column about the coordinate, row or quantity `of`: x, x', p_x, multiplier_1, constraint_1, …; time,
/// energy and work are about nothing else.
std::string column_name(ColumnKind kind, std::string_view of = {});

/// Whether a column of a trajectory may have this name whatever the names of the model are.
bool is_column_name(std::string_view name);

}  // namespace rattleback
