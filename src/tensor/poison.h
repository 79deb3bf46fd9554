// Poison: while a scope is open, new memory of the cpu is filled with a byte, so that what a kernel
// reads before it writes, or never writes, shows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace opwright {

// Of the whole process. Scopes nest; of two threads' scopes the newer one's byte counts.
class [[nodiscard]] PoisonScope {
 public:
  explicit PoisonScope(uint8_t byte) noexcept;
  ~PoisonScope();
  PoisonScope(const PoisonScope&) = delete;
  PoisonScope& operator=(const PoisonScope&) = delete;

 private:
  int previous_;
};

// The longest memory that stands in its storage's block. While a scope is open it is 0: all memory
// then takes the path that asks for poison, and the short path costs what it costs without.
extern constinit std::atomic<size_t> most_bytes_in_block;

// Fills the memory if a scope is open.
void poison_if_wanted(void* memory, size_t bytes) noexcept;

}  // namespace opwright
