// Who serves large memory of the cpu on this thread in place of the allocator: the run of a plan,
// which knows what comes and has memory for it.
#pragma once

#include <cstddef>

#include "opwright/base/block_cache.h"
#include "opwright/tensor/storage.h"

namespace opwright {

// Up to so many bytes stand in the storage's own block and ask nobody.
inline constexpr size_t kLeastServed = kLargestBlock - sizeof(Storage);

// Memory that the source owns. The storage on it is as any of its device, but that
// `deleter(context)` is called in place of the device's free: when the last tensor on it goes, on
// any thread.
struct ServedMemory {
  void* data = nullptr;
  Deleter deleter = nullptr;
  void* context = nullptr;
};

class StorageSource {
 public:
  // Memory for just so many bytes, aligned to 64, that nothing else uses; false: the allocator is
  // asked.
  [[nodiscard]] virtual bool serve(size_t nbytes, ServedMemory& served) noexcept = 0;

 protected:
  StorageSource() = default;
  StorageSource(const StorageSource&) = default;
  StorageSource& operator=(const StorageSource&) = default;
  ~StorageSource() = default;
};

// Null: none. Allocations of other threads are none of its business.
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
