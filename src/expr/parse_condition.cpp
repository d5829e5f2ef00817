// Conditions of the notation, and what they decide.

#include <fmt/format.h>

#include "parser.hpp"
#include "rattleback/expr/piecewise.hpp"

namespace rattleback {

// if: 'if' '(' condition ',' sum ',' sum ')'
Tensor Parser::parse_if(const Token& name) {
  const Token open = token_;
  if (!open.is('(')) fail(name, "'if' is a function; write if(condition, a, b)");
  advance();
  enter(open, "conditions nested");
  const Expression condition = parse_condition();
  --work_->depth;
  Vector values;
  while (token_.is(',')) {
    advance();
    const Token place = token_;
    const Tensor value = parse_sum();
    values.push_back(checking_ ? Expression(1.0) : scalar(place, value, "a value of 'if'"));
  }
  if (values.size() < 2 && !token_.is(')')) unexpected("',' and the values of 'if'");
  if (values.size() != 2) {
    fail(name, fmt::format("'if' takes a condition and two values, if(condition, a, b); found {} value{}", values.size(),
                           values.size() == 1 ? "" : "s"));
  }
  close(open);
  if (checking_) return Expression(1.0);
  return build(name, [&] { return if_else(condition, values[0], values[1]); });
}

// condition: conjunction { 'or' conjunction }
Expression Parser::parse_condition() {
  Expression result = parse_conjunction();
  while (is_word("or")) {
    advance();
    const Expression next = parse_conjunction();
    result = either(result, next);
  }
  return result;
}

// conjunction: negation { 'and' negation }
Expression Parser::parse_conjunction() {
  Expression result = parse_negation();
  while (is_word("and")) {
    advance();
    const Expression next = parse_negation();
    result = both(result, next);
  }
  return result;
}

// negation: { 'not' } comparison
Expression Parser::parse_negation() {
  bool negative = false;
  for (; is_word("not"); advance()) negative = !negative;
  const Expression condition = parse_comparison();
  return negative && !checking_ ? opposite(condition) : condition;
}

// comparison: sum ( '<' | '<=' | '>' | '>=' ) sum | '(' condition ')'
Expression Parser::parse_comparison() {
  const Token place = token_;
  if (opens_condition()) {
    advance();
    enter(place, "conditions nested");
    const Expression inner = parse_condition();
    --work_->depth;
    close(place);
    return inner;
  }
  const Tensor left = parse_sum();
  const Token op = token_;
  if (op.is('=')) fail(op, "numbers are hardly ever equal; conditions compare with <, <=, > and >=");
  if (!is_comparison()) {
    if (starts_operand() && !is_word("and") && !is_word("or")) unexpected("a comparison");
    fail(place, "a condition is a comparison, as in if(x > 0, a, b); this is a number");
  }
  advance();
  if (token_.is('=')) fail(token_, "expected a number, a name or '(', found '='");
  const Token right_place = token_;
  const Tensor right = parse_sum();
  if (is_comparison()) fail(token_, "a comparison has two sides; write a < b and b < c");
  if (checking_) return 1.0;
  const Expression a = scalar(place, left, "what is compared");
  const Expression b = scalar(right_place, right, "what is compared");
  return build(op, [&] {
    if (op.is('<')) return less(a, b);
    if (op.is("<=")) return less_equal(a, b);
    return op.is('>') ? less(b, a) : less_equal(b, a);
  });
}

/// Whether the parenthesis that follows holds a condition, and not a sum that is compared.
bool Parser::opens_condition() {
  if (!token_.is('(')) return false;
  const Token open = token_;
  bool found = false;
  bool after_name = false;
  std::vector<bool> is_call;  // of the parentheses that are open
  std::size_t calls = 0;
  do {
    if (token_.is('(') || token_.is('[')) {
      is_call.push_back(after_name || token_.is('['));
      calls += is_call.back() ? 1 : 0;
    } else if (token_.is(')') || token_.is(']')) {
      calls -= is_call.back() ? 1 : 0;
      is_call.pop_back();
    }
    const bool word = token_.kind == TokenKind::name && is_word_of_conditions(token_.text);
    found = calls == 0 && (is_comparison() || word);
    after_name = token_.kind == TokenKind::name && !word;
    if (!found) advance();
  } while (!found && !is_call.empty() && token_.kind != TokenKind::end);
  lexer_.rewind(open);
  advance();
  return found;
}

}  // namespace rattleback
