// embedding_dense_backward: adds the rows of a gradient to the weight rows they came from.
#include <algorithm>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr const char* kEmbeddingBackward = "embedding_dense_backward";

template <class AnyTensor>
void check_backward_call(const AnyTensor& grad_output, const AnyTensor& indices) {
  OPWRIGHT_CHECK_TYPE(indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32,
                      kEmbeddingBackward, ": indices must be of int64 or int32, got ", indices);
  bool fits = grad_output.dim() == indices.dim() + 1;
  for (int64_t i = 0; fits && i < indices.dim(); ++i) fits = grad_output.size(i) == indices.size(i);
  OPWRIGHT_CHECK(fits, kEmbeddingBackward, ": grad_output (", grad_output,
                 ") must have the sizes of indices (", indices, ") and one dimension more");
}

void check_rows(const int64_t* rows, int64_t count, int64_t num_weights) {
  for (int64_t i = 0; i < count; ++i) {
    OPWRIGHT_CHECK_INDEX(rows[i] >= 0 && rows[i] < num_weights, kEmbeddingBackward, ": index ",
                         rows[i], " is out of range for ", num_weights, " rows of the weight");
  }
}

// Every thread adds to its own rows, in index order.
template <class C>
void add_rows(C* sums, const C* gradient, const int64_t* rows, int64_t count, int64_t width,
              int64_t num_weights, int64_t padding_idx, const std::vector<int64_t>& counts) {
  const int64_t grain =
      count * width < 65536 ? num_weights : std::max<int64_t>(1, num_weights / num_threads());
  parallel_for(num_weights, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = rows[i];
      if (row < begin || row >= end || row == padding_idx) continue;
      const C scale =
          counts.empty() ? C{1} : C{1} / static_cast<C>(counts[static_cast<size_t>(row)]);
      C* to = sums + row * width;
      const C* from = gradient + i * width;
      for (int64_t k = 0; k < width; ++k) to[k] += from[k] * scale;
    }
  });
}

}  // namespace

Tensor embedding_dense_backward_cpu(const Tensor& grad_output, const Tensor& indices,
                                    int64_t num_weights, int64_t padding_idx,
                                    bool scale_grad_by_freq) {
  check_backward_call(grad_output, indices);
  OPWRIGHT_CHECK_VALUE(num_weights >= 0, kEmbeddingBackward,
                       ": num_weights must not be negative, got ", num_weights);
  const DType wide = grad_output.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const int64_t width = grad_output.size(-1);
  const int64_t count = indices.numel();
  const Tensor sums = make_empty(Sizes{num_weights, width}, wide);
  for_floating_dtype(grad_output.dtype(), kEmbeddingBackward, [&]<typename T>() {
    using C = ComputeType<T>;
    std::fill_n(sums.mutable_data<C>(), sums.numel(), C{});
    if (count == 0) return;
    const Tensor gradient = as_contiguous(as_dtype(grad_output, wide));
    const Tensor dense = as_contiguous(as_dtype(indices, DType::Int64));
    const auto* rows = dense.data<int64_t>();
    check_rows(rows, count, num_weights);
    std::vector<int64_t> counts(scale_grad_by_freq ? static_cast<size_t>(num_weights) : 0);
    for (int64_t i = 0; scale_grad_by_freq && i < count; ++i)
      ++counts[static_cast<size_t>(rows[i])];
    add_rows(sums.mutable_data<C>(), gradient.data<C>(), rows, count, width, num_weights,
             padding_idx, counts);
  });
  return as_dtype(sums, grad_output.dtype());
}

Tensor embedding_dense_backward_all_devices(const Tensor& grad_output, const Tensor& indices,
                                            int64_t num_weights, int64_t padding_idx,
                                            bool scale_grad_by_freq) {
  check_backward_call(grad_output, indices);
  OPWRIGHT_CHECK_VALUE(num_weights >= 0, kEmbeddingBackward,
                       ": num_weights must not be negative, got ", num_weights);
  const DType wide = grad_output.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const int64_t width = grad_output.size(-1);
  const Tensor rows = indices.reshape({indices.numel()});
  const auto make_zeros = [&](int64_t columns) {
    return zeros({num_weights, columns}, wide, std::nullopt, grad_output.device());
  };
  Tensor sums = make_zeros(width);
  sums.index_add_(0, rows, grad_output.reshape({indices.numel(), width}).to(wide));
  if (scale_grad_by_freq) {
    Tensor counts = make_zeros(1);
    counts.index_add_(0, rows, counts.new_ones({indices.numel(), 1}));
    sums.div_(counts.clamp_(1));
  }
  if (padding_idx >= 0 && padding_idx < num_weights) sums.select(0, padding_idx).zero_();
  return sums.to(grad_output.dtype());
}

FakeTensor embedding_dense_backward_fake(const FakeTensor& grad_output, const FakeTensor& indices,
                                         const SymInt& num_weights, const SymInt& /*padding_idx*/,
                                         bool /*scale_grad_by_freq*/) {
  check_backward_call(grad_output, indices);
  return make_fake_like(grad_output, SymSizes{num_weights, grad_output.size(-1)},
                        grad_output.dtype());
}

}  // namespace opwright
