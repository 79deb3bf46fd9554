// native_batch_norm_backward.
#include <cmath>
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

constexpr const char* kBatchNormBackward = "native_batch_norm_backward";

// The tensors of a call: the per-channel normalization parameters.
template <class AnyTensor>
struct BatchNormBackward {
  const AnyTensor& grad_out;
  const AnyTensor& input;
  const std::optional<AnyTensor>& weight;
  const std::optional<AnyTensor>& mean;  // of the batch in training, else the running one
  const std::optional<AnyTensor>& spread;
  bool train;
};

template <class AnyTensor>
void check_batch_norm_backward(const BatchNormBackward<AnyTensor>& call,
                               std::span<const bool> mask) {
  check_output_mask(kBatchNormBackward, mask, 3);
  const AnyTensor& input = call.input;
  if (!is_floating(input.dtype()) || dtype_bits(input.dtype()) == 8)
    throw_dtype(input.dtype(), kBatchNormBackward, "floating dtypes");
  OPWRIGHT_CHECK(input.dim() >= 2, kBatchNormBackward,
                 ": input needs a batch and a channel dimension, got ", input);
  OPWRIGHT_CHECK(call.grad_out.dtype() == input.dtype(), kBatchNormBackward, ": grad_out (",
                 call.grad_out, ") must have the dtype of input (", input, ")");
  OPWRIGHT_DEMAND(have_same_sizes(call.grad_out.sizes(), input.sizes()), kBatchNormBackward,
                  ": grad_out (", call.grad_out, ") must have the sizes of input (", input, ")");
  OPWRIGHT_CHECK(call.mean && call.spread, kBatchNormBackward,
                 call.train ? ": with train save_mean and save_invstd are needed"
                            : ": without train running_mean and running_var are needed");
  for (const auto* each : {&call.weight, &call.mean, &call.spread}) {
    if (!*each) continue;
    const auto message = [&] {
      return concatenate(kBatchNormBackward, ": ", **each,
                         " must have one number for each channel of input (", input, ")");
    };
    demand((*each)->dim() == 1, "RuntimeError", message);
    demand((*each)->size(0) == input.size(1), "RuntimeError", message);
  }
}

template <class T>
void compute_batch_norm_gradients(const BatchNormBackward<Tensor>& call, double eps,
                                  const Tensor& of_input, const Tensor& of_weight,
                                  const Tensor& of_bias) {
  const int64_t channels = call.input.size(1);
  const int64_t rows = call.input.size(0) * channels;
  const int64_t area = rows == 0 ? 0 : call.input.numel() / rows;
  const Tensor gradient = as_contiguous(as_dtype(call.grad_out, dtype_of<T>()));
  const Tensor x = as_contiguous(as_dtype(call.input, dtype_of<T>()));
  const Parameter<T> scales(call.weight), means(call.mean), spreads(call.spread);
  const auto reciprocal_of = [&](int64_t channel) {
    const auto spread = static_cast<double>(spreads.data()[channel]);
    return call.train ? spread : 1.0 / std::sqrt(spread + eps);
  };
  std::vector<RowSums> sums(static_cast<size_t>(rows));
  sum_gradient_rows(sums.data(), gradient.data<T>(), x.data<T>(), rows, area,
                    [&](int64_t row) { return means.data()[row % channels]; });
  std::vector<RowSums> totals(static_cast<size_t>(channels));
  for (int64_t row = 0; row < rows; ++row) {
    RowSums& total = totals[static_cast<size_t>(row % channels)];
    total.of_gradient += sums[static_cast<size_t>(row)].of_gradient;
    total.of_product += sums[static_cast<size_t>(row)].of_product;
  }
  for (int64_t i = 0; i < channels; ++i) {
    const RowSums& total = totals[static_cast<size_t>(i)];
    of_weight.mutable_data<T>()[i] = static_cast<T>(total.of_product * reciprocal_of(i));
    of_bias.mutable_data<T>()[i] = static_cast<T>(total.of_gradient);
  }
  if (of_input.numel() == 0) return;
  const double count = static_cast<double>(call.input.size(0) * area);
  compute_gradient_rows(
      of_input.mutable_data<T>(), gradient.data<T>(), x.data<T>(), rows, area, [&](int64_t row) {
        const int64_t channel = row % channels;
        const RowSums& total = totals[static_cast<size_t>(channel)];
        const double reciprocal = reciprocal_of(channel);
        const double scale =
            reciprocal * (scales.data() ? static_cast<double>(scales.data()[channel]) : 1.0);
        // Running statistics do not depend on the input.
        const double share = call.train ? scale / count : 0.0;
        return GradientTerms<T>{means.data()[channel], static_cast<T>(scale),
                                static_cast<T>(-share * total.of_product * reciprocal * reciprocal),
                                static_cast<T>(-share * total.of_gradient)};
      });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward_cpu(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, std::span<const bool> output_mask) {
  const BatchNormBackward<Tensor> call{
      grad_out, input, weight, train ? save_mean : running_mean, train ? save_invstd : running_var,
      train};
  check_batch_norm_backward(call, output_mask);
  const DType wide = wide_dtype(input.dtype());
  const Sizes channels{input.size(1)};
  const Tensor of_input = make_empty(output_mask[0] ? input.sizes() : Sizes{0}, wide);
  const Tensor of_weight = make_empty(channels, wide);
  const Tensor of_bias = make_empty(channels, wide);
  for_floating_dtype(wide, kBatchNormBackward, [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>)
      compute_batch_norm_gradients<T>(call, eps, of_input, of_weight, of_bias);
  });
  const DType dtype = weight ? weight->dtype() : input.dtype();
  std::tuple<Tensor, Tensor, Tensor> results;
  if (output_mask[0]) std::get<0>(results) = in_format_of(input, of_input);
  if (output_mask[1]) std::get<1>(results) = as_dtype(of_weight, dtype);
  if (output_mask[2]) std::get<2>(results) = as_dtype(of_bias, dtype);
  return results;
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> batch_norm_backward_fake(
    const FakeTensor& grad_out, const FakeTensor& input, const std::optional<FakeTensor>& weight,
    const std::optional<FakeTensor>& running_mean, const std::optional<FakeTensor>& running_var,
    const std::optional<FakeTensor>& save_mean, const std::optional<FakeTensor>& save_invstd,
    bool train, double /*eps*/, std::span<const bool> output_mask) {
  check_batch_norm_backward(
      BatchNormBackward<FakeTensor>{grad_out, input, weight, train ? save_mean : running_mean,
                                    train ? save_invstd : running_var, train},
      output_mask);
  const DType dtype = weight ? weight->dtype() : input.dtype();
  const SymSizes channels{input.size(1)};
  std::tuple<FakeTensor, FakeTensor, FakeTensor> results;
  if (output_mask[0]) std::get<0>(results) = in_format_of(input);
  if (output_mask[1]) std::get<1>(results) = make_fake_like(input, channels, dtype);
  if (output_mask[2]) std::get<2>(results) = make_fake_like(input, channels, dtype);
  return results;
}

}  // namespace opwright
