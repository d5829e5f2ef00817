#include "rattleback/expr/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parser.hpp"

namespace rattleback {
namespace {

struct Header {
  std::string name;
  std::vector<std::string> arguments;
};

// header: name [ '(' name { ',' name } ')' ]
Header read_header(std::string_view text, const ParseOptions& place) {
  Lexer lexer(text, place);
  const auto fail = [&](const Token& token, const std::string& summary) { lexer.fail(token.begin, summary); };
  const auto read_name = [&](const char* what) {
    const Token token = lexer.next();
    if (token.kind != TokenKind::name || token.text.back() == '\'' || token.text.find('.') != std::string_view::npos) {
      fail(token, fmt::format("{} must be a name, as in W, or kinetic(m, v) for a function", what));
    }
    const std::string name(token.text);
    if (find_function(name) || find_tensor_function(name) != nullptr || name == support_call || name == "pi" ||
        name == "π" || name == "sum" || is_reserved(name)) {
      fail(token, fmt::format("'{}' has a meaning already", abbreviated(name)));
    }
    return name;
  };
  Header header{read_name("a definition"), {}};
  Token token = lexer.next();
  if (token.kind == TokenKind::end) return header;
  if (!token.is('(')) fail(token, "expected the end of the name or '(' with the arguments of a function");
  do {
    const Token place_of_argument = token;
    header.arguments.push_back(read_name("an argument"));
    const auto& all = header.arguments;
    if (std::count(all.begin(), all.end(), all.back()) > 1)
      fail(place_of_argument, fmt::format("two arguments are called '{}'", abbreviated(all.back())));
    token = lexer.next();
  } while (token.is(','));
  if (!token.is(')')) fail(token, "expected ',' or ')' after an argument");
  if (const Token rest = lexer.next(); rest.kind != TokenKind::end) fail(rest, "expected the end after ')'");
  return header;
}

}  // namespace

std::string Definition::header() const {
  return is_function() ? fmt::format("{}({})", name, fmt::join(arguments, ", ")) : name;
}

void Definitions::add(std::string_view header_text, std::string_view text, ParseOptions options,
                      const ParseOptions& header_place) {
  Header header = read_header(header_text, header_place);
  const auto taken = [&](const std::string& name) {
    return options.names && std::find(options.names->begin(), options.names->end(), name) != options.names->end();
  };
  if (taken(header.name) || find(header.name) != nullptr) {
    const Lexer lexer(header_text, header_place);
    lexer.fail(0, fmt::format("'{}' has a meaning already; choose another name", abbreviated(header.name)));
  }
  options.definitions = this;
  Definition definition{header.name, header.arguments, std::string(text), {}, {}};
  if (header.arguments.empty()) {
    definition.value = parse_tensor(text, options);
  } else {
    Parser(text, options).check_body(header.arguments);
    definition.place.source = options.source;
    definition.place.line = options.line;
    definition.place.column = options.column;
    definition.place.integers = options.integers;
    definition.place.noninteger = options.noninteger;
  }
  append(std::move(definition));
}

void Definitions::add(const std::string& name, Tensor value) { append({name, {}, {}, std::move(value), {}}); }

void Definitions::append(Definition definition) {
  index_.emplace(definition.name, list_.size());
  list_.push_back(std::move(definition));
}

const Definition* Definitions::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &list_[found->second];
}

}  // namespace rattleback
