// Attention, decomposed, and embeddings.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/normal_form.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dtype.h"

namespace opwright::onnx {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

// (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
enum AttentionArgument : uint8_t {
  kQuery,
  kKey,
  kValue,
  kMask,
  kDropout,
  kIsCausal,
  kScale,
  kEnableGqa
};

// Repeats each head once per head of the query that uses it.
OnnxValue repeat_heads(GraphBuilder& g, const Call& call, size_t index, DType dtype) {
  const OnnxValue given = call.input(index, dtype);
  if (!call.boolean(kEnableGqa)) return given;
  const SymInt heads = call.tensor(kQuery).sym_size(-3);
  std::vector<SymInt> sizes = sym_sizes_of(call.tensor(index));
  SymInt& own = sizes[sizes.size() - 3];
  if (own.word() == heads.word()) return given;
  std::vector<SymInt> expanded = sizes;
  expanded.insert(expanded.end() - 2, heads / own);
  const auto place = static_cast<int64_t>(sizes.size()) - 2;
  const OnnxValue apart = unsqueeze(g, given, std::array<int64_t, 1>{place});
  own = heads;
  return reshape(g, expand(g, apart, expanded), sizes);
}

OnnxValue swap_last(GraphBuilder& g, OnnxValue x, int64_t rank) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 2], order.back());
  return transpose(g, x, order);
}

double factor_of(const Call& call) {
  if (call.has(kScale)) return call.number(kScale);
  const SymInt width = call.tensor(kQuery).sym_size(-1);
  if (width.is_symbolic())
    call.refuse("the last size of query must be a number for ONNX, or scale given");
  return 1.0 / std::sqrt(static_cast<double>(width.word()));
}

OnnxValue scores_of(GraphBuilder& g, const Call& call, DType dtype) {
  const double factor = factor_of(call);
  // Half of the factor on each side keeps products of halves small.
  const double root = std::sqrt(std::abs(factor));
  const OnnxValue query =
      g.op("Mul", {call.input(kQuery, dtype), g.scalar(factor < 0 ? -root : root, dtype)});
  const OnnxValue key = g.op("Mul", {repeat_heads(g, call, kKey, dtype), g.scalar(root, dtype)});
  return g.op("MatMul", {query, swap_last(g, key, call.tensor(kKey).dim())});
}

// A row attends to columns up to its own.
OnnxValue hide_later(GraphBuilder& g, const Call& call, OnnxValue scores, DType dtype) {
  const OnnxValue row =
      unsqueeze(g, arange(g, call.tensor(kQuery).sym_size(-2)), std::array<int64_t, 1>{1});
  const OnnxValue column = arange(g, call.tensor(kKey).sym_size(-2));
  const OnnxValue is_seen = g.op("LessOrEqual", {column, row});
  return g.op("Where", {is_seen, scores, g.scalar(kLowest, dtype)});
}

OnnxValues attention_rule(GraphBuilder& g, const Call& call) {
  if (call.number(kDropout) != 0)
    call.refuse("attention with dropout is of training; export with dropout_p=0 (module.eval())");
  const DType given = call.result().dtype();
  const DType dtype = norm_dtype(given);
  OnnxValue scores = scores_of(g, call, dtype);
  if (call.boolean(kIsCausal)) scores = hide_later(g, call, scores, dtype);
  if (call.has(kMask)) {
    const bool is_bool = call.tensor(kMask).dtype() == DType::Bool;
    scores = is_bool ? g.op("Where", {call.input(kMask), scores, g.scalar(kLowest, dtype)})
                     : g.op("Add", {scores, call.input(kMask, dtype)});
  }
  OnnxValue shares = g.op("Softmax", {scores}, {{"axis", call.result().dim() - 1}});
  if (call.has(kMask)) {  // fully masked rows are zero
    const OnnxValue highest = reduce(g, "ReduceMax", scores, std::array<int64_t, 1>{-1}, true);
    const OnnxValue is_blind = g.op("Equal", {highest, g.scalar(kLowest, dtype)});
    shares = g.op("Where", {is_blind, g.scalar(0.0, dtype), shares});
  }
  const OnnxValue made = g.op("MatMul", {shares, repeat_heads(g, call, kValue, dtype)});
  return {recast(g, made, dtype, given)};
}

// (weight, indices, ...)
OnnxValues embedding_rule(GraphBuilder& g, const Call& call) {
  return {g.op("Gather", {call.input(0), call.input(1)})};
}

constexpr std::array kAttentionRules = {
    BuiltinRule{"aten::scaled_dot_product_attention", &attention_rule},
    BuiltinRule{"aten::embedding", &embedding_rule},
};

}  // namespace

std::span<const BuiltinRule> attention_rules() { return kAttentionRules; }

}  // namespace opwright::onnx
