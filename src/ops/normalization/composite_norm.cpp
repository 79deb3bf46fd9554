// Softmax and norms under their public names, as composites of the operators that compute them.
#include <limits>
#include <optional>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using OptionalTensor = std::optional<Tensor>;

Tensor as_softmax_input(const Tensor& self, const std::optional<DType>& dtype) {
  return dtype ? self.to(*dtype) : self;
}

// Contiguous or channels last, whichever the input is.
Tensor as_group_norm_input(const Tensor& input) {
  const SymGeometry geometry = sym_geometry_of(input);
  if (is_contiguous(geometry.sizes, geometry.strides, MemoryFormat::Contiguous)) return input;
  return input.contiguous(suggest_memory_format(input));
}

// One copy per element of the batch.
OptionalTensor repeat_for_batch(const OptionalTensor& parameter, const SymInt& batch) {
  if (!parameter) return std::nullopt;
  return parameter->repeat({batch});
}

// Averages the statistics of all elements of the batch.
void average_over_batch(const OptionalTensor& target, const OptionalTensor& repeated,
                        const SymInt& batch, const SymInt& channels) {
  if (!target) return;
  Tensor written = *target;
  written.copy_(repeated->view({batch, channels}).mean({0}));
}

// float32 for halves, the dtype itself for others.
DType rms_dtype(DType dtype) {
  const bool is_half = dtype == DType::Float16 || dtype == DType::BFloat16;
  return is_half ? DType::Float32 : dtype;
}
double rms_epsilon(DType dtype) {
  return dtype == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
}

template <class Int>
std::tuple<Tensor, Tensor> rms_norm_of(const Tensor& input, std::span<const Int> shape,
                                       const OptionalTensor& weight,
                                       const std::optional<double>& eps) {
  constexpr const char* kWho = "rms_norm";
  OPWRIGHT_CHECK(!shape.empty(), kWho, ": normalized_shape must have at least one dimension");
  const auto ndim = static_cast<int64_t>(shape.size());
  const SymSizes wanted(shape.begin(), shape.end());
  const SymSizes sizes = sym_geometry_of(input).sizes;
  const std::span<const SymInt> normalized =
      std::span<const SymInt>(sizes).last(std::min(sizes.size(), shape.size()));
  OPWRIGHT_DEMAND(have_same_sizes(normalized, wanted), kWho, ": input (", input,
                  ") does not end with normalized_shape ", to_text(shape));
  if (weight)
    OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(*weight).sizes, wanted), kWho, ": weight (",
                    *weight, ") does not have normalized_shape ", to_text(shape));
  Sizes dims;
  for (int64_t i = ndim; i > 0; --i) dims.push_back(-i);
  const DType dtype = rms_dtype(input.dtype());
  const Tensor wide = input.contiguous().to(dtype);
  const Tensor reciprocal =
      wide.mul(wide).mean(dims, true).add(eps ? *eps : rms_epsilon(dtype)).rsqrt();
  const Tensor normal = wide.mul(reciprocal);
  return {(weight ? normal.mul(*weight) : normal).to(input.dtype()), reciprocal};
}

}  // namespace

Tensor softmax_composite(const Tensor& self, int64_t dim, const std::optional<DType>& dtype) {
  return _softmax(as_softmax_input(self, dtype), dim, false);
}
// A row of only -inf gives zeros and gets no gradient. softmax gets zeros in its place, because its
// own results and gradients there are nan.
Tensor safe_softmax_composite(const Tensor& self, int64_t dim, const std::optional<DType>& dtype) {
  const Tensor is_empty = self.eq(-std::numeric_limits<double>::infinity()).all(dim, true);
  return where(is_empty, Scalar(0), softmax(where(is_empty, Scalar(0), self), dim, dtype));
}
Tensor log_softmax_composite(const Tensor& self, int64_t dim, const std::optional<DType>& dtype) {
  return _log_softmax(as_softmax_input(self, dtype), dim, false);
}

Tensor layer_norm_composite(const Tensor& input, std::span<const SymInt> normalized_shape,
                            const OptionalTensor& weight, const OptionalTensor& bias, double eps,
                            bool /*cudnn_enable*/) {
  return std::get<0>(native_layer_norm(input, normalized_shape, weight, bias, eps));
}

