// Operands of the notation: names, calls, vectors, components and time derivatives.

#include <fmt/format.h>

#include "parser.hpp"
#include "rattleback/expr/contact.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {

// operand: ( number | name | call | '(' sum ')' | bracket ) { component | "'" }
Tensor Parser::parse_operand() {
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
    Tensor inner = parse_sum();
    close(token);
    return parse_postfix(token, std::move(inner));
  }
  if (token.is('[')) return parse_postfix(token, parse_bracket());
  fail(token, fmt::format("expected a number, a name or '(', found {}",
                          token.kind == TokenKind::end ? "the end" : fmt::format("'{}'", abbreviated(token.text))));
}

// { '[' sum [ ',' sum ] ']' | "'" }
Tensor Parser::parse_postfix(const Token& place, Tensor value) {
  for (;;) {
    if (token_.is('[')) {
      value = parse_component(place, value);
    } else if (token_.is('\'')) {
      value = time_derivative_of(token_, value);
      advance();
    } else {
      return value;
    }
  }
}

// bracket: '[' entry { ',' entry } ']', of scalars or of rows; entry: sum | '[' range ']' sum
Tensor Parser::parse_bracket() {
  const Token open = token_;
  std::vector<Tensor> parts;
  do {
    advance();
    if (token_.is('[') && range_follows()) {
      advance();
      const Range range = parse_range();
      if (!token_.is(']')) unexpected("']' after the range");
      if (range.first > range.last) fail(open, fmt::format("the range {}..{} is empty", range.first, range.last));
      const Token body = token_;
      repeat(range, body, [&] { parts.push_back(parse_sum()); });
    } else {
      parts.push_back(parse_sum());
    }
  } while (token_.is(','));
  if (token_.kind == TokenKind::end) fail(open, "this [ is never closed");
  if (!token_.is(']')) unexpected("',' or ']'");
  advance();
  if (checking_) return Expression(1.0);
  Vector components;
  std::vector<Vector> rows;
  for (const Tensor& part : parts) {
    if (const auto* e = std::get_if<Expression>(&part)) components.push_back(*e);
    if (const auto* row = std::get_if<Vector>(&part)) rows.push_back(*row);
  }
  if (components.size() == parts.size()) return components;
  if (rows.size() == parts.size()) return build(open, [&] { return Matrix(rows); });
  for (const Tensor& part : parts) {
    if (part.index() != parts[0].index() || std::holds_alternative<Matrix>(part)) {
      fail(open, fmt::format("a vector has scalars as components, a matrix has vectors as rows, found {}{}",
                             shape_of(parts[0]), &part == &parts[0] ? "" : " and " + shape_of(part)));
    }
  }
  fail(open, "a vector has scalars as components");
}

Tensor Parser::parse_component(const Token& place, const Tensor& value) {
  const Token open = token_;
  advance();
  std::vector<std::optional<int>> indices{parse_integer("an index")};
  if (token_.is(',')) {
    advance();
    indices.push_back(parse_integer("an index"));
  }
  if (!token_.is(']')) unexpected("']' after the index");
  advance();
  if (checking_) return Expression(1.0);
  if (std::holds_alternative<Expression>(value)) fail(place, "a scalar has no components");
  const auto* matrix = std::get_if<Matrix>(&value);
  const std::size_t sizes[] = {matrix != nullptr ? matrix->rows : entries_of(value).size(),
                               matrix != nullptr ? matrix->columns : 0};
  if (indices.size() == 2 && matrix == nullptr)
    fail(open, fmt::format("two indices are for a matrix, found {}", shape_of(value)));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (*indices[k] >= 1 && static_cast<std::size_t>(*indices[k]) <= sizes[k]) continue;
    fail(open, fmt::format("the index {} is not between 1 and {}: this is {}", *indices[k], sizes[k], shape_of(value)));
  }
  const auto i = static_cast<std::size_t>(*indices[0] - 1);
  if (matrix == nullptr) return std::get<Vector>(value)[i];
  if (indices.size() == 1) return matrix->row(i);
  return (*matrix)(i, static_cast<std::size_t>(*indices[1] - 1));
}

