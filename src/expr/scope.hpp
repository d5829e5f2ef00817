#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lexer.hpp"
#include "rattleback/expr/definitions.hpp"

namespace rattleback {

/// What the names in a text mean where it is being read, and the wording of errors about those that mean nothing:
/// names of the options, definitions before this place, indices of the sums and lists around it.
class Scope {
 public:
  Scope(const ParseOptions& options, const Lexer& lexer);
  /// Inside the text of a function: names mean what they mean to the caller, but for the arguments.
  Scope(const Scope& caller, const Lexer& lexer, const std::vector<std::string>& arguments, std::vector<Tensor> values);

  /// A definition or an index has a name that means nothing yet.
  void check_new(const Token& name) const;
  void check_definition(const Token& name) const;

  void define(const Token& name, Tensor value) { definitions_.emplace(name.text, std::move(value)); }
  /// Arguments of a function hide what these names mean elsewhere.
  void hide(const std::string& name, Tensor value) { arguments_.emplace(name, std::move(value)); }
  void forget_definitions() { definitions_.clear(); }
  void set_index(const std::string& name, int value) { indices_[name] = value; }
  void forget_index(const std::string& name) { indices_.erase(name); }

  std::optional<int> index(const std::string& key) const;
  /// The value of an argument or a definition, if the name is one.
  const Tensor* value(const Token& name, const std::string& key) const;
  const Definition* function(const std::string& key) const;
  /// What a name means that is neither of these, nor an index or a function.
  std::optional<Expression> meaning(const std::string& key) const;

  bool is_taken(const std::string& key) const { return known_->names.contains(key); }

  /// The rate of change of a symbol: its velocity, 1 for time, 0 for what is constant.
  Expression rate(const Expression& symbol) const;

  /// It has no rate of change that could be told.
  bool is_instantaneous(const Expression& symbol) const {
    return options_.instantaneous != nullptr && options_.instantaneous->contains(symbol);
  }

  [[noreturn]] void fail_not_a_function(const Token& name, const std::string& key) const;
  std::optional<Expression> rate_of_entry(const Expression& symbol) const;
  [[noreturn]] void fail_unknown(const Token& name, const std::string& key) const;
  [[noreturn]] void fail_unknown_part(const Token& name, const std::string& owner, const std::string& key) const;

 private:
  [[noreturn]] void fail(const Token& token, const std::string& summary) const { lexer_.fail(token.begin, summary); }
  void check_allowed(const Token& name, const Definition& definition) const;

  /// What the options say, shared with the texts of functions.
  struct Known {
    std::unordered_set<std::string> names;
    std::unordered_set<std::string> allowed;  ///< definitions that were found to contain these names only
  };

  const ParseOptions& options_;
  const Lexer& lexer_;
  std::shared_ptr<Known> known_;
  std::unordered_map<std::string, Tensor> arguments_;
  std::unordered_map<std::string, Tensor> definitions_;
  std::unordered_map<std::string, int> indices_;
};

}  // namespace rattleback
