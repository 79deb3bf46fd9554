// Poison: while a scope is open, new cpu memory is filled with a byte, to expose memory that a
// kernel reads before writing it, or never writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace opwright {

// Applies to the entire process. Scopes nest; with scopes on two threads, the newer byte is used.
class [[nodiscard]] PoisonScope {
 public:
  explicit PoisonScope(uint8_t byte) noexcept;
  ~PoisonScope();
  PoisonScope(const PoisonScope&) = delete;
  PoisonScope& operator=(const PoisonScope&) = delete;

 private:
  int previous_;
};

// The longest memory placed in its storage's block. It is 0 while a scope is open: all memory then
// takes the path that checks for poison, so the short path costs nothing extra.
extern constinit std::atomic<size_t> most_bytes_in_block;

// Fills the memory if a scope is open.
void poison_if_wanted(void* memory, size_t bytes) noexcept;

}  // namespace opwright
