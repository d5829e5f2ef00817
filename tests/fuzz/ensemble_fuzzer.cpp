// Any bytes are a file of an ensemble or get an error of ours.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rattleback/base/error.hpp"
#include "rattleback/ensemble/ensemble_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    rattleback::read_ensemble({reinterpret_cast<const char*>(bytes), size}, "fuzz.toml");
  } catch (const rattleback::Error&) {
  }
  return 0;
}
