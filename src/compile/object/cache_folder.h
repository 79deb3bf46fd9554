// The cache folder and size limit for compiled code; the same as in
// python/opwright/cpp_extension/_cache.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opwright {

// OPWRIGHT_CACHE_DIR, otherwise opwright in XDG_CACHE_HOME or in ~/.cache. Empty if there is no
// home.
[[nodiscard]] std::string cache_folder();

// OPWRIGHT_CACHE_SIZE, otherwise one gibibyte. ValueError for an invalid size.
[[nodiscard]] uint64_t cache_size_limit();

// The bytes of "500M", "2G" or "1048576"; nullopt if it is not a size.
[[nodiscard]] std::optional<uint64_t> parse_byte_size(std::string_view text);

}  // namespace opwright
