// The first 64 bytes of a program file: magic, format, and the location of its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/error.h"

namespace opwright {

inline constexpr std::string_view kProgramMagic = "OPWRIGHT";
inline constexpr size_t kProgramHeaderBytes = 64;
inline constexpr uint64_t kDataAlignment =
    4096;  // of the tensors together, so that they can be mapped
inline constexpr uint64_t kBlockAlignment = 64;  // of each tensor

struct ProgramFormat {
  uint32_t major_version = 0;
  uint32_t minor_version = 0;
  [[nodiscard]] std::string text() const;  // "1.0"
};
[[nodiscard]] ProgramFormat current_program_format() noexcept;

// In file order: little-endian numbers of 4 or 8 bytes, after the magic and the two numbers of the
// format.
struct ProgramFileHeader {
  ProgramFormat format;
  uint64_t text_offset = kProgramHeaderBytes;
  uint64_t text_bytes = 0;
  uint64_t data_offset = 0;  // 0: no tensors
  uint64_t data_bytes = 0;
  uint64_t file_bytes = 0;
  uint32_t text_checksum = 0;
  // Followed by the checksum of everything before it.
};

[[nodiscard]] std::string to_bytes(const ProgramFileHeader& header);
// Reads it from an entire file, whose length is verified. ValueError, prefixed with `origin`: not a
// program, truncated, damaged, of a newer format.
[[nodiscard]] ProgramFileHeader read_program_file_header(std::string_view file,
                                                         std::string_view origin);

// Throws the error prefixed with `origin`, noting if a newer Opwright wrote the file.
[[noreturn]] void throw_in_program_file(const Error& error, const ProgramFileHeader& header,
                                        std::string_view origin);
// Calls `read` and passes its errors to throw_in_program_file.
template <class Read>
auto read_program_part(const ProgramFileHeader& header, std::string_view origin, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw_in_program_file(error, header, origin);
  }
}

}  // namespace opwright
