// Texts, ranges, sums and products of the notation.

#include "rattleback/expr/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parser.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end";
  return fmt::format("'{}'", abbreviated(token.text));
}

}  // namespace

Parser::Parser(std::string_view text, const ParseOptions& options)
    : options_(options), place_(options), lexer_(text, options), scope_(options, lexer_), work_(&own_work_) {
  advance();
}

Parser::Parser(const Definition& function, std::vector<Tensor> arguments, Parser& caller)
    : options_(caller.options_), place_(function.place), lexer_(function.text, function.place),
      scope_(caller.scope_, lexer_, function.arguments, std::move(arguments)), work_(caller.work_) {
  advance();
}

std::vector<Tensor> Parser::parse_list_entry() {
  if (!token_.is('[') || !range_follows()) return {parse_text()};
  const Token open = token_;
  advance();
  const Range range = parse_range();
  if (!token_.is(']')) unexpected("']' after the range");
  const Token body = token_;
  std::vector<Tensor> results;
  repeat(range, body, [&] {
    results.push_back(parse_text());
    scope_.forget_definitions();
  });
  if (results.empty()) fail(open, fmt::format("the range {}..{} is empty", range.first, range.last));
  return results;
}

Tensor Parser::parse_text() {
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
    Tensor result = parse_sum();
    if (token_.kind != TokenKind::end) unexpected("an operator or the end");
    return result;
  }
}

Expression Parser::parse_scalar_text() {
  const Token place = token_;
  const Tensor value = parse_text();
  if (const auto* e = std::get_if<Expression>(&value)) return *e;
  fail(place, fmt::format("a scalar is expected here, found {}; take a component, as in {}", shape_of(value),
                          std::holds_alternative<Matrix>(value) ? "R[1,1]" : "r[1]"));
}

void Parser::check_body(const std::vector<std::string>& arguments) {
  checking_ = true;
  for (const std::string& name : arguments) scope_.hide(name, Expression(1.0));
  parse_text();
}

void Parser::unexpected(const char* wanted, bool after_operand) const {
  if (is_comparison() || is_word("and") || is_word("or") || is_word("not")) {
    fail(token_, fmt::format("{} belongs into a condition, and conditions stand first in if(condition, a, b) only",
                             describe(token_)));
  }
  if (starts_operand() && after_operand) {
    fail(token_, fmt::format("an operator is missing before {}; a product is written with *", describe(token_)));
  }
  if (token_.is(')')) fail(token_, "this ) has no matching (");
  if (token_.is('=')) fail(token_, "'=' may only follow a new name; an equation is written as left - right");
  fail(token_, fmt::format("expected {}, found {}", wanted, describe(token_)));
}

void Parser::advance() {
  token_ = lexer_.next();
  count(1, token_);
}

void Parser::count(std::size_t words, const Token& place) {
  work_->words += std::min(words, max_expression_words + 1);
  if (work_->words > max_expression_words) {
    fail(place, fmt::format("written out, the expression has more than {} words", max_expression_words));
  }
}

void Parser::enter(const Token& place, const char* what) {
  if (++work_->depth > max_expression_nesting) {
    fail(place,
         fmt::format("{} deeper than {} levels; name parts of it with definitions", what, max_expression_nesting));
  }
}

bool Parser::starts_operand() const {
  return token_.kind == TokenKind::number || token_.kind == TokenKind::name || token_.is('(');
}

/// Whether '[' opens a range, [i = 1..n], and not a vector.
bool Parser::range_follows() {
  const Token open = token_;
  advance();
  bool range = token_.kind == TokenKind::name;
  if (range) {
    advance();
    range = token_.is('=');
  }
  lexer_.rewind(open);
  advance();
  return range;
}

// range: name '=' sum '..' sum
Parser::Range Parser::parse_range() {
  const Token name = token_;
  if (name.kind != TokenKind::name) unexpected("an index and its range, as in i = 1..n", false);
  advance();
  scope_.check_new(name);
  if (!token_.is('=')) unexpected("'=' and a range, as in i = 1..n");
  advance();
  const auto first = parse_integer("a bound of a range");
  if (!token_.is("..")) unexpected("'..' and the last index, as in i = 1..n");
  advance();
  const auto last = parse_integer("a bound of a range");
  if (!first || !last) return {std::string(name.text), 1, 1};
  if (*last - *first >= max_range) {
    fail(name, fmt::format("the range {}..{} is too long; the limit is {} indices", *first, *last, max_range));
  }
  return {std::string(name.text), *first, *last};
}

