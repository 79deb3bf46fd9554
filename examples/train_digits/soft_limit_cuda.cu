// The CUDA kernel of digits::soft_limit. Schema, fake kernel and gradient are in soft_limit.cpp,
// which is built with it.
#include <cstdint>

#include <cuda_runtime.h>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace digits {
namespace {

using opwright::Tensor;

constexpr int64_t kThreads = 256;

template <class T>
__global__ void limit_elements(const T* in, const T* limits, T* out, int64_t size, int64_t channels,
                               int64_t plane) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= size) return;
  const T bound = limits[i / plane % channels];
  out[i] = bound * tanh(in[i] / bound);
}

template <class T>
void launch(const Tensor& in, const Tensor& limits, Tensor& out) {
  const int64_t size = in.numel();
  const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
  const auto stream = static_cast<cudaStream_t>(opwright::current_stream(in.device()));
  limit_elements<T><<<blocks, kThreads, 0, stream>>>(in.data<T>(), limits.data<T>(),
                                                     out.mutable_data<T>(), size, in.size(1),
                                                     in.size(2) * in.size(3));
  const cudaError_t status = cudaGetLastError();
  OPWRIGHT_CHECK(status == cudaSuccess, "soft_limit: ", cudaGetErrorString(status));
}

Tensor soft_limit_cuda(const Tensor& x, const Tensor& limit) {
  OPWRIGHT_CHECK(x.dim() == 4, "soft_limit: x must have 4 dimensions (N, C, H, W), got ", x);
  OPWRIGHT_CHECK(limit.dim() == 1 && limit.size(0) == x.size(1) && limit.dtype() == x.dtype(),
                 "soft_limit: limit must have one number of the dtype of x for each of the ",
                 x.size(1), " channels, got ", limit);
  const Tensor input = x.contiguous();
  const Tensor limits = limit.contiguous();
  Tensor output = opwright::empty_like(input);
  if (input.numel() == 0) return output;
  if (input.dtype() == opwright::DType::Float32) {
    launch<float>(input, limits, output);
  } else if (input.dtype() == opwright::DType::Float64) {
    launch<double>(input, limits, output);
  } else {
    opwright::throw_dtype(input.dtype(), "soft_limit", "float32 and float64 on CUDA");
  }
  return output;
}

}  // namespace

OPWRIGHT_LIBRARY_IMPL(digits, CUDA, m) { m.impl("soft_limit", &soft_limit_cuda); }

}  // namespace digits
