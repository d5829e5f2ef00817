#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/io/result_file.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/reference.hpp"
#include "terminal.hpp"
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

/// Who is to blame: the request, the numbers, or the machine.
ExitStatus status_of(const std::exception& error) {
  const auto is = [&]<class... E>() { return (... || (dynamic_cast<const E*>(&error) != nullptr)); };
  if (is.operator()<ModelError, SystemError, StartError, MethodError, ResumeError, ExpressionError, StructureError>()) {
    return ExitStatus::wrong_request;
  }
  if (is.operator()<FlowError>()) return ExitStatus::numerics_failed;
  return ExitStatus::system;
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
      "Example:\n  rattleback run chaplygin-sleigh -o sleigh.h5\n\nExit status: 0 done, 1 the answer is no, 2 the request or "
      "the model is wrong,\n3 the numerics failed and everything up to there is saved, 4 files or system, 130 interrupted.");
  cli::add_models(app);
  cli::add_show(app);
  cli::add_run(app);
  cli::add_compare(app);
  cli::add_demo(app);
  cli::remember_command_line(argc, argv);
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
    return cli::complain(e.what(), cli::status_of(e));
  }
}
