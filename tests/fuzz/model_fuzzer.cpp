// Any bytes are a model file or get a ModelError: no crash, no other exception, no endless loop. What was accepted can
// be shown in the words of its author.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rattleback/model/model.hpp"
#include "rattleback/model/written.hpp"

namespace {

void check(const rattleback::Model& model) noexcept {
  const std::size_t n = model.system.dimension();
  if (n == 0 || model.system.momenta().size() != n) std::abort();
  const std::size_t positions = model.system.space().positions();
  if (model.initial && (model.initial->q.size() != positions || model.initial->v.size() != n)) std::abort();
  if (written(model).forces.size() > n) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    check(rattleback::read_model({reinterpret_cast<const char*>(bytes), size}, "fuzz.toml"));
  } catch (const rattleback::ModelError&) {
  }
  return 0;
}
