// Where the bytes of a program come from: what reading from files and from memory have in common.
#pragma once

#include <string_view>

#include "opwright/program/export/exported_program.h"
#include "opwright/program/file/mapped_file.h"

namespace opwright {

struct ProgramSource {
  std::string_view file;
  std::string_view origin;           // stands in messages
  MappedFilePtr mapping;             // that `file` is of; tensors stay there. Null: copied
  bool has_tensors_checked = false;  // by their checksums
};

// As read_program.
[[nodiscard]] ExportedProgramPtr read_program_source(const ProgramSource& source);

}  // namespace opwright
