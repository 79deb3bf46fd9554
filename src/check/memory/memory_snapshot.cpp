#include "opwright/check/memory/memory_snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

std::span<const std::byte> readable_bytes(const Storage& storage) {
  const bool is_readable = storage.data && storage.device.type == kOpwDeviceCpu;
  return {static_cast<const std::byte*>(storage.data), is_readable ? storage.nbytes : 0};
}

}  // namespace

void MemorySnapshot::add(const Tensor& tensor, std::string name) {
  StoragePtr storage = StoragePtr::share(&storage_of(tensor));
  if (std::ranges::find(entries_, storage, &Entry::storage) != entries_.end()) return;
  const auto bytes = readable_bytes(*storage);
  const uint64_t version = storage->current_version();
  entries_.push_back({.storage = std::move(storage),
                      .name = std::move(name),
                      .version = version,
                      .bytes = {bytes.begin(), bytes.end()}});
}

std::optional<std::string> MemorySnapshot::find_written() const {
  for (const Entry& entry : entries_) {
    const bool is_same = entry.storage->current_version() == entry.version &&
                         std::ranges::equal(entry.bytes, readable_bytes(*entry.storage));
    if (!is_same) return entry.name;
  }
  return std::nullopt;
}

}  // namespace opwright
