#include "crossing.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

namespace rattleback {

std::optional<double> find_crossing(const std::function<double(double)>& f, double at_zero, double at_one) {
  return find_crossing(f, 0.0, 1.0, at_zero, at_one);
}

std::optional<double> find_crossing(const std::function<double(double)>& f, double first, double last, double at_first,
                                    double at_last) {
  if (at_first == 0.0) return first;
  if (!std::isfinite(at_first) || !std::isfinite(at_last) || (at_first < 0.0) == (at_last < 0.0)) return std::nullopt;
  bool undefined = false;
  const auto watched = [&](double s) {
    const double value = undefined ? 0.0 : f(s);
    undefined = undefined || !std::isfinite(value);
    return undefined ? 0.0 : value;  // ends the search
  };
  std::uintmax_t evaluations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      watched, first, last, at_first, at_last, boost::math::tools::eps_tolerance<double>(53), evaluations);
  const double zero = low == high || std::abs(watched(low)) <= std::abs(watched(high)) ? low : high;
  if (undefined) return std::nullopt;
  return zero;
}

}  // namespace rattleback
