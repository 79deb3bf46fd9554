// Copies and fills on one device, with device loops.
#pragma once

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// Whether the device of `target` can convert elements from the dtype of `source`.
[[nodiscard]] bool can_copy_on_device(const Tensor& target, const Tensor& source);
// Writes `source`, on the same device, broadcast to the sizes of `target` and converted to its
// dtype. The two must not overlap.
void copy_on_device(const Tensor& target, const Tensor& source);

[[nodiscard]] bool can_fill_on_device(const Tensor& target);
// Writes the number, converted to the dtype of `target`, to every element.
void fill_on_device(const Tensor& target, const Scalar& value);
// Writes the number where the bool `mask` is true; the mask broadcasts to the sizes of `target`.
void fill_where_on_device(const Tensor& target, const Tensor& mask, const Scalar& value);
// The same with the single element of `value`, a tensor on the same device.
void fill_where_on_device(const Tensor& target, const Tensor& mask, const Tensor& value);

}  // namespace opwright
