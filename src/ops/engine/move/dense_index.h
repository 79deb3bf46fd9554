// Indexes dense tensors along one dimension by dense int64 indices, without strides or offsets.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/tensor.h"

namespace opwright {

// gather for sizes that are equal except in `dim`. None for other calls, and for an index out of
// range.
[[nodiscard]] std::optional<Tensor> gather_dense(const Tensor& self, int64_t dim,
                                                 const Tensor& index);
// The slices of `self` along `dim` selected by `index`, whose dimensions replace `dim`. None for
// other calls, and for an index out of range.
[[nodiscard]] std::optional<Tensor> select_dense(const Tensor& self, int64_t dim,
                                                 const Tensor& index);

}  // namespace opwright
