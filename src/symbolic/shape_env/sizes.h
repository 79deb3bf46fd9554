// Arithmetic over lists of sizes and strides that may contain symbols.
//
// Every function accepts SymInts or plain ints and means the same for both; a list of SymInts
// without a symbol takes the plain path. Queries to the owner of a symbol carry the caller's line
// (`where`). Sizes are not negative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

#include "opwright/base/small_vector.h"
#include "opwright/memory_format.h"
#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr size_t kInlineDims = 6;
using SymSizes = SmallVector<SymInt, kInlineDims>;
using Sizes = SmallVector<int64_t, kInlineDims>;

// The same memory as ints when no element is a symbol.
[[nodiscard]] std::optional<std::span<const int64_t>> as_plain(
    std::span<const SymInt> values) noexcept;

// "[2, s0]"
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(std::span<const SymInt> values);
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(std::span<const int64_t> values);

// The number of elements. Throws OverflowError if plain sizes need more than 64 bits.
[[nodiscard]] OPWRIGHT_EXPORT SymInt product(std::span<const SymInt> sizes);
[[nodiscard]] OPWRIGHT_EXPORT int64_t product(std::span<const int64_t> sizes);

// The strides of dense memory in a format: Contiguous, ChannelsLast (4 dims) or ChannelsLast3d (5
// dims); throws ValueError for others. A size of 0 counts as 1, as in PyTorch.
[[nodiscard]] OPWRIGHT_EXPORT SymSizes
contiguous_strides(std::span<const SymInt> sizes, MemoryFormat format = MemoryFormat::Contiguous);
[[nodiscard]] OPWRIGHT_EXPORT Sizes
contiguous_strides(std::span<const int64_t> sizes, MemoryFormat format = MemoryFormat::Contiguous);

// Whether the strides are those of dense memory in the format; strides of size-1 dims and of an
// empty tensor do not matter. False for another number of dims, and if the owner cannot decide.
[[nodiscard]] OPWRIGHT_EXPORT bool is_contiguous(
    std::span<const SymInt> sizes, std::span<const SymInt> strides, MemoryFormat format,
    std::source_location where = std::source_location::current());
[[nodiscard]] OPWRIGHT_EXPORT bool is_contiguous(std::span<const int64_t> sizes,
                                                 std::span<const int64_t> strides,
                                                 MemoryFormat format);

// The sizes that both broadcast to. If it is unknown whether a size is 1, it is assumed not to be,
// and the two must be equal (check()). Throws ValueError: "who: sizes [2, 3] and [4] do not
// broadcast: dimension 1 is 3 and 4".
[[nodiscard]] SymSizes broadcast_sizes(
    std::span<const SymInt> a, std::span<const SymInt> b, std::string_view who,
    std::source_location where = std::source_location::current());
[[nodiscard]] Sizes broadcast_sizes(std::span<const int64_t> a, std::span<const int64_t> b,
                                    std::string_view who);

// `shape` with its -1, if any, replaced so that the number of elements is `numel`. Throws
// ValueError if that is impossible.
[[nodiscard]] SymSizes infer_size(std::span<const SymInt> shape, const SymInt& numel,
                                  std::string_view who,
                                  std::source_location where = std::source_location::current());
[[nodiscard]] Sizes infer_size(std::span<const int64_t> shape, int64_t numel, std::string_view who);

}  // namespace opwright
