// The OpenCL C of folds. A State stands for some elements: `start` is that of none, `step` adds an
// element, `merge` the elements of another state, `finish` gives the value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/dtype.h"

namespace opwright::opencl {

struct FoldForm {
  std::string_view fold;
  DType compute;
  DType operand;
  DType through;  // elements are rounded to it first
  DType result;   // DType{}: not wanted
  bool has_indices;
  double number;
  uint32_t kept;    // dimensions
  uint32_t folded;  // dimensions
};

// Bytes of a State on every device, at most.
inline constexpr uint64_t kStateBytes = 32;
// Work-items that fold the elements of one part together.
inline constexpr uint32_t kFoldGroup = 32;

// Three kernels: fold_each folds a result in one work-item, fold_parts folds each result in several
// groups, fold_finish makes results of what those left.
[[nodiscard]] std::string fold_source(const FoldForm& form);

}  // namespace opwright::opencl
