// Jacobians, and those that were computed lately.

#include "jacobian.hpp"

#include <bit>

#include "../base/memo.hpp"

namespace rattleback {
namespace {

struct JacobianKey {
  std::vector<Expression> expressions;  ///< variables, then functions
  std::size_t variables = 0;
  friend bool operator==(const JacobianKey&, const JacobianKey&) = default;

  struct Hash {
    std::size_t operator()(const JacobianKey& key) const {
      HashMix h;
      for (const Expression& e : key.expressions) h.add(std::bit_cast<std::size_t>(e.node()));
      h.add(key.variables);
      return h.value();
    }
  };
};

}  // namespace

// The same equations are differentiated whenever a system is run with other numbers. Large matrices are not kept.
SparseMatrix jacobian(std::span<const Expression> functions, std::span<const Expression> variables) {
  constexpr std::size_t few = 1000;
  static auto& memo = *new Memo<JacobianKey, SparseMatrix, JacobianKey::Hash>(256);
  if (functions.size() + variables.size() > few) return differentiate(functions, variables);
  JacobianKey key{{variables.begin(), variables.end()}, variables.size()};
  key.expressions.insert(key.expressions.end(), functions.begin(), functions.end());
  if (const auto known = memo.find(key)) return *known;
  const auto made = std::make_shared<const SparseMatrix>(differentiate(functions, variables));
  if (made->entries.size() <= few) memo.keep(std::move(key), made);
  return *made;
}

}  // namespace rattleback
