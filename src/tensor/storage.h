// Storage: the memory that a tensor and its views share, with a counter of writes to it.
//
// Its address is its identity: two tensors alias only if they have the same Storage. Small cpu
// memory is in the storage's own block, device memory comes from the device table, foreign memory
// has a deleter, a fake storage has no memory at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/visibility.h"

namespace opwright {

// Frees foreign memory; called once, on the thread that drops the last handle.
using Deleter = void (*)(void* context);

// The size of a fake storage with a symbolic size.
inline constexpr size_t kUnknownBytes = SIZE_MAX;

struct OPWRIGHT_EXPORT Storage {
  enum class Kind : uint8_t { InBlock, OfDevice, Foreign, Fake };

  std::atomic<uint32_t> count{1};
  uint32_t block_bytes =
      0;  // of the cached block with this header and, if InBlock, the data after it
  std::atomic<uint64_t> version{0};
  void* data = nullptr;  // null: Fake
  size_t nbytes = 0;     // Fake: the size that the data would have, or kUnknownBytes
  Device device;
  Deleter deleter = nullptr;  // Foreign, or memory from a StorageSource; null: none
  void* context = nullptr;    // for the deleter; else, OfDevice: the OpwStream of its allocation
  Kind kind = Kind::Fake;
  bool is_read_only = false;

  void add_ref() noexcept { count.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // A thread that reads 1 holds the only handle: no locked instruction.
    if (count.load(std::memory_order_acquire) == 1 ||
        count.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }
  [[nodiscard]] uint64_t current_version() const noexcept {
    return version.load(std::memory_order_acquire);
  }
  // Called after a write. The dispatcher calls it once for each written storage.
  void raise_version() noexcept {
    // A storage has one writer at a time: a locked instruction would cost as much as the rest of a
    // small call.
    version.store(version.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  void destroy() noexcept;
};
static_assert(sizeof(Storage) == 64);  // so that the data after it in a block is aligned to 64

using StoragePtr = IntrusivePtr<Storage>;

// Memory of `nbytes` bytes (0 is allowed), uninitialised, 64-byte aligned. `device` is resolved.
// Throws MemoryError: "cannot allocate 1.5 GiB (1610612736 bytes) on cpu: ...".
[[nodiscard]] StoragePtr allocate_storage(size_t nbytes, Device device);
// Foreign memory. The deleter is called with `context` when the last tensor on it is destroyed, and
// also when this call throws.
[[nodiscard]] StoragePtr adopt_storage(void* data, size_t nbytes, Device device, Deleter deleter,
                                       void* context);
[[nodiscard]] StoragePtr make_fake_storage(size_t nbytes, Device device);

}  // namespace opwright