Tensor Parser::parse_name(const Token& name) {
  if (name.text == "sum" && token_.is('(')) return parse_postfix(name, parse_indexed_sum(name));
  if (name.text == "if") return parse_postfix(name, parse_if(name));
  if (is_word_of_conditions(name.text)) {
    fail(name, fmt::format("'{}' belongs into a condition, and conditions stand first in if(condition, a, b) only",
                           name.text));
  }
  const std::size_t primes = name.text.find('\'');
  const std::string stem(name.text.substr(0, primes));
  if (const Tensor* value = scope_.value(name, stem);
      value != nullptr && !scope_.index(stem) && !token_.is('(') &&
      !(token_.is('[') && std::holds_alternative<Expression>(*value) && !checking_)) {
    Tensor result = *value;
    for (std::size_t k = stem.size(); k < name.text.size(); ++k) result = time_derivative_of(name, result);
    return parse_postfix(name, std::move(result));
  }
  if (const Definition* function = scope_.function(stem)) {
    if (primes != std::string_view::npos || !token_.is('('))
      fail(name, fmt::format("'{}' is a function; write {}", stem, function->header()));
    return parse_postfix(name, parse_defined_call(name, *function));
  }
  return parse_plain_name(name);
}

/// A name that is no definition.
Tensor Parser::parse_plain_name(const Token& name) {
  const std::string key = parse_indexed_name(name);
  if (key.empty()) return Expression(1.0);
  if (const auto index = scope_.index(key)) return Expression(*index);
  if (const auto function = find_function(key)) return parse_postfix(name, parse_call(name, *function));
  if (token_.is('(')) {
    if (key == support_call && !scope_.is_taken(key)) return parse_postfix(name, parse_support_call(name));
    const TensorFunction* function = find_tensor_function(key);
    if (function == nullptr || scope_.is_taken(key)) scope_.fail_not_a_function(name, key);
    return parse_postfix(name, parse_tensor_call(name, *function));
  }
  if (const auto meaning = scope_.meaning(key)) return *meaning;
  scope_.fail_unknown(name, key);
}

// name: letters [ '[' sum [ ',' sum ] ']' ] { "'" }: y1 of y[1], R[1,2] of R[1, 2]; empty if the index is that of a
// function that is checked
std::string Parser::parse_indexed_name(const Token& name) {
  std::string key(name.text);
  if (!token_.is('[')) return key;
  const std::size_t primes = key.find('\'');
  std::string velocity = primes == std::string::npos ? "" : key.substr(primes);
  const Token open = token_;
  advance();
  const std::optional<int> index = parse_integer("an index");
  if (index && *index < 0) fail(open, fmt::format("the index {} is negative", *index));
  std::string indexed = index ? key.substr(0, primes) + std::to_string(*index) : "";
  if (token_.is(',')) {
    advance();
    const std::optional<int> column = parse_integer("an index");
    indexed = index && column ? fmt::format("{}[{},{}]", key.substr(0, primes), *index, *column) : "";
  }
  if (!token_.is(']')) unexpected("']' after the index");
  advance();
  for (; token_.is('\''); advance()) velocity += '\'';
  return indexed.empty() ? "" : indexed + velocity;
}

std::vector<Tensor> Parser::parse_arguments() {
  const Token open = token_;
  std::vector<Tensor> arguments;
  do {
    advance();
    arguments.push_back(parse_sum());
  } while (token_.is(','));
  close(open);
  return arguments;
}

Tensor Parser::parse_call(const Token& name, Function function) {
  const FunctionInfo& f = info(function);
  if (token_.is('^')) fail(name, fmt::format("'{}' is a function; its power is written {}(...)^2", f.name, f.name));
  if (!token_.is('(')) fail(name, fmt::format("'{}' is a function; write {}(...)", f.name, f.name));
  const std::vector<Tensor> arguments = parse_arguments();
  const bool takes_many = function == Function::min || function == Function::max;
  if (arguments.size() < static_cast<std::size_t>(f.arity) ||
      (arguments.size() > static_cast<std::size_t>(f.arity) && !takes_many)) {
    fail(name, fmt::format("'{}' takes {} argument{}{}, found {}", f.name, f.arity, f.arity == 1 ? "" : "s",
                           takes_many ? " or more" : "", arguments.size()));
  }
  if (checking_) return Expression(1.0);
  Vector scalars;
  for (const Tensor& a : arguments) scalars.push_back(scalar(name, a, fmt::format("the argument of '{}'", f.name)));
  return build(name, [&] {
    while (scalars.size() > static_cast<std::size_t>(f.arity)) {  // min(a, b, c) = min(min(a, b), c)
      scalars[1] = call(function, std::span(scalars).first(2));
      scalars.erase(scalars.begin());
    }
    return call(function, scalars);
  });
}

