// Creates tensors from the blocks of a file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "opwright/program/file/mapped_file.h"
#include "opwright/program/file/program_text.h"
#include "opwright/tensor.h"

namespace opwright {

struct StoredBytes {
  std::string_view data;   // of all tensors of the file
  MappedFilePtr mapping;   // that contains them; aligned tensors point into it. Null: copied
  bool is_checked = true;  // verifies the checksums
};

// One tensor per entry of the text. ValueError for a block beyond the end, a wrong checksum, a
// tensor that exceeds its block, a bool that is neither 0 nor 1.
[[nodiscard]] std::vector<Tensor> make_stored_tensors(const ProgramText& program,
                                                      const StoredBytes& bytes);

}  // namespace opwright
