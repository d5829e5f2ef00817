#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/io/result_file.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/reference.hpp"
#include "terminal.hpp"
#include "rattleback/base/version.hpp"

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

int complain(const std::string& message, ExitStatus status) {
  std::fprintf(stderr, "rattleback: %s\n", printable(message).c_str());
  return static_cast<int>(status);
}

/// The word of a command line that the command does not know, and what could have been meant.
std::string explain_extra(const CLI::App& command, int argc, char** argv, const std::vector<std::string>& extras) {
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  for (int i = 2; i < argc; ++i) {  // in the order in which they were typed
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (name.empty() || name[0] != '-' || std::find(options.begin(), options.end(), name) != options.end()) continue;
    if (std::find(extras.begin(), extras.end(), word) == extras.end()) continue;
    const auto meant = closest_name(name, options);
    return fmt::format("'{}' has no option '{}'{}", command.get_name(), name,
                       meant ? fmt::format("; did you mean '{}'?", *meant) : "");
  }
  return fmt::format("'{}' is one word too many", extras.empty() ? "" : extras.front());
}

/// What is wrong with a command line, and what could have been meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto commands = app.get_subcommands();
  if (argc == 1) return "a command is missing\nRun 'rattleback --help' for what is possible.";
  if (commands.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
    const std::string word = argv[1];
    const auto meant = closest_name(word, names);
    return fmt::format("there is no {} '{}'{}\nRun 'rattleback --help' for what is possible.",
                       word[0] == '-' ? "option" : "command", word,
                       meant && word[0] != '-' ? fmt::format("; did you mean '{}'?", *meant) : "");
  }
  const CLI::App& command = *commands.front();
  std::string message = error.what();
  const std::string option = message.substr(0, message.find_first_of(": "));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    message = explain_extra(command, argc, argv, app.remaining(true));
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    message += option == "spec" ? "; docs/ensembles.md says how one is written"
                                : "; 'rattleback models' lists those there are";
  } else if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    message = "--steps and --time say the same in two ways: give one";
  } else if (message.find("At Most 1") != std::string::npos) {
    message = fmt::format("{} may be given only once", option);
  }
  return fmt::format("{}\nRun 'rattleback {} --help' for what is possible.", message, command.get_name());
}

/// Output that could not be written is not an answer.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return complain(fmt::format("cannot write to standard output: {}; free some space", std::strerror(errno)),
                  ExitStatus::system);
}

/// Who is to blame: the request, the numbers, or the machine.
ExitStatus status_of(const std::exception& error) {
  const auto is = [&]<class... E>() { return (... || (dynamic_cast<const E*>(&error) != nullptr)); };
  if (is.operator()<ModelError, EnsembleError, SystemError, StartError, MethodError, ResumeError, ExpressionError,
                    StructureError>()) {
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
      "Example:\n  rattleback run chaplygin-sleigh -o sleigh.h5\n\nExit status: 0 done, 1 the answer is no, 2 the "
      "request or "
      "the model is wrong,\n3 the numerics failed and everything up to there is saved, 4 files or system, 130 "
      "interrupted.");
#ifndef RATTLEBACK_BENCH_ALONE
  cli::add_models(app);
  cli::add_show(app);
  cli::add_analyse(app);
  cli::add_run(app);
  cli::add_compare(app);
  cli::add_converge(app);
  cli::add_modified(app);
  cli::add_measure(app);
  cli::add_ensemble(app);
  cli::add_reproduce(app);
  cli::add_demo(app);
#endif
  cli::add_bench(app);
  cli::remember_command_line(argc, argv);
  try {
    app.parse(argc, argv);
    return cli::finish(static_cast<int>(cli::ExitStatus::done));
  } catch (const CLI::Success& e) {  // --help, --version
    return cli::finish(app.exit(e));
  } catch (const CLI::ParseError& e) {
    return cli::complain(cli::explain(app, e, argc, argv), cli::ExitStatus::wrong_request);
  } catch (const cli::Failure& e) {
    return cli::complain(e.what(), e.status());
  } catch (const std::exception& e) {
    return cli::complain(e.what(), cli::status_of(e));
  }
}
