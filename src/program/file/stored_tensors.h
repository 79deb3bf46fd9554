// Blocks of a file become tensors again.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_text.h"
#include "opwright/tensor.h"

namespace opwright {

struct StoredBytes {
  std::string_view data;   // all tensors of the file
  MappedFilePtr mapping;   // where they are; tensors are over it. Null: they are copied.
  bool is_checked = true;  // compares the checksums
};

// One tensor for each of the text. ValueError for a block behind the end, a wrong checksum, a
// tensor that reaches out of its block, a bool that is neither 0 nor 1.
[[nodiscard]] std::vector<Tensor> make_stored_tensors(const ProgramText& program,
                                                      const StoredBytes& bytes);

}  // namespace opwright
