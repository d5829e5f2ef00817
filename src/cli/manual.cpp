// `rattleback manual FOLDER`: the manual pages, made of what --help is made of.

#include "manual.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <memory>

#include "../base/files.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "help.hpp"

namespace rattleback::cli {
namespace {

/// A text that roff prints as it is. Hyphens of what is typed must stay minus signs, so that they can be copied.
std::string escaped(std::string_view text, bool typed) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\(rs"; break;
      case '"': result += "\\(dq"; break;
      case '\'': result += "\\(aq"; break;
      case '`': result += "\\(ga"; break;
      case '^': result += "\\(ha"; break;
      case '~': result += "\\(ti"; break;
      case '-': result += typed ? "\\-" : "-"; break;
      default: result += c;
    }
  }
  return result;
}

/// A line that is no request: one that starts with a dot would be. (A quote is escaped anyway.)
std::string line(std::string text) { return (text.starts_with('.') ? "\\&" : "") + std::move(text) + "\n"; }

/// Text that is filled: sentences start on lines of their own, and lines are short.
std::string filled(const std::string& text) {
  constexpr std::size_t longest = 80;
  std::string result;
  std::string current;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool ends_sentence = current.ends_with('.') && word[0] >= 'A' && word[0] <= 'Z';
    if (!current.empty() && (ends_sentence || current.size() + 1 + word.size() > longest)) {
      result += line(std::move(current));
      current.clear();
    }
    current += (current.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return result + line(std::move(current));
}

std::string typed(std::string_view text) { return escaped(text, true); }
std::string bold(std::string_view text) { return "\\fB" + typed(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + typed(text) + "\\fR"; }

/// What is typed, in which no word is hyphenated.
std::string unbroken(std::string_view text) {
  std::string result = "\\%";
  for (const char c : typed(text)) result += c == ' ' ? std::string(" \\%") : std::string(1, c);
  return result;
}

bool is_word_of_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] == '-' || (word[1] >= 'a' && word[1] <= 'z'));
}

/// Prose, in which the names of options are what is typed.
std::string prose(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    result += (begin == 0 ? "" : " ") + escaped(word, is_word_of_option(word));
    begin = end + 1;
  }
  return result;
}

/// "analyse, show": what stands after NAME on a page is one line, without a full stop.
std::string lower_case_start(std::string text) {
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string heading(std::string_view title) {
  std::string capitals;
  for (const char c : title) capitals += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return ".SH " + (capitals.find(' ') == std::string::npos ? capitals : "\"" + capitals + "\"") + "\n";
}

std::string date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr) return "";
  const std::time_t seconds = std::strtoll(epoch, nullptr, 10);
  std::tm broken{};
  if (gmtime_r(&seconds, &broken) == nullptr) return "";
  char text[sizeof "YYYY-MM-DD"];
  return std::strftime(text, sizeof text, "%Y-%m-%d", &broken) > 0 ? text : "";
}

std::string start_of(const Program& program, const std::string& page, const std::string& summary) {
  std::string title;
  for (const char c : page) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".\\\" Made by '{} manual' of what --help prints: change that.\n", program.name) +
         fmt::format(".TH {} 1 \"{}\" \"{} {}\" \"Rattleback\"\n", typed(title), date(), program.name,
                     typed(program.version)) +
         ".ad l\n" + heading("name") + filled(typed(page) + " \\- " + prose(lower_case_start(summary)));
}

std::string tagged(const std::string& tag, const std::string& text) { return ".TP\n" + line(tag) + filled(text); }

std::string option_tag(const Option& option) {
  if (option.is_argument()) return italic(option.value);
  std::string tag;
  for (const std::string& name : option.each_name()) tag += (tag.empty() ? "" : ", ") + bold(name);
  return option.value.empty() ? tag : tag + " " + italic(option.value);
}

std::string help_row() { return tagged(bold("-h") + ", " + bold("--help"), help_option_help); }

/// Lines that are copied.
std::string examples(const std::vector<std::string>& list) {
  if (list.empty()) return "";
  std::string text = heading("examples") + ".EX\n";
  for (const std::string& example : list) text += line(typed(example));
  return text + ".EE\n";
}

std::string statuses() {
  std::string text = heading("exit status");
  for (const auto& [status, meaning] : exit_statuses) {
    text += tagged(bold(std::to_string(status)), prose(meaning));
  }
  return text;
}

std::string page_name(const Program& program, const Command& command) { return program.name + "-" + command.name; }

std::string reference(const std::string& page) { return "\\%" + bold(page) + "(1)"; }

