// The zip format as far as PyTorch's archives use it (PKWARE's APPNOTE): entries, then the central
// directory with one header for each, then the end record. Numbers are little-endian. Sizes that do
// not fit in 32 bits are in the "zip64" extra field of a header, and in a zip64 end record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opwright::pt2 {

inline constexpr std::string_view kLocalHeader = "PK\3\4";
inline constexpr std::string_view kDirectoryHeader = "PK\1\2";
inline constexpr std::string_view kEnd = "PK\5\6";
inline constexpr std::string_view kZip64End = "PK\6\6";
inline constexpr std::string_view kZip64Locator = "PK\6\7";
inline constexpr size_t kLocalHeaderBytes = 30;
inline constexpr size_t kDirectoryHeaderBytes = 46;
inline constexpr size_t kEndBytes = 22;
inline constexpr size_t kZip64EndBytes = 56;
inline constexpr size_t kZip64LocatorBytes = 20;
inline constexpr uint16_t kZip64Extra = 1;
inline constexpr uint32_t kIn64Bits = 0xffffffff;
inline constexpr uint16_t kIn64BitsShort = 0xffff;
inline constexpr uint16_t kEncrypted = 1;
inline constexpr uint16_t kUtf8Name = 0x800;

// PyTorch maps tensors from an archive, so it aligns the bytes of every entry, with an extra field
// of this kind ("FB") in the entry's header.
inline constexpr uint64_t kEntryAlignment = 64;
inline constexpr uint16_t kPaddingExtra = 0x4246;

}  // namespace opwright::pt2
