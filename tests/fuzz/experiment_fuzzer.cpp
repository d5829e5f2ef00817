// Any bytes are an experiment or get an error of ours.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rattleback/base/error.hpp"
#include "rattleback/experiment/experiment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    rattleback::read_experiment({reinterpret_cast<const char*>(bytes), size}, "fuzz.toml");
  } catch (const rattleback::Error&) {
  }
  return 0;
}
