// compute_product: matrix products.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

void compute_product(int32_t index, const OpwProduct* product, OpwStream* stream);

}  // namespace opwright::opencl
