// native_layer_norm_backward.
#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/output_mask.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kLayerNormBackward = "native_layer_norm_backward";
constexpr int64_t kLayerGradientGrain = 16384;  // elements
constexpr int64_t kLayerGradientColumns = 256;

// The gradient of one row of x; weight may be null.
template <class C>
struct GradientOfRow {
  OPWRIGHT_INLINE static void run(C* out, const C* gradient, const C* x, int64_t count, C mean,
                                  C reciprocal, const C* weight) {
    constexpr int64_t kLanes = 16;
    double sums[kLanes] = {};
    double products[kLanes] = {};
    for (int64_t at = 0; at < count; at += kLanes) {
      const int64_t width = std::min(kLanes, count - at);
      for (int64_t k = 0; k < width; ++k) {
        const C scaled = weight ? gradient[at + k] * weight[at + k] : gradient[at + k];
        sums[k] += static_cast<double>(scaled);
        products[k] += static_cast<double>(scaled * ((x[at + k] - mean) * reciprocal));
      }
    }
    double sum = 0;
    double product = 0;
    for (int64_t k = 0; k < kLanes; ++k) {
      sum += sums[k];
      product += products[k];
    }
    const C shift = static_cast<C>(sum / static_cast<double>(count));
    const C slope = static_cast<C>(product / static_cast<double>(count));
    if (weight) {
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < count; ++i)
        out[i] =
            reciprocal * (gradient[i] * weight[i] - shift - (x[i] - mean) * reciprocal * slope);
    } else {
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < count; ++i)
        out[i] = reciprocal * (gradient[i] - shift - (x[i] - mean) * reciprocal * slope);
    }
  }
};

// The gradients of several neighbouring weights and biases, as sums over all rows.
template <class C>
struct GradientOfColumns {
  OPWRIGHT_INLINE static void run(C* of_weight, C* of_bias, const C* gradient, const C* x,
                                  int64_t rows, int64_t count, int64_t columns, const C* means,
                                  const C* reciprocals) {
    double products[kLayerGradientColumns] = {};
    double sums[kLayerGradientColumns] = {};
    for (int64_t row = 0; row < rows; ++row) {
      const C mean = means[row];
      const C reciprocal = reciprocals[row];
      const C* g = gradient + row * count;
      const C* from = x + row * count;
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < columns; ++i) {
        products[i] += static_cast<double>(g[i] * ((from[i] - mean) * reciprocal));
        sums[i] += static_cast<double>(g[i]);
      }
    }
    for (int64_t i = 0; i < columns; ++i) {
      of_weight[i] = static_cast<C>(products[i]);
      of_bias[i] = static_cast<C>(sums[i]);
    }
  }
};

// `shape` with ints or SymInts, like the sizes.
template <class AnyTensor, class Int>
void check_layer_norm_backward(const AnyTensor& grad_out, const AnyTensor& input,
                               std::span<const Int> shape, const AnyTensor& mean,
                               const AnyTensor& rstd, std::span<const bool> mask) {
  check_output_mask(kLayerNormBackward, mask, 3);
  if (!is_floating(input.dtype()) || dtype_bits(input.dtype()) == 8)
    throw_dtype(input.dtype(), kLayerNormBackward, "floating dtypes");
  const auto ndim = static_cast<size_t>(input.dim());
  const auto sizes = input.sizes();
  const std::span<const Int> normalized =
      std::span<const Int>(sizes).last(std::min(ndim, shape.size()));
  OPWRIGHT_CHECK(!shape.empty(), kLayerNormBackward,
                 ": normalized_shape must have at least one dimension");
  OPWRIGHT_DEMAND(have_same_sizes(normalized, shape), kLayerNormBackward, ": input (", input,
                  ") does not end with normalized_shape ", to_text(shape));
  OPWRIGHT_CHECK(grad_out.dtype() == input.dtype(), kLayerNormBackward, ": grad_out (", grad_out,
                 ") must have the dtype of input (", input, ")");
  OPWRIGHT_DEMAND(have_same_sizes(grad_out.sizes(), sizes), kLayerNormBackward, ": grad_out (",
                  grad_out, ") must have the sizes of input (", input, ")");
  SmallVector<Int, kInlineDims> statistics{std::span<const Int>(sizes)};
  for (size_t i = ndim - shape.size(); i < ndim; ++i) statistics[i] = 1;
  for (const AnyTensor* each : {&mean, &rstd})
    OPWRIGHT_DEMAND(have_same_sizes(each->sizes(), statistics), kLayerNormBackward, ": mean (",
                    mean, ") and rstd (", rstd,
                    ") must have the sizes of input with 1 in place of normalized_shape ",
                    to_text(shape));
}
template <class AnyTensor, class Int>
void check_optional_parameter(const char* name, const std::optional<AnyTensor>& parameter,
                              std::span<const Int> shape) {
  if (!parameter) return;
  OPWRIGHT_DEMAND(have_same_sizes(parameter->sizes(), shape), kLayerNormBackward, ": ", name, " (",
                  *parameter, ") does not have normalized_shape ", to_text(shape));
}

