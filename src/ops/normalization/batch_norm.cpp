// _native_batch_norm_legit and its forms, forward.
#include <cmath>
#include <optional>
#include <tuple>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/normalization/channel_affine.h"
#include "opwright/ops/normalization/norm_parameters.h"
#include "opwright/ops/normalization/norm_result.h"
#include "opwright/ops/reduction/moments.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kBatchNorm = "_native_batch_norm_legit";

// The arguments of all forms; running statistics may be missing in training.
template <class AnyTensor>
struct BatchNorm {
  const AnyTensor& input;
  const std::optional<AnyTensor>& weight;
  const std::optional<AnyTensor>& bias;
  const AnyTensor* running_mean;
  const AnyTensor* running_var;
  bool training;
};

template <class AnyTensor>
void check_channel_parameter(const BatchNorm<AnyTensor>& call, const char* name,
                             const AnyTensor& parameter) {
  const auto message = [&] {
    return concatenate(kBatchNorm, ": ", name, " (", parameter,
                       ") must have one dimension of the size of dimension 1 of input (",
                       call.input, ")");
  };
  demand(parameter.dim() == 1, "RuntimeError", message);
  demand(parameter.size(0) == call.input.size(1), "RuntimeError", message);
}

// The dtype of the statistics.
template <class AnyTensor>
DType check_batch_norm(const BatchNorm<AnyTensor>& call) {
  OPWRIGHT_CHECK(call.input.dim() >= 2, kBatchNorm,
                 ": input needs a batch and a channel dimension, got ", call.input);
  OPWRIGHT_CHECK(call.training || call.running_mean, kBatchNorm,
                 ": without training the running statistics are needed; give running_mean and "
                 "running_var");
  StatisticsDType dtype(kBatchNorm, call.input.dtype());
  const auto add = [&](const char* name, const AnyTensor* parameter) {
    if (!parameter) return;
    check_channel_parameter(call, name, *parameter);
    dtype.add(name, *parameter);
  };
  add("weight", call.weight ? &*call.weight : nullptr);
  add("bias", call.bias ? &*call.bias : nullptr);
  add("running_mean", call.running_mean);
  add("running_var", call.running_var);
  return dtype.get();
}

Reduction over_batch(const Tensor& input, const FoldTable& kernels, DType wide) {
  DimSet folded;
  folded.set();
  folded.reset(1);
  return {.who = kBatchNorm,
          .kernels = &kernels,
          .takes = "floating dtypes",
          .folded = folded,
          .compute = input.dtype(),
          .result = wide};
}

// 1 / sqrt(variance + eps), in place.
template <class C>
void invert(C* values, int64_t count, double eps) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<C>(1.0 / std::sqrt(static_cast<double>(values[i]) + eps));
}

// running = (1 - momentum) * running + momentum * found * factor
template <class C>
void update_running(const Tensor& running, const Tensor& found, double momentum, double factor) {
  const Tensor wide = make_empty(running.sizes(), dtype_of<C>());
  copy_elements(wide, running);
  C* values = wide.mutable_data<C>();
  for (int64_t i = 0; i < wide.numel(); ++i) {
    const double now = static_cast<double>(found.data<C>()[i]) * factor;
    values[i] = static_cast<C>((1.0 - momentum) * static_cast<double>(values[i]) + momentum * now);
  }
  copy_elements(running, wide);
}

template <class C>
void normalize_channels(const Tensor& y, const Tensor& x, const Tensor& mean,
                        const Tensor& reciprocal, const BatchNorm<Tensor>& call) {
  if (x.numel() == 0) return;
  const Parameter<C> scales(call.weight), shifts(call.bias);
  const int64_t channels = x.size(1);
  const int64_t rows = x.size(0) * channels;
  apply_to_rows(y.mutable_data<C>(), x.data<C>(), rows, x.numel() / rows, [&](int64_t row) {
    const int64_t channel = row % channels;
    const C scale = reciprocal.data<C>()[channel] * (scales.data() ? scales.data()[channel] : C{1});
    const C shift = shifts.data() ? shifts.data()[channel] : C{};
    return std::tuple(mean.data<C>()[channel], scale, shift);
  });
}

