#pragma once

#include <functional>
#include <optional>

namespace rattleback {

/// The zero of f between 0 and 1, to round-off, where its values at both ends are known and have different signs.
/// Nothing if f is not defined somewhere on the way.
std::optional<double> find_crossing(const std::function<double(double)>& f, double at_zero, double at_one);
/// The same between other ends.
std::optional<double> find_crossing(const std::function<double(double)>& f, double first, double last, double at_first,
                                    double at_last);

}  // namespace rattleback
