// What the values of options can be.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "complete.hpp"
#include "rattleback/experiment/experiment.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/method/completion.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback::cli {
namespace {

namespace fs = std::filesystem;

bool is_among(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void append(std::vector<Candidate>& list, std::vector<Candidate> more) {
  for (Candidate& candidate : more) list.push_back(std::move(candidate));
}

/// Folders, and the files with one of the endings, under the path that was typed.
std::vector<Candidate> paths(const std::string& typed, const std::vector<std::string>& endings) {
  const std::size_t name_begin = typed.rfind('/') + 1;  // 0 if there is no slash
  const std::string folder = typed.substr(0, name_begin);
  const std::string name_start = typed.substr(name_begin);
  std::string real_folder = folder.empty() ? "." : folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && folder.starts_with("~/")) {
    real_folder = home + folder.substr(1);
  }
  std::vector<Candidate> found;
  std::error_code error;
  for (fs::directory_iterator entry(real_folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(name_start) || (name[0] == '.' && name_start.empty())) continue;
    std::error_code unknown;
    const bool fits =
        std::any_of(endings.begin(), endings.end(), [&](const std::string& e) { return name.ends_with(e); });
    if (entry->is_directory(unknown)) {
      found.push_back({folder + name + "/"});
    } else if (fits) {
      found.push_back({folder + name});
    }
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
  return found;
}

/// Empty for a model that cannot be read: its name can be typed nevertheless.
std::string title_of(const std::string& model) {
  try {
    return load_model(model).title;
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<Candidate> models(const std::string& typed) {
  std::vector<Candidate> found;
  for (const std::string& name : catalogue()) {
    if (name.starts_with(typed)) found.push_back({name, title_of(name)});
  }
  append(found, paths(typed, {".toml"}));
  return found;
}

/// The parameters or inputs of the model on the line, with what they are.
std::vector<Candidate> replaceable(const TypedLine& line, const Option& option, const std::string& typed) {
  std::vector<Candidate> found;
  if (typed.find('=') != std::string::npos) return found;  // the value is anybody's guess
  const std::vector<std::string> given = line.values_of(option);
  const auto offer = [&](const std::string& name, std::string value) {
    const std::string start = name + "=";
    const bool is_given =
        std::any_of(given.begin(), given.end(), [&](const std::string& s) { return s.starts_with(start); });
    if (start.starts_with(typed) && !is_given) found.push_back({start, std::move(value)});
  };
  for (const auto& [other, name] : line.given) {
    if (other->values.kind != Values::Kind::model) continue;
    const Model model = load_model(name);
    if (option.values.kind == Values::Kind::input) {
      for (const NamedExpression& input : model.inputs) offer(input.name, to_text(input.expression));
    } else {
      for (const Parameter& p : model.system.parameter_list()) offer(p.name, fmt::format("{}", p.value));
    }
  }
  return found;
}

/// The coordinates of the model on the line, after those that have a value: x=1,y=
std::vector<Candidate> coordinates(const Option& option, const TypedLine& line, const std::string& typed) {
  std::vector<Candidate> found;
  const bool are_velocities = option.names == "--v0";
  const std::size_t comma = typed.rfind(',');
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  const std::string piece = typed.substr(before.size());
  const bool only_numbers = !before.empty() && before.find('=') == std::string::npos;
  if (only_numbers || piece.find('=') != std::string::npos) return found;
  for (const auto& [other, name] : line.given) {
    if (other->values.kind != Values::Kind::model) continue;
    const Model model = load_model(name);
    std::vector<std::string> names = model.system.position_names();
    names.resize(model.system.space().numbers);
    for (std::size_t i = names.size(); are_velocities && i < model.system.dimension(); ++i)
      names.push_back(model.system.velocities()[i].name());
    if (!are_velocities) std::ranges::move(attitude_names(model.system), std::back_inserter(names));
    for (const std::string& name_of_number : names) {
      const std::string start = name_of_number + "=";
      const bool is_given = ("," + before).find("," + start) != std::string::npos;
      if (start.starts_with(piece) && !is_given) found.push_back({before + start});
    }
  }
  return found;
}

std::vector<Candidate> methods(const Option& option, const std::string& typed) {
  std::vector<Candidate> found;
  for (MethodCompletion& c : complete_method(typed)) {
    const std::string name = c.text.substr(0, c.text.find(':'));
    if (!option.values.words.empty() && !is_among(name, option.values.words)) continue;
    found.push_back({std::move(c.text), std::move(c.description), c.has_more ? ":" : ""});
  }
  return found;
}

std::vector<Candidate> experiments(const std::string& typed) {
  std::vector<Candidate> found;
  if (std::string("all").starts_with(typed)) found.push_back({"all", "the experiments of all papers"});
  const std::size_t slash = typed.find('/');
  for (const Paper& paper : papers()) {
    if (slash == std::string::npos && paper.name.starts_with(typed)) {
      found.push_back({paper.name, paper.citation, "/"});
    } else if (slash != std::string::npos && typed.substr(0, slash) == paper.name) {
      for (const Experiment& e : experiments_of(paper.name)) {
        const std::string name = paper.name + "/" + e.name;
        if (name.starts_with(typed)) found.push_back({name, e.title});
      }
    }
  }
  append(found, paths(typed, {".toml"}));
  return found;
}

std::vector<Candidate> words_of(const std::vector<std::string>& words, const std::string& typed) {
  std::vector<Candidate> found;
  for (const std::string& word : words) {
    if (word.starts_with(typed)) found.push_back({word});
  }
  return found;
}

/// One value, without those that stand before it in a list.
std::vector<Candidate> single(const Program& program, const TypedLine& line, const Option& option,
                              const std::string& typed) {
  switch (option.values.kind) {
    case Values::Kind::anything: break;
    case Values::Kind::word: {
      std::vector<Candidate> found = words_of(option.values.words, typed);
      if (!option.values.endings.empty()) append(found, paths(typed, option.values.endings));
      return found;
    }
    case Values::Kind::command: {
      std::vector<Candidate> found;
      for (const Command& command : program.commands) {
        if (!command.hidden && command.name.starts_with(typed)) found.push_back({command.name, command.summary});
      }
      return found;
    }
    case Values::Kind::model: return models(typed);
    case Values::Kind::parameter:
    case Values::Kind::input: return replaceable(line, option, typed);
    case Values::Kind::coordinate: return coordinates(option, line, typed);
    case Values::Kind::method: return methods(option, typed);
    case Values::Kind::observer: {
      std::vector<Candidate> found;
      for (const ObserverInfo& info : observers()) {
        if (info.name.starts_with(typed)) found.push_back({info.name, info.summary});
      }
      return found;
    }
    case Values::Kind::experiment: return experiments(typed);
    case Values::Kind::file: return paths(typed, option.values.words);
    case Values::Kind::folder: return paths(typed, {});
  }
  return {};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<Candidate> complete_value(const Program& program, const TypedLine& line, const Option& option,
                                      const std::string& typed) {
  const std::size_t last_begin = option.list ? typed.rfind(',') + 1 : 0;
  const std::string before = typed.substr(0, last_begin);
  std::vector<std::string> taken = option.is_argument() ? line.values_of(option) : std::vector<std::string>();
  if (option.list) taken = split(before);
  std::vector<Candidate> found = single(program, line, option, typed.substr(last_begin));
  std::erase_if(found, [&](const Candidate& c) { return is_among(c.text, taken); });
  for (Candidate& candidate : found) {
    candidate.text.insert(0, before);
    if (option.list && !candidate.text.ends_with('=')) candidate.continuations += ',';
  }
  return found;
}

}  // namespace rattleback::cli
