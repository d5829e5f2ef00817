#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lexer.hpp"

namespace rattleback {

/// What the names in a text mean where it is being read, and the wording of errors about those that mean nothing:
/// names of the options, definitions before this place, indices of the sums and lists around it.
class Scope {
 public:
  Scope(const ParseOptions& options, const Lexer& lexer);

  /// A definition or an index has a name that means nothing yet.
  void check_new(const Token& name) const;
  void check_definition(const Token& name) const;

  void define(const Token& name, Expression value) { definitions_.emplace(name.text, std::move(value)); }
  void forget_definitions() { definitions_.clear(); }
  void set_index(const std::string& name, int value) { indices_[name] = value; }
  void forget_index(const std::string& name) { indices_.erase(name); }

  std::optional<int> index(const std::string& key) const;
  /// What a name means that is neither an index nor a function.
  std::optional<Expression> meaning(const std::string& key) const;

  [[noreturn]] void fail_not_a_function(const Token& name, const std::string& key) const;
  [[noreturn]] void fail_unknown(const Token& name, const std::string& key) const;

 private:
  [[noreturn]] void fail(const Token& token, const std::string& summary) const { lexer_.fail(token.begin, summary); }

  const ParseOptions& options_;
  const Lexer& lexer_;
  std::unordered_set<std::string> known_;
  std::unordered_map<std::string, Expression> definitions_;
  std::unordered_map<std::string, int> indices_;
};

}  // namespace rattleback