Tensor Parser::parse_tensor_call(const Token& name, const TensorFunction& f) {
  std::vector<Tensor> arguments = parse_arguments();
  const std::string advice = f.advice.empty() ? "" : fmt::format("; {}", f.advice);
  if (arguments.size() < f.fewest || (f.most > 0 && arguments.size() > f.most)) {
    const std::string number = f.fewest < f.most ? fmt::format("{} or {}", f.fewest, f.most) : fmt::to_string(f.most);
    fail(name, fmt::format("'{}' takes {} argument{}, found {}{}", f.name, number, f.most == 1 ? "" : "s",
                           arguments.size(), advice));
  }
  if (checking_) return Expression(1.0);
  count(f.cost(arguments), name);
  if (f.of_derivative) arguments.push_back(time_derivative_of(name, arguments[0]));
  if (auto value = build(name, [&] { return f.apply(arguments); })) return *std::move(value);
  std::vector<std::string> shapes;
  for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size() - (f.of_derivative ? 1 : 0), 4); ++i)
    shapes.push_back(shape_of(arguments[i]));
  fail(name, fmt::format("'{}' takes {}, found {}{}", f.name, f.takes, fmt::join(shapes, " and "), advice));
}

Tensor Parser::parse_defined_call(const Token& name, const Definition& function) {
  const Token place = token_;
  std::vector<Tensor> arguments = parse_arguments();
  if (arguments.size() != function.arguments.size()) {
    fail(name, fmt::format("'{}' takes {} argument{}, found {}: it is {}", function.name, function.arguments.size(),
                           function.arguments.size() == 1 ? "" : "s", arguments.size(), function.header()));
  }
  if (checking_) return Expression(1.0);
  return call_defined(name, place, function, std::move(arguments));
}

// contact_support(h, u): h the name of a function of one vector
Tensor Parser::parse_support_call(const Token& name) {
  const Token open = token_;
  advance();
  const Token of = token_;
  const Definition* function = of.kind == TokenKind::name ? scope_.function(std::string(of.text)) : nullptr;
  if (function == nullptr || function->arguments.size() != 1) {
    fail(of, fmt::format("'{0}' takes the name of a function of one vector, the support function of a body, and a "
                         "vector: {0}(h, u) with h(n) in the definitions",
                         support_call));
  }
  advance();
  if (!token_.is(',')) unexpected("',' and the vertical");
  advance();
  const Tensor u = parse_sum();
  close(open);
  if (checking_) return Expression(1.0);
  const auto* vertical = std::get_if<Vector>(&u);
  if (vertical == nullptr) fail(name, fmt::format("the vertical is a vector, found {}", shape_of(u)));
  Vector n;  // no text has such names
  for (const char* component : {"n(1)", "n(2)", "n(3)"}) n.push_back(Expression::symbol(component));
  const Expression h = scalar(of, call_defined(of, of, *function, {n}), "a support function");
  count(8 * Graph({&h, 1}).size(), name);
  return build(name, [&] { return contact_support(h, n, *vertical); });
}

Tensor Parser::call_defined(const Token& name, const Token& place, const Definition& function,
                            std::vector<Tensor> arguments) {
  constexpr std::size_t words_of_a_call = 8;
  count(words_of_a_call, place);
  enter(place, "functions nested");
  try {
    Tensor value = Parser(function, std::move(arguments), *this).parse_text();
    --work_->depth;
    return value;
  } catch (const ParseError& error) {
    lexer_.fail_in_function(name.begin, function.name, error);
  }
}

