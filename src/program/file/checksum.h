// The checksum of program files: CRC-32 as in zip and PNG (zlib.crc32 in Python).
#pragma once

#include <cstdint>
#include <string_view>

namespace opwright {

[[nodiscard]] uint32_t checksum(std::string_view bytes) noexcept;

}  // namespace opwright
