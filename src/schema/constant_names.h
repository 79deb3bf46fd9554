// The names of constants in schemas: dtypes, memory formats, layouts, and torch's numbers for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/memory_format.h"

namespace opwright {

// "float32", "float", "long", ...
[[nodiscard]] std::optional<DType> find_dtype(std::string_view name) noexcept;
// torch writes the default of a ScalarType as its own number, e.g. 6 for float32.
[[nodiscard]] std::optional<DType> dtype_of_torch_number(int64_t number) noexcept;
[[nodiscard]] std::optional<int64_t> torch_number_of(DType dtype) noexcept;
[[nodiscard]] std::vector<std::string_view> dtype_names();

// "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"; the numbers are
// torch's and ours.
[[nodiscard]] std::optional<MemoryFormat> find_memory_format(std::string_view name) noexcept;
[[nodiscard]] const char* memory_format_name_or_null(int64_t number) noexcept;
// "strided".
[[nodiscard]] std::optional<Layout> find_layout(std::string_view name) noexcept;
[[nodiscard]] const char* layout_name_or_null(int64_t number) noexcept;

// A name that torch accepts as the default of an int: `Mean`, and the names above by their number.
[[nodiscard]] std::optional<int64_t> find_int_name(std::string_view name) noexcept;

}  // namespace opwright
