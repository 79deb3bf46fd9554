// Matrix products: with cuBLASLt if available and if it supports the strides, else our own kernel.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// The function of the table.
int compute_product_cuda(const OpwHost* host, int32_t index, const OpwProduct* product,
                         OpwStream* stream);

}  // namespace opwright::cuda
