// EntryCache: the compiled entries of a function, most recently used first, with a limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace opwright {

template <class Entry>
class EntryCache {
 public:
  static constexpr size_t kMostEntries = 64;
  using EntryPtr = std::shared_ptr<Entry>;  // keeps an entry alive that is dropped during its run

  explicit EntryCache(size_t most = kMostEntries) : most_(most) {}

  [[nodiscard]] const std::vector<EntryPtr>& entries() const noexcept { return entries_; }
  // The first entry for which `holds(entry)` is true, which moves to the front; null if none.
  // `holds` may change the cache.
  template <class Holds>
  [[nodiscard]] EntryPtr find(const Holds& holds) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      EntryPtr entry = entries_[i];
      if (!holds(*entry)) continue;
      if (i != 0) [[unlikely]]
        move_to_front(entry);
      return entry;
    }
    return nullptr;
  }
  // Inserts at the front; drops the least recently used entry if there are too many.
  Entry& insert(EntryPtr entry) {
    if (entries_.size() == most_) entries_.pop_back();
    entries_.insert(entries_.begin(), std::move(entry));
    return *entries_.front();
  }
  void clear() noexcept { entries_.clear(); }

 private:
  void move_to_front(const EntryPtr& entry) {
    const auto found = std::ranges::find(entries_, entry);
    if (found != entries_.end()) std::rotate(entries_.begin(), found, found + 1);
  }

  std::vector<EntryPtr> entries_;
  size_t most_;
};

}  // namespace opwright
