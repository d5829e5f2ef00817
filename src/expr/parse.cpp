// A recursive-descent parser; each function carries its rule of the grammar.

#include "rattleback/expr/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lexer.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "scope.hpp"

namespace rattleback {
namespace {

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end";
  return fmt::format("'{}'", abbreviated(token.text));
}

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : options_(options), lexer_(text, options), scope_(options, lexer_) {
    advance();
  }

  // entry: text | '[' range ']' text, the text read once for each index
  std::vector<Expression> parse_list_entry() {
    if (!token_.is('[')) return {parse_text()};
    const Token open = token_;
    advance();
    const Range range = parse_range();
    if (!token_.is(']')) unexpected("']' after the range");
    const Token body = token_;
    std::vector<Expression> results;
    repeat(range, body, [&] {
      results.push_back(parse_text());
      scope_.forget_definitions();
    });
    if (results.empty()) fail(open, fmt::format("the range {}..{} is empty", range.first, range.last));
    return results;
  }

  // text: { name '=' sum ';' } sum
  Expression parse_text() {
    if (token_.kind == TokenKind::end) fail(token_, "the expression is empty");
    for (;;) {
      if (token_.kind == TokenKind::name) {
        const Token name = token_;
        advance();
        if (token_.is('=')) {
          parse_definition(name);
          continue;
        }
        pending_name_ = name;
      }
      Expression result = parse_sum();
      if (token_.kind != TokenKind::end) unexpected("an operator or the end");
      return result;
    }
  }

 private:
  [[noreturn]] void fail(const Token& token, const std::string& summary) const { lexer_.fail(token.begin, summary); }

  [[noreturn]] void unexpected(const char* wanted, bool after_operand = true) const {
    if (starts_operand() && after_operand) {
      fail(token_, fmt::format("an operator is missing before {}; a product is written with *", describe(token_)));
    }
    if (token_.is(')')) fail(token_, "this ) has no matching (");
    if (token_.is('=')) fail(token_, "'=' may only follow a new name; an equation is written as left - right");
    fail(token_, fmt::format("expected {}, found {}", wanted, describe(token_)));
  }

  void advance() {
    token_ = lexer_.next();
    if (++words_ > max_expression_words) {
      fail(token_, fmt::format("the sums have more than {} words when written out", max_expression_words));
    }
  }
  bool starts_operand() const {
    return token_.kind == TokenKind::number || token_.kind == TokenKind::name || token_.is('(');
  }

  /// Runs a constructor of expressions and gives its complaints a place.
  template <class Build>
  Expression build(const Token& place, Build&& make) const {
    try {
      return make();
    } catch (const ExpressionError& error) {
      fail(place, error.what());
    }
  }

  struct Range {
    std::string index;
    int first;
    int last;
  };

  // range: name '=' sum '..' sum
  Range parse_range() {
    const Token name = token_;
    if (name.kind != TokenKind::name) unexpected("an index and its range, as in i = 1..n", false);
    advance();
    scope_.check_new(name);
    if (!token_.is('=')) unexpected("'=' and a range, as in i = 1..n");
    advance();
    const int first = parse_integer("a bound of a range");
    if (!token_.is("..")) unexpected("'..' and the last index, as in i = 1..n");
    advance();
    const int last = parse_integer("a bound of a range");
    if (last - first >= max_range) {
      fail(name, fmt::format("the range {}..{} is too long; the limit is {} indices", first, last, max_range));
    }
    return {std::string(name.text), first, last};
  }

  /// An expression of numbers, indices and the integers of the options.
  int parse_integer(const char* what) {
    const Token place = token_;
    Substitution values;
    for (const auto& [name, value] : options_.integers) values.emplace(Expression::symbol(name), Expression(value));
    const Expression e = build(place, [&, sum = parse_sum()] { return substitute(sum, values); });
    if (e.is_symbol() && options_.noninteger.contains(e.name())) {
      fail(place, fmt::format("{} must be an integer, found {} = {}", what, e.name(),
                              number_text(options_.noninteger.at(e.name()))));
    }
    if (!e.is_constant()) {
      std::vector<std::string> integers;
      for (const auto& [name, value] : options_.integers) integers.push_back(name);
      std::sort(integers.begin(), integers.end());
      fail(place, fmt::format("{} must be an integer, found {}; {}", what, shortened(e),
                              integers.empty() ? "no parameter is an integer"
                                               : fmt::format("the integers are {}", fmt::join(integers, ", "))));
    }
    const double value = e.value();
    if (value != std::floor(value))
      fail(place, fmt::format("{} must be an integer, found {}", what, number_text(value)));
    if (std::abs(value) > 1e9) fail(place, fmt::format("{} is too large: {}", what, number_text(value)));
    return static_cast<int>(value);
  }

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

  // 'sum' '(' range ',' sum ')'
  Expression parse_indexed_sum(const Token& name) {
    const Token open = token_;
    advance();
    const Range range = parse_range();
    if (!token_.is(',')) unexpected("',' and what is to be summed");
    if (range.first > range.last) {  // an empty sum is 0; its body may name what does not exist
      for (int depth = 1; depth > 0;) {
        advance();
        if (token_.kind == TokenKind::end) fail(open, "this ( is never closed");
        depth += token_.is('(') ? 1 : token_.is(')') ? -1 : 0;
      }
      advance();
      return Expression(0.0);
    }
    std::vector<Term> terms;
    repeat(range, Token(token_), [&] { terms.push_back({parse_sum(), 1.0}); });
    close(open);
    return build(name, [&] { return sum(terms); });
  }

