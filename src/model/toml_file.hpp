#pragma once

// The parser is compiled in toml_file.cpp alone.
#define TOML_HEADER_ONLY 0
// toml++ 3.3 asserts of some wrong files what it then looks at, and refuses with an error.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rattleback/base/words.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"
#include "source_text.hpp"

namespace rattleback {

/// A TOML file, and values out of it. What is wrong becomes a ModelError that points to the place.
class TomlFile {
 public:
  /// The text must live as long as the file.
  TomlFile(std::string_view text, const std::string& file);

  const SourceText& source() const { return source_; }
  const toml::table& root() const { return root_; }

  [[noreturn]] void fail(const toml::node& node, const std::string& summary) const;

  /// No keys but the known ones; `what` has them.
  void check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& what) const;
  /// The entries of a table in the order of the file.
  static std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table);

  const std::string& text_of(const toml::node& node, const std::string& what) const;
  const toml::array& array_of(const toml::node& node, const std::string& what) const;
  /// `form` says how one is written: "as in {x = \"-y\", y = \"x\"}".
  const toml::table& table_of(const toml::node& node, const std::string& what, const std::string& form) const;
  double number(const toml::node& node, const std::string& what) const;
  /// A number, or a formula without names in quotes: "pi/4".
  double value(const toml::node& node, const std::string& what) const;
  bool flag(const toml::node& node, const std::string& what) const;

  /// One of the words of an enumeration.
  template <class E>
  E choice(const toml::node& node, const std::string& what) const {
    const std::string& text = text_of(node, what);
    if (const auto value = from_word<E>(text)) return *value;
    fail(node, what + " must be " + alternatives<E>() + ", found '" + text + "'");
  }

  /// What has to be in a table; `what` needs it.
  const toml::node& required(const toml::table& table, const char* key, const std::string& what) const;
  /// The sections [[key]], if there are any.
  template <class Read>
  void each(const char* key, Read&& read_one) const {
    const toml::node* node = root_.get(key);
    if (node == nullptr) return;
    const std::string name(key);
    if (!node->is_array()) fail(*node, name + " must be written as sections [[" + name + "]]");
    for (const toml::node& item : *node->as_array()) {
      read_one(table_of(item, "an entry of " + name, "written as a section [[" + name + "]]"));
    }
  }

  /// A text or a section of the root; empty or null if there is none.
  std::string text_value(const char* key) const;
  const toml::table* table(const char* key) const;

  /// Where expressions in a text are: for errors of the parser.
  ParseOptions options_at(const toml::node& node) const;
  /// Where a key is.
  ParseOptions options_at_key(const toml::table& table, const std::string& key) const;
  template <class Parse>
  static auto parsed(Parse&& parse_it) {
    try {
      return parse_it();
    } catch (const ParseError& error) {
      throw ModelError(error.what());
    }
  }

 private:
  SourceText source_;
  toml::table root_;
};

}  // namespace rattleback