std::tuple<Tensor, Tensor, Tensor> compute_batch_norm(const BatchNorm<Tensor>& call,
                                                      double momentum, double eps) {
  const DType dtype = check_batch_norm(call);
  const Tensor& input = call.input;
  const int64_t channels = input.size(1);
  const DType wide = wide_dtype(input.dtype());
  const Tensor x = as_contiguous(as_dtype(input, wide));
  const Tensor y = make_empty(input.sizes(), wide);
  Tensor mean, variance;
  if (call.training) {
    mean = reduce(input, over_batch(input, kFolds<MeanOfMoments, FloatTypes, MeanLoops>, wide));
    variance = reduce(input, over_batch(input, kFolds<Variance, FloatTypes, MomentLoops>, wide));
  } else {
    mean = as_contiguous(as_dtype(*call.running_mean, wide));
    variance = make_empty(Sizes{channels}, wide);
    copy_elements(variance, *call.running_var);
  }
  for_floating_dtype(wide, kBatchNorm, [&]<typename C>() {
    if constexpr (std::is_floating_point_v<C>) {
      if (call.training && call.running_mean) {
        const int64_t per_channel = input.numel() / std::max<int64_t>(1, channels);
        const auto count = static_cast<double>(per_channel);
        update_running<C>(*call.running_mean, mean, momentum, 1.0);
        update_running<C>(*call.running_var, variance, momentum, count / (count - 1.0));
      }
      invert(variance.mutable_data<C>(), channels, eps);
      normalize_channels<C>(y, x, mean, variance, call);
    }
  });
  const Tensor none = make_empty(Sizes{0}, dtype);
  if (!call.training) return {in_format_of(input, y), none, make_empty(Sizes{0}, dtype)};
  return {in_format_of(input, y), as_dtype(mean, dtype), as_dtype(variance, dtype)};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> fake_batch_norm(const BatchNorm<FakeTensor>& call) {
  const DType dtype = check_batch_norm(call);
  const SymSizes sizes{call.training ? call.input.size(1) : SymInt(0)};
  return {in_format_of(call.input), make_fake_like(call.input, sizes, dtype),
          make_fake_like(call.input, sizes, dtype)};
}

}  // namespace

using Tensors = std::tuple<Tensor, Tensor, Tensor>;
using FakeTensors = std::tuple<FakeTensor, FakeTensor, FakeTensor>;

Tensors batch_norm_cpu(const Tensor& input, const std::optional<Tensor>& weight,
                       const std::optional<Tensor>& bias, Tensor& running_mean, Tensor& running_var,
                       bool training, double momentum, double eps) {
  return compute_batch_norm({input, weight, bias, &running_mean, &running_var, training}, momentum,
                            eps);
}
FakeTensors batch_norm_fake(const FakeTensor& input, const std::optional<FakeTensor>& weight,
                            const std::optional<FakeTensor>& bias, FakeTensor& running_mean,
                            FakeTensor& running_var, bool training, double /*momentum*/,
                            double /*eps*/) {
  return fake_batch_norm({input, weight, bias, &running_mean, &running_var, training});
}

Tensors batch_norm_without_statistics_cpu(const Tensor& input, const std::optional<Tensor>& weight,
                                          const std::optional<Tensor>& bias, bool training,
                                          double momentum, double eps) {
  return compute_batch_norm({input, weight, bias, nullptr, nullptr, training}, momentum, eps);
}
FakeTensors batch_norm_without_statistics_fake(const FakeTensor& input,
                                               const std::optional<FakeTensor>& weight,
                                               const std::optional<FakeTensor>& bias, bool training,
                                               double /*momentum*/, double /*eps*/) {
  return fake_batch_norm({input, weight, bias, nullptr, nullptr, training});
}

Tensors batch_norm_no_training_cpu(const Tensor& input, const std::optional<Tensor>& weight,
                                   const std::optional<Tensor>& bias, const Tensor& running_mean,
                                   const Tensor& running_var, double momentum, double eps) {
  return compute_batch_norm({input, weight, bias, &running_mean, &running_var, false}, momentum,
                            eps);
}
FakeTensors batch_norm_no_training_fake(const FakeTensor& input,
                                        const std::optional<FakeTensor>& weight,
                                        const std::optional<FakeTensor>& bias,
                                        const FakeTensor& running_mean,
                                        const FakeTensor& running_var, double /*momentum*/,
                                        double /*eps*/) {
  return fake_batch_norm({input, weight, bias, &running_mean, &running_var, false});
}

}  // namespace opwright
