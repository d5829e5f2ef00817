// The one file that knows the library that reads command lines: its headers take longer to compile than a command.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "command_line.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::cli {
namespace {

template <class T>
constexpr bool is_number = std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>> ||
                           std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::optional<std::int64_t>>;

void read_number(const std::string& text, const std::string& option, double& number) {
  number = number_from_text(text, option);
}

void read_number(const std::string& text, const std::string& option, std::int64_t& number) {
  number = integer_from_text(text, option);
}

template <class Number>
void read_number(const std::string& text, const std::string& option, std::optional<Number>& number) {
  read_number(text, option, number.emplace());
}

/// Texts become numbers when the line is understood: who asks for help need not write it well.
using Conversions = std::vector<std::function<void()>>;

/// What stands between commas, but for those in brackets: R[1,2] is one part.
std::vector<std::string> parts_of(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    parts.emplace_back();
    int depth = 0;
    for (const char c : text) {
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c == ',' && depth <= 0) {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
  }
  return parts;
}

CLI::Option* add_option(CLI::App& app, const Option& option, Conversions& conversions) {
  return std::visit(
      [&](auto* target) -> CLI::Option* {
        using Value = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return app.add_flag(option.names, *target, option.help);
        } else if constexpr (is_number<Value>) {
          auto text = std::make_shared<std::optional<std::string>>();
          conversions.emplace_back([text, target, &option] {
            if (*text) read_number(**text, option.each_name().back(), *target);
          });
          return app.add_option(option.names, *text, option.help);
        } else {
          if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            if (option.list) conversions.emplace_back([target] { *target = parts_of(*target); });
          }
          CLI::Option* const added = app.add_option(option.names, *target, option.help);
          if (option.list && std::is_same_v<Value, std::vector<int>>) added->delimiter(',');
          return added;
        }
      },
      option.target);
}

void add_options(CLI::App& app, const Command& command, Conversions& conversions) {
  for (const Option& option : command.options) {
    CLI::Option* added = add_option(app, option, conversions);
    if (!option.is_flag()) added->type_name(option.value);
    if (option.repeats() && !option.is_argument()) added->allow_extra_args(false);
    if (option.required) added->required();
    if (option.only_words) added->check(CLI::IsMember(option.values.words));
    if (!option.excludes.empty()) added->excludes(app.get_option(option.excludes));
  }
}

/// What options are called elsewhere.
std::optional<std::string> usual_name(const std::string& option) {
  constexpr std::pair<std::string_view, std::string_view> table[] = {
      {"--dt", "--step"},       {"--h", "--step"},    {"--timestep", "--step"}, {"--step-size", "--step"},
      {"--stepsize", "--step"}, {"--tmax", "--time"}, {"--tend", "--time"},     {"--t-end", "--time"},
      {"--t_end", "--time"},    {"--end", "--time"},  {"--duration", "--time"}, {"--integrator", "--method"},
      {"--solver", "--method"}, {"--x0", "--q0"},     {"--initial", "--q0"},    {"--param", "--set"},
      {"--parameter", "--set"}, {"-p", "--set"},      {"--out", "--output"}};
  for (const auto& [elsewhere, here] : table) {
    if (elsewhere == option) return std::string(here);
  }
  return std::nullopt;
}

/// The word of a command line that the command does not know, and what could have been meant.
std::string explain_extra(const Command& command, int argc, char** argv, const std::vector<std::string>& extras) {
  std::vector<std::string> options{"-h", "--help"};
  for (const Option& option : command.options) {
    if (option.is_argument()) continue;
    for (std::string& name : option.each_name()) options.push_back(std::move(name));
  }
  for (int i = 2; i < argc; ++i) {  // in the order in which they were typed
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (name.empty() || name[0] != '-' || std::find(options.begin(), options.end(), name) != options.end()) continue;
    if (std::find(extras.begin(), extras.end(), word) == extras.end()) continue;
    const auto usual = usual_name(name);
    const bool there = usual && std::find(options.begin(), options.end(), *usual) != options.end();
    const auto meant = there ? usual : closest_name(name, options);
    return fmt::format("'{}' has no option '{}'{}", command.name, name,
                       meant ? fmt::format("; did you mean '{}'?", *meant) : "");
  }
  return fmt::format("'{}' is one word too many", extras.empty() ? "" : extras.front());
}

/// Two options that exclude each other are both given.
std::string explain_exclusion(const Command& command, const std::string& message) {
  const std::string first = message.substr(0, message.find(' '));
  for (const Option& option : command.options) {
    if (!option.excludes.empty() && (option.has_name(first) || option.excludes == first)) {
      return fmt::format("{} and {} say the same in two ways: give one", option.each_name().back(), option.excludes);
    }
  }
  return message;
}

/// What is wrong with a command line, and what could have been meant.
std::string explain(const Command& command, const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = error.what();
  const std::string option = message.substr(0, message.find_first_of(": "));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    message = explain_extra(command, argc, argv, app.remaining(true));
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const Option* missing = command.find(option);
    if (missing != nullptr && !missing->hint.empty()) message += "; " + missing->hint;
  } else if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    message = explain_exclusion(command, message);
  } else if (message.find("At Most 1") != std::string::npos) {
    message = fmt::format("{} may be given only once", option);
  }
  return fmt::format("{}\nRun 'rattleback {} --help' for what is possible.", message, command.name);
}

/// The words after the name of a command.
Wish parse_command(const Command& command, int argc, char** argv) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  Conversions conversions;
  add_options(app, command, conversions);
  try {
    app.parse(argc - 1, argv + 1);
    for (const auto& convert : conversions) convert();
    return {Wish::Kind::command, &command};
  } catch (const CLI::CallForHelp&) {
    return {Wish::Kind::help, &command};
  } catch (const CLI::ParseError& error) {
    throw RequestError(explain(command, app, error, argc, argv));
  }
}

}  // namespace

std::int64_t integer_from_text(const std::string& text, const std::string& option) {
  constexpr double most = 9007199254740992.0;  // 2⁵³: up to here doubles count
  const double value = number_from_text(text, option);
  if (value == std::round(value) && std::abs(value) <= most) return static_cast<std::int64_t>(value);
  throw RequestError(
      fmt::format("{} must be an integer{}, found {}", option, std::abs(value) > most ? " of at most 2^53" : "", text));
}

Wish parse(const Program& program, int argc, char** argv) {
  if (argc <= 1) {
    throw RequestError("a command is missing\nRun 'rattleback --help' for what is possible.");
  }
  const std::string word = argv[1];
  if (word == "-h" || word == "--help") return {Wish::Kind::help};
  if (word == "--version") return {Wish::Kind::version};
  const Command& command = program.command(word);
  if (command.forward) return {Wish::Kind::command, &command};
  return parse_command(command, argc, argv);
}

}  // namespace rattleback::cli
