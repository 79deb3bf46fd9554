// cuBLASLt, found at run time: the few of its functions that products need, and a plan for each
// shape.
#pragma once

#include <cstdint>
#include <string>

#include "devices/cuda/product_layout.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::cuda {

// Queues result = alpha * op(first) @ op(second) + beta * result. False where the library is not
// there or has no way for such a product; nothing was queued then. The device is in use.
bool multiply_by_cublas(int32_t index, const ColumnProduct& product, DType dtype, double alpha,
                        double beta, OpwStream* stream);

// "cuBLASLt 13.1 (its path)", or why products are computed by kernels of ours.
const std::string& description_of_products();

}  // namespace opwright::cuda
