// Copies and fills on one device, by loops.
#pragma once

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// Whether the device of `target` can turn elements of the dtype of `source` into its own.
[[nodiscard]] bool can_copy_on_device(const Tensor& target, const Tensor& source);
// Writes `source`, of the same device and read as if broadcast to the sizes of `target`, converted
// to its dtype. The two do not overlap.
void copy_on_device(const Tensor& target, const Tensor& source);

[[nodiscard]] bool can_fill_on_device(const Tensor& target);
// Writes the number, converted to the dtype of `target`, to every element.
void fill_on_device(const Tensor& target, const Scalar& value);
// Writes it where `mask`, of bool, is true; the mask broadcasts to the sizes of `target`.
void fill_where_on_device(const Tensor& target, const Tensor& mask, const Scalar& value);
// The one element of `value`, a tensor of the same device.
void fill_where_on_device(const Tensor& target, const Tensor& mask, const Tensor& value);

}  // namespace opwright
