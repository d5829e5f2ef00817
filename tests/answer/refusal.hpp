#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rattleback/base/error.hpp"

namespace rattleback::test {

/// A request is refused with this kind of error, whose message has these words.
template <class Ask>
void expect_refused(Error::Kind kind, const std::string& words, Ask&& ask) {
  try {
    ask();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

}  // namespace rattleback::test
