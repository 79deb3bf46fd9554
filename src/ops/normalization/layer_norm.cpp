// native_layer_norm.
#include <algorithm>
#include <tuple>
#include <utility>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/ops/normalization/row_moments.h"
#include "opwright/ops/normalization/wide_row.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kLayerNorm = "native_layer_norm";
constexpr int64_t kLayerNormGrain = 16384;  // elements

// One dense row; weight and bias may be null.
template <class C>
struct NormalizeRow {
  OPWRIGHT_INLINE static void run(C* out, const C* in, int64_t count, const C* weight,
                                  const C* bias, double eps, RowStatistics<C>* statistics) {
    const RowStatistics<C> found = find_statistics(in, count, eps);
    *statistics = found;
    if (weight && bias)
      normalize<true, true>(out, in, count, weight, bias, found);
    else if (weight)
      normalize<true, false>(out, in, count, weight, bias, found);
    else if (bias)
      normalize<false, true>(out, in, count, weight, bias, found);
    else
      normalize<false, false>(out, in, count, weight, bias, found);
  }

  template <bool kHasWeight, bool kHasBias>
  OPWRIGHT_INLINE static void normalize(C* out, const C* in, int64_t count, const C* weight,
                                        const C* bias, RowStatistics<C> statistics) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) {
      C value = (in[i] - statistics.mean) * statistics.reciprocal;
      if constexpr (kHasWeight) value *= weight[i];
      if constexpr (kHasBias) value += bias[i];
      out[i] = value;
    }
  }
};

template <class Int>
void check_shape(std::span<const Int> sizes, std::span<const Int> shape) {
  OPWRIGHT_CHECK(!shape.empty(),
                 "native_layer_norm: normalized_shape must have at least one dimension, got []");
  OPWRIGHT_DEMAND(have_same_sizes(sizes.last(std::min(sizes.size(), shape.size())), shape),
                  "native_layer_norm: input of sizes ", to_text(sizes),
                  " does not end with normalized_shape ", to_text(shape));
}
template <class Int>
void check_layer_parameter(const char* name, std::span<const Int> sizes,
                           std::span<const Int> shape) {
  OPWRIGHT_DEMAND(have_same_sizes(sizes, shape), "native_layer_norm: ", name, " of sizes ",
                  to_text(sizes), " does not have normalized_shape ", to_text(shape));
}

// The sizes of means: 1 for the normalized dimensions.
template <class SizeList>
SizeList statistics_sizes(const SizeList& sizes, size_t normalized) {
  SizeList result = sizes;
  for (size_t i = sizes.size() - normalized; i < sizes.size(); ++i) result[i] = 1;
  return result;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_cpu(const Tensor& input,
                                                  std::span<const int64_t> normalized_shape,
                                                  const std::optional<Tensor>& weight,
                                                  const std::optional<Tensor>& bias, double eps) {
  check_shape<int64_t>(input.sizes(), normalized_shape);
  if (weight) check_layer_parameter<int64_t>("weight", weight->sizes(), normalized_shape);
  if (bias) check_layer_parameter<int64_t>("bias", bias->sizes(), normalized_shape);
  StatisticsDType dtype(kLayerNorm, input.dtype());
  dtype.add("weight", weight);
  dtype.add("bias", bias);
  const int64_t count = product(normalized_shape);
  const Sizes sizes = statistics_sizes(Sizes(input.sizes()), normalized_shape.size());
  const int64_t rows = product(std::span<const int64_t>(sizes));
  const DType wide = wide_dtype(input.dtype());
  const Tensor x = as_contiguous(input);
  Tensor y = make_empty(input.sizes(), input.dtype());
  const Tensor mean = make_empty(sizes, wide);
  const Tensor reciprocal = make_empty(sizes, wide);
  for_floating_dtype(input.dtype(), kLayerNorm, [&]<typename T>() {
    using C = ComputeType<T>;
    const Parameter<C> scale(weight), shift(bias);
    const T* in = x.numel() == 0 ? nullptr : x.data<T>();
    T* out = y.mutable_data<T>();
    const int64_t grain = std::max<int64_t>(1, kLayerNormGrain / std::max<int64_t>(1, count));
    parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
      WideRow<T> row(count);
      for (int64_t i = begin; i < end; ++i) {
        RowStatistics<C> found{};
        run_at_level<NormalizeRow<C>>(row.result(out + i * count), row.read(in + i * count), count,
                                      scale.data(), shift.data(), eps, &found);
        row.write(out + i * count);
        mean.mutable_data<C>()[i] = found.mean;
        reciprocal.mutable_data<C>()[i] = found.reciprocal;
      }
    });
  });
  return {std::move(y), as_dtype(mean, dtype.get()), as_dtype(reciprocal, dtype.get())};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> layer_norm_fake(
    const FakeTensor& input, std::span<const SymInt> normalized_shape,
    const std::optional<FakeTensor>& weight, const std::optional<FakeTensor>& bias,
    double /*eps*/) {
  const SymSizes sizes{SymSizes(input.sizes())};
  check_shape<SymInt>(sizes, normalized_shape);
  if (weight) check_layer_parameter<SymInt>("weight", weight->sizes(), normalized_shape);
  if (bias) check_layer_parameter<SymInt>("bias", bias->sizes(), normalized_shape);
  StatisticsDType dtype(kLayerNorm, input.dtype());
  dtype.add("weight", weight);
  dtype.add("bias", bias);
  const SymSizes reduced = statistics_sizes(sizes, normalized_shape.size());
  return {make_fake_like(input, sizes, input.dtype()), make_fake_like(input, reduced, dtype.get()),
          make_fake_like(input, reduced, dtype.get())};
}

}  // namespace opwright
