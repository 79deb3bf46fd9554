// one_launch::add: the sum of two float tensors of one shape, as one launch of a kernel and nothing
// else. What an author's operator costs at least; benchmarks/cuda.py times it.
#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

#include "opwright/opwright.h"
#include "opwright/stream.h"

namespace one_launch {
namespace {

using opwright::FakeTensor;
using opwright::Tag;
using opwright::Tensor;

constexpr int64_t kThreads = 256;

__global__ void add_elements(const float* x, const float* y, float* sum, int64_t size) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < size) sum[i] = x[i] + y[i];
}

void check_arguments(const Tensor& x, const Tensor& y) {
  OPWRIGHT_CHECK_TYPE(
      x.dtype() == opwright::DType::Float32 && y.dtype() == opwright::DType::Float32,
      "add: x and y must be float32, got ", x.dtype(), " and ", y.dtype());
  OPWRIGHT_CHECK_VALUE(std::ranges::equal(x.sizes(), y.sizes()),
                       "add: x and y must have one shape, got ", x, " and ", y);
}

Tensor add_cuda(const Tensor& x, const Tensor& y) {
  check_arguments(x, y);
  const Tensor left = x.contiguous();
  const Tensor right = y.contiguous();
  Tensor sum = opwright::empty_like(left);
  const int64_t size = left.numel();
  if (size == 0) return sum;
  const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
  const auto stream = static_cast<cudaStream_t>(opwright::current_stream(left.device()));
  add_elements<<<blocks, kThreads, 0, stream>>>(left.data<float>(), right.data<float>(),
                                                sum.mutable_data<float>(), size);
  const cudaError_t status = cudaGetLastError();
  OPWRIGHT_CHECK(status == cudaSuccess, "add: ", cudaGetErrorString(status));
  return sum;
}

FakeTensor add_fake(const FakeTensor& x, const FakeTensor& /*y*/) {
  return opwright::empty_like(x);
}

}  // namespace

OPWRIGHT_LIBRARY(one_launch, m) {
  m.def("add(Tensor x, Tensor y) -> Tensor", {Tag::Pointwise});
  m.register_fake("add", &add_fake);
}

OPWRIGHT_LIBRARY_IMPL(one_launch, CUDA, m) { m.impl("add", &add_cuda); }

}  // namespace one_launch
