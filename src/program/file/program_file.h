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

// Writes by a temporary file and a rename, so that the path has the old file or the whole new one.
// OSError; ValueError for what data cannot be (a tensor without memory, an opaque object), naming
// it.
OPWRIGHT_EXPORT void save_program(const ExportedProgram& program, const std::string& path);

struct LoadOptions {
  // Maps tensors from the file; else they are read into memory. Mapped ones are copied by the
  // system when they are written; the file stays as it is.
  bool map_tensors = true;
  // Compares the checksums of mapped tensors, too, which reads all of the file; those of tensors
  // that are read are always compared.
  bool check_tensors = false;
};
// Validates everything and runs nothing. OSError for a file that is not there; ValueError for one
// that is no program, is cut or damaged (what and where), or is of a newer format (both versions);
// NotImplementedError for operators that are not there (each with the library that had it) or whose
// schema has changed in a way that breaks the program's calls (both schemas).
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr load_program_file(const std::string& path,
                                                                   LoadOptions options = {});
// The same of bytes in memory; `origin` stands in messages. Tensors are copied.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr read_program(std::string_view bytes,
                                                              const std::string& origin);
// The bytes of the file.
[[nodiscard]] OPWRIGHT_EXPORT std::string write_program(const ExportedProgram& program);

// What the file says, as text, without looking any operator up: of programs whose operators are not
// there, too.
[[nodiscard]] OPWRIGHT_EXPORT std::string describe_program_file(const std::string& path);

}  // namespace opwright
