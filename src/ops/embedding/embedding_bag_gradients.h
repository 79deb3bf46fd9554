// The gradients of _embedding_bag.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// The operator's arguments besides its weights, and the bags that it found.
struct EmbeddingBags {
  const Tensor& indices;
  const Tensor& offsets;
  bool include_last_offset;
  int64_t padding_idx;
  int64_t mode;
  const Tensor& bag_of_index;  // empty if it was not needed
  const Tensor& bag_size;
  const Tensor& max_indices;
};

[[nodiscard]] Tensor embedding_bag_weight_gradient(const Tensor& grad, const EmbeddingBags& bags,
                                                   const SymInt& num_weights,
                                                   bool scale_grad_by_freq,
                                                   const std::optional<Tensor>& per_sample_weights);
[[nodiscard]] Tensor embedding_bag_sample_gradient(const Tensor& grad, const EmbeddingBags& bags,
                                                   const Tensor& weight);

}  // namespace opwright
