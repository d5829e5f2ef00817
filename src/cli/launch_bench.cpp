// `rattleback bench` is a program of its own: what Rattleback is compared with is compiled for the processor of the
// machine it was built on, and must not mix with the rest.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "bench_options.hpp"
#include "commands.hpp"
#include "rattleback/base/installation.hpp"

namespace rattleback::cli {
namespace {

constexpr const char* bench_program_name = "rattleback-bench";

[[noreturn]] void launch(const std::vector<std::string>& words) {
  for (const auto& path : places_to_look(bench_program_name, Part::library)) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    std::string name = "rattleback";
    std::string command = "bench";
    std::vector<std::string> own = words;
    std::vector<char*> arguments{name.data(), command.data()};
    for (std::string& word : own) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    throw SystemFailure(fmt::format("cannot start {}: {}", path.string(), std::strerror(errno)));
  }
  throw SystemFailure(
      fmt::format("{} is not there: packages do not have it, because it is built "
                  "for the processor it runs on; 'make build' builds it",
                  bench_program_name));
}

}  // namespace

Command bench_command() {
  auto described = std::make_shared<BenchOptions>();  // the words are read by the program that is launched
  Command command = describe_bench(*described);
  command.forward = [described](const std::vector<std::string>& words) { launch(words); };
  return command;
}

}  // namespace rattleback::cli
