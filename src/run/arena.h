// Arena: the one block of a run's intermediate values.
//
// A place is given out only while nothing lies on any byte of it, whatever was planned: each part
// of the block knows whether a storage holds it, until the last tensor on that storage has gone, on
// whatever thread. A storage keeps the block alive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/run/placement.h"
#include "opwright/tensor/storage_source.h"

namespace opwright {

class Arena : public Counted<Arena> {
 public:
  // Null where there is no memory for it. `lives` are those that were placed.
  [[nodiscard]] static IntrusivePtr<Arena> make(std::span<const Lifetime> lives,
                                                const Placement& placement);
  ~Arena();

  // The memory of a life; false: it was not placed, or something still lies there. One thread at a
  // time.
  [[nodiscard]] bool take(size_t life, ServedMemory& served) noexcept;

  [[nodiscard]] size_t bytes() const noexcept { return bytes_; }
  // Whether the address lies in the block.
  [[nodiscard]] bool holds(const void* address) const noexcept;

 private:
  // A range of parts, and what a storage on it has to say when it goes.
  struct Place {
    Arena* arena = nullptr;
    size_t offset = kNotPlaced;
    size_t bytes = 0;
    uint32_t first_part = 0;
    uint32_t end_part = 0;
  };

  Arena(std::byte* memory, size_t bytes) noexcept : memory_(memory), bytes_(bytes) {}
  void add_places(std::span<const Lifetime> lives, const Placement& placement);
  [[nodiscard]] bool is_free(const Place& place) const noexcept;
  static void give_back(void* place) noexcept;

  std::byte* memory_;
  size_t bytes_;
  std::vector<Place> places_;
  // Cut where a place begins or ends.
  std::unique_ptr<std::atomic<uint8_t>[]> is_held_;
};

using ArenaPtr = IntrusivePtr<Arena>;

}  // namespace opwright
