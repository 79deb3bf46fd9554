// The functions of operators.cpp that tvm-ffi supports; it passes its own tensors as views.
#include <cstdlib>

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace {

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

void axpy_(TensorView x, TensorView y, double alpha) {
  auto* out = static_cast<float*>(x.data_ptr());
  const auto* in = static_cast<const float*>(y.data_ptr());
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] += static_cast<float>(alpha) * in[i];
}

struct HeapMemory {
  void AllocData(DLTensor* tensor) {
    tensor->data = std::aligned_alloc(64, (tvm::ffi::GetDataSize(*tensor) + 63) / 64 * 64);
  }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

Tensor axpy(TensorView x, TensorView y, double alpha) {
  Tensor result = Tensor::FromNDAlloc(HeapMemory(), x.shape(), x.dtype(), x.device());
  auto* out = static_cast<float*>(result.data_ptr());
  const auto* a = static_cast<const float*>(x.data_ptr());
  const auto* b = static_cast<const float*>(y.data_ptr());
  const int64_t count = x.numel();
  for (int64_t i = 0; i < count; ++i) out[i] = a[i] + static_cast<float>(alpha) * b[i];
  return result;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy_, axpy_);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(axpy, axpy);
