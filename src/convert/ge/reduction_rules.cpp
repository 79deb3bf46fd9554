// Reductions, and the norms that are made of them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

GeValues reduce(GraphBuilder& g, const Call& call, const char* op, std::vector<int64_t> dims,
                bool keeps_dims) {
  const int64_t rank = call.tensor(0).dim();
  const OutputPlace value = call.input(0, call.result().dtype());
  if (rank == 0) return {value};
  if (dims.empty()) dims = all_dims(rank);
  for (int64_t& dim : dims) dim = count_from_front(dim, rank);
  return {g.op(op, {value, g.ints(dims)}, {{"keep_dims", keeps_dims}})};
}

// (self, dim, keepdim, ...); None and [] mean all dimensions.
GeValues convert_over_dims(GraphBuilder& g, const Call& call, const char* op) {
  return reduce(g, call, op, call.has(1) ? call.integers(1) : std::vector<int64_t>(),
                call.boolean(2));
}
GeValues convert_over_all(GraphBuilder& g, const Call& call, const char* op) {
  return reduce(g, call, op, {}, false);
}

GeValues convert_place(GraphBuilder& g, const Call& call, const char* op) {
  const Tensor self = call.tensor(0);
  OutputPlace value = call.input(0);
  const bool is_flat = !call.has(1);
  if (is_flat)
    value = g.op("Reshape", {value, g.ints({-1})}, {}, ValueType{self.dtype(), {self.sym_numel()}});
  const int64_t dim = is_flat ? 0 : count_from_front(call.integer(1), self.dim());
  std::vector<SymInt> sizes;
  for (int64_t i = 0; !is_flat && i < self.dim(); ++i) {
    if (i != dim) sizes.push_back(self.sym_size(i));
  }
  const OutputPlace place = g.op(op, {value, g.scalar(dim, DType::Int64)}, {{"dtype", DT_INT64}},
                                 ValueType{DType::Int64, std::move(sizes)});
  if (!call.boolean(2)) return {place};
  return {g.op("Reshape", {place, g.sizes(sym_sizes_of(call.result()))})};
}

GeValues convert_cumsum(GraphBuilder& g, const Call& call, const char* op) {
  const int64_t dim = count_from_front(call.integer(1), call.tensor(0).dim());
  return {g.op(op, {call.input(0, call.result().dtype()), g.scalar(dim, DType::Int64)})};
}

GeValues convert_softmax(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0, call.result().dtype())},
               {{"axes", std::vector<int64_t>{call.integer(1)}}})};
}

// In the dtype of the result of softmax, which may differ from its input's.
GeValues softmax_gradient(GraphBuilder& g, const Call& call, const char* op, const char* attribute,
                          OutputPlace first, OutputPlace second) {
  const Tensor output = call.tensor(1);
  const OutputPlace made =
      g.op(op, {first, second}, {{attribute, std::vector<int64_t>{call.integer(2)}}},
           ValueType{output.dtype(), sym_sizes_of(output)});
  return {g.cast(made, call.result().dtype())};
}
GeValues convert_softmax_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return softmax_gradient(g, call, op, "axes", call.input(1), call.input(0));
}
GeValues convert_log_softmax_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return softmax_gradient(g, call, op, "axis", call.input(0), call.input(1));
}

OutputPlace filled(GraphBuilder& g, const std::vector<SymInt>& sizes, int64_t number, DType dtype) {
  return g.op("Fill", {g.sizes(sizes), g.scalar(number, dtype)}, {}, ValueType{dtype, sizes});
}

GeValues convert_layer_norm(GraphBuilder& g, const Call& call, const char* op) {
  return g.op_of_many(op, {call.input(0), g.sizes(call.sym_ints(1)), call.input(2), call.input(3)},
                      {{"epsilon", call.number(4)}});
}

// The op computes all three gradients: few devices can omit one.
GeValues convert_layer_norm_gradient(GraphBuilder& g, const Call& call, const char* op) {
  const OutputPlace weight =
      call.has(5) ? call.input(5) : filled(g, call.sym_ints(2), 1, call.tensor(1).dtype());
  return call.given(
      g.op_of_many(op, {call.input(0), call.input(1), call.input(4), call.input(3), weight}, {}));
}

// With the running moments; those of the batch, which are then empty, are not returned.
GeValues convert_batch_norm(GraphBuilder& g, const Call& call, const char* op) {
  const std::vector<SymInt> channels = sym_sizes_of(call.tensor(3));
  const auto given_or = [&](size_t index, int64_t number) {
    return call.has(index) ? call.input(index, DType::Float32)
                           : filled(g, channels, number, DType::Float32);
  };
  const OutputPlace scale = given_or(1, 1);
  const OutputPlace offset = given_or(2, 0);
  return {g.op(op,
               {call.input(0), scale, offset, call.input(3, DType::Float32),
                call.input(4, DType::Float32)},
               {{"epsilon", call.number(6)}}),
          {},
          {}};
}

constexpr auto kReductionRules = std::to_array<BuiltinRule>({
    {"aten::sum", convert_over_all, "ReduceSum"},
    {"aten::sum.dim_IntList", convert_over_dims, "ReduceSum"},
    {"aten::mean", convert_over_all, "ReduceMean"},
    {"aten::mean.dim", convert_over_dims, "ReduceMean"},
    {"aten::prod", convert_over_all, "ReduceProd"},
    {"aten::prod.dim_int", convert_over_dims, "ReduceProd"},
    {"aten::amax", convert_over_dims, "ReduceMax"},
    {"aten::amin", convert_over_dims, "ReduceMin"},
    {"aten::max", convert_over_all, "ReduceMax"},
    {"aten::min", convert_over_all, "ReduceMin"},
    {"aten::any", convert_over_all, "ReduceAny"},
    {"aten::any.dim", convert_over_dims, "ReduceAny"},
    {"aten::any.dims", convert_over_dims, "ReduceAny"},
    {"aten::all", convert_over_all, "ReduceAll"},
    {"aten::all.dim", convert_over_dims, "ReduceAll"},
    {"aten::all.dims", convert_over_dims, "ReduceAll"},
    {"aten::argmax", convert_place, "ArgMaxV2"},
    {"aten::argmin", convert_place, "ArgMin"},
    {"aten::cumsum", convert_cumsum, "Cumsum"},
    {"aten::_softmax", convert_softmax, "SoftmaxV2"},
    {"aten::_log_softmax", convert_softmax, "LogSoftmaxV2"},
    {"aten::_softmax_backward_data", convert_softmax_gradient, "SoftmaxGrad"},
    {"aten::_log_softmax_backward_data", convert_log_softmax_gradient, "LogSoftmaxGrad"},
    {"aten::native_layer_norm_backward", convert_layer_norm_gradient, "LayerNormGradV3"},
    {"aten::native_layer_norm", convert_layer_norm, "LayerNormV4"},
    {"aten::_native_batch_norm_legit_no_training", convert_batch_norm, "BNInfer"},
});

}  // namespace

std::span<const BuiltinRule> reduction_rules() { return kReductionRules; }

}  // namespace opwright::graph_engine
