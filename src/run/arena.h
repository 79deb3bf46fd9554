// Arena: the single memory block for a run's intermediate values.
//
// A slot is handed out only while no storage holds any byte of it, whatever was planned. Each part
// of the block records whether a storage holds it, until the last tensor on that storage is
// destroyed, on any thread. A storage keeps the block alive.
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
  // Null if out of memory. `lives` are the placed lifetimes.
  [[nodiscard]] static IntrusivePtr<Arena> make(std::span<const Lifetime> lives,
                                                const Placement& placement);
  ~Arena();

  // Hands out the memory of a lifetime; false if it was not placed, or if its memory is still in
  // use. One thread at a time.
  [[nodiscard]] bool take(size_t life, ServedMemory& served) noexcept;

  [[nodiscard]] size_t bytes() const noexcept { return bytes_; }
  // Whether the address is in the block.
  [[nodiscard]] bool holds(const void* address) const noexcept;

 private:
  // A range of parts, and what a storage on it reports when it is destroyed.
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
  // Split where a slot begins or ends.
  std::unique_ptr<std::atomic<uint8_t>[]> is_held_;
};

using ArenaPtr = IntrusivePtr<Arena>;

}  // namespace opwright
