#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback {

/// How the rows of a table become one number.
struct NamedReduction {
  std::string_view name;
  double (*reduce)(const std::vector<double>&);  ///< of at least one number
  double (*reduce_pairs)(const std::vector<double>& x, const std::vector<double>& y) = nullptr;  ///< instead
  std::size_t most_rows = static_cast<std::size_t>(-1);  ///< that do not take long
};

const NamedReduction* find_reduction(std::string_view name);
std::vector<std::string> reduction_names();

}  // namespace rattleback
