// What holds for every wrong input: the status, the message, and that nothing is left that misleads. The cases are in
// wrong_command_line_test.cpp, wrong_model_test.cpp and wrong_run_test.cpp.

#include "wrong_input.hpp"

namespace rattleback::test {
namespace {

/// Whether a text may go to a terminal: UTF-8 without control characters other than the end of a line.
bool is_printable(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80U   ? 1
                               : first < 0xC2U ? 0
                               : first < 0xE0U ? 2
                               : first < 0xF0U ? 3
                               : first < 0xF5U ? 4
                                               : 0;
    if (length == 0 || i + length > text.size()) return false;
    if ((first < 0x20U && first != '\n') || first == 0x7FU) return false;
    if (first == 0xC2U && static_cast<unsigned char>(text[i + 1]) < 0xA0U) return false;  // U+0080 to U+009F
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace

TEST_P(WrongInputs, gets_the_status_and_a_message_with_place_cause_and_remedy) {
  const WrongInput& wrong = GetParam();
  if (!wrong.model.empty()) std::ofstream(directory_ / "m.toml", std::ios::binary) << wrong.model;
  if (!wrong.before.empty()) shell(wrong.before, "before");
  const int status = shell(wrong.command, "command");
  const std::string message = content(directory_ / "command.stderr");
  SCOPED_TRACE(wrong.command + "\n" + message);

  EXPECT_EQ(status, wrong.status) << (status == 124 ? "it did not end" : "");
  for (const std::string& fragment : wrong.says) EXPECT_TRUE(contains(message, fragment));
  for (const std::string& fragment : wrong.never)
    EXPECT_FALSE(contains(message, fragment)) << "misleading: " << fragment;

  // What holds for every message: it says who speaks, once, and it is fit for a terminal and for people.
  EXPECT_TRUE(message.starts_with("rattleback: "));
  EXPECT_FALSE(contains(message, "\nrattleback: "));
  EXPECT_TRUE(is_printable(message)) << "control characters or broken UTF-8";
  EXPECT_FALSE(contains(message, "-nan")) << "a number that is none has no sign";
  if (wrong.status == wrong_request) {
    EXPECT_EQ(content(directory_ / "command.stdout"), "") << "standard output is for answers";
  }
  EXPECT_EQ(shell(wrong.afterwards, "afterwards"), 0) << wrong.afterwards;
}

}  // namespace rattleback::test
