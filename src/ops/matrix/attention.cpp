// scaled_dot_product_attention: softmax(query * key^T * scale + mask) * value.
#include <cmath>
#include <limits>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"

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
  OPWRIGHT_CHECK_TYPE(!mask || mask->dtype() == DType::Bool || mask->dtype() == query.dtype(),
                      kAttention, ": attn_mask must be bool or have the dtype of query, got ",
                      mask->dtype(), " and ", query.dtype());
}

// Halves are computed in float32, because the weights of a row span more than half precision.
Tensor widened(const Tensor& tensor) {
  return tensor.dtype() == DType::Float16 || tensor.dtype() == DType::BFloat16
             ? tensor.to(DType::Float32)
             : tensor;
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
  // Half of the factor on each side keeps products of halves small.
  const double root = std::sqrt(std::abs(factor));
  Tensor weights =
      matmul(mul(queries, factor < 0 ? -root : root), mul(keys, root).transpose(-2, -1));
  if (is_causal) weights = where(make_causal_mask(query, key), weights, kLowest);
  const auto drop = [&](const Tensor& shares) { return dropout(shares, dropout_p, true); };
  if (!attn_mask) return matmul(drop(_softmax(weights, -1, false)), values).to(query.dtype());
  weights = attn_mask->dtype() == DType::Bool ? where(*attn_mask, weights, kLowest)
                                              : add(weights, widened(*attn_mask));
  // A row that may attend to nothing gives zeros.
  const Tensor looks = ne(weights, kLowest).any(-1, true);
  return matmul(drop(where(looks, _softmax(weights, -1, false), 0)), values).to(query.dtype());
}

}  // namespace opwright
