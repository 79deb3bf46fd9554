// sound::...: correct operators in C++, for opcheck to find nothing in: kernels that look at
// strides, that divide their loop among threads, that keep a cache, with formulas and a vmap rule.
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "opwright/opwright.h"

namespace sound {
namespace {

using opwright::AutogradContext;
using opwright::FakeTensor;
using opwright::Gradients;
using opwright::Tensor;
using opwright::VmapInfo;
using opwright::VmapResult;

FakeTensor dense_fake(const FakeTensor& x) { return x.new_empty(x.sizes()); }

// ---- Loops over memory ----

template <class T>
void sum_rows(const Tensor& x, const Tensor& result) {
  const T* from = x.data<T>();
  T* to = result.mutable_data<T>();
  for (int64_t row = 0; row < x.size(0); ++row) {
    T sum = 0;
    for (int64_t column = 0; column < x.size(1); ++column) {
      sum += from[row * x.stride(0) + column * x.stride(1)];
    }
    to[row] = sum;
  }
}
// The sums of a matrix's rows, by its strides.
Tensor row_sums(const Tensor& x) {
  OPWRIGHT_CHECK_VALUE(x.dim() == 2, "row_sums: x must be a matrix, got ", x);
  Tensor result = opwright::empty({x.size(0)}, x.dtype());
  if (x.dtype() == opwright::DType::Float64) {
    sum_rows<double>(x, result);
  } else {
    sum_rows<float>(x, result);
  }
  return result;
}
FakeTensor row_sums_fake(const FakeTensor& x) { return x.new_empty({x.size(0)}); }
void row_sums_save(AutogradContext& context, const Tensor& x, const Tensor& /*result*/) {
  context.save({x});
}
Gradients row_sums_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient.unsqueeze(1).expand_as(context.saved(0))};
}

// 2 * x of float32, its elements divided among threads.
Tensor parallel_double(const Tensor& x) {
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty(x.sizes(), x.dtype());
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  opwright::parallel_for(x.numel(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = 2 * from[i];
  });
  return result;
}

// The sum over blocks of 4, whose order does not depend on the threads.
Tensor block_sum(const Tensor& x) {
  constexpr int64_t kBlock = 4;
  const Tensor input = x.contiguous();
  const float* from = input.data<float>();
  const int64_t blocks = (x.numel() + kBlock - 1) / kBlock;
  std::vector<float> sums(static_cast<size_t>(blocks));
  opwright::parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      for (int64_t i = kBlock * block; i < std::min(kBlock * (block + 1), x.numel()); ++i) {
        sums[static_cast<size_t>(block)] += from[i];
      }
    }
  });
  Tensor result = opwright::empty({}, x.dtype());
  float total = 0;
  for (const float sum : sums) total += sum;
  *result.mutable_data<float>() = total;
  return result;
}
FakeTensor number_fake(const FakeTensor& x) { return x.new_empty({}); }

// x times a window of its length, which is computed once for each length.
Tensor windowed(const Tensor& x) {
  static std::mutex mutex;
  static auto* windows = new std::map<int64_t, std::vector<float>>;
  OPWRIGHT_CHECK_VALUE(x.dim() >= 1, "windowed: x must have a dimension, got ", x);
  const int64_t length = x.size(-1);
  std::vector<float> window;
  {
    const std::lock_guard lock(mutex);
    std::vector<float>& kept = (*windows)[length];
    for (auto i = static_cast<int64_t>(kept.size()); i < length; ++i) {
      kept.push_back(static_cast<float>(i + 1) / static_cast<float>(length));
    }
    window = kept;
  }
  const Tensor input = x.contiguous();
  Tensor result = opwright::empty(x.sizes(), x.dtype());
  const float* from = input.data<float>();
  float* to = result.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] * window[static_cast<size_t>(i % length)];
  return result;
}

// ---- Formulas and rules ----

// sin(x) and cos(x).
std::tuple<Tensor, Tensor> sine_and_cosine(const Tensor& x) { return {x.sin(), x.cos()}; }
std::tuple<FakeTensor, FakeTensor> sine_and_cosine_fake(const FakeTensor& x) {
  return {opwright::empty_like(x), opwright::empty_like(x)};
}
void sine_and_cosine_save(AutogradContext& context, const Tensor& /*x*/, const Tensor& sine,
                          const Tensor& cosine) {
  context.save({sine, cosine});
}
Gradients sine_and_cosine_backward(const AutogradContext& context, const Tensor& of_sine,
                                   const Tensor& of_cosine) {
  return {of_sine * context.saved(1) - of_cosine * context.saved(0)};
}
VmapResult<std::tuple<Tensor, Tensor>> sine_and_cosine_vmap(const VmapInfo& info, const Tensor& x) {
  return {sine_and_cosine(x), {info.in_dims[0], info.in_dims[0]}};
}

// x becomes x * y; the gradient of y needs the old x.
Tensor& multiply(Tensor& x, const Tensor& y) { return x.mul_(y); }
void multiply_save(AutogradContext& context, const Tensor& old_x, const Tensor& y,
                   const Tensor& /*result*/) {
  context.save({old_x, y});
}
Gradients multiply_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(1), gradient * context.saved(0)};
}

}  // namespace

OPWRIGHT_LIBRARY(sound, m) {
  m.def("row_sums(Tensor x) -> Tensor");
  m.register_fake("row_sums", &row_sums_fake);
  m.register_autograd("row_sums", &row_sums_save, &row_sums_backward);
  m.def("parallel_double(Tensor x) -> Tensor");
  m.register_fake("parallel_double", &dense_fake);
  m.def("block_sum(Tensor x) -> Tensor");
  m.register_fake("block_sum", &number_fake);
  m.def("windowed(Tensor x) -> Tensor");
  m.register_fake("windowed", &dense_fake);
  m.def("sine_and_cosine(Tensor x) -> (Tensor, Tensor)");
  m.register_fake("sine_and_cosine", &sine_and_cosine_fake);
  m.register_autograd("sine_and_cosine", &sine_and_cosine_save, &sine_and_cosine_backward);
  m.register_vmap("sine_and_cosine", &sine_and_cosine_vmap);
  m.def("multiply_(Tensor(a!) x, Tensor y) -> Tensor(a!)");
  m.register_autograd("multiply_", &multiply_save, &multiply_backward);
  m.keep_old("multiply_", {0});
}

OPWRIGHT_LIBRARY_IMPL(sound, CPU, m) {
  m.impl("row_sums", &row_sums);
  m.impl("parallel_double", &parallel_double);
  m.impl("block_sum", &block_sum);
  m.impl("windowed", &windowed);
  m.impl("sine_and_cosine", &sine_and_cosine);
  m.impl("multiply_", &multiply);
}

}  // namespace sound
