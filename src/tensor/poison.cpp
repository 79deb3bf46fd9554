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
constinit std::atomic<int> open_scopes = 0;

}  // namespace

constinit std::atomic<size_t> most_bytes_in_block = kMostInBlock;

PoisonScope::PoisonScope(uint8_t byte) noexcept : previous_(poison_byte.exchange(byte)) {
  ++open_scopes;
  most_bytes_in_block.store(0);
}

// Scopes of two threads may close in any order: the last one turns poison off.
PoisonScope::~PoisonScope() {
  if (--open_scopes == 0) {
    poison_byte.store(kNoPoison);
    most_bytes_in_block.store(kMostInBlock);
  } else if (previous_ != kNoPoison) {
    poison_byte.store(previous_);
  }
}

void poison_if_wanted(void* memory, size_t bytes) noexcept {
  const int byte = poison_byte.load(std::memory_order_relaxed);
  if (byte != kNoPoison) std::memset(memory, byte, bytes);
}

}  // namespace opwright
