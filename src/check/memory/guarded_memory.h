// Guarded memory: a copy of a storage that detects reads and writes outside the tensors on it.
//
// A pattern of numbers surrounds the storage and fills it where no tensor has an element.
// Inaccessible pages follow right after the storage, or end right before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

// The numbers of a pattern: two that differ in sign and magnitude, and one that propagates (nan; a
// large one for ints).
enum class GuardPattern : uint8_t { High, Low, Spreading };

// Position of a guard relative to the elements of the tensors.
enum class GuardZone : uint8_t { Before, Between, After };
inline constexpr size_t kGuardZones = 3;
// "before the first element", "between the elements", "after the last element"
[[nodiscard]] const char* text_of(GuardZone zone);

struct GuardPatterns {
  std::array<GuardPattern, kGuardZones> of_zone;

  [[nodiscard]] static GuardPatterns all(GuardPattern pattern) {
    return {{pattern, pattern, pattern}};
  }
};

// Which end of the storage borders the protected pages.
enum class ProtectedEnd : uint8_t { Last, First };

class GuardedMemory {
 public:
  // `tensors` are plain, on the CPU, and share one storage; they are copied with it.
  GuardedMemory(std::span<const Tensor> tensors, const GuardPatterns& patterns, ProtectedEnd end);

  // The copies. They keep the memory alive and may outlive this object.
  [[nodiscard]] const std::vector<Tensor>& tensors() const noexcept { return tensors_; }

  struct Place {
    GuardZone zone;
    size_t distance;  // bytes from the nearest element in that direction; 0: adjacent
  };
  // Overwritten guard bytes.
  struct Damage {
    Place nearest;
    size_t bytes;
  };
  [[nodiscard]] std::optional<Damage> find_damage() const;
  // For an address in the protected pages.
  [[nodiscard]] std::optional<Place> find_protected(const void* address) const noexcept;

 private:
  void mark_elements(const TensorImpl& tensor);
  template <class Visit>
  void visit_guards(const Visit& visit) const;
  [[nodiscard]] Place place_of(ptrdiff_t position) const noexcept;

  StoragePtr storage_;  // also kept here: a call may replace a tensor's storage
  std::vector<Tensor> tensors_;
  std::vector<bool> is_element_;  // for each byte of the storage
  std::byte* data_ = nullptr;     // of the storage
  std::byte* guards_begin_ = nullptr;
  std::byte* guards_end_ = nullptr;
  ptrdiff_t first_ = 0;  // byte of the first element, from the start of the storage
  ptrdiff_t last_ = 0;   // after the last one
  std::array<std::vector<std::byte>, kGuardZones> numbers_;  // one number of each zone's pattern
};

}  // namespace opwright
