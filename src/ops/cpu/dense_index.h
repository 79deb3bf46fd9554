// Indexing of dense tensors along one dimension by dense int64 indices: no strides, no offsets.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/tensor.h"

namespace opwright {

// gather, where the sizes are equal but for `dim`; none for other calls. IndexError.
[[nodiscard]] std::optional<Tensor> gather_dense(const char* who, const Tensor& self, int64_t dim,
                                                 const Tensor& index);
// The slices of `self` along `dim` that `index` names, whose dimensions stand in place of `dim`;
// none for other calls. IndexError.
[[nodiscard]] std::optional<Tensor> select_dense(const char* who, const Tensor& self, int64_t dim,
                                                 const Tensor& index);

}  // namespace opwright
