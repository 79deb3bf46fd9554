// The same computation for tvm-ffi, which has no schema, no fake kernel and no allocation here: the
// caller passes the output.
#include <cmath>

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace {

template <class T>
void clip(tvm::ffi::TensorView x, double limit, tvm::ffi::TensorView output) {
  const T scale = static_cast<T>(limit);
  const T* in = static_cast<const T*>(x.data_ptr());
  T* out = static_cast<T*>(output.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) out[i] = scale * std::tanh(in[i] / scale);
}

void soft_clip(tvm::ffi::TensorView x, double limit, tvm::ffi::TensorView output) {
  if (limit <= 0) {
    TVM_FFI_THROW(ValueError) << "soft_clip: limit must be positive, got " << limit;
  }
  if (x.dtype().code != kDLFloat) TVM_FFI_THROW(TypeError) << "soft_clip: not a floating dtype";
  if (x.dtype().bits == 32) {
    clip<float>(x, limit, output);
  } else {
    clip<double>(x, limit, output);
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(soft_clip, soft_clip);
