// Tensors in NumPy files (.npy).
#pragma once

#include <optional>
#include <string>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::command {

// With the sizes, dtype and order (C or Fortran) of the file. Raw bytes, as in files of bfloat16,
// are read as `wanted` if the size matches. OSError; ValueError for a file that is not .npy,
// damaged, or shorter than its header says, which is detected before allocating.
[[nodiscard]] Tensor read_npy(const std::string& path, std::optional<DType> wanted = std::nullopt);

// In C order. OSError.
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace opwright::command
