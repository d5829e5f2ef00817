// Any bytes are either a quantity or give a ParseError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rattleback/experiment/quantity.hpp"
#include "rattleback/expr/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    rattleback::parse_quantity(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const rattleback::ParseError&) {
  }
  return 0;
}