Tensor group_norm_composite(const Tensor& input, int64_t num_groups, const OptionalTensor& weight,
                            const OptionalTensor& bias, double eps, bool /*cudnn_enabled*/) {
  constexpr const char* kWho = "group_norm";
  OPWRIGHT_CHECK(input.dim() >= 2, kWho, ": input needs a batch and a channel dimension, got ",
                 input);
  OPWRIGHT_CHECK(num_groups > 0, kWho, ": num_groups must be positive, got ", num_groups);
  const SymInt batch = input.sym_size(0);
  const SymInt channels = input.sym_size(1);
  SymInt area = 1;
  for (int64_t i = 2; i < input.dim(); ++i) area = area * input.sym_size(i);
  return std::get<0>(native_group_norm(as_group_norm_input(input), weight, bias, batch, channels,
                                       area, num_groups, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_composite(
    const Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
    const OptionalTensor& running_mean, const OptionalTensor& running_var, bool training,
    double momentum, double eps) {
  OPWRIGHT_CHECK(running_mean.has_value() == running_var.has_value(),
                 "native_batch_norm: running_mean and running_var must be given together");
  if (!running_mean) return _native_batch_norm_legit(input, weight, bias, training, momentum, eps);
  if (!training)
    return _native_batch_norm_legit_no_training(input, weight, bias, *running_mean, *running_var,
                                                momentum, eps);
  Tensor mean = *running_mean;
  Tensor variance = *running_var;
  return _native_batch_norm_legit(input, weight, bias, mean, variance, true, momentum, eps);
}

Tensor batch_norm_composite(const Tensor& input, const OptionalTensor& weight,
                            const OptionalTensor& bias, const OptionalTensor& running_mean,
                            const OptionalTensor& running_var, bool training, double momentum,
                            double eps, bool /*cudnn_enabled*/) {
  return std::get<0>(
      native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
}

// A batch norm of one element whose channels are those of all elements of the batch.
Tensor instance_norm_composite(const Tensor& input, const OptionalTensor& weight,
                               const OptionalTensor& bias, const OptionalTensor& running_mean,
                               const OptionalTensor& running_var, bool use_input_stats,
                               double momentum, double eps, bool cudnn_enabled) {
  constexpr const char* kWho = "instance_norm";
  OPWRIGHT_CHECK(input.dim() >= 2, kWho, ": input needs a batch and a channel dimension, got ",
                 input);
  OPWRIGHT_CHECK(use_input_stats || (running_mean && running_var), kWho,
                 ": without use_input_stats running_mean and running_var are needed");
  const SymSizes sizes = sym_geometry_of(input).sizes;
  const SymInt& batch = sizes[0];
  const SymInt& channels = sizes[1];
  SymSizes joined{SymInt(1), batch * channels};
  for (size_t i = 2; i < sizes.size(); ++i) joined.push_back(sizes[i]);
  const OptionalTensor mean = repeat_for_batch(running_mean, batch);
  const OptionalTensor variance = repeat_for_batch(running_var, batch);
  const Tensor result = batch_norm(input.contiguous().view(joined), repeat_for_batch(weight, batch),
                                   repeat_for_batch(bias, batch), mean, variance, use_input_stats,
                                   momentum, eps, cudnn_enabled);
  average_over_batch(running_mean, mean, batch, channels);
  average_over_batch(running_var, variance, batch, channels);
  return result.view(sizes);
}

Tensor rms_norm_composite(const Tensor& input, std::span<const SymInt> normalized_shape,
                          const OptionalTensor& weight, const std::optional<double>& eps) {
  return std::get<0>(rms_norm_of(input, normalized_shape, weight, eps));
}
std::tuple<Tensor, Tensor> fused_rms_norm_composite(const Tensor& input,
                                                    std::span<const int64_t> normalized_shape,
                                                    const OptionalTensor& weight,
                                                    const std::optional<double>& eps) {
  return rms_norm_of(input, normalized_shape, weight, eps);
}

}  // namespace opwright
