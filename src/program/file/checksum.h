// The checksum of program files: CRC-32 as zip and PNG have it (zlib.crc32 in Python).
#pragma once

#include <cstdint>
#include <string_view>

namespace opwright {

[[nodiscard]] uint32_t checksum(std::string_view bytes) noexcept;

}  // namespace opwright
