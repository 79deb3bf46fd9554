#include "opwright/program/file/tensor_blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/program/file/checksum.h"
#include "opwright/program/file/program_file_header.h"
#include "opwright/program/file/program_text.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

constexpr uint64_t kLargestItem = 16;

void check_has_memory(const Tensor& tensor, std::string_view who) {
  OPWRIGHT_CHECK_VALUE(tensor.is_defined(), "save: ", who, " is an undefined tensor");
  const uint32_t flags = tensor.get()->flags;
  OPWRIGHT_CHECK_VALUE((flags & kOpwFlagFake) == 0, "save: ", who, " is the fake tensor ", tensor,
                       ", which has no data; export with real parameters and buffers, or give "
                       "them with load_state before saving");
  OPWRIGHT_CHECK_VALUE((flags & kOpwFlagWrapped) == 0, "save: ", who,
                       " is a tensor inside of a transform; save the program outside of it");
}

// Whether a stride is negative, which files do not support.
bool runs_backwards(const Tensor& tensor) {
  return std::ranges::any_of(tensor.strides(), [](int64_t stride) { return stride < 0; });
}

uint64_t item_bytes(const Tensor& tensor) { return item_size(tensor.dtype()); }

// Both memories have these strides. A repeated element is copied once.
void copy_elements(char* to, const char* from, std::span<const int64_t> sizes,
                   std::span<const int64_t> strides, size_t item) {
  if (sizes.empty()) {
    std::memcpy(to, from, item);
    return;
  }
  if (sizes.size() == 1 && strides[0] == 1) {
    std::memcpy(to, from, static_cast<size_t>(sizes[0]) * item);
    return;
  }
  const int64_t count = strides[0] == 0 ? 1 : sizes[0];
  for (int64_t i = 0; i < count; ++i) {
    const size_t place = static_cast<size_t>(i * strides[0]) * item;
    copy_elements(to + place, from + place, sizes.subspan(1), strides.subspan(1), item);
  }
}

uint64_t align(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

size_t TensorBlocks::add(const Tensor& tensor, std::string_view who) {
  check_has_memory(tensor, who);
  const auto [known, is_new] = numbers_.try_emplace(tensor.get(), members_.size());
  if (!is_new) return known->second;
  Member member{.tensor = runs_backwards(tensor) ? tensor.contiguous() : tensor,
                .requires_grad = tensor.requires_grad(),
                .block = 0};
  const TensorImpl& shown = impl(member.tensor);
  const auto extent = find_extent(shown.shape(), shown.strides());
  if (extent && !extent->is_empty) {
    member.begin = static_cast<uint64_t>(shown.storage_offset) * item_bytes(member.tensor);
    member.end = member.begin + static_cast<uint64_t>(extent->length()) * item_bytes(member.tensor);
  }
  const auto [block, is_first] = block_of_.try_emplace(shown.storage, in_block_.size());
  if (is_first) in_block_.emplace_back();
  member.block = block->second;
  in_block_[member.block].push_back(members_.size());
  members_.push_back(std::move(member));
  return members_.size() - 1;
}

TensorBlocks::Range TensorBlocks::range_of(const std::vector<size_t>& members) const {
  Range range{UINT64_MAX, 0};
  const uint64_t first_item = item_bytes(members_[members[0]].tensor);
  bool has_one_item = true;
  for (const size_t number : members) {
    const Member& member = members_[number];
    if (member.begin == member.end) continue;
    range = {std::min(range.begin, member.begin), std::max(range.end, member.end)};
    has_one_item &= item_bytes(member.tensor) == first_item;
  }
  if (range.end == 0) return {};
  // So that every offset in the block is a multiple of the element size.
  if (!has_one_item) range.begin -= range.begin % kLargestItem;
  return range;
}

std::string_view TensorBlocks::block_bytes(const std::vector<size_t>& members, Range range) {
  const TensorImpl& first = impl(members_[members[0]].tensor);
  const size_t size = range.end - range.begin;
  if (size == 0) return {};
  const char* memory = static_cast<const char*>(first.storage->data) + range.begin;
  if (first.device() != kCpu) {
    copies_.emplace_back(size, '\0');
    copy_bytes(copies_.back().data(), kCpu, memory, first.device(), size);
    memory = copies_.back().data();
  }
  const bool is_whole = std::ranges::any_of(members, [&](size_t number) {
    const TensorImpl& shown = impl(members_[number].tensor);
    return members_[number].begin == range.begin && members_[number].end == range.end &&
           is_non_overlapping_and_dense(shown.shape(), shown.strides());
  });
  if (is_whole) return {memory, size};
  std::string& copy = copies_.emplace_back(size, '\0');
  for (const size_t number : members) {
    const Member& member = members_[number];
    if (member.begin == member.end) continue;
    const uint64_t place = member.begin - range.begin;
    const TensorImpl& shown = impl(member.tensor);
    copy_elements(copy.data() + place, memory + place, shown.shape(), shown.strides(),
                  item_bytes(member.tensor));
  }
  return copy;
}

std::string_view TensorBlocks::normalize_bools(const std::vector<size_t>& members,
                                               std::string_view bytes) {
  const auto is_bool = [&](size_t number) {
    return members_[number].tensor.dtype() == DType::Bool;
  };
  const auto is_other = [](char byte) { return (byte & ~1) != 0; };
  if (std::ranges::none_of(members, is_bool) || std::ranges::none_of(bytes, is_other)) {
    return bytes;
  }
  OPWRIGHT_CHECK_VALUE(std::ranges::all_of(members, is_bool),
                       "save: a bool tensor shares memory with one of another dtype that has bytes "
                       "other than 0 and 1; clone() one of them");
  std::string& copy = copies_.emplace_back(bytes);
  std::ranges::replace_if(copy, is_other, '\1');
  return copy;
}

uint64_t TensorBlocks::place() {
  uint64_t end = 0;
  stored_.resize(members_.size());
  for (const std::vector<size_t>& members : in_block_) {
    const Range range = range_of(members);
    bytes_.push_back(normalize_bools(members, block_bytes(members, range)));
    const StoredBlock block{.offset = align(end, kBlockAlignment),
                            .bytes = range.end - range.begin,
                            .checksum = checksum(bytes_.back())};
    end = block.offset + block.bytes;
    for (const size_t number : members) {
      const Member& member = members_[number];
      const bool is_empty = member.begin == member.end;
      const uint64_t offset =
          is_empty ? 0 : (member.begin - range.begin) / item_bytes(member.tensor);
      const auto sizes = member.tensor.sizes();
      const auto strides = member.tensor.strides();
      stored_[number] = {.block = blocks_.size(),
                         .meta = make_fake(SymSizes(sizes.begin(), sizes.end()),
                                           SymSizes(strides.begin(), strides.end()),
                                           SymInt(static_cast<int64_t>(offset)),
                                           member.tensor.dtype(), member.tensor.device())};
      if (member.requires_grad) impl(stored_[number].meta).flags |= kOpwFlagRequiresGrad;
    }
    blocks_.push_back(block);
  }
  return end;
}

}  // namespace opwright
