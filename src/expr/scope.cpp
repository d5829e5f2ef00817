#include "scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "rattleback/expr/function.hpp"

namespace rattleback {
namespace {

bool is_pi(const std::string& key) { return key == "pi" || key == "π"; }

}  // namespace

Scope::Scope(const ParseOptions& options, const Lexer& lexer) : options_(options), lexer_(lexer) {
  if (options.names) known_.insert(options.names->begin(), options.names->end());
}

void Scope::check_new(const Token& name) const {
  const std::string key(name.text);
  if (known_.contains(key) || find_function(key) || is_pi(key) || indices_.contains(key)) {
    fail(name, fmt::format("'{}' has a meaning already", abbreviated(key)));
  }
}

void Scope::check_definition(const Token& name) const {
  const std::string key(name.text);
  if (key.back() == '\'') fail(name, "a velocity cannot be defined; an equation is written as left - right");
  if (known_.contains(key)) {
    fail(name, fmt::format("'{}' has a meaning already; an equation is written as left - right", abbreviated(key)));
  }
  check_new(name);
  if (definitions_.contains(key)) fail(name, fmt::format("'{}' is defined twice", abbreviated(key)));
}

std::optional<int> Scope::index(const std::string& key) const {
  const auto found = indices_.find(key);
  return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Expression> Scope::meaning(const std::string& key) const {
  if (const auto definition = definitions_.find(key); definition != definitions_.end()) return definition->second;
  if (known_.contains(key)) return Expression::symbol(key);
  if (is_pi(key)) return Expression(std::numbers::pi);
  if (!options_.names) return Expression::symbol(key);
  return std::nullopt;
}

void Scope::fail_not_a_function(const Token& name, const std::string& key) const {
  const std::string shown = abbreviated(key);
  std::vector<std::string> functions;
  for (Function f : all_functions()) functions.emplace_back(info(f).name);
  const auto meant = closest_name(key, functions);
  std::string advice;
  if (definitions_.contains(key) || known_.contains(key)) {
    advice = fmt::format("a product is written {}*(...)", shown);
  } else if (key == "dot") {
    advice = "the velocity of x is written x'";
  } else if (meant) {
    advice = fmt::format("did you mean '{}'?", *meant);
  } else {
    advice = fmt::format("the functions are {}; a product is written {}*(...)", fmt::join(functions, " "), shown);
  }
  fail(name, fmt::format("'{}' is not a function; {}", shown, advice));
}

void Scope::fail_unknown(const Token& name, const std::string& key) const {
  if (key.back() == '\'') {
    const std::string base = key.substr(0, key.find('\''));
    if (known_.contains(base) && !known_.contains(base + "'")) {
      fail(name, fmt::format("'{}' has no velocity: it is not a coordinate", abbreviated(base)));
    }
    if (known_.contains(base + "'")) {
      fail(name, fmt::format("'{}': only first derivatives may occur", abbreviated(key)));
    }
  }
  std::vector<std::string> candidates(options_.names->begin(), options_.names->end());
  for (const auto& [defined, value] : definitions_) candidates.push_back(defined);
  candidates.emplace_back("pi");
  std::sort(candidates.begin(), candidates.end());
  const auto suggestion = closest_name(key, candidates);
  fail(name, suggestion ? fmt::format("unknown name '{}'; did you mean '{}'?", key, *suggestion)
                        : fmt::format("unknown name '{}'{}", abbreviated(key), options_.unknown_advice));
}

}  // namespace rattleback
