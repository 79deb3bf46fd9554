// The file of a program (.opw). docs/concepts/program_file.md has its layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/program/export/exported_program.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr uint32_t kProgramFormatMajor = 1;
inline constexpr uint32_t kProgramFormatMinor = 0;

// Writes to a temporary file and renames it, so that the path has either the old or the complete
// new file. OSError; ValueError for values that cannot be stored (a tensor without memory, an
// opaque object), naming them.
OPWRIGHT_EXPORT void save_program(const ExportedProgram& program, const std::string& path);

struct LoadOptions {
  // Maps tensors from the file instead of reading them into memory. Mapped tensors are copied by
  // the system when they are written; the file does not change.
  bool map_tensors = true;
  // Also verifies the checksums of mapped tensors, which reads the entire file. Tensors that are
  // read into memory are always verified.
  bool check_tensors = false;
};
// Validates everything and runs nothing. OSError if the file does not exist; ValueError if it is
// not a program, truncated or damaged (what and where), or of a newer format (both versions);
// NotImplementedError for operators that are missing (each with its library) or whose schema has
// changed in a way that breaks the program's calls (both schemas).
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr load_program_file(const std::string& path,
                                                                   LoadOptions options = {});
// The same for bytes in memory; `origin` is used in messages. Tensors are copied.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr read_program(std::string_view bytes,
                                                              const std::string& origin);
// The bytes of the file.
[[nodiscard]] OPWRIGHT_EXPORT std::string write_program(const ExportedProgram& program);

// The contents of the file as text, without looking up operators, so it also works if they are
// missing.
[[nodiscard]] OPWRIGHT_EXPORT std::string describe_program_file(const std::string& path);

}  // namespace opwright
