// Uninitialized memory for one product. Each thread caches its last block: new memory from the
// system costs a page fault per 4 KiB, as much as a small product.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opwright {

inline constexpr size_t kScratchAlignment = 64;

// Use it on the thread that created it. Throws MemoryError.
class ScratchMemory {
 public:
  explicit ScratchMemory(size_t bytes);
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  template <class T>
  [[nodiscard]] T* data() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_;
  size_t bytes_;
};

}  // namespace opwright
