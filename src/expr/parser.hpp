#pragma once

// A recursive-descent parser; each function carries its rule of the grammar. Every rule gives a Tensor; who asks for a
// text asks for a shape.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lexer.hpp"
#include "scope.hpp"
#include "tensor_functions.hpp"

namespace rattleback {

/// How much has been read, in the text itself and in those of the functions that it calls.
struct ReadingWork {
  std::size_t words = 0;
  int depth = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options);

  /// entry: text | '[' range ']' text, the text read once for each index
  std::vector<Tensor> parse_list_entry();
  /// text: { name '=' sum ';' } sum
  Tensor parse_text();
  /// A text that must be a scalar.
  Expression parse_scalar_text();
  /// The text of a function: syntax and names are checked, but nothing is built, because what it means depends on its
  /// arguments.
  void check_body(const std::vector<std::string>& arguments);

 private:
  struct Range {
    std::string index;
    int first;
    int last;
  };
  /// A term of a sum or a factor of a product.
  struct Part {
    Token op;  ///< before it, or where the first one begins
    Tensor value;
    bool inverse = false;  ///< it is subtracted, or divided by
  };

  /// The text of a function that is called: names mean what they mean to the caller, but for the arguments.
  Parser(const Definition& function, std::vector<Tensor> arguments, Parser& caller);

  [[noreturn]] void fail(const Token& token, const std::string& summary) const { lexer_.fail(token.begin, summary); }
  [[noreturn]] void unexpected(const char* wanted, bool after_operand = true) const;
  void advance();
  void count(std::size_t words, const Token& place);
  void enter(const Token& place, const char* what);
  bool starts_operand() const;
  void close(const Token& open);
  Token place_of_next() const { return pending_name_ ? *pending_name_ : token_; }

  bool range_follows();
  Range parse_range();
  std::optional<int> parse_integer(const char* what);
  /// Reads what follows the token `before` once for each index.
  template <class Read>
  void repeat(const Range& range, const Token& before, Read&& read) {
    for (int i = range.first; i <= range.last; ++i) {
      lexer_.rewind(before);
      advance();
      advance();
      scope_.set_index(range.index, i);
      read();
    }
    scope_.forget_index(range.index);
  }
  void skip_to_end_of_call(const Token& open);
  void parse_definition(const Token& name);

  Tensor parse_sum();
  Tensor parse_product();
  Tensor parse_signed();
  Tensor parse_power();
  Tensor parse_operand();
  Tensor parse_postfix(const Token& place, Tensor value);
  Tensor parse_bracket();
  Tensor parse_component(const Token& place, const Tensor& value);
  Tensor parse_name(const Token& name);
  Tensor parse_plain_name(const Token& name);
  std::string parse_indexed_name(const Token& name);
  Tensor parse_indexed_sum(const Token& name);
  std::vector<Tensor> parse_arguments();
  Tensor parse_call(const Token& name, Function function);
  Tensor parse_tensor_call(const Token& name, const TensorFunction& function);
  Tensor parse_defined_call(const Token& name, const Definition& function);
  Tensor parse_support_call(const Token& name);
  Tensor call_defined(const Token& name, const Token& place, const Definition& function, std::vector<Tensor> arguments);
  Tensor parse_if(const Token& name);
  Expression parse_condition();
  Expression parse_conjunction();
  Expression parse_negation();
  Expression parse_comparison();
  bool opens_condition();
  bool is_word(std::string_view word) const { return token_.kind == TokenKind::name && token_.text == word; }
  bool is_comparison() const { return token_.is('<') || token_.is('>') || token_.is("<=") || token_.is(">="); }

  Tensor added(const Token& place, const std::vector<Part>& terms);
  Tensor multiplied(const Token& place, const std::vector<Part>& factors);
  Tensor time_derivative_of(const Token& place, const Tensor& value);
  Expression scalar(const Token& place, const Tensor& value, const std::string& what) const;
  /// Runs a constructor of expressions and gives its complaints a place.
  template <class Build>
  auto build(const Token& place, Build&& make) const {
    try {
      return make();
    } catch (const ExpressionError& error) {
      fail(place, error.what());
    }
  }

  const ParseOptions& options_;
  const ParseOptions& place_;  ///< of the text, with the integers that were known there
  Lexer lexer_;
  Scope scope_;
  ReadingWork own_work_;
  ReadingWork* work_;
  bool checking_ = false;  ///< nothing is built: every value is the scalar 1
  Token token_;
  std::optional<Token> pending_name_;  ///< a name read to see whether '=' follows
};

}  // namespace rattleback
