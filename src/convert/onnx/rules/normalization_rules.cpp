// Softmax and the norms.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/normal_form.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"

namespace opwright::onnx {
namespace {

// ---- Softmax ----

OnnxValues softmax_of(GraphBuilder& g, const Call& call, std::string_view type) {
  const Tensor input = call.tensor(0);
  const OnnxValue x = with_dims(g, call.input(0, call.result().dtype()), input);
  const int64_t rank = input.dim() == 0 ? 1 : input.dim();
  const OnnxValue made = softmax(g, type, x, wrap_dim(call.integer(1), rank), rank);
  return {input.dim() == 0 ? squeeze(g, made, std::array<int64_t, 1>{0}) : made};
}
OnnxValues softmax_rule(GraphBuilder& g, const Call& call) {
  return softmax_of(g, call, "Softmax");
}
OnnxValues log_softmax_rule(GraphBuilder& g, const Call& call) {
  return softmax_of(g, call, "LogSoftmax");
}

// ---- Parameters ----

// For a node that requires it: filled with `value` if the call has none.
OnnxValue parameter(GraphBuilder& g, const Call& call, size_t index, std::span<const int64_t> sizes,
                    double value, DType dtype) {
  if (call.has(index)) return call.input(index, dtype);
  return g.constant(full(std::vector<SymInt>(sizes.begin(), sizes.end()), value, dtype));
}

std::optional<std::vector<int64_t>> numbers_of(std::span<const SymInt> sizes) {
  std::vector<int64_t> numbers;
  for (const SymInt& size : sizes) {
    if (size.is_symbolic()) return std::nullopt;
    numbers.push_back(size.word());
  }
  return numbers;
}

// One value per channel, as (C, 1, ...) for an input of that rank.
OnnxValue per_channel(GraphBuilder& g, OnnxValue values, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 1; i < rank - 1; ++i) axes.push_back(i);
  return !values.is_there() || axes.empty() ? values : unsqueeze(g, values, axes);
}

std::vector<int64_t> spatial_axes(int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  return axes;
}

// Computed in the dtype of norms, returned in that of the input.
OnnxValue finish_norm(GraphBuilder& g, const Call& call, OnnxValue normal, OnnxValue weight,
                      OnnxValue bias) {
  const DType dtype = call.result().dtype();
  return recast(g, with_weights(g, normal, weight, bias), norm_dtype(dtype), dtype);
}

// ---- Layer norm ----

OnnxValues composed_layer_norm_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = norm_dtype(call.result().dtype());
  const NormalForm form = normalize(g, call.input(0, dtype),
                                    last_dims(std::ssize(call.sym_ints(1))), call.number(4), dtype);
  OnnxValues results{finish_norm(g, call, form.normal, call.input(2, dtype), call.input(3, dtype))};
  if (call.num_results() == 3) {
    results.push_back(recast(g, form.mean, dtype, call.result(1).dtype()));
    results.push_back(recast(g, form.reciprocal, dtype, call.result(2).dtype()));
  }
  return results;
}

// Its statistics are float32 for every input dtype.
OnnxValues layer_norm_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  const auto sizes = numbers_of(call.sym_ints(1));
  const bool reads_statistics = call.num_results() == 3 && (call.is_used(1) || call.is_used(2));
  if (dtype == DType::Float64 || !sizes || (reads_statistics && dtype != DType::Float32))
    return composed_layer_norm_rule(g, call);
  const OnnxValue weight = parameter(g, call, 2, *sizes, 1, dtype);
  OnnxValues results =
      g.op("LayerNormalization", {call.input(0), weight, call.input(3, dtype)},
           {{"axis", -static_cast<int64_t>(sizes->size())}, {"epsilon", call.number(4)}},
           reads_statistics ? 3 : 1);
  results.resize(call.num_results());
  return results;
}

// ---- RMS norm ----

double rms_epsilon(const Call& call) {
  if (call.has(3)) return call.number(3);
  return call.result().dtype() == DType::Float64
             ? std::numeric_limits<double>::epsilon()
             : static_cast<double>(std::numeric_limits<float>::epsilon());
}

OnnxValues composed_rms_norm_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = norm_dtype(call.result().dtype());
  const NormalForm form = normalize_by_squares(
      g, call.input(0, dtype), last_dims(std::ssize(call.sym_ints(1))), rms_epsilon(call), dtype);
  return {finish_norm(g, call, form.normal, call.input(2, dtype), {})};
}

