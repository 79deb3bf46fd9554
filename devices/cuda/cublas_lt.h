// cuBLASLt, found at run time: the functions that matrix products need, and a plan for each shape.
#pragma once

#include <cstdint>
#include <string>

#include "devices/cuda/product_layout.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::cuda {

// Queues result = alpha * op(first) @ op(second) + beta * result. False, with nothing queued, if
// the library is missing or does not support the product. The device is in use.
bool multiply_by_cublas(int32_t index, const ColumnProduct& product, DType dtype, double alpha,
                        double beta, OpwStream* stream);

// "cuBLASLt 13.1 (its path)", or why products use our own kernels.
const std::string& description_of_products();

}  // namespace opwright::cuda
