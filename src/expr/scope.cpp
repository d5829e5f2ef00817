#include "scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "advice.hpp"
#include "rattleback/expr/function.hpp"
#include "rattleback/expr/graph.hpp"
#include "tensor_functions.hpp"

namespace rattleback {
namespace {

bool is_pi(const std::string& key) { return key == "pi" || key == "π"; }

}  // namespace

Scope::Scope(const ParseOptions& options, const Lexer& lexer)
    : options_(options), lexer_(lexer), known_(std::make_shared<Known>()) {
  if (options.names) known_->names.insert(options.names->begin(), options.names->end());
}

Scope::Scope(const Scope& caller, const Lexer& lexer, const std::vector<std::string>& arguments,
             std::vector<Tensor> values)
    : options_(caller.options_), lexer_(lexer), known_(caller.known_) {
  for (std::size_t i = 0; i < arguments.size(); ++i) hide(arguments[i], std::move(values[i]));
}

void Scope::check_new(const Token& name) const {
  const std::string key(name.text);
  const bool defined = options_.definitions != nullptr && options_.definitions->find(key) != nullptr;
  if (known_->names.contains(key) || find_function(key) || is_reserved(key) || is_pi(key) || indices_.contains(key) ||
      defined || arguments_.contains(key)) {
    fail(name, fmt::format("'{}' has a meaning already", abbreviated(key)));
  }
}

void Scope::check_definition(const Token& name) const {
  const std::string key(name.text);
  if (key.find('.') != std::string::npos)
    fail(name, "a name that is defined here has no dot: those with one belong to rotations");
  if (key.back() == '\'') fail(name, "a velocity cannot be defined; an equation is written as left - right");
  if (known_->names.contains(key)) {
    fail(name, fmt::format("'{}' has a meaning already; an equation is written as left - right", abbreviated(key)));
  }
  check_new(name);
  if (definitions_.contains(key)) fail(name, fmt::format("'{}' is defined twice", abbreviated(key)));
}

std::optional<int> Scope::index(const std::string& key) const {
  const auto found = indices_.find(key);
  return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

const Tensor* Scope::value(const Token& name, const std::string& key) const {
  for (const auto* own : {&arguments_, &definitions_}) {
    if (const auto found = own->find(key); found != own->end()) return &found->second;
  }
  if (options_.definitions == nullptr) return nullptr;
  const Definition* found = options_.definitions->find(key);
  if (found == nullptr || found->is_function()) return nullptr;
  check_allowed(name, *found);
  return &found->value;
}

/// Where only some of the names of a file may stand, its definitions may be used that are made of these.
void Scope::check_allowed(const Token& name, const Definition& definition) const {
  if (!options_.names || known_->allowed.contains(definition.name)) return;
  for (const Expression& symbol : free_symbols(entries_of(definition.value))) {
    if (known_->names.contains(symbol.name()) || is_instantaneous(symbol)) continue;
    fail(name, fmt::format("the definition {} contains {}, which cannot be used here", definition.name, symbol.name()));
  }
  known_->allowed.insert(definition.name);
}

const Definition* Scope::function(const std::string& key) const {
  if (options_.definitions == nullptr || arguments_.contains(key)) return nullptr;
  const Definition* found = options_.definitions->find(key);
  return found != nullptr && found->is_function() ? found : nullptr;
}

std::optional<Expression> Scope::meaning(const std::string& key) const {
  if (known_->names.contains(key)) return Expression::symbol(key);
  if (is_pi(key)) return Expression(std::numbers::pi);
  if (!options_.names) return Expression::symbol(key);
  return std::nullopt;
}

/// Ṙ = R Ω̂: each row of a rotation changes by ρ × Ω.
std::optional<Expression> Scope::rate_of_entry(const Expression& symbol) const {
  const std::size_t bracket = symbol.name().find('[');
  if (bracket == std::string::npos || options_.definitions == nullptr) return std::nullopt;
  const std::string owner = symbol.name().substr(0, bracket);
  const Definition* const rotation = options_.definitions->find(owner);
  const Definition* const omega = options_.definitions->find(owner + std::string(angular_velocity_suffix));
  if (rotation == nullptr || omega == nullptr) return std::nullopt;
  const auto entries = entries_of(rotation->value);
  const auto i = static_cast<std::size_t>(std::ranges::find(entries, symbol) - entries.begin());
  if (i == entries.size()) return std::nullopt;
  return cross(std::get<Matrix>(rotation->value).row(i / 3), std::get<Vector>(omega->value))[i % 3];
}

Expression Scope::rate(const Expression& symbol) const {
  if (!options_.time.empty() && symbol.name() == options_.time) return 1.0;
  if (const auto known = rate_of_entry(symbol)) return *known;
  return !options_.names || known_->names.contains(symbol.name() + "'") ? dot(symbol) : Expression(0.0);
}

void Scope::fail_not_a_function(const Token& name, const std::string& key) const {
  const std::string shown = abbreviated(key);
  std::vector<std::string> functions;
  for (Function f : all_functions()) functions.emplace_back(info(f).name);
  functions.emplace_back("if");
  for (const TensorFunction& f : tensor_functions()) functions.emplace_back(f.name);
  functions.emplace_back(support_call);
  if (options_.definitions != nullptr) {
    for (const Definition& d : options_.definitions->list()) {
      if (d.is_function()) functions.push_back(d.name);
    }
  }
  const bool has_meaning = known_->names.contains(key) || value(name, key) != nullptr;
  const auto meant = closest_name(key, functions);
  std::string advice;
  if (has_meaning) {
    advice = fmt::format("a product is written {}*(...)", shown);
  } else if (const auto known = advice_about_function(key)) {
    advice = *known;
  } else if (meant) {
    advice = fmt::format("did you mean '{}'?", *meant);
  } else {
    // One of the twelve orders stands for all.
    std::erase_if(functions, [](const std::string& f) { return f.starts_with("euler_") && f != "euler_zxy"; });
    advice = fmt::format("the functions are {}; a product is written {}*(...)", fmt::join(functions, " "), shown);
  }
  fail(name, fmt::format("'{}' is not a function; {}", shown, advice));
}

/// R.something
void Scope::fail_unknown_part(const Token& name, const std::string& owner, const std::string& key) const {
  const std::string omega = owner + std::string(angular_velocity_suffix);
  const bool is_rotation = options_.definitions != nullptr && options_.definitions->find(omega) != nullptr;
  if (is_rotation) {
    fail(name, fmt::format("the rotation {0} has no '{1}'; it has {2}, its angular velocity in the body, with the "
                           "components {2}[1], …, and is a matrix itself: {0}[1, 2]",
                           owner, abbreviated(key), omega));
  }
  if (std::ranges::find(*options_.names, omega + "1") != options_.names->end()) {
    const auto meant = closest_name(key, *options_.names);
    fail(name, fmt::format("unknown name '{}'; {}", abbreviated(key),
                           meant ? fmt::format("did you mean '{}'?", *meant)
                                 : fmt::format("the angular velocity of {} is {}[1], …", owner, omega)));
  }
  fail(name, fmt::format("'{0}' is not a rotation: {1} would be a part of one; rotations = [\"{0}\"] declares it",
                         abbreviated(owner), abbreviated(key)));
}

void Scope::fail_unknown(const Token& name, const std::string& key) const {
  if (key.back() == '\'') {
    const std::string base = key.substr(0, key.find('\''));
    if (known_->names.contains(base) && !known_->names.contains(base + "'")) {
      fail(name, fmt::format("'{}' has no velocity: it is not a coordinate", abbreviated(base)));
    }
    if (known_->names.contains(base + "'")) {
      fail(name, fmt::format("'{}': only first derivatives may occur", abbreviated(key)));
    }
  }
  if (const auto dot = key.find('.'); dot != std::string::npos) fail_unknown_part(name, key.substr(0, dot), key);
  const std::string stem(name.text.substr(0, name.text.find('\'')));
  if (options_.explanations != nullptr) {
    for (const std::string& word : {stem, key}) {
      const auto explanation = options_.explanations->find(word);
      if (explanation != options_.explanations->end()) fail(name, fmt::format("'{}' {}", word, explanation->second));
    }
  }
  std::vector<std::string> candidates(options_.names->begin(), options_.names->end());
  for (const auto* own : {&arguments_, &definitions_}) {
    for (const auto& [defined, value] : *own) candidates.push_back(defined);
  }
  if (options_.definitions != nullptr) {
    for (const Definition& d : options_.definitions->list()) candidates.push_back(d.name);
  }
  candidates.emplace_back("pi");
  std::sort(candidates.begin(), candidates.end());
  if (const auto known = advice_about_name(
          key, [&](const std::string& other) { return std::ranges::binary_search(candidates, other); })) {
    fail(name, fmt::format("unknown name '{}'; {}", abbreviated(key), *known));
  }
  const auto suggestion = closest_name(key, candidates);
  fail(name, suggestion ? fmt::format("unknown name '{}'; did you mean '{}'?", key, *suggestion)
                        : fmt::format("unknown name '{}'{}", abbreviated(key), options_.unknown_advice));
}

}  // namespace rattleback
