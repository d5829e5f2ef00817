#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "command_line.hpp"
#include "exit_status.hpp"
#include "help.hpp"
#include "printable.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

constexpr const char* out_of_memory = "out of memory; make the problem smaller, or free some memory on this machine";

int complain(const std::string& message, Error::Kind kind) {
  say(fmt::format("rattleback: {}\n", message), stderr);
  return static_cast<int>(kind);
}

/// Output that could not be written is not an answer.
int cannot_write(const std::string& reason) {
  return complain(fmt::format("cannot write to standard output: {}; free some space", reason), Error::Kind::system);
}

int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return cannot_write(std::strerror(errno));
}

int defect(const std::exception& e) {
  return complain(fmt::format("a defect of rattleback, please report it: {}", e.what()), Error::Kind::system);
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
  } catch (const std::bad_alloc&) {
    return complain(out_of_memory, Error::Kind::system);
  } catch (const std::length_error&) {  // more than there are addresses
    return complain(out_of_memory, Error::Kind::system);
  } catch (const std::filesystem::filesystem_error& e) {
    return complain(fmt::format("{} cannot be used: {}", e.path1().string(), e.code().message()), Error::Kind::system);
  } catch (const std::system_error& e) {  // fmt says so of texts that are longer than a buffer
    return std::ferror(stdout) != 0 ? cannot_write(e.code().message()) : defect(e);
  } catch (const std::exception& e) {
    return defect(e);
  }
}
