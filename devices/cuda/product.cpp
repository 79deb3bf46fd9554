#include "devices/cuda/product.h"

#include <cstdint>
#include <optional>

#include "devices/cuda/cublas_lt.h"
#include "devices/cuda/device.h"
#include "devices/cuda/product_fallback.h"
#include "devices/cuda/product_layout.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::cuda {

int compute_product_cuda(const OpwHost* host, int32_t index, const OpwProduct* product,
                         OpwStream* stream) {
  return run_on(host, index, [&] {
    if (product->batch == 0 || product->rows == 0 || product->columns == 0) return;
    const DType dtype = dtype_of(product->dtype);
    const std::optional<ColumnProduct> columns = column_product(*product);
    const bool is_done = columns && multiply_by_cublas(index, *columns, dtype, product->alpha,
                                                       product->beta, stream);
    if (!is_done) multiply_by_kernel(index, *product, dtype, stream);
  });
}

}  // namespace opwright::cuda
