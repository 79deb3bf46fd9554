// The source of a program's bytes, shared by reading from files and from memory.
#pragma once

#include <string_view>

#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/mapped_file.h"

namespace opwright {

struct ProgramSource {
  std::string_view file;
  std::string_view origin;           // used in messages
  MappedFilePtr mapping;             // that contains `file`; tensors stay there. Null: copied
  bool has_tensors_checked = false;  // verified by checksum
};

// Like read_program.
[[nodiscard]] ExportedProgramPtr read_program_source(const ProgramSource& source);

}  // namespace opwright
