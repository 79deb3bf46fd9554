// The first 64 bytes of a program file: what it is, its format, and where its parts are.
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
inline constexpr uint64_t kBlockAlignment = 64;  // of each

struct ProgramFormat {
  uint32_t major_version = 0;
  uint32_t minor_version = 0;
  [[nodiscard]] std::string text() const;  // "1.0"
};
[[nodiscard]] ProgramFormat current_program_format() noexcept;

// In the order of the file: numbers of 4 or 8 bytes, the low byte first, behind the magic and the
// two numbers of the format.
struct ProgramFileHeader {
  ProgramFormat format;
  uint64_t text_offset = kProgramHeaderBytes;
  uint64_t text_bytes = 0;
  uint64_t data_offset = 0;  // 0: no tensors
  uint64_t data_bytes = 0;
  uint64_t file_bytes = 0;
  uint32_t text_checksum = 0;
  // Then the checksum of all before it.
};

[[nodiscard]] std::string to_bytes(const ProgramFileHeader& header);
// Of the whole file, whose length is compared. ValueError, with `origin` in front: no program, cut,
// damaged, of a newer format.
[[nodiscard]] ProgramFileHeader read_program_file_header(std::string_view file,
                                                         std::string_view origin);

// The error with `origin` in front and, where a newer Opwright wrote the file, that it did.
[[noreturn]] void throw_in_program_file(const Error& error, const ProgramFileHeader& header,
                                        std::string_view origin);
// Runs `read`, whose errors go through throw_in_program_file.
template <class Read>
auto read_program_part(const ProgramFileHeader& header, std::string_view origin, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw_in_program_file(error, header, origin);
  }
}

}  // namespace opwright
