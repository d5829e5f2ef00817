#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "command_line.hpp"
#include "exit_status.hpp"
#include "help.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

/// A text as a terminal may show it: names and excerpts of files can contain anything.
std::string printable(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80U ? 1 : first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
    bool valid = first < 0x80U || (first >= 0xC2U && first <= 0xF4U && i + length <= text.size());
    for (std::size_t k = 1; valid && k < length; ++k)
      valid = (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
    const bool control = (first < 0x20U && first != '\n') || first == 0x7FU ||
                         (valid && first == 0xC2U && static_cast<unsigned char>(text[i + 1]) < 0xA0U);
    if (valid && !control) {
      clean += text.substr(i, length);
    } else {
      clean += '?';
    }
    i += valid ? length : 1;
  }
  return clean;
}

int complain(const std::string& message, Error::Kind kind) {
  std::fprintf(stderr, "rattleback: %s\n", printable(message).c_str());
  return static_cast<int>(kind);
}

/// Output that could not be written is not an answer.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return complain(fmt::format("cannot write to standard output: {}; free some space", std::strerror(errno)),
                  Error::Kind::system);
}

void perform(const Wish& wish, int argc, char** argv) {
  switch (wish.kind) {
    case Wish::Kind::help:
      fmt::print("{}", wish.command != nullptr ? help_text(program(), *wish.command) : help_text(program()));
      break;
    case Wish::Kind::version: fmt::print("{} {}\n", program().name, program().version); break;
    case Wish::Kind::command:
      if (wish.command->forward) {
        wish.command->forward({argv + 2, argv + argc});
      } else {
        wish.command->action();
      }
      break;
  }
}

}  // namespace
}  // namespace rattleback::cli

int main(int argc, char** argv) {
  using namespace rattleback::cli;
  using rattleback::Error;
  remember_command_line(argc, argv);
  const Command* command = nullptr;
  try {
    const Wish wish = parse(program(), argc, argv);
    command = wish.command;
    perform(wish, argc, argv);
    return finish(done);
  } catch (const Error& e) {
    return complain(command != nullptr ? command->in_its_words(e.what()) : e.what(), e.kind());
  } catch (const std::exception& e) {
    return complain(e.what(), Error::Kind::system);
  }
}