/// An expression of numbers, indices and the integers of the options; nothing while a function is checked.
std::optional<int> Parser::parse_integer(const char* what) {
  const Token place = token_;
  const Tensor read = parse_sum();
  if (checking_) return std::nullopt;
  Substitution values;
  for (const auto& [name, value] : place_.integers) values.emplace(Expression::symbol(name), Expression(value));
  const Expression e = build(place, [&] { return substitute(scalar(place, read, what), values); });
  if (e.is_symbol() && place_.noninteger.contains(e.name())) {
    fail(place, fmt::format("{} must be an integer, found {} = {}", what, e.name(),
                            number_text(place_.noninteger.at(e.name()))));
  }
  if (!e.is_constant()) {
    std::vector<std::string> integers;
    for (const auto& [name, value] : place_.integers) integers.push_back(name);
    std::sort(integers.begin(), integers.end());
    fail(place, fmt::format("{} must be an integer, found {}; {}", what, shortened(e),
                            integers.empty() ? "no parameter is an integer"
                                             : fmt::format("the integers are {}", fmt::join(integers, ", "))));
  }
  const double value = e.value();
  if (value != std::floor(value)) fail(place, fmt::format("{} must be an integer, found {}", what, number_text(value)));
  if (std::abs(value) > 1e9) fail(place, fmt::format("{} is too large: {}", what, number_text(value)));
  return static_cast<int>(value);
}

void Parser::skip_to_end_of_call(const Token& open) {
  for (int depth = 1; depth > 0;) {
    advance();
    if (token_.kind == TokenKind::end) fail(open, "this ( is never closed");
    depth += token_.is('(') ? 1 : token_.is(')') ? -1 : 0;
  }
  advance();
}

// 'sum' '(' range ',' sum ')'
Tensor Parser::parse_indexed_sum(const Token& name) {
  const Token open = token_;
  advance();
  const Range range = parse_range();
  if (!token_.is(',')) unexpected("',' and what is to be summed");
  if (range.first > range.last) {  // an empty sum is 0; its body may name what does not exist
    skip_to_end_of_call(open);
    return Expression(0.0);
  }
  std::vector<Part> terms;
  repeat(range, Token(token_), [&] { terms.push_back({name, parse_sum()}); });
  close(open);
  return added(name, terms);
}

void Parser::parse_definition(const Token& name) {
  scope_.check_definition(name);
  advance();
  Tensor value = parse_sum();
  if (!token_.is(';')) unexpected("';' after the definition");
  advance();
  scope_.define(name, std::move(value));
}

// sum: product { ('+' | '-') product }
Tensor Parser::parse_sum() {
  enter(token_, "nested");
  const Token place = place_of_next();
  std::vector<Part> terms{{place, parse_product()}};
  while (token_.is('+') || token_.is('-')) {
    const Token op = token_;
    advance();
    terms.push_back({op, parse_product(), op.is('-')});
  }
  --work_->depth;
  return terms.size() == 1 ? std::move(terms[0].value) : added(place, terms);
}

// product: signed { ('*' | '/') signed }
Tensor Parser::parse_product() {
  const Token place = place_of_next();
  std::vector<Part> factors{{place, parse_signed()}};
  while (token_.is('*') || token_.is('/')) {
    const Token op = token_;
    advance();
    factors.push_back({op, parse_signed(), op.is('/')});
  }
  return factors.size() == 1 ? std::move(factors[0].value) : multiplied(place, factors);
}

// signed: { '+' | '-' } power
Tensor Parser::parse_signed() {
  bool negative = false;
  while (!pending_name_ && (token_.is('+') || token_.is('-'))) {
    if (token_.is('-')) negative = !negative;
    advance();
  }
  Tensor value = parse_power();
  if (!negative || checking_) return value;
  return std::visit([](const auto& v) { return Tensor(-v); }, value);
}

// power: operand [ '^' signed ]
Tensor Parser::parse_power() {
  const Token place = place_of_next();
  Tensor base = parse_operand();
  if (!token_.is('^')) return base;
  const Token op = token_;
  advance();
  enter(op, "powers nested");
  const Tensor exponent = parse_signed();
  --work_->depth;
  if (checking_) return Expression(1.0);
  if (std::holds_alternative<Vector>(base)) fail(place, "a vector has no powers; its square is dot(r, r)");
  if (std::holds_alternative<Matrix>(base)) fail(place, "a matrix has no powers; write the product");
  const Expression power_of = scalar(op, exponent, "an exponent");
  return build(op, [&] { return pow(std::get<Expression>(base), power_of); });
}

void Parser::close(const Token& open) {
  if (token_.kind == TokenKind::end) fail(open, "this ( is never closed");
  if (!token_.is(')')) unexpected("')'");
  advance();
}

Expression Parser::scalar(const Token& place, const Tensor& value, const std::string& what) const {
  if (const auto* e = std::get_if<Expression>(&value)) return *e;
  fail(place, fmt::format("{} must be a scalar, found {}", what, shape_of(value)));
}

Tensor parse_tensor(std::string_view text, const ParseOptions& options) { return Parser(text, options).parse_text(); }

Expression parse(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).parse_scalar_text();
}

std::vector<Expression> parse_entry(std::string_view text, const ParseOptions& options) {
  std::vector<Expression> rows;
  for (const Tensor& value : Parser(text, options).parse_list_entry()) {
    const auto entries = entries_of(value);
    rows.insert(rows.end(), entries.begin(), entries.end());
  }
  return rows;
}

}  // namespace rattleback
