#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "exit_status.hpp"
#include "version.hpp"

int main(int argc, char** argv) {
  using namespace rattleback;
  CLI::App app{"Simulates bodies that roll, skate and steer with integrators that preserve their structure."};
  app.name("rattleback");
  app.set_version_flag("--version", std::string("rattleback ") + version);
  app.require_subcommand(1);
  app.footer("Example:\n  rattleback demo\n\nExit status: 0 done, 1 the answer is no, 2 the request is wrong, "
             "3 the numerics failed, 4 files or system.");
  cli::add_demo(app);
  try {
    app.parse(argc, argv);
    return static_cast<int>(cli::ExitStatus::done);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "rattleback: %s\nRun 'rattleback --help' for what is possible.\n", e.what());
    return static_cast<int>(cli::ExitStatus::wrong_request);
  } catch (const cli::Failure& e) {
    std::fprintf(stderr, "rattleback: %s\n", e.what());
    return static_cast<int>(e.status());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rattleback: %s\n", e.what());
    return static_cast<int>(cli::ExitStatus::system);
  }
}
