// The dimensions of a reduction.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright::onnx {

struct ReductionAxes {
  std::vector<int64_t> dims;  // empty: all of them
  bool keeps_dims = false;
};

// From an argument that is an int, a list of ints, or None; None and [] mean all dimensions.
[[nodiscard]] ReductionAxes axes_of(const Call& call, size_t argument, bool keeps_dims);

// The number of elements of `tensor` that are reduced to one.
[[nodiscard]] SymInt count_reduced(const Tensor& tensor, const ReductionAxes& axes);

// A Reduce node; the value itself if it has no dimensions.
[[nodiscard]] OnnxValue reduce_over(GraphBuilder& g, std::string_view type, OnnxValue value,
                                    const Tensor& tensor, const ReductionAxes& axes);

}  // namespace opwright::onnx
