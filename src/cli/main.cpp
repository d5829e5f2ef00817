#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/expr/parse.hpp"
#include "version.hpp"

namespace rattleback::cli {
namespace {

int complain(const std::string& message, ExitStatus status) {
  std::fprintf(stderr, "rattleback: %s\n", message.c_str());
  return static_cast<int>(status);
}

/// What is wrong with a command line, and what could have been meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = error.what();
  if (argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
    message = "there is no command '" + std::string(argv[1]) + "'";
    if (const auto meant = closest_name(argv[1], names)) message += "; did you mean '" + *meant + "'?";
  } else if (argc == 1) {
    message = "a command is missing";
  } else if (app.get_subcommands().empty()) {
    message = "there is no option '" + std::string(argv[1]) + "'";
  }
  return message + "\nRun 'rattleback --help' for what is possible.";
}

}  // namespace
}  // namespace rattleback::cli

int main(int argc, char** argv) {
  using namespace rattleback;
  CLI::App app{"Simulates bodies that roll, skate and steer with integrators that preserve their structure."};
  app.name("rattleback");
  app.set_version_flag("--version", std::string("rattleback ") + version);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  rattleback demo\n\nExit status: 0 done, 1 the answer is no, 2 the request is wrong, "
      "3 the numerics failed, 4 files or system.");
  cli::add_demo(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(cli::ExitStatus::done);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return cli::complain(cli::explain(app, e, argc, argv), cli::ExitStatus::wrong_request);
  } catch (const cli::Failure& e) {
    return cli::complain(e.what(), e.status());
  } catch (const std::exception& e) {
    return cli::complain(e.what(), cli::ExitStatus::system);
  }
}
