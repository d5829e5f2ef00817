// In a program of its own: nothing else may compile before it.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rattleback/kernel/kernel.hpp"

namespace rattleback {
namespace {

bool llvm_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find("libLLVM") != std::string::npos) return true;
  }
  return false;
}

TEST(Compiler, is_loaded_only_when_something_is_compiled) {
  const Expression x = Expression::symbol("x");
  const Program p = make_program(std::vector{x}, std::vector{sin(x)});
  const Kernel interpreted(p, 1, Backend::interpreted);
  EXPECT_FALSE(llvm_is_loaded());
  const Kernel compiled(p, 1, Backend::compiled);
  EXPECT_TRUE(llvm_is_loaded());
  EXPECT_TRUE(compiled.is_compiled());
}

}  // namespace
}  // namespace rattleback
