// Any bytes are a checkpoint or get a FileError, also those whose checksum is right.

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/checkpoint_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(bytes), size);
  for (const std::string& text : {body, rattleback::with_checksum(body)}) {
    try {
      rattleback::read_checkpoint(text, "fuzz.checkpoint");
    } catch (const rattleback::FileError&) {
    }
  }
  return 0;
}
