// native_group_norm_backward.
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/ops/engine/shape/output_mask.h"
#include "opwright/ops/normalization/channel_gradient.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/ops/normalization/norm_result.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kGroupNormBackward = "native_group_norm_backward";

template <class AnyTensor, class Int>
void check_group_norm_backward(const AnyTensor& grad_out, const AnyTensor& input,
                               const AnyTensor& mean, const AnyTensor& rstd,
                               const std::optional<AnyTensor>& weight, const Int& batch,
                               const Int& channels, int64_t group, std::span<const bool> mask) {
  check_output_mask(kGroupNormBackward, mask, 3);
  if (!is_floating(input.dtype()) || dtype_bits(input.dtype()) == 8)
    throw_dtype(input.dtype(), kGroupNormBackward, "floating dtypes");
  OPWRIGHT_CHECK(group > 0, kGroupNormBackward, ": group must be positive, got ", group);
  OPWRIGHT_DEMAND(channels % group == 0, kGroupNormBackward, ": C = ", channels,
                  " channels cannot be divided among group = ", group, " groups");
  OPWRIGHT_CHECK(grad_out.dtype() == input.dtype(), kGroupNormBackward, ": grad_out (", grad_out,
                 ") must have the dtype of input (", input, ")");
  OPWRIGHT_DEMAND(have_same_sizes(grad_out.sizes(), input.sizes()), kGroupNormBackward,
                  ": grad_out (", grad_out, ") must have the sizes of input (", input, ")");
  for (const AnyTensor* each : {&mean, &rstd})
    OPWRIGHT_DEMAND(each->numel() == batch * group, kGroupNormBackward, ": mean (", mean,
                    ") and rstd (", rstd, ") must be [N, group] = [", batch, ", ", group, "]");
  if (weight) {
    OPWRIGHT_DEMAND(weight->numel() == channels, kGroupNormBackward, ": weight (", *weight,
                    ") must hold C = ", channels, " numbers");
  }
}

template <class T>
void compute_group_norm_gradients(const Tensor& gradient, const Tensor& x, const Tensor& mean,
                                  const Tensor& rstd, const std::optional<Tensor>& weight,
                                  int64_t batch, int64_t channels, int64_t area, int64_t group,
                                  const Tensor& of_input, const Tensor& of_weight,
                                  const Tensor& of_bias) {
  const Parameter<T> scales(weight);
  const auto scale_of = [&](int64_t channel) {
    return scales.data() ? static_cast<double>(scales.data()[channel]) : 1.0;
  };
  const int64_t width = channels / group;  // channels per group
  const int64_t rows = batch * channels;
  const T* means = mean.data<T>();
  const T* reciprocals = rstd.data<T>();
  std::vector<RowSums> sums(static_cast<size_t>(rows));
  sum_gradient_rows(sums.data(), gradient.data<T>(), x.data<T>(), rows, area,
                    [&](int64_t row) { return means[row / width]; });
  std::vector<RowSums> groups(static_cast<size_t>(batch * group));  // weighted
  std::vector<RowSums> parameters(static_cast<size_t>(channels));
  for (int64_t row = 0; row < rows; ++row) {
    const RowSums& own = sums[static_cast<size_t>(row)];
    RowSums& of_group = groups[static_cast<size_t>(row / width)];
    of_group.of_gradient += own.of_gradient * scale_of(row % channels);
    of_group.of_product += own.of_product * scale_of(row % channels);
    RowSums& of_channel = parameters[static_cast<size_t>(row % channels)];
    of_channel.of_gradient += own.of_gradient;
    of_channel.of_product += own.of_product * static_cast<double>(reciprocals[row / width]);
  }
  for (int64_t i = 0; i < channels; ++i) {
    of_weight.mutable_data<T>()[i] = static_cast<T>(parameters[static_cast<size_t>(i)].of_product);
    of_bias.mutable_data<T>()[i] = static_cast<T>(parameters[static_cast<size_t>(i)].of_gradient);
  }
  if (of_input.numel() == 0) return;
  const auto count = static_cast<double>(width * area);
  compute_gradient_rows(
      of_input.mutable_data<T>(), gradient.data<T>(), x.data<T>(), rows, area, [&](int64_t row) {
        const RowSums& own = groups[static_cast<size_t>(row / width)];
        const auto reciprocal = static_cast<double>(reciprocals[row / width]);
        const double slope = -own.of_product * reciprocal * reciprocal * reciprocal / count;
        return GradientTerms<T>{
            means[row / width], static_cast<T>(scale_of(row % channels) * reciprocal),
            static_cast<T>(slope), static_cast<T>(-own.of_gradient * reciprocal / count)};
      });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> group_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    std::span<const bool> output_mask) {
  check_group_norm_backward(grad_out, input, mean, rstd, weight, N, C, group, output_mask);
  OPWRIGHT_CHECK(N >= 0 && C >= 0 && HxW >= 0 && input.numel() == N * C * HxW, kGroupNormBackward,
                 ": input (", input, ") does not have N * C * HxW = ", N, " * ", C, " * ", HxW,
                 " elements");
  const DType wide = wide_dtype(input.dtype());
  const auto dense = [wide](const Tensor& tensor) { return as_contiguous(as_dtype(tensor, wide)); };
  const Tensor gradient = dense(grad_out), x = dense(input);
  const Tensor means = dense(mean), reciprocals = dense(rstd);
  const Tensor of_input = make_empty(output_mask[0] ? input.sizes() : Sizes{0}, wide);
  const Tensor of_weight = make_empty(Sizes{C}, wide);
  const Tensor of_bias = make_empty(Sizes{C}, wide);
  for_floating_dtype(wide, kGroupNormBackward, [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>)
      compute_group_norm_gradients<T>(gradient, x, means, reciprocals, weight, N, C, HxW, group,
                                      of_input, of_weight, of_bias);
  });
  const DType dtype = weight ? weight->dtype() : input.dtype();
  std::tuple<Tensor, Tensor, Tensor> results;
  if (output_mask[0]) std::get<0>(results) = in_format_of(input, of_input);
  if (output_mask[1]) std::get<1>(results) = as_dtype(of_weight, dtype);
  if (output_mask[2]) std::get<2>(results) = as_dtype(of_bias, dtype);
  return results;
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> group_norm_backward_fake(
    const FakeTensor& grad_out, const FakeTensor& input, const FakeTensor& mean,
    const FakeTensor& rstd, const std::optional<FakeTensor>& weight, const SymInt& N,
    const SymInt& C, const SymInt& HxW, int64_t group, std::span<const bool> output_mask) {
  check_group_norm_backward(grad_out, input, mean, rstd, weight, N, C, group, output_mask);
  check(input.numel() == N * C * HxW,
        "native_group_norm_backward: input does not have N * C * HxW elements");
  const DType dtype = weight ? weight->dtype() : input.dtype();
  std::tuple<FakeTensor, FakeTensor, FakeTensor> results;
  if (output_mask[0]) std::get<0>(results) = in_format_of(input);
  if (output_mask[1]) std::get<1>(results) = make_fake_like(input, SymSizes{C}, dtype);
  if (output_mask[2]) std::get<2>(results) = make_fake_like(input, SymSizes{C}, dtype);
  return results;
}

}  // namespace opwright
