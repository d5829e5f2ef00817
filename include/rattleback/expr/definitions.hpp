#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/parse.hpp"

namespace rattleback {

/// A name with a meaning: a scalar, a vector, a matrix, or a function of arguments of any shapes.
struct Definition {
  std::string name;
  std::vector<std::string> arguments = {};  ///< of a function
  std::string text = {};                    ///< as it was written
  Tensor value = {};                        ///< of what is no function
  ParseOptions place = {};  ///< of the text of a function, which is read where it is called; with the integers there

  bool is_function() const { return !arguments.empty(); }
  /// "kinetic(m, v)"
  std::string header() const;
};

/// Names for parts of expressions, in order: each may use those before it.
class Definitions {
 public:
  /// Reads one. The header is a name, or that of a function with its arguments: "kinetic(m, v)". The options say which
  /// other names may occur; `header_place` is where the header stands. Throws ParseError.
  void add(std::string_view header, std::string_view text, ParseOptions options = {},
           const ParseOptions& header_place = {});
  void add(const std::string& name, Tensor value);
  void add(Definition definition) { append(std::move(definition)); }

  const std::vector<Definition>& list() const { return list_; }
  /// Null if there is none.
  const Definition* find(const std::string& name) const;

 private:
  void append(Definition definition);

  std::vector<Definition> list_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace rattleback
