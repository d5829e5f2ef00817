#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace rattleback {

/// The latest values of a pure function by all that they depend on. At most `most` of them are kept, those asked for
/// last; for all threads.
template <class Key, class Value, class Hash>
class Memo {
 public:
  explicit Memo(std::size_t most) : most_(most) {}

  /// Null if it is not there.
  std::shared_ptr<const Value> find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->second;
  }

  void keep(Key key, std::shared_ptr<const Value> value) {
    const std::lock_guard lock(mutex_);
    if (places_.contains(key)) return;  // another thread was faster
    order_.emplace_front(key, std::move(value));
    places_.emplace(std::move(key), order_.begin());
    if (order_.size() <= most_) return;
    places_.erase(order_.back().first);
    order_.pop_back();
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Value>>;
  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> order_;  ///< the one asked for last is the first
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> places_;
};

/// Of numbers and addresses, one after the other.
class HashMix {
 public:
  void add(std::size_t x) { h_ = (h_ ^ x) * 0x9e3779b97f4a7c15U, h_ ^= h_ >> 32U; }
  std::size_t value() const { return h_; }

 private:
  std::size_t h_ = 0;
};

}  // namespace rattleback
