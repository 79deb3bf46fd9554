// embedding_bag in its public forms, and embedding_renorm_, as composites.
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"

namespace opwright {

using BagResults = std::tuple<Tensor, Tensor, Tensor, Tensor>;

BagResults embedding_bag_composite(const Tensor& weight, const Tensor& indices,
                                   const Tensor& offsets, bool scale_grad_by_freq, int64_t mode,
                                   bool sparse, const std::optional<Tensor>& per_sample_weights,
                                   bool include_last_offset) {
  return _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                        per_sample_weights, include_last_offset, -1);
}

BagResults embedding_bag_padding_composite(const Tensor& weight, const Tensor& indices,
                                           const Tensor& offsets, bool scale_grad_by_freq,
                                           int64_t mode, bool sparse,
                                           const std::optional<Tensor>& per_sample_weights,
                                           bool include_last_offset,
                                           const std::optional<int64_t>& padding_idx) {
  int64_t padding = -1;
  if (padding_idx) {
    const SymInt rows = weight.sym_size(0);
    check(sym_and(SymInt(*padding_idx) < rows, rows >= -*padding_idx),
          concatenate("embedding_bag: padding_idx must be within the ", rows,
                      " rows of weight, got ", *padding_idx));
    padding = *padding_idx < 0 ? (rows + *padding_idx).specialise() : *padding_idx;
  }
  return _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                        per_sample_weights, include_last_offset, padding);
}

BagResults embedding_bag_forward_only_composite(const Tensor& weight, const Tensor& indices,
                                                const Tensor& offsets, bool scale_grad_by_freq,
                                                int64_t mode, bool sparse,
                                                const std::optional<Tensor>& per_sample_weights,
                                                bool include_last_offset, int64_t padding_idx) {
  return _embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                        per_sample_weights, include_last_offset, padding_idx);
}

// Rows that occur several times are written as often, with the same numbers; the gradient flows
// through the last one alone.
Tensor& embedding_renorm_in_place_composite(Tensor& self, const Tensor& indices, double max_norm,
                                            double norm_type) {
  constexpr const char* kWho = "embedding_renorm_";
  OPWRIGHT_CHECK(self.dim() == 2, kWho, ": self must have two dimensions, got ", self);
  OPWRIGHT_CHECK_TYPE(indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32, kWho,
                      ": indices must be of int64 or int32, got ", indices);
  const Tensor places = std::get<0>(indices.reshape({-1}).to(DType::Int64).sort());
  const Tensor next = constant_pad_nd(places, {0, 1}, -1).narrow(0, 1, places.sym_size(0));
  const Tensor is_last = next.ne(places).unsqueeze(1);
  const Tensor rows = self.index_select(0, places);
  const DType wide = self.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const int64_t row = 1;
  const Tensor norms = linalg_vector_norm(rows, norm_type, std::span(&row, 1), true, wide);
  const Tensor factors =
      where(norms.gt(max_norm), norms.add(1e-7).reciprocal().mul(max_norm), Scalar(1));
  const Tensor scaled = rows.mul(factors).to(self.dtype());
  return self.index_copy_(0, places, where(is_last, scaled, scaled.detach()));
}

}  // namespace opwright
