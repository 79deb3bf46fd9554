// npu::npu_add_custom on the plug-in device: OpenCL source, which the device compiles at the first
// launch. The op AddCustom in the engine's graph uses the same kernel.
#include <cstdint>

#include "opwright/opwright.h"
#include "opwright/source_kernel.h"

namespace {

using opwright::DType;
using opwright::Tensor;

const opwright::SourceKernel add_custom(R"(
kernel void add_custom(global const float* x, global const float* y, global float* z, long count) {
  const size_t i = get_global_id(0);
  if (i < (size_t)count) z[i] = x[i] + y[i];
}
)",
                                        "add_custom");

Tensor npu_add_custom(const Tensor& x, const Tensor& y) {
  OPWRIGHT_CHECK_TYPE(x.dtype() == DType::Float32 && y.dtype() == DType::Float32,
                      "npu_add_custom: requires float32, x is ", x.dtype(), ", y is ", y.dtype());
  const Tensor left = x.contiguous();
  const Tensor right = y.expand_as(x).contiguous();
  Tensor result = opwright::empty_like(left);
  const int64_t count = left.numel();
  if (count != 0) add_custom.launch(x.device(), {count}, {}, left, right, result, count);
  return result;
}

}  // namespace

OPWRIGHT_LIBRARY_IMPL(npu, OpenCL, m) { m.impl("npu_add_custom", &npu_add_custom); }
OPWRIGHT_LIBRARY_IMPL(ge, OpenCL, m) { m.impl("AddCustom", &npu_add_custom); }
