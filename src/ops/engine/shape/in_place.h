// Checks on the tensor that an in-place operator writes.
#pragma once

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

// RuntimeError if two elements of `self` share memory, as after expand.
void check_writable(const char* who, const Tensor& self);

// ValueError unless `other` broadcasts to exactly the sizes of `self`.
void check_expands(const char* who, const char* argument, const Tensor& other, const Tensor& self);

// TypeError if the dtype `result` is of a higher kind than that of `self`.
void check_storable(const char* who, DType result, const Tensor& self);

}  // namespace opwright