  // name: letters [ '[' sum ']' ] { "'" }
  std::string parse_indexed_name(const Token& name) {
    std::string key(name.text);
    if (!token_.is('[')) return key;
    const std::size_t primes = key.find('\'');
    std::string velocity = primes == std::string::npos ? "" : key.substr(primes);
    const Token open = token_;
    advance();
    const int index = parse_integer("an index");
    if (index < 0) fail(open, fmt::format("the index {} is negative", index));
    if (!token_.is(']')) unexpected("']' after the index");
    advance();
    for (; token_.is('\''); advance()) velocity += '\'';
    return key.substr(0, primes) + std::to_string(index) + velocity;
  }

  void parse_definition(const Token& name) {
    scope_.check_definition(name);
    advance();
    Expression value = parse_sum();
    if (!token_.is(';')) unexpected("';' after the definition");
    advance();
    scope_.define(name, std::move(value));
  }

  // sum: product { ('+' | '-') product }
  Expression parse_sum() {
    if (++depth_ > max_expression_nesting) {
      fail(token_,
           fmt::format("nested deeper than {} levels; name parts of it with definitions", max_expression_nesting));
    }
    const Token place = pending_name_ ? *pending_name_ : token_;
    std::vector<Term> terms{{parse_product(), 1.0}};
    while (token_.is('+') || token_.is('-')) {
      const double sign = token_.is('+') ? 1.0 : -1.0;
      advance();
      terms.push_back({parse_product(), sign});
    }
    --depth_;
    if (terms.size() == 1) return terms[0].expression;
    return build(place, [&] { return sum(terms); });
  }

  // product: signed { ('*' | '/') signed }
  Expression parse_product() {
    const Token place = pending_name_ ? *pending_name_ : token_;
    std::vector<Term> factors{{parse_signed(), 1.0}};
    while (token_.is('*') || token_.is('/')) {
      const Token op = token_;
      advance();
      const Expression operand = parse_signed();
      if (op.is('/') && operand.is_constant(0.0)) fail(op, "division by zero");
      factors.push_back({operand, op.is('*') ? 1.0 : -1.0});
    }
    if (factors.size() == 1) return factors[0].expression;
    return build(place, [&] { return product(factors); });
  }

  // signed: { '+' | '-' } power
  Expression parse_signed() {
    bool negative = false;
    while (!pending_name_ && (token_.is('+') || token_.is('-'))) {
      if (token_.is('-')) negative = !negative;
      advance();
    }
    const Expression value = parse_power();
    return negative ? -value : value;
  }

  // power: operand [ '^' signed ]
  Expression parse_power() {
    Expression base = parse_operand();
    if (!token_.is('^')) return base;
    const Token op = token_;
    advance();
    if (++depth_ > max_expression_nesting) {
      fail(op, fmt::format("powers nested deeper than {} levels", max_expression_nesting));
    }
    const Expression exponent = parse_signed();
    --depth_;
    return build(op, [&] { return pow(base, exponent); });
  }

  // operand: number | name | function '(' sum { ',' sum } ')' | 'sum' '(' range ',' sum ')' | '(' sum ')'
  Expression parse_operand() {
    if (pending_name_) {
      const Token name = *pending_name_;
      pending_name_.reset();
      return parse_name(name);
    }
    const Token token = token_;
    if (token.kind == TokenKind::number) {
      advance();
      return Expression(token.number);
    }
    if (token.kind == TokenKind::name) {
      advance();
      return parse_name(token);
    }
    if (token.is('(')) {
      advance();
      Expression inner = parse_sum();
      close(token);
      return inner;
    }
    fail(token, fmt::format("expected a number, a name or '(', found {}{}", describe(token),
                            token.is('[') ? "; group with ( and )" : ""));
  }

  void close(const Token& open) {
    if (token_.kind == TokenKind::end) fail(open, "this ( is never closed");
    if (!token_.is(')')) unexpected("')'");
    advance();
  }

  Expression parse_name(const Token& name) {
    if (name.text == "sum" && token_.is('(')) return parse_indexed_sum(name);
    const std::string key = parse_indexed_name(name);
    if (const auto index = scope_.index(key)) return Expression(*index);
    if (const auto function = find_function(key)) return parse_call(name, *function);
    if (token_.is('(')) scope_.fail_not_a_function(name, key);
    if (const auto meaning = scope_.meaning(key)) return *meaning;
    scope_.fail_unknown(name, key);
  }

  Expression parse_call(const Token& name, Function function) {
    const FunctionInfo& f = info(function);
    if (token_.is('^')) fail(name, fmt::format("'{}' is a function; its power is written {}(...)^2", f.name, f.name));
    if (!token_.is('(')) fail(name, fmt::format("'{}' is a function; write {}(...)", f.name, f.name));
    const Token open = token_;
    advance();
    std::vector<Expression> arguments{parse_sum()};
    while (token_.is(',')) {
      advance();
      arguments.push_back(parse_sum());
    }
    close(open);
    if (arguments.size() != static_cast<std::size_t>(f.arity)) {
      fail(name, fmt::format("'{}' takes {} argument{}, found {}", f.name, f.arity, f.arity == 1 ? "" : "s",
                             arguments.size()));
    }
    return build(name, [&] { return call(function, arguments); });
  }

  const ParseOptions& options_;
  Lexer lexer_;
  Scope scope_;
  Token token_;
  std::optional<Token> pending_name_;  ///< a name read to see whether '=' follows
  std::size_t words_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression parse(std::string_view text, const ParseOptions& options) { return Parser(text, options).parse_text(); }

std::vector<Expression> parse_entry(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).parse_list_entry();
}

}  // namespace rattleback
