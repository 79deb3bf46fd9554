// Sorted elements and their indices. Among equal elements the first comes first, both in PyTorch's
// stable order and in TopK's.
#include <cstdint>
#include <span>

#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

OnnxValues take_top(GraphBuilder& g, const Call& call, size_t dim_argument, bool is_largest,
                    bool is_sorted, const SymInt* count) {
  const Tensor self = call.tensor(0);
  if (self.dim() == 0) return {call.input(0), g.scalar(0, DType::Int64)};
  const int64_t dim = dim_of(call, dim_argument, self);
  const SymInt counts[] = {count ? *count : self.sym_size(dim)};
  const DType dtype = self.dtype();
  const DType wide = dtype == DType::Float16 ? dtype : ordered_dtype(dtype);
  OnnxValues top = g.op("TopK", {call.input(0, wide), g.sizes(counts)},
                        {{"axis", dim}, {"largest", is_largest}, {"sorted", is_sorted}}, 2);
  if (call.is_used(0)) top[0] = recast(g, top[0], wide, dtype);
  return top;
}

OnnxValues convert_sort(GraphBuilder& g, const Call& call) {
  return take_top(g, call, 1, call.boolean(2), true, nullptr);
}
OnnxValues convert_stable_sort(GraphBuilder& g, const Call& call) {
  return take_top(g, call, 2, call.boolean(3), true, nullptr);
}
OnnxValues convert_topk(GraphBuilder& g, const Call& call) {
  const SymInt count = call.sym_int(1);
  return take_top(g, call, 2, call.boolean(3), call.boolean(4), &count);
}

constexpr BuiltinRule kSortingRules[] = {
    {"aten::sort", convert_sort},
    {"aten::sort.stable", convert_stable_sort},
    {"aten::topk", convert_topk},
};

}  // namespace

std::span<const BuiltinRule> sorting_rules() { return kSortingRules; }

}  // namespace opwright::onnx
