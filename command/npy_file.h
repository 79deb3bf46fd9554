// Tensors in NumPy files (.npy).
#pragma once

#include <optional>
#include <string>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::command {

// Sizes, dtype and order (C or Fortran) of the file. Raw bytes, as files of bfloat16 have them, are
// read as `wanted` where that has their size. OSError; ValueError for a file that is none, damaged,
// or too short for what its header tells: found before memory is taken for it.
[[nodiscard]] Tensor read_npy(const std::string& path, std::optional<DType> wanted = std::nullopt);

// In C order. OSError.
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace opwright::command
