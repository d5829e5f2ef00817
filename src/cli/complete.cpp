// `rattleback complete -- WORDS`: what shells ask for when somebody presses TAB (completions/). Each candidate for the
// last word is a line, with a tab and a description. A word of which nothing is known has no candidates: nobody who is
// typing wants to read about errors.

#include "complete.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "help.hpp"

namespace rattleback::cli {
namespace {

/// "-m" of "-mdla", "--method=" of "--method=dla": where the value starts in a word that is an option with its value.
std::size_t attached_value(const std::string& word) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    return equals == std::string::npos ? 0 : equals + 1;
  }
  return word.size() > 2 && word[0] == '-' ? 2 : 0;
}

std::string option_name(const std::string& word, std::size_t value) {
  return word.substr(0, word.starts_with("--") ? value - 1 : value);
}

const Option* option_with_value(const Command& command, const std::string& name) {
  const Option* option = name.starts_with('-') ? command.find(name) : nullptr;
  return option != nullptr && !option->is_flag() ? option : nullptr;
}

/// The argument that comes next, or nullptr.
const Option* next_argument(const TypedLine& line) {
  for (const Option& option : line.command->options) {
    if (option.is_argument() && (option.repeats() || !line.has(option))) return &option;
  }
  return nullptr;
}

/// What the words of a line are, and what the next one is.
class Reader {
 public:
  explicit Reader(const Command& command) : line_{&command, {}} {}

  void read(const std::string& word) {
    if (awaiting_ != nullptr) {
      line_.given.emplace_back(awaiting_, word);
      awaiting_ = nullptr;
    } else if (word == "--" && !only_arguments_) {
      only_arguments_ = true;
    } else if (word.starts_with('-') && !only_arguments_) {
      read_option(word);
    } else if (const Option* argument = next_argument(line_)) {
      line_.given.emplace_back(argument, word);
    }
  }

  const TypedLine& line() const { return line_; }
  const Option* awaiting() const { return awaiting_; }
  bool only_arguments() const { return only_arguments_; }

 private:
  void read_option(const std::string& word) {
    if (const Option* option = line_.command->find(word)) {
      if (option->is_flag()) {
        line_.given.emplace_back(option, "");
      } else {
        awaiting_ = option;
      }
    } else if (const std::size_t value = attached_value(word)) {
      if (const Option* with_value = option_with_value(*line_.command, option_name(word, value))) {
        line_.given.emplace_back(with_value, word.substr(value));
      }
    }
  }

  TypedLine line_;
  const Option* awaiting_ = nullptr;  ///< its value comes next
  bool only_arguments_ = false;
};

bool is_possible(const TypedLine& line, const Option& option) {
  if (line.has(option)) return option.repeats() && !option.list;
  for (const auto& [other, value] : line.given) {
    if (other->excludes == option.names || option.excludes == other->names) return false;
  }
  return true;
}

/// Long names for those who look around, short ones for those who have typed a dash.
void add_names(std::vector<Candidate>& found, const std::vector<std::string>& names, const std::string& typed,
               const std::string& help) {
  for (const std::string& name : names) {
    const bool is_short = !name.starts_with("--");
    if (name.starts_with(typed) && (!is_short || !typed.empty())) found.push_back({name, help});
  }
}

std::vector<Candidate> complete_option(const TypedLine& line, const std::string& typed) {
  std::vector<Candidate> found;
  for (const Option& option : line.command->options) {
    if (!option.is_argument() && is_possible(line, option)) add_names(found, option.each_name(), typed, option.help);
  }
  add_names(found, {"-h", "--help"}, typed, help_option_help);
  return found;
}

std::vector<Candidate> complete_first_word(const Program& program, const std::string& typed) {
  std::vector<Candidate> found;
  for (const Command& command : program.commands) {
    if (!command.hidden && command.name.starts_with(typed)) found.push_back({command.name, command.summary});
  }
  if (typed.starts_with('-')) {
    add_names(found, {"-h", "--help"}, typed, help_option_help);
    add_names(found, {"--version"}, typed, version_option_help);
  }
  return found;
}

std::vector<Candidate> complete_after(const Program& program, const Reader& reader, const std::string& typed) {
  const TypedLine& line = reader.line();
  if (reader.awaiting() != nullptr) return complete_value(program, line, *reader.awaiting(), typed);
  if (typed.starts_with('-') && !reader.only_arguments()) {
    if (const std::size_t value = attached_value(typed)) {
      const Option* option = option_with_value(*line.command, option_name(typed, value));
      if (option == nullptr) return complete_option(line, typed);
      std::vector<Candidate> found = complete_value(program, line, *option, typed.substr(value));
      for (Candidate& candidate : found) candidate.text.insert(0, typed, 0, value);
      return found;
    }
    return complete_option(line, typed);
  }
  if (const Option* argument = next_argument(line)) {
    std::vector<Candidate> found = complete_value(program, line, *argument, typed);
    const bool may_be_absent = !argument->required && typed.empty();
    if (may_be_absent && !reader.only_arguments()) {
      for (Candidate& option : complete_option(line, typed)) found.push_back(std::move(option));
    }
    return found;
  }
  return typed.empty() && !reader.only_arguments() ? complete_option(line, typed) : std::vector<Candidate>();
}

std::string description_of(char continuation) {
  switch (continuation) {
    case ':': return "with an option";
    case ',': return "and another one";
    default: return "a part of it";
  }
}

/// The last candidate that is left may be what is meant, or the beginning of it: a shell that saw only one would go on
/// to the next word.
void offer_continuations(std::vector<Candidate>& found) {
  if (found.size() != 1) return;
  const Candidate only = found[0];
  for (const char c : only.continuations) found.push_back({only.text + c, description_of(c)});
}

}  // namespace

bool TypedLine::has(const Option& option) const {
  for (const auto& [other, value] : given) {
    if (other == &option) return true;
  }
  return false;
}

std::vector<std::string> TypedLine::values_of(const Option& option) const {
  std::vector<std::string> values;
  for (const auto& [other, value] : given) {
    if (other == &option) values.push_back(value);
  }
  return values;
}

std::vector<Candidate> complete(const Program& program, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  if (words.size() == 1) return complete_first_word(program, words[0]);
  for (const Command& command : program.commands) {
    if (command.name != words[0] || command.hidden) continue;
    Reader reader(command);
    for (std::size_t i = 1; i + 1 < words.size(); ++i) reader.read(words[i]);
    std::vector<Candidate> found = complete_after(program, reader, words.back());
    offer_continuations(found);
    return found;
  }
  return {};
}

Command complete_command() {
  Command command{"complete", "Tells shells how a word can go on"};
  command.hidden = true;
  command.forward = [](std::vector<std::string> words) {
    if (!words.empty() && words[0] == "--") words.erase(words.begin());
    std::string text;
    try {
      for (const Candidate& c : complete(program(), words)) {
        if (c.text.find_first_of("\t\n") != std::string::npos) continue;
        text += c.description.empty() ? c.text + "\n" : c.text + "\t" + c.description + "\n";
      }
    } catch (const std::exception&) {
      return;  // a broken model, a catalogue that is not there: no candidates
    }
    fmt::print("{}", text);
  };
  return command;
}

}  // namespace rattleback::cli
