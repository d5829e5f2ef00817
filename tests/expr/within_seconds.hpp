#pragma once

#include <gtest/gtest.h>

#include <ctime>

namespace rattleback::test {

/// A guard against hanging, many times what any of these texts should need; in seconds of the processor, which others
/// may be using too.
template <class Work>
void within_seconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20.0);
}

}  // namespace rattleback::test