OnnxValues rms_norm_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  const auto sizes = numbers_of(call.sym_ints(1));
  if (dtype == DType::Float64 || !sizes) return composed_rms_norm_rule(g, call);
  return {g.op("RMSNormalization", {call.input(0), parameter(g, call, 2, *sizes, 1, dtype)},
               {{"axis", -static_cast<int64_t>(sizes->size())}, {"epsilon", rms_epsilon(call)}})};
}

// ---- Group norm ----

struct Groups {
  int64_t count;
  SymInt batch;
  double eps;
};

OnnxValues norm_of_groups(GraphBuilder& g, const Call& call, const Groups& groups, size_t weight) {
  const DType dtype = norm_dtype(call.result().dtype());
  const int64_t rank = call.tensor(0).dim();
  SymInt area = 1;
  for (int64_t i = 1; i < rank; ++i) area = area * call.tensor(0).sym_size(i);
  const std::array<SymInt, 3> grouped{groups.batch, groups.count, area / groups.count};
  const OnnxValue x = reshape(g, call.input(0, dtype), grouped);
  const NormalForm form = normalize(g, x, std::array<int64_t, 1>{2}, groups.eps, dtype);
  const OnnxValue normal = reshape(g, form.normal, sym_sizes_of(call.tensor(0)));
  OnnxValues results{finish_norm(g, call, normal, per_channel(g, call.input(weight, dtype), rank),
                                 per_channel(g, call.input(weight + 1, dtype), rank))};
  if (call.num_results() == 3) {
    constexpr std::array<int64_t, 1> kLast{2};
    results.push_back(recast(g, squeeze(g, form.mean, kLast), dtype, call.result(1).dtype()));
    results.push_back(recast(g, squeeze(g, form.reciprocal, kLast), dtype, call.result(2).dtype()));
  }
  return results;
}

OnnxValues composed_group_norm_rule(GraphBuilder& g, const Call& call) {
  return norm_of_groups(
      g, call,
      {.count = call.integer(1), .batch = call.tensor(0).sym_size(0), .eps = call.number(4)}, 2);
}
OnnxValues native_group_norm_rule(GraphBuilder& g, const Call& call) {
  return norm_of_groups(
      g, call, {.count = call.integer(6), .batch = call.sym_int(3), .eps = call.number(7)}, 1);
}

OnnxValues group_norm_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  const SymInt channels = call.tensor(0).sym_size(1);
  const bool is_empty = std::ranges::any_of(sym_sizes_of(call.tensor(0)),
                                            [](const SymInt& size) { return is_exactly(size, 0); });
  if (dtype == DType::Float64 || channels.is_symbolic() || call.tensor(0).dim() < 3 || is_empty)
    return composed_group_norm_rule(g, call);
  const std::array<int64_t, 1> sizes{channels.word()};
  return {g.op("GroupNormalization",
               {call.input(0), parameter(g, call, 2, sizes, 1, dtype),
                parameter(g, call, 3, sizes, 0, dtype)},
               {{"num_groups", call.integer(1)}, {"epsilon", call.number(4)}})};
}

// ---- Batch norm and instance norm ----

// With statistics of the batch itself, which are also returned by channel if the operator does so.
OnnxValues norm_of_batch(GraphBuilder& g, const Call& call, std::span<const int64_t> axes,
                         double eps) {
  const DType dtype = norm_dtype(call.result().dtype());
  const int64_t rank = call.tensor(0).dim();
  const NormalForm form = normalize(g, call.input(0, dtype), axes, eps, dtype);
  OnnxValues results{finish_norm(g, call, form.normal, per_channel(g, call.input(1, dtype), rank),
                                 per_channel(g, call.input(2, dtype), rank))};
  for (const OnnxValue each : {form.mean, form.reciprocal}) {
    if (results.size() == call.num_results()) break;
    const DType wanted = call.result(results.size()).dtype();
    results.push_back(recast(g, squeeze(g, each, axes), dtype, wanted));
  }
  return results;
}

