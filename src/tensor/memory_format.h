// The order of dimensions in memory: names, strides of a format, and the format that strides
// suggest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "opwright/memory_format.h"
#include "opwright/symbolic/sizes.h"

namespace opwright {

// "contiguous", "preserve", "channels_last", "channels_last_3d".
[[nodiscard]] const char* memory_format_name(MemoryFormat format);
// ValueError that lists the names.
[[nodiscard]] MemoryFormat parse_memory_format(std::string_view name);

// Whether no two elements share memory and the elements fill it without a gap, in some order of
// dimensions.
[[nodiscard]] bool is_non_overlapping_and_dense(std::span<const int64_t> sizes,
                                                std::span<const int64_t> strides);

// ChannelsLast or ChannelsLast3d where the strides have that order, else Contiguous; as PyTorch
// decides.
[[nodiscard]] MemoryFormat suggest_memory_format(std::span<const int64_t> sizes,
                                                 std::span<const int64_t> strides);

// Strides for a new tensor of the same sizes: the format's own or, for Preserve, the order of
// `strides`.
[[nodiscard]] Sizes strides_for_format(std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides, MemoryFormat format);

}  // namespace opwright
