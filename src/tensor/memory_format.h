// Memory formats: names, strides of a format, and the format that strides suggest.
//
// Ints and SymInts behave the same; strides of contiguous memory query no symbol.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "opwright/memory_format.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// "contiguous", "preserve", "channels_last", "channels_last_3d".
[[nodiscard]] const char* memory_format_name(MemoryFormat format);
// Throws ValueError that lists the names.
[[nodiscard]] MemoryFormat parse_memory_format(std::string_view name);

// Whether no two elements share memory and the elements fill it without a gap, in some order of
// dimensions.
[[nodiscard]] bool is_non_overlapping_and_dense(std::span<const int64_t> sizes,
                                                std::span<const int64_t> strides);
[[nodiscard]] bool is_non_overlapping_and_dense(std::span<const SymInt> sizes,
                                                std::span<const SymInt> strides);

// ChannelsLast or ChannelsLast3d if the strides have that order, else Contiguous; decided as in
// PyTorch.
[[nodiscard]] MemoryFormat suggest_memory_format(std::span<const int64_t> sizes,
                                                 std::span<const int64_t> strides);
[[nodiscard]] MemoryFormat suggest_memory_format(std::span<const SymInt> sizes,
                                                 std::span<const SymInt> strides);
[[nodiscard]] MemoryFormat suggest_memory_format(const Tensor& tensor);

// Strides for a new tensor of the same sizes: those of the format or, for Preserve, in the order of
// `strides`.
[[nodiscard]] Sizes strides_for_format(std::span<const int64_t> sizes,
                                       std::span<const int64_t> strides, MemoryFormat format);
[[nodiscard]] SymSizes strides_for_format(std::span<const SymInt> sizes,
                                          std::span<const SymInt> strides, MemoryFormat format);

}  // namespace opwright
