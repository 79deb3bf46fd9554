#include "opwright/dispatch/operator_table.h"

#include "opwright/base/hash.h"

namespace opwright {
namespace {

constexpr size_t kFirstSize = 1024;  // a power of two, like every size

}  // namespace

OperatorTable::OperatorTable() {
  all_.push_back(std::make_unique<Places>(kFirstSize));
  current_.store(all_.back().get(), std::memory_order_release);
}

NameEntry* OperatorTable::find(std::string_view name) const noexcept {
  const uint64_t hash = hash_string(name);
  const Places& places = *current_.load(std::memory_order_acquire);
  for (size_t i = hash & places.mask;; i = (i + 1) & places.mask) {
    NameEntry* entry = places.place[i].load(std::memory_order_acquire);
    if (!entry) return nullptr;
    if (entry->hash == hash && entry->name == name) return entry;
  }
}

NameEntry& OperatorTable::find_or_add(std::string_view name) {
  if (NameEntry* found = find(name)) return *found;
  entries_.push_back(std::make_unique<NameEntry>());
  NameEntry* entry = entries_.back().get();
  entry->name = name;
  entry->hash = hash_string(name);
  Places& places = *all_.back();
  if (entries_.size() * 2 <= places.place.size()) {
    put(places, entry);
    return *entry;
  }
  auto larger = std::make_unique<Places>(places.place.size() * 2);
  for (const auto& each : entries_) put(*larger, each.get());
  current_.store(larger.get(), std::memory_order_release);
  all_.push_back(std::move(larger));
  return *entry;
}

void OperatorTable::put(Places& places, NameEntry* entry) {
  size_t i = entry->hash & places.mask;
  while (places.place[i].load(std::memory_order_relaxed)) i = (i + 1) & places.mask;
  places.place[i].store(entry, std::memory_order_release);
}

}  // namespace opwright