// The statistics of the batch are then empty, and those of the module, which are results of the
// functional form of the operator, are unchanged.
OnnxValues norm_by_statistics(GraphBuilder& g, const Call& call, double eps) {
  const DType dtype = call.result().dtype();
  const SymInt channels = call.tensor(0).sym_size(1);
  const SymInt known = channels.is_symbolic() ? call.tensor(3).sym_size(0) : channels;
  if (known.is_symbolic()) call.refuse("the number of channels must be a number for ONNX");
  const std::array<int64_t, 1> sizes{known.word()};
  const bool is_too_early = dtype == DType::BFloat16 && g.opset() < 14;
  const DType wide = is_too_early ? DType::Float32 : dtype;
  const OnnxValue normal =
      g.op("BatchNormalization",
           {call.input(0, wide), parameter(g, call, 1, sizes, 1, wide),
            parameter(g, call, 2, sizes, 0, wide), call.input(3, wide), call.input(4, wide)},
           {{"epsilon", eps}});
  OnnxValues results{g.cast(normal, dtype)};
  constexpr size_t kFirstWritten = 3;  // both in the arguments and in the results
  while (results.size() < call.num_results()) {
    const size_t index = results.size();
    results.push_back(index < kFirstWritten ? g.constant(empty({0}, call.result(index).dtype()))
                                            : call.input(index));
  }
  return results;
}

[[noreturn]] void refuse_training(const Call& call) {
  call.refuse(
      "it normalizes by its batch and writes running statistics, as in training; export the module "
      "after module.eval()");
}

std::vector<int64_t> batch_axes(int64_t rank) {
  std::vector<int64_t> axes = spatial_axes(rank);
  axes.insert(axes.begin(), 0);
  return axes;
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps, ...)
OnnxValues batch_norm_rule(GraphBuilder& g, const Call& call) {
  if (!call.has(3)) return norm_of_batch(g, call, batch_axes(call.tensor(0).dim()), call.number(7));
  if (call.boolean(5)) refuse_training(call);
  return norm_by_statistics(g, call, call.number(7));
}

// (input, weight, bias, running_mean, running_var, momentum, eps)
OnnxValues batch_norm_no_training_rule(GraphBuilder& g, const Call& call) {
  return norm_by_statistics(g, call, call.number(6));
}

// (input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, ...)
OnnxValues instance_norm_rule(GraphBuilder& g, const Call& call) {
  if (!call.boolean(5)) return norm_by_statistics(g, call, call.number(7));
  if (call.has(3)) refuse_training(call);
  const DType dtype = call.result().dtype();
  const SymInt channels = call.tensor(0).sym_size(1);
  const int64_t rank = call.tensor(0).dim();
  if (dtype != DType::Float32 || channels.is_symbolic() || rank < 3)
    return norm_of_batch(g, call, spatial_axes(rank), call.number(7));
  const std::array<int64_t, 1> sizes{channels.word()};
  return {g.op("InstanceNormalization",
               {call.input(0), parameter(g, call, 1, sizes, 1, dtype),
                parameter(g, call, 2, sizes, 0, dtype)},
               {{"epsilon", call.number(7)}})};
}

constexpr std::array kNormalizationRules = {
    BuiltinRule{"aten::softmax.int", &softmax_rule},
    BuiltinRule{"aten::_softmax", &softmax_rule},
    BuiltinRule{"aten::log_softmax.int", &log_softmax_rule},
    BuiltinRule{"aten::_log_softmax", &log_softmax_rule},
    BuiltinRule{"aten::layer_norm", &composed_layer_norm_rule},
    BuiltinRule{"aten::layer_norm", &layer_norm_rule, 17},
    BuiltinRule{"aten::native_layer_norm", &composed_layer_norm_rule},
    BuiltinRule{"aten::native_layer_norm", &layer_norm_rule, 17},
    BuiltinRule{"aten::rms_norm", &composed_rms_norm_rule},
    BuiltinRule{"aten::rms_norm", &rms_norm_rule, 23},
    BuiltinRule{"aten::group_norm", &composed_group_norm_rule},
    BuiltinRule{"aten::group_norm", &group_norm_rule, 21},
    BuiltinRule{"aten::native_group_norm", &native_group_norm_rule},
    BuiltinRule{"aten::batch_norm", &batch_norm_rule},
    BuiltinRule{"aten::native_batch_norm", &batch_norm_rule},
    BuiltinRule{"aten::_native_batch_norm_legit", &batch_norm_rule},
    BuiltinRule{"aten::_native_batch_norm_legit_no_training", &batch_norm_no_training_rule},
    BuiltinRule{"aten::instance_norm", &instance_norm_rule},
};

}  // namespace

std::span<const BuiltinRule> normalization_rules() { return kNormalizationRules; }

}  // namespace opwright::onnx
