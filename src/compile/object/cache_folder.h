// Where the project keeps what it compiled: the same folder and bound as
// python/opwright/cpp_extension/_cache.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opwright {

// OPWRIGHT_CACHE_DIR, else opwright in XDG_CACHE_HOME, else in ~/.cache. Empty: there is no home.
[[nodiscard]] std::string cache_folder();

// OPWRIGHT_CACHE_SIZE, else one gibibyte. ValueError for what is no size.
[[nodiscard]] uint64_t cache_size_limit();

// Bytes of "500M", "2G" or "1048576"; none: it is no size.
[[nodiscard]] std::optional<uint64_t> parse_byte_size(std::string_view text);

}  // namespace opwright
