// on_device::scale: factor * x on the CPU and on CUDA, on the stream of whichever host runs it.
//
// Built where nvcc is, with OPWRIGHT_DYNAMIC_TLS and CUDA's runtime inside: the binary loads on
// machines without a GPU, too.
#include <cstdint>

#include <cuda_runtime.h>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace on_device {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tag;
using opwright::Tensor;

constexpr int64_t kThreads = 256;

template <class T>
__global__ void scale_elements(const T* in, T* out, int64_t size, T factor) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < size) out[i] = factor * in[i];
}

void require_success(cudaError_t status) {
  OPWRIGHT_CHECK(status == cudaSuccess, "scale: ", cudaGetErrorString(status));
}

template <class T>
void launch(const Tensor& in, Tensor& out, double factor) {
  const int64_t size = in.numel();
  if (size == 0) return;
  const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
  const auto stream = static_cast<cudaStream_t>(opwright::current_stream(in.device()));
  require_success(cudaSetDevice(in.device().index));
  scale_elements<T><<<blocks, kThreads, 0, stream>>>(in.data<T>(), out.mutable_data<T>(), size,
                                                     static_cast<T>(factor));
  require_success(cudaGetLastError());
}

void require_dtype(const Tensor& x) {
  OPWRIGHT_CHECK_TYPE(
      x.dtype() == opwright::DType::Float32 || x.dtype() == opwright::DType::Float64,
      "scale: x must be float32 or float64, got ", x.dtype());
}

Tensor scale_cuda(const Tensor& x, double factor) {
  require_dtype(x);
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  if (input.dtype() == opwright::DType::Float32) {
    launch<float>(input, output, factor);
  } else {
    launch<double>(input, output, factor);
  }
  return output;
}

template <class T>
void scale_all(const Tensor& in, Tensor& out, double factor) {
  const T* from = in.data<T>();
  T* to = out.mutable_data<T>();
  for (int64_t i = 0; i < in.numel(); ++i) to[i] = static_cast<T>(factor) * from[i];
}

Tensor scale_cpu(const Tensor& x, double factor) {
  require_dtype(x);
  const Tensor input = x.contiguous();
  Tensor output = opwright::empty_like(input);
  if (input.dtype() == opwright::DType::Float32) {
    scale_all<float>(input, output, factor);
  } else {
    scale_all<double>(input, output, factor);
  }
  return output;
}

FakeTensor scale_fake(const FakeTensor& x, double /*factor*/) { return opwright::empty_like(x); }

void scale_save(AutogradContext& /*context*/, const Tensor& /*x*/, double /*factor*/,
                const Tensor& /*y*/) {}

Gradients scale_backward(const AutogradContext& context, const Tensor& grad) {
  return {grad * context.attribute("factor")};
}

}  // namespace

OPWRIGHT_LIBRARY(on_device, m) {
  m.def("scale(Tensor x, float factor) -> Tensor", {Tag::Pointwise});
  m.register_fake("scale", &scale_fake);
  m.register_autograd("scale", &scale_save, &scale_backward);
}

OPWRIGHT_LIBRARY_IMPL(on_device, CPU, m) { m.impl("scale", &scale_cpu); }
OPWRIGHT_LIBRARY_IMPL(on_device, CUDA, m) { m.impl("scale", &scale_cuda); }

}  // namespace on_device
