#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "rattleback/method/method.hpp"

namespace rattleback {

/// The options of a method as they were written, by their names; those without a value have an empty one. Each function
/// reads one of them, or says what it is if it was not given. Throws MethodError where a value cannot be.
class MethodOptions {
 public:
  /// False if it is there already.
  bool add(const std::string& key, const std::string& value) { return values_.emplace(key, value).second; }

  bool has(const std::string& key) const { return values_.contains(key); }
  /// As it was written; empty if it was not.
  std::string text(const std::string& key) const { return has(key) ? values_.at(key) : ""; }
  double number(const std::string& key, double otherwise, double low, double high) const;
  /// A positive one; `expected` is for the message.
  int integer(const std::string& key, int otherwise, std::string_view expected) const;
  /// Which of the words is given; the first if none is.
  template <class Word>
  Word word(const std::string& key, std::span<const char* const> words) const {
    return static_cast<Word>(which(key, words));
  }
  /// The only one of these options that is given; empty if there is none.
  std::string only_one_of(std::span<const std::string> keys, const char* what) const;

  int order() const { return integer("order", 2, "2, 4, 6, 8 or 10"); }
  int stages() const { return integer("stages", 0, "a positive integer"); }
  /// Where the iterations of the step stop.
  IterationEnd iteration_end() const;
  Rule rule() const;
  /// The exact discrete Lagrangian instead of a rule for L.
  bool exact() const;
  /// The rule of the constraints where they have one of their own: constraints=midpoint, trapezoidal, alpha=... or
  /// sym=....
  std::optional<Rule> constraint_rule() const;
  /// García-Naranjo & Vermeeren's names of rules for N (l + E), or any rule.
  AlteredRule altered_rule() const;

 private:
  Rule places() const;
  std::size_t which(const std::string& key, std::span<const char* const> words) const;

  std::map<std::string, std::string> values_;
};

}  // namespace rattleback
