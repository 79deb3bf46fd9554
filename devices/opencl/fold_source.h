// The OpenCL C of reductions. A State represents some elements: `start` that of none, `step` adds
// an element, `merge` the elements of another state, `finish` computes the value.
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
  DType result;   // DType{} if not requested
  bool has_indices;
  double number;
  uint32_t kept;    // dimensions
  uint32_t folded;  // dimensions
};

// Bytes of a State on every device, at most.
inline constexpr uint64_t kStateBytes = 32;
// Work-items that reduce the elements of one part together.
inline constexpr uint32_t kFoldGroup = 32;

// Three kernels: fold_each reduces a result in one work-item, fold_parts reduces each result in
// several groups, fold_finish merges their states to results.
[[nodiscard]] std::string fold_source(const FoldForm& form);

}  // namespace opwright::opencl