/// The page of the program and those of the commands, without the one that is being read.
std::string see_also(const Program& program, const Command* reader) {
  std::string text = reader == nullptr ? "" : reference(program.name);
  for (const Command& command : program.commands) {
    if (command.hidden || &command == reader) continue;
    text += (text.empty() ? "" : ",\n") + reference(page_name(program, command));
  }
  return heading("see also") + text + "\n";
}

std::string synopsis(const Program& program, const Command& command) {
  std::string text = bold(program.name + " " + command.name) + " [" + italic("OPTIONS") + "]";
  for (const Option& option : command.options) {
    if (option.is_argument()) text += option.required ? " " + italic(option.value) : " [" + italic(option.value) + "]";
  }
  return heading("synopsis") + line(text);
}

std::string options_of(const Command& command) {
  std::string text = heading("options");
  for (const Option& option : command.options) text += tagged(option_tag(option), prose(full_help(option)));
  return text + help_row();
}

std::string section_of(const Section& section) {
  std::string text = heading(section.title);
  for (const auto& entry : section.entries) {
    text += tagged(bold(entry.term), prose(entry.text));
    if (!entry.more.empty()) text += ".br\n" + filled(unbroken(entry.more));
  }
  return section.note.empty() ? text : text + ".PP\n" + filled(prose(section.note));
}

std::string files() {
  return heading("files") +
         filled("Paths are relative to where the program is installed, or to the folder of the program itself:") +
         tagged(italic("share/rattleback/models/*.toml"), prose("the catalogue of systems")) +
         tagged(italic("share/rattleback/experiments/*/*.toml"), prose("the experiments of papers")) +
         tagged(italic("lib/rattleback/librattleback-jit.so"),
                prose("the compiler, loaded when something is compiled; without it everything is interpreted")) +
         tagged(italic("lib/rattleback/rattleback-bench"), prose("the program behind") + " " + bold("bench")) +
         ".PP\nBeside results:\n" +
         tagged(italic("RESULT.checkpoint"), prose("where a run was interrupted") + ", for " + bold("run --resume")) +
         tagged(italic("RESULT.parts/"),
                prose("journals of an unfinished ensemble") + ", for " + bold("ensemble --resume"));
}

std::string environment() {
  return heading("environment") +
         tagged(bold("RATTLEBACK_JIT_CPU"),
                prose("A processor, as in haswell: code is generated for it instead of the one of this machine.")) +
         tagged(bold("RATTLEBACK_JIT_EAGER"),
                prose("If it is set, everything is compiled at once. Otherwise code is interpreted at first, and "
                      "compiled when there is so much to do that it is worth the time. The bits are the same.")) +
         tagged(bold("RATTLEBACK_JIT_FAST"),
                prose("If it is set, code is not optimised: it is compiled in half the time, and gives the same bits "
                      "in up to three times the time."));
}

}  // namespace

std::string manual_page(const Program& program, const Command& command) {
  std::string text = start_of(program, page_name(program, command), command.summary);
  text += synopsis(program, command) + heading("description") + filled(prose(command.summary + "."));
  for (const std::string& note : command.notes) text += ".PP\n" + filled(prose(note));
  text += options_of(command);
  for (const Section& section : command.sections) text += section_of(section);
  return text + examples(command.examples) + statuses() + see_also(program, &command);
}

std::string manual_page(const Program& program) {
  std::string text = start_of(program, program.name, program.summary);
  text += heading("synopsis") + bold(program.name) + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]\n.br\n" +
          bold(program.name) + " [" + bold("--help") + "|" + bold("--version") + "]\n";
  text +=
      heading("description") + filled(prose(program.summary)) +
      filled(prose("A system is a Lagrangian with constraints on velocities, in a file or from a catalogue; methods "
                   "are derived from it by symbolic differentiation and compiled to native code.")) +
      ".PP\n" + line("Each command has a page of its own.");
  text += heading("commands");
  for (const Command& command : program.commands) {
    if (!command.hidden) text += tagged(bold(command.name), prose(command.summary));
  }
  text += heading("options") + help_row() + tagged(bold("--version"), version_option_help);
  return text + statuses() + environment() + files() + examples(program.examples) + see_also(program, nullptr);
}

Command manual_command() {
  Command command{"manual", "Writes the manual pages"};
  command.hidden = true;
  auto folder = std::make_shared<std::string>();
  command.add({.names = "folder",
               .value = "FOLDER",
               .help = "Where the pages go",
               .target = folder.get(),
               .values = {Values::Kind::folder},
               .required = true});
  command.action = [folder] {
    const Program& all = program();
    replace_file(*folder + "/" + all.name + ".1", manual_page(all));
    for (const Command& each : all.commands) {
      if (!each.hidden) replace_file(*folder + "/" + page_name(all, each) + ".1", manual_page(all, each));
    }
  };
  return command;
}

}  // namespace rattleback::cli
