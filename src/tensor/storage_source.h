// Serves large cpu memory on this thread instead of the allocator: used by the run of a plan, which
// predicts allocations and has memory for them.
#pragma once

#include <cstddef>

#include "opwright/base/block_cache.h"
#include "opwright/tensor/storage.h"

namespace opwright {

// Up to this many bytes are in the storage's own block, without calling a source.
inline constexpr size_t kLeastServed = kLargestBlock - sizeof(Storage);

// Memory owned by the source. The storage on it is like any other of its device, except that
// `deleter(context)` is called instead of the device's free: when the last tensor on it is
// destroyed, on any thread.
struct ServedMemory {
  void* data = nullptr;
  Deleter deleter = nullptr;
  void* context = nullptr;
};

class StorageSource {
 public:
  // Memory of exactly this many bytes, aligned to 64, that nothing else uses; false: use the
  // allocator.
  [[nodiscard]] virtual bool serve(size_t nbytes, ServedMemory& served) noexcept = 0;

 protected:
  StorageSource() = default;
  StorageSource(const StorageSource&) = default;
  StorageSource& operator=(const StorageSource&) = default;
  ~StorageSource() = default;
};

// Null: none. It does not affect allocations of other threads.
extern constinit thread_local StorageSource* this_thread_storage_source
    __attribute__((tls_model("initial-exec")));

class [[nodiscard]] StorageSourceScope {
 public:
  explicit StorageSourceScope(StorageSource* source) noexcept
      : previous_(this_thread_storage_source) {
    this_thread_storage_source = source;
  }
  ~StorageSourceScope() { this_thread_storage_source = previous_; }
  StorageSourceScope(const StorageSourceScope&) = delete;
  StorageSourceScope& operator=(const StorageSourceScope&) = delete;

 private:
  StorageSource* previous_;
};

}  // namespace opwright
