#include "opwright/ops/engine/product/scratch_memory.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "opwright/base/block_cache.h"

namespace opwright {
namespace {

constexpr size_t kMostBytesKept = size_t{8} << 20;

struct KeptBlock {
  void* memory = nullptr;
  size_t bytes = 0;
};

// The blocks that one thread caches: panels and an image.
struct KeptBlocks {
  std::array<KeptBlock, 2> blocks;
  ~KeptBlocks() {
    for (const KeptBlock& block : blocks) std::free(block.memory);
  }
};
thread_local KeptBlocks kept;

}  // namespace

ScratchMemory::ScratchMemory(size_t bytes) {
  for (KeptBlock& block : kept.blocks) {
    if (block.memory && block.bytes >= bytes) {
      memory_ = std::exchange(block.memory, nullptr);
      bytes_ = block.bytes;
      return;
    }
  }
  bytes_ = (bytes + kScratchAlignment) / kScratchAlignment * kScratchAlignment;
  memory_ = std::aligned_alloc(kScratchAlignment, bytes_);
  if (!memory_) throw_out_of_memory(bytes_);
}

ScratchMemory::~ScratchMemory() {
  KeptBlock* place = &kept.blocks[0];  // an empty one, else the smaller
  for (KeptBlock& block : kept.blocks) {
    if (!block.memory || (place->memory && block.bytes < place->bytes)) place = &block;
  }
  void* dropped = memory_;
  if (bytes_ <= kMostBytesKept && (!place->memory || place->bytes < bytes_)) {
    dropped = std::exchange(place->memory, memory_);
    place->bytes = bytes_;
  }
  std::free(dropped);
}

}  // namespace opwright
