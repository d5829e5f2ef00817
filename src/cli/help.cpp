// `rattleback --help`, `rattleback COMMAND --help` and `rattleback help COMMAND`.

#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "exit_status.hpp"

namespace rattleback::cli {
namespace {

constexpr std::size_t page_width = 80;

/// Breaks a text at blanks so that it fits between an indentation and the right end of the page. The first line starts
/// where the cursor is: at `column`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t column) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool is_first = result.empty();
    if (!is_first && column + 1 + word.size() > page_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    begin = end + 1;
  }
  return result;
}

std::string paragraph(const std::string& text) { return wrapped(text, 0, 0) + "\n"; }

/// "  term      text", the text in a column of its own; below the term if that is too long.
std::string row(const std::string& term, const std::string& text, std::size_t column) {
  const std::string start = "  " + term;
  const bool fits = start.size() + 2 <= column;
  return start + (fits ? std::string(column - start.size(), ' ') : "\n" + std::string(column, ' ')) +
         wrapped(text, column, column) + "\n";
}

constexpr std::size_t option_column = 28;

/// "-m, --method METHOD"; long names stand below each other.
std::string option_term(const std::string& names, const std::string& value) {
  std::string term = names;
  if (const std::size_t comma = term.find(','); comma != std::string::npos) term.insert(comma + 1, " ");
  if (term.starts_with("--")) term.insert(0, 4, ' ');
  return value.empty() ? term : term + " " + value;
}

std::string options_text(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    if (!option.is_argument()) continue;
    if (text.empty()) text += "\nArguments:\n";
    text += row(option.value, full_help(option), option_column);
  }
  text += "\nOptions:\n";
  for (const Option& option : command.options) {
    if (!option.is_argument()) text += row(option_term(option.names, option.value), full_help(option), option_column);
  }
  return text + row(option_term(help_option, ""), help_option_help, option_column);
}

std::string section_text(const Section& section) {
  std::size_t column = 0;
  for (const auto& entry : section.entries) column = std::max(column, entry.term.size() + 4);
  std::string text = "\n" + section.title + ":\n";
  for (const auto& entry : section.entries) {
    text += row(entry.term, entry.text, column);
    if (!entry.more.empty()) text += std::string(column, ' ') + wrapped(entry.more, column, column) + "\n";
  }
  if (!section.note.empty()) text += "  " + wrapped(section.note, 2, 2) + "\n";
  return text;
}

std::string examples_text(const std::vector<std::string>& examples) {
  return examples.empty() ? "" : fmt::format("\nExample:\n  {}\n", fmt::join(examples, "\n  "));
}

}  // namespace

std::string full_help(const Option& option) {
  std::string text = option.help;
  if (!option.excludes.empty()) text += fmt::format(", instead of {}", option.excludes);
  if (!option.default_text.empty()) text += fmt::format(" (default: {})", option.default_text);
  return text;
}

std::string usage(const Program& program, const Command& command) {
  std::string text = fmt::format("{} {} [OPTIONS]", program.name, command.name);
  for (const Option& option : command.options) {
    if (option.is_argument()) text += option.required ? " " + option.value : " [" + option.value + "]";
  }
  return text;
}

std::string help_text(const Program& program, const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrapped(command.summary, 0, 0), usage(program, command));
  text += options_text(command);
  for (const Section& section : command.sections) text += section_text(section);
  for (const std::string& note : command.notes) text += "\n" + paragraph(note);
  return text + examples_text(command.examples);
}

std::string help_text(const Program& program) {
  std::string text =
      fmt::format("{}\n\nUsage: {} COMMAND [OPTIONS]\n\nCommands:\n", wrapped(program.summary, 0, 0), program.name);
  constexpr std::size_t command_column = 13;
  for (const Command& command : program.commands) {
    if (!command.hidden) text += row(command.name, command.summary, command_column);
  }
  text += "\nOptions:\n";
  text += row(option_term(help_option, ""), help_option_help, option_column);
  text += row(option_term("--version", ""), version_option_help, option_column);
  text += examples_text(program.examples);
  text += "\nExit status:\n";
  for (const auto& [status, meaning] : exit_statuses) {
    text += row(std::to_string(status), meaning, command_column);
  }
  return text + fmt::format("\n'{} help COMMAND' tells more about one.\n", program.name);
}

Command help_command() {
  Command command{"help", "Tells how a command is used"};
  auto wanted = std::make_shared<std::optional<std::string>>();
  command.add({.names = "command",
               .value = "COMMAND",
               .help = "The command to tell about; without one, what commands there are",
               .target = wanted.get(),
               .values = {Values::Kind::command}});
  command.examples = {"rattleback help run"};
  command.action = [wanted] {
    fmt::print("{}", *wanted ? help_text(program(), program().command(**wanted)) : help_text(program()));
  };
  return command;
}

}  // namespace rattleback::cli
