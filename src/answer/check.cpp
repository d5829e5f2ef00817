#include "check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "rattleback/base/error.hpp"

namespace rattleback::answer {

double require_positive(double value, const char* field) {
  if (!std::isfinite(value)) throw RequestError(fmt::format("`{}` must be a finite number, found {}", field, value));
  if (!(value > 0.0)) throw RequestError(fmt::format("`{}` must be positive, found {}", field, value));
  return value;
}

std::int64_t require_positive(std::int64_t value, const char* field) {
  if (value <= 0) throw RequestError(fmt::format("`{}` must be positive, found {}", field, value));
  if (value > most_steps) throw RequestError(fmt::format("`{}` must be at most 2^53, found {}", field, value));
  return value;
}

std::vector<MethodSpec> require_methods(const std::vector<std::string>& methods) {
  if (methods.empty()) throw MethodError("`methods` needs at least one method");
  return {methods.begin(), methods.end()};
}

void require_applicable(bool any, const std::vector<InapplicableMethod>& others) {
  if (any) return;
  std::vector<std::string> reasons;
  for (const auto& [method, reason] : others) reasons.push_back(fmt::format("{}: {}", method, reason));
  if (reasons.size() == 1) throw MethodError(reasons.front());
  throw MethodError(fmt::format("none of these methods applies:\n  {}", fmt::join(reasons, "\n  ")));
}

void require_folder(const std::string& path, const char* field) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  throw FileError(fmt::format("`{}` '{}': the folder {} does not exist", field, path, folder.string()));
}

}  // namespace rattleback::answer