template <class AnyTensor>
DType gradient_dtype(const std::optional<AnyTensor>& parameter, const AnyTensor& input) {
  return parameter ? parameter->dtype() : input.dtype();
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, std::span<const int64_t> normalized_shape,
    const Tensor& mean, const Tensor& rstd, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& bias, std::span<const bool> output_mask) {
  check_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, output_mask);
  check_optional_parameter("weight", weight, normalized_shape);
  check_optional_parameter("bias", bias, normalized_shape);
  const DType wide = wide_dtype(input.dtype());
  const auto dense = [wide](const Tensor& tensor) { return as_contiguous(as_dtype(tensor, wide)); };
  const Tensor gradient = dense(grad_out), x = dense(input);
  const Tensor means = dense(mean), reciprocals = dense(rstd);
  const int64_t count = product(normalized_shape);
  const int64_t rows = means.numel();
  const Tensor of_input = make_empty(output_mask[0] ? input.sizes() : Sizes{0}, wide);
  const Tensor of_weight = make_empty(normalized_shape, wide);
  const Tensor of_bias = make_empty(normalized_shape, wide);
  for_floating_dtype(wide, kLayerNormBackward, [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>) {
      const Parameter<C> scale(weight);
      const C* g = gradient.data<C>();
      const C* from = x.data<C>();
      if (output_mask[0] && count > 0) {
        parallel_for(rows, std::max<int64_t>(1, kLayerGradientGrain / count),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         run_at_level<GradientOfRow<C>>(of_input.mutable_data<C>() + i * count,
                                                        g + i * count, from + i * count, count,
                                                        means.data<C>()[i],
                                                        reciprocals.data<C>()[i], scale.data());
                     });
      }
      if (output_mask[1] || output_mask[2]) {
        parallel_for((count + kLayerGradientColumns - 1) / kLayerGradientColumns, 1,
                     [&](int64_t begin, int64_t end) {
                       for (int64_t block = begin; block < end; ++block) {
                         const int64_t first = block * kLayerGradientColumns;
                         run_at_level<GradientOfColumns<C>>(
                             of_weight.mutable_data<C>() + first, of_bias.mutable_data<C>() + first,
                             g + first, from + first, rows, count,
                             std::min(kLayerGradientColumns, count - first), means.data<C>(),
                             reciprocals.data<C>());
                       }
                     });
      }
    }
  });
  std::tuple<Tensor, Tensor, Tensor> results;
  if (output_mask[0]) std::get<0>(results) = as_dtype(of_input, input.dtype());
  if (output_mask[1]) std::get<1>(results) = as_dtype(of_weight, gradient_dtype(weight, input));
  if (output_mask[2]) std::get<2>(results) = as_dtype(of_bias, gradient_dtype(bias, input));
  return results;
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> layer_norm_backward_fake(
    const FakeTensor& grad_out, const FakeTensor& input, std::span<const SymInt> normalized_shape,
    const FakeTensor& mean, const FakeTensor& rstd, const std::optional<FakeTensor>& weight,
    const std::optional<FakeTensor>& bias, std::span<const bool> output_mask) {
  check_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, output_mask);
  check_optional_parameter("weight", weight, normalized_shape);
  check_optional_parameter("bias", bias, normalized_shape);
  std::tuple<FakeTensor, FakeTensor, FakeTensor> results;
  if (output_mask[0]) std::get<0>(results) = make_fake_like(input, input.sizes(), input.dtype());
  if (output_mask[1])
    std::get<1>(results) = make_fake_like(input, normalized_shape, gradient_dtype(weight, input));
  if (output_mask[2])
    std::get<2>(results) = make_fake_like(input, normalized_shape, gradient_dtype(bias, input));
  return results;
}

}  // namespace opwright
