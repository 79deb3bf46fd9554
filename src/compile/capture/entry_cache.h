// EntryCache: what a function was compiled for, the last used first, with a bound.
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
  using EntryPtr = std::shared_ptr<Entry>;  // a run goes on when its entry is dropped meanwhile

  explicit EntryCache(size_t most = kMostEntries) : most_(most) {}

  [[nodiscard]] const std::vector<EntryPtr>& entries() const noexcept { return entries_; }
  // The first entry for which `holds(entry)`, which moves to the front; null: none. `holds` may
  // change the cache.
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
  // In front; the least recently used one goes where there are too many.
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
