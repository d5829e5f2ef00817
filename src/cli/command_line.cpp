#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/base/error.hpp"
#include "rattleback/expr/parse.hpp"

namespace rattleback::cli {
namespace {

struct TextOfDefault {
  std::string operator()(const bool*) const { return {}; }
  template <class Number>
  std::string operator()(const Number* number) const {
    return fmt::format("{}", *number);
  }
  template <class Number>
  std::string operator()(const std::optional<Number>* number) const {
    return *number ? (*this)(&**number) : "";
  }
  std::string operator()(const std::string* text) const { return *text; }
  std::string operator()(const std::vector<std::string>* texts) const {
    return fmt::format("{}", fmt::join(*texts, ","));
  }
  std::string operator()(const std::vector<int>* numbers) const { return fmt::format("{}", fmt::join(*numbers, ",")); }
};

}  // namespace

bool Option::repeats() const {
  return std::holds_alternative<std::vector<std::string>*>(target) || std::holds_alternative<std::vector<int>*>(target);
}

std::vector<std::string> Option::each_name() const {
  std::vector<std::string> each;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    each.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return each;
}

bool Option::has_name(const std::string& name) const {
  const std::vector<std::string> each = each_name();
  return std::find(each.begin(), each.end(), name) != each.end();
}

std::string Option::field_name() const {
  if (!field.empty()) return field;
  const std::string name = each_name().back();
  return name.substr(name.find_first_not_of('-'));
}

void Command::add(Option option) {
  option.default_text = std::visit(TextOfDefault(), option.target);
  options.push_back(std::move(option));
}

const Option* Command::find(const std::string& option) const {
  for (const Option& candidate : options) {
    if (candidate.has_name(option)) return &candidate;
  }
  return nullptr;
}

std::string Command::in_its_words(const std::string& message) const {
  std::string text;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t open = message.find('`', begin);
    const std::size_t close = open == std::string::npos ? open : message.find('`', open + 1);
    if (close == std::string::npos) return text + message.substr(begin);
    text += message.substr(begin, open - begin);
    const std::string quoted = message.substr(open + 1, close - open - 1);
    const std::string field = quoted.substr(0, quoted.find('='));
    const auto option = std::ranges::find(options, field, &Option::field_name);
    if (option == options.end()) {  // not ours: the second backtick may begin something
      text += message.substr(open, close - open);
      begin = close;
      continue;
    }
    text += option->is_argument() ? option->value : option->each_name().front();
    if (field.size() < quoted.size()) text += " " + quoted.substr(field.size() + 1);
    begin = close + 1;
  }
  return text;
}

std::vector<std::string> Program::command_names() const {
  std::vector<std::string> names;
  for (const Command& each : commands) {
    if (!each.hidden) names.push_back(each.name);
  }
  return names;
}

const Command& Program::command(const std::string& wanted) const {
  for (const Command& each : commands) {
    if (each.name == wanted) return each;
  }
  const bool is_option = wanted.starts_with('-');
  const auto meant = is_option ? std::nullopt : closest_name(wanted, command_names());
  throw RequestError(fmt::format("there is no {} '{}'{}\nRun '{} --help' for what is possible.",
                                 is_option ? "option" : "command", wanted,
                                 meant ? fmt::format("; did you mean '{}'?", *meant) : "", name));
}

}  // namespace rattleback::cli
