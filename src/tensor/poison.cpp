#include "opwright/tensor/poison.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "opwright/base/block_cache.h"
#include "opwright/tensor/storage.h"

namespace opwright {
namespace {

constexpr int kNoPoison = -1;
constexpr size_t kMostInBlock = kLargestBlock - sizeof(Storage);

constinit std::atomic<int> poison_byte = kNoPoison;

int set_poison(int byte) noexcept {
  most_bytes_in_block.store(byte == kNoPoison ? kMostInBlock : 0, std::memory_order_relaxed);
  return poison_byte.exchange(byte, std::memory_order_relaxed);
}

}  // namespace

constinit std::atomic<size_t> most_bytes_in_block = kMostInBlock;

PoisonScope::PoisonScope(uint8_t byte) noexcept : previous_(set_poison(byte)) {}
PoisonScope::~PoisonScope() { set_poison(previous_); }

void poison_if_wanted(void* memory, size_t bytes) noexcept {
  const int byte = poison_byte.load(std::memory_order_relaxed);
  if (byte != kNoPoison) std::memset(memory, byte, bytes);
}

}  // namespace opwright