/// Terms and their signs. Scalars go to the constructor of sums at once.
Tensor Parser::added(const Token& place, const std::vector<Part>& terms) {
  if (checking_) return Expression(1.0);
  const Tensor& first = terms[0].value;
  for (const Part& t : terms) {
    const auto* a = std::get_if<Matrix>(&first);
    const auto* b = std::get_if<Matrix>(&t.value);
    if (first.index() != t.value.index() || entries_of(first).size() != entries_of(t.value).size() ||
        (a != nullptr && a->rows != b->rows)) {
      fail(t.op,
           fmt::format("cannot {} {} and {}", t.inverse ? "subtract" : "add", shape_of(first), shape_of(t.value)));
    }
  }
  const std::size_t n = entries_of(first).size();
  count((n - 1) * terms.size(), place);
  Vector sums;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Term> entries;
    for (const Part& t : terms) entries.push_back({entries_of(t.value)[i], t.inverse ? -1.0 : 1.0});
    sums.push_back(build(place, [&] { return sum(entries); }));
  }
  return with_entries(first, std::move(sums));
}

/// Scalar factors go to the constructor of products at once. The others are multiplied from the right, because a matrix
/// times a vector is a vector.
Tensor Parser::multiplied(const Token& place, const std::vector<Part>& factors) {
  if (checking_) return Expression(1.0);
  std::vector<Term> scalars;
  std::vector<const Part*> others;
  for (const Part& f : factors) {
    const auto* e = std::get_if<Expression>(&f.value);
    if (f.inverse && e == nullptr) fail(f.op, fmt::format("cannot divide by {}", shape_of(f.value)));
    if (f.inverse && e->is_constant(0.0)) fail(f.op, "division by zero");
    if (e != nullptr) {
      scalars.push_back({*e, f.inverse ? -1.0 : 1.0});
    } else {
      others.push_back(&f);
    }
  }
  const Expression factor = build(place, [&] { return product(scalars); });
  if (others.empty()) return factor;
  Tensor result = others.back()->value;
  for (std::size_t k = others.size() - 1; k-- > 0;) {
    const Tensor& left = others[k]->value;
    const Token& op = others[k + 1]->op;
    const auto* matrix = std::get_if<Matrix>(&left);
    if (matrix == nullptr) {
      const bool both = std::holds_alternative<Vector>(result);
      fail(op, fmt::format(
                   "cannot multiply {} by {}; {}", shape_of(left), shape_of(result),
                   both ? "there are dot(a, b) and cross(a, b)" : "a matrix stands before the vector: transpose(M)*r"));
    }
    count(matrix->rows * entries_of(result).size(), op);
    const auto* vector = std::get_if<Vector>(&result);
    result = build(
        op, [&] { return vector != nullptr ? Tensor(*matrix * *vector) : Tensor(*matrix * std::get<Matrix>(result)); });
  }
  if (scalars.empty()) return result;
  count(entries_of(result).size(), place);
  return build(place, [&] { return std::visit([&](const auto& r) { return Tensor(factor * r); }, result); });
}

Tensor Parser::time_derivative_of(const Token& place, const Tensor& value) {
  if (checking_) return value;
  const auto entries = entries_of(value);
  constexpr std::size_t words_of_a_node = 4;
  count(words_of_a_node * Graph(entries).size(), place);
  Vector variables;
  Vector rates;
  for (const Expression& symbol : free_symbols(entries)) {
    if (symbol.name().back() == '\'' || symbol.name().find(angular_velocity_suffix) != std::string::npos) {
      fail(place, fmt::format("this would be a second derivative: what is differentiated contains {}; only first "
                              "derivatives may occur",
                              abbreviated(symbol.name())));
    }
    if (scope_.is_instantaneous(symbol)) {
      fail(place, "what is differentiated contains the multiplier of a constraint, whose rate of change is not known");
    }
    variables.push_back(symbol);
    rates.push_back(scope_.rate(symbol));
  }
  return with_entries(value, build(place, [&] { return directional_derivative(entries, variables, rates); }));
}

}  // namespace rattleback
