#include "adams.hpp"

#include <fmt/format.h>

#include <bit>

#include "../base/plugin.hpp"
#include "base/parts.hpp"
#include "rattleback/base/error.hpp"

namespace rattleback {
namespace {

AdamsFactory load() {
  if (!built_with_cvode)
    throw SystemFailure(
        "cvode, which is the reference solution of equations that are not smooth, needs CVODE: this build has none "
        "(RATTLEBACK_CVODE=OFF)");
  try {
    return std::bit_cast<AdamsFactory>(load_plugin({"librattleback-cvode.so", adams_entry_name}, [](void* entry) {
      return std::bit_cast<void*>(std::bit_cast<AdamsEntry>(entry)(adams_layout()));
    }));
  } catch (const PluginMissing& missing) {
    throw SystemFailure(fmt::format(
        "cvode, which is the reference solution of equations that are not smooth, needs CVODE, and its library cannot "
        "be loaded; another method does not need it; tried{}",
        missing.what()));
  }
}

}  // namespace

std::unique_ptr<Integrator> make_adams(const MotionEquations& equations) {
  static const AdamsFactory factory = load();
  return std::unique_ptr<Integrator>(factory(equations));
}

}  // namespace rattleback
