#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace rattleback::cli {

/// A word that a shell can put in place of the one that is being typed.
struct Candidate {
  std::string text;
  std::string description = {};
  std::string continuations = {};  ///< characters with which the same word can go on
};

/// What is known of a command line that is being typed.
struct TypedLine {
  const Command* command;
  std::vector<std::pair<const Option*, std::string>> given;  ///< what stands before the word that is being typed

  bool has(const Option& option) const;
  std::vector<std::string> values_of(const Option& option) const;
};

/// How the last word can go on; the words are those after the name of the program.
std::vector<Candidate> complete(const Program& program, const std::vector<std::string>& words);

/// The values of an option that start as it was typed.
std::vector<Candidate> complete_value(const Program& program, const TypedLine& line, const Option& option,
                                      const std::string& typed);

}  // namespace rattleback::cli
