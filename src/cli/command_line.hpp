#pragma once

// What can be said on a command line, as data: the parser, --help, the manual pages and the completion of shells are
// made of it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rattleback::cli {

/// Where the value of an option goes. Doubles and 64-bit integers may be written as expressions, as in 2*pi/5.
using Target = std::variant<bool*, int*, double*, std::optional<double>*, std::int64_t*, std::optional<std::int64_t>*,
                            std::string*, std::optional<std::string>*, std::vector<std::string>*, std::vector<int>*>;

/// What the value of an option is: a shell can offer it.
struct Values {
  enum class Kind {
    anything,
    word,
    command,
    model,
    parameter,
    coordinate,
    input,
    method,
    observer,
    experiment,
    file,
    folder
  };
  Kind kind = Kind::anything;
  std::vector<std::string> words = {};    ///< the words, the endings of files, or the methods if not all
  std::vector<std::string> endings = {};  ///< of files whose names may stand in the place of words
};

struct Option {
  std::string names;       ///< "-m,--method"; a name without dashes is an argument, found by its place
  std::string value = {};  ///< what its value is called, "METHOD"; empty for flags
  std::string help;
  Target target;
  Values values = {};
  bool list = false;  ///< values are separated by commas
  bool required = false;
  bool only_words = false;        ///< other words than those of `values` are refused
  std::string hint = {};          ///< said when a required one is missing
  std::string excludes = {};      ///< an option that says the same in another way
  std::string field = {};         ///< what requests call it, if not as its long name
  std::string default_text = {};  ///< what the target held when the option was added

  bool is_argument() const { return names[0] != '-'; }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  /// May be given several times.
  bool repeats() const;
  /// "-m" and "--method".
  std::vector<std::string> each_name() const;
  bool has_name(const std::string& name) const;
  /// The field of a request that it sets.
  std::string field_name() const;
};

/// A list in the help of a command, as the methods or the observers.
struct Section {
  struct Entry {
    std::string term;
    std::string text;
    std::string more = {};  ///< a line of its own
  };
  std::string title;
  std::vector<Entry> entries;
  std::string note = {};
};

struct Command {
  std::string name;
  std::string summary;
  std::vector<Option> options = {};
  std::vector<Section> sections = {};
  std::vector<std::string> notes = {};  ///< paragraphs
  std::vector<std::string> examples = {};
  std::function<void()> action = {};
  /// Instead of an action: takes the words after the name of the command as they were typed.
  std::function<void(const std::vector<std::string>&)> forward = {};
  bool hidden = false;  ///< for machines, not for people

  void add(Option option);
  /// The option or argument with a name, or nullptr.
  const Option* find(const std::string& name) const;
  /// A message of the library as it reads here: `step` and `output=FILE` become --step and -o FILE.
  std::string in_its_words(const std::string& message) const;
};

struct Program {
  std::string name;
  std::string version;
  std::string summary;
  std::vector<Command> commands;
  std::vector<std::string> examples;

  /// Throws RequestError, with a suggestion, if there is none.
  const Command& command(const std::string& name) const;
  std::vector<std::string> command_names() const;
};

/// The program that runs: both programs that are made of these files have commands of their own.
const Program& program();

/// What a command line asks for.
struct Wish {
  enum class Kind { command, help, version };
  Kind kind;
  const Command* command = nullptr;  ///< none: the program itself
};

/// The value of an option as an integer that doubles can count to. Throws RequestError, ModelError.
std::int64_t integer_from_text(const std::string& text, const std::string& option);

/// Reads a command line into the targets of its command. Throws RequestError if it cannot be understood.
Wish parse(const Program& program, int argc, char** argv);

}  // namespace rattleback::cli
