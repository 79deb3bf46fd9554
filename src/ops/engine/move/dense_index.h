// Indexing of dense tensors along one dimension by dense int64 indices: no strides, no offsets.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/tensor.h"

namespace opwright {

// gather, where the sizes are equal but for `dim`. None for other calls, and for an index outside
// of the dimension.
[[nodiscard]] std::optional<Tensor> gather_dense(const Tensor& self, int64_t dim,
                                                 const Tensor& index);
// The slices of `self` along `dim` that `index` names, whose dimensions stand in place of `dim`.
// None for other calls, and for an index outside of the dimension.
[[nodiscard]] std::optional<Tensor> select_dense(const Tensor& self, int64_t dim,
                                                 const Tensor& index);

}  // namespace opwright
