// Any bytes are a model file or get a ModelError: no crash, no other exception, no endless loop.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rattleback/model/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const auto model = rattleback::read_model({reinterpret_cast<const char*>(bytes), size}, "fuzz.toml");
    // What was accepted is consistent.
    const std::size_t n = model.system.dimension();
    if (n == 0 || model.system.momenta().size() != n) std::abort();
    if (model.initial && (model.initial->q.size() != n || model.initial->v.size() != n)) std::abort();
  } catch (const rattleback::ModelError&) {
  }
  return 0;
}
