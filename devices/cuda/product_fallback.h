// A product kernel for everything that cuBLASLt does not support: integers, strides of any kind,
// and machines without that library.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::cuda {

// NotImplementedError for bool, complex and eight-bit floating dtypes.
void multiply_by_kernel(int32_t index, const OpwProduct& product, DType dtype, OpwStream* stream);

}  // namespace opwright::cuda
