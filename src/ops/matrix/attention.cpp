// scaled_dot_product_attention: softmax(query * key^T * scale + mask) * value.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/dim_order.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kAttention = "scaled_dot_product_attention";
constexpr double kLowest = -std::numeric_limits<double>::infinity();

// Repeats every head to match the heads of the query.
Tensor repeat_heads(const Tensor& tensor, const SymInt& heads, const char* name) {
  const SymInt own = tensor.sym_size(-3);
  OPWRIGHT_DEMAND(sym_and(own > 0, heads % own == 0), kAttention,
                  ": the heads of query must be a multiple of those of ", name, ", got ", heads,
                  " and ", own);
  SymSizes sizes;
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  SymSizes repeated = sizes;
  const auto place = static_cast<size_t>(tensor.dim() - 3);
  repeated[place] = heads;
  SymSizes expanded(sizes.begin(), sizes.begin() + static_cast<ptrdiff_t>(place) + 1);
  expanded.push_back(heads / own);
  expanded.push_back(tensor.sym_size(-2));
  expanded.push_back(tensor.sym_size(-1));
  return tensor.unsqueeze(-3).expand(expanded).reshape(repeated);
}

// What a row may attend to: columns up to its own.
Tensor make_causal_mask(const Tensor& query, const Tensor& key) {
  const auto count = [&](const SymInt& size) {
    return arange(size, DType::Int64, std::nullopt, query.device());
  };
  return le(count(key.sym_size(-2)).unsqueeze(0), count(query.sym_size(-2)).unsqueeze(1));
}

void check_operands(const Tensor& query, const Tensor& key, const Tensor& value,
                    const std::optional<Tensor>& mask, bool is_causal) {
  OPWRIGHT_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, kAttention,
                 ": query, key and value must have at least 2 dimensions, got ", query.dim(), ", ",
                 key.dim(), " and ", value.dim());
  OPWRIGHT_CHECK_TYPE(query.dtype() == key.dtype() && query.dtype() == value.dtype(), kAttention,
                      ": query, key and value must have one dtype, got ", query.dtype(), ", ",
                      key.dtype(), " and ", value.dtype());
  OPWRIGHT_CHECK_TYPE(is_floating(query.dtype()), kAttention, ": query must be floating, got ",
                      query.dtype());
  OPWRIGHT_CHECK(!mask || !is_causal, kAttention,
                 ": attn_mask and is_causal exclude each other; give one of them");
  OPWRIGHT_CHECK_TYPE(!mask || mask->dtype() == DType::Bool || mask->dtype() == DType::Float32 ||
                          mask->dtype() == query.dtype(),
                      kAttention,
                      ": attn_mask must be bool, float32 or have the dtype of query, got ",
                      mask->dtype(), " and ", query.dtype());
}

// Halves are computed in float32, because the weights of a row span more than half precision.
Tensor widened(const Tensor& tensor) {
  return tensor.dtype() == DType::Float16 || tensor.dtype() == DType::BFloat16
             ? tensor.to(DType::Float32)
             : tensor;
}

// ---- The memory of the result ----

constexpr int64_t kFusedDims = 4;  // batch, heads, rows, columns

bool is_same_size(const Tensor& a, const Tensor& b, int64_t dim) {
  const SymInt size = a.sym_size(dim);
  const SymInt other = b.sym_size(dim);
  return size.word() == other.word() || holds_always(size == other);
}

bool has_fused_form(const Tensor& tensor) {
  if (tensor.dim() != kFusedDims || !is_plain_int(tensor.sym_stride(-1), 1)) return false;
  for (int64_t dim = 0; dim < kFusedDims - 1; ++dim) {
    if (is_plain_int(tensor.sym_size(dim), 0)) return false;
  }
  return true;
}

// Whether PyTorch's fused kernel computes it, whose result has the memory layout of the query.
bool is_fused_in_pytorch(const Tensor& query, const Tensor& key, const Tensor& value,
                         const std::optional<Tensor>& mask, double dropout_p, bool enable_gqa) {
  if (!has_fused_form(query) || !has_fused_form(key) || !has_fused_form(value)) return false;
  if (dropout_p > 0) return false;
  const bool is_mask_fused =
      !mask || (!mask->requires_grad() && (mask->dim() == 2 || mask->dim() == kFusedDims));
  return is_mask_fused && is_same_size(query, key, 0) && is_same_size(query, value, 0) &&
         (enable_gqa || is_same_size(query, key, 1)) && is_same_size(key, value, 1) &&
         is_same_size(query, key, -1) && is_same_size(query, value, -1);
}

// The result in the order of dimensions that the query has in memory.
Tensor laid_out_like(const Tensor& query, const Tensor& result) {
  const SymGeometry geometry = sym_geometry_of(query);
  const auto innermost_first = order_dims(kFusedDims, [&](size_t inner, size_t outer) {
    return compare_dims<SymInt>(geometry.sizes, geometry.strides, inner, outer);
  });
  std::array<int64_t, kFusedDims> order{};
  std::array<int64_t, kFusedDims> back{};
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t dim = innermost_first[order.size() - 1 - place];
    order[place] = static_cast<int64_t>(dim);
    back[dim] = static_cast<int64_t>(place);
  }
  return std::ranges::is_sorted(order) ? result : result.permute(order).contiguous().permute(back);
}

Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
              const std::optional<Tensor>& mask, double dropout_p, bool is_causal, double factor) {
  // Half of the factor on each side keeps products of halves small.
  const double root = std::sqrt(std::abs(factor));
  Tensor weights = matmul(mul(query, factor < 0 ? -root : root), mul(key, root).transpose(-2, -1));
  if (is_causal) weights = where(make_causal_mask(query, key), weights, kLowest);
  const auto drop = [&](const Tensor& shares) { return dropout(shares, dropout_p, true); };
  if (!mask) return matmul(drop(_softmax(weights, -1, false)), value);
  weights =
      mask->dtype() == DType::Bool ? where(*mask, weights, kLowest) : add(weights, widened(*mask));
  // A row that may attend to nothing gives zeros.
  const Tensor looks = ne(weights, kLowest).any(-1, true);
  return matmul(drop(where(looks, _softmax(weights, -1, false), 0)), value);
}

}  // namespace

Tensor scaled_dot_product_attention_composite(const Tensor& query, const Tensor& key,
                                              const Tensor& value,
                                              const std::optional<Tensor>& attn_mask,
                                              double dropout_p, bool is_causal,
                                              const std::optional<double>& scale, bool enable_gqa) {
  check_operands(query, key, value, attn_mask, is_causal);
  OPWRIGHT_CHECK(!enable_gqa || (query.dim() >= 3 && key.dim() >= 3 && value.dim() >= 3),
                 kAttention, ": enable_gqa needs a dimension of heads; got ", query.dim(),
                 " dimensions");
  const Tensor queries = widened(query);
  const Tensor keys = widened(enable_gqa ? repeat_heads(key, query.sym_size(-3), "key") : key);
  const Tensor values =
      widened(enable_gqa ? repeat_heads(value, query.sym_size(-3), "value") : value);
  const double factor =
      scale ? *scale : 1.0 / std::sqrt(static_cast<double>(query.sym_size(-1).specialise()));
  const Tensor result = attend(queries, keys, values, attn_mask, dropout_p, is_causal, factor);
  const bool is_fused = is_fused_in_pytorch(query, key, value, attn_mask, dropout_p, enable_gqa);
  return (is_fused ? laid_out_like(query, result) : result).to(query.dtype());
}

}  // namespace opwright
