// sum over all or some dimensions.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/ops/cpu/pairwise_sum.h"
#include "opwright/ops/reduction_shape.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr int64_t kColumns = 64;      // summed side by side
constexpr int64_t kRowsOfBlock = 32;  // before a partial sum is put aside
constexpr int64_t kSumGrain = 32768;  // terms
constexpr int64_t kPieceOfWholeSum =
    65536;  // terms; fixed, so that the result does not depend on threads

template <class T>
SumType<T> sum_run(const T* terms, int64_t count, int64_t stride) {
  if (count <= kSumBlock) return sum_block(terms, count, stride);
  PairwiseSum<SumType<T>> sum;
  for (int64_t i = 0; i < count; i += kSumBlock) {
    sum.add(sum_block(terms + i * stride, std::min(kSumBlock, count - i), stride));
  }
  return sum.total();
}

// One long run, in pieces for the threads.
template <class T>
SumType<T> sum_whole(const T* terms, int64_t count, int64_t stride) {
  if (count <= kPieceOfWholeSum) return sum_run(terms, count, stride);
  std::vector<SumType<T>> pieces(
      static_cast<size_t>((count + kPieceOfWholeSum - 1) / kPieceOfWholeSum));
  parallel_for(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * kPieceOfWholeSum;
      pieces[static_cast<size_t>(i)] =
          sum_run(terms + first * stride, std::min(kPieceOfWholeSum, count - first), stride);
    }
  });
  PairwiseSum<SumType<T>> sum;
  for (const SumType<T>& piece : pieces) sum.add(piece);
  return sum.total();
}

// The terms of one output lie closest together: run by run.
template <class T>
SumType<T> sum_of_runs(const T* terms, const StridedDims& folded) {
  if (folded.count() == 1) return sum_run(terms, folded.inner().size, folded.inner().stride);
  PairwiseSum<SumType<T>> sum;
  for_each_offset(folded.without_inner(), [&](int64_t offset) {
    sum.add(sum_run(terms + offset, folded.inner().size, folded.inner().stride));
  });
  return sum.total();
}

// Neighbouring outputs lie closest together: `count` columns at once, row by row.
template <class T, class Store>
void sum_columns(const T* terms, int64_t count, int64_t stride, const StridedDims& folded,
                 const Store& store) {
  using Row = Lanes<SumType<T>, kColumns>;
  PairwiseSum<Row> sum;
  Row block{};
  int64_t rows = 0;
  for_each_offset(folded, [&](int64_t offset) {
    for (int64_t i = 0; i < count; ++i) {
      auto& lane = block.values[static_cast<size_t>(i)];
      lane = lane + as_term(terms[offset + i * stride]);
    }
    if (++rows % kRowsOfBlock == 0) {
      sum.add(block);
      block = Row{};
    }
  });
  sum.add(block);
  const Row total = sum.total();
  for (int64_t i = 0; i < count; ++i) store(i, total.values[static_cast<size_t>(i)]);
}

template <class Out, class In>
void sum_into(const Tensor& output, const Tensor& input, const ReducedDims& dims) {
  const In* terms = input.data<In>();
  Out* out = output.mutable_data<Out>();
  const auto as_result = [](SumType<In> sum) { return convert_number<Out>(sum); };
  const int64_t terms_of_output = dims.folded.numel();
  const int64_t outputs = dims.kept.numel();
  if (outputs == 1 && dims.folded.count() == 1) {
    *out = as_result(sum_whole(terms, dims.folded.inner().size, dims.folded.inner().stride));
    return;
  }
  if (dims.is_folded_innermost()) {
    const int64_t grain = std::max<int64_t>(1, kSumGrain / std::max<int64_t>(1, terms_of_output));
    parallel_for(outputs, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[dims.kept.target_offset(i)] =
            as_result(sum_of_runs(terms + dims.kept.offset(i), dims.folded));
      }
    });
    return;
  }
  const StridedDim& row = dims.kept.inner();
  const int64_t blocks_of_row = (row.size + kColumns - 1) / kColumns;
  const StridedDims outer = dims.kept.without_inner();
  const int64_t grain =
      std::max<int64_t>(1, kSumGrain / (kColumns * std::max<int64_t>(1, terms_of_output)));
  parallel_for(outer.numel() * blocks_of_row, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks_of_row * kColumns;
      const int64_t count = std::min(kColumns, row.size - first);
      Out* target = out + outer.target_offset(i / blocks_of_row) + first * row.target_stride;
      sum_columns(terms + outer.offset(i / blocks_of_row) + first * row.stride, count, row.stride,
                  dims.folded, [&](int64_t column, SumType<In> sum) {
                    target[column * row.target_stride] = as_result(sum);
                  });
    }
  });
}

DType sum_dtype(DType input, const std::optional<DType>& asked) {
  if (asked) return *asked;
  return is_integral(input) || input == DType::Bool ? DType::Int64 : input;
}

Tensor compute_sum(const Tensor& self, std::optional<std::span<const int64_t>> dim, bool keepdim,
                   const std::optional<DType>& dtype) {
  const DimSet folded = fold_dims("sum", self.dim(), dim);
  const DType result_dtype = sum_dtype(self.dtype(), dtype);
  Tensor output = make_empty(reduced_sizes(self.sizes(), folded, keepdim), result_dtype);
  // Ints are summed as they are, the rest in the dtype of the result.
  const bool sums_ints =
      !is_floating(self.dtype()) && !is_complex(self.dtype()) && result_dtype == DType::Int64;
  const Tensor input = sums_ints ? self : as_dtype(self, result_dtype);
  const ReducedDims dims(input, folded);
  for_dtype(input.dtype(), "sum", [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      if (sums_ints) return sum_into<int64_t, T>(output, input, dims);
    }
    sum_into<T, T>(output, input, dims);
  });
  return output;
}

}  // namespace

Tensor sum_cpu(const Tensor& self, const std::optional<DType>& dtype) {
  return compute_sum(self, std::nullopt, false, dtype);
}
Tensor sum_dims_cpu(const Tensor& self, std::optional<std::span<const int64_t>> dim, bool keepdim,
                    const std::optional<DType>& dtype) {
  return compute_sum(self, dim, keepdim, dtype);
}

}  // namespace opwright
