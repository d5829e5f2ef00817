// Nodes, their table and their life. The table is split into shards with a lock each, so that
// threads that build expressions rarely wait for each other.

#include "rattleback/expr/expression.hpp"

#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "node.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

// splitmix64's finaliser.
std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 30;
  h *= 0xbf58476d1ce4e5b9U;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebU;
  return h ^ (h >> 31);
}

std::uint64_t combine(std::uint64_t seed, std::uint64_t h) { return mix(seed + 0x9e3779b97f4a7c15U + h); }

std::uint64_t structural_hash(const Node& node) {
  std::uint64_t h = combine(static_cast<std::uint64_t>(node.kind), static_cast<std::uint64_t>(node.function));
  h = combine(h, std::bit_cast<std::uint64_t>(node.value));
  for (char c : node.name) h = combine(h, static_cast<unsigned char>(c));
  for (const Term& t : node.operands) {
    h = combine(h, t.expression.hash());
    h = combine(h, std::bit_cast<std::uint64_t>(t.weight));
  }
  return h;
}

bool same_content(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.function != b.function || a.value != b.value || a.name != b.name ||
      a.operands.size() != b.operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!(a.operands[i].expression == b.operands[i].expression) || a.operands[i].weight != b.operands[i].weight) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// The one table of all living nodes. A count goes from 1 to 0 only under the lock of its shard,
/// and a node is found only under that lock, so a node that is found is alive.
class NodeTable {
 public:
  static NodeTable& instance() {
    static NodeTable& table = *new NodeTable;  // never destroyed: expressions may be static too
    return table;
  }

  Expression intern(std::unique_ptr<Node> candidate) {
    candidate->hash = structural_hash(*candidate);
    Shard& shard = shard_of(candidate->hash);
    const std::lock_guard lock(shard.mutex);
    Node*& head = shard.buckets[candidate->hash];
    for (Node* node = head; node != nullptr; node = node->next_in_bucket) {
      if (same_content(*node, *candidate)) {
        node->references.fetch_add(1, std::memory_order_relaxed);
        return Expression(node);
      }
    }
    candidate->next_in_bucket = head;
    head = candidate.release();
    return Expression(head);
  }

  /// Drops one reference. Nodes that die release their operands through a list, not by recursion:
  /// a chain may be longer than the stack.
  void release(Node* node) {
    if (drop_shared(node)) return;
    std::vector<Node*> dying;
    retire(node, dying);
    while (!dying.empty()) {
      const std::unique_ptr<Node> dead(dying.back());
      dying.pop_back();
      for (Term& t : dead->operands) {
        Node* operand = std::exchange(t.expression.node_, nullptr);
        if (!drop_shared(operand)) retire(operand, dying);
      }
    }
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Node*> buckets;
  };

  Shard& shard_of(std::uint64_t hash) { return shards_[hash >> 58]; }

  /// Decrements unless this may be the last reference.
  static bool drop_shared(Node* node) {
    std::uint32_t count = node->references.load(std::memory_order_relaxed);
    while (count > 1) {
      if (node->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void retire(Node* node, std::vector<Node*>& dying) {
    Shard& shard = shard_of(node->hash);
    const std::lock_guard lock(shard.mutex);
    if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const auto bucket = shard.buckets.find(node->hash);
    Node** link = &bucket->second;
    while (*link != node) link = &(*link)->next_in_bucket;
    *link = node->next_in_bucket;
    if (bucket->second == nullptr) shard.buckets.erase(bucket);
    dying.push_back(node);
  }

  std::array<Shard, 64> shards_;
};

Expression intern(Kind kind, Function function, double value, std::string_view name, std::vector<Term> operands) {
  keep_working();  // whatever builds expressions without end builds nodes
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->function = function;
  node->value = value + 0.0;  // one zero: −0 + 0 is +0
  node->name = name;
  node->operands = std::move(operands);
  return NodeTable::instance().intern(std::move(node));
}

Expression::Expression()
    : Expression([]() -> const Expression& {
        static const Expression& zero = *new Expression(0.0);
        return zero;
      }()) {}

Expression::Expression(const Expression& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
}

Expression::Expression(Expression&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}

Expression& Expression::operator=(const Expression& other) noexcept {
  Expression copy(other);
  std::swap(node_, copy.node_);
  return *this;
}

Expression& Expression::operator=(Expression&& other) noexcept {
  std::swap(node_, other.node_);
  return *this;
}

Expression::~Expression() {
  if (node_ != nullptr) NodeTable::instance().release(node_);
}

Kind Expression::kind() const noexcept { return node_->kind; }
double Expression::value() const noexcept { return node_->value; }
const std::string& Expression::name() const noexcept { return node_->name; }
Function Expression::function() const noexcept { return node_->function; }
std::span<const Term> Expression::operands() const noexcept { return node_->operands; }
std::uint64_t Expression::hash() const noexcept { return node_->hash; }

}  // namespace rattleback
