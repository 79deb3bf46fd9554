#include "opwright/ops/embedding/embedding_bag_gradients.h"

#include "opwright/functions.h"
#include "opwright/ops/embedding/embedding_bag_mode.h"

namespace opwright {
namespace {

// PyTorch's values.
constexpr int64_t kMean = 1;
// The bag of each index; one past the last bag for indices that are in none.
Tensor find_bags(const EmbeddingBags& bags) {
  const SymInt count = bags.indices.sym_size(0);
  if (guard_or_false(bags.bag_of_index.sym_size(0) == count)) return bags.bag_of_index;
  const Tensor begins = ones_like(bags.offsets, DType::Int64);
  return zeros({count + 1}, DType::Int64, {}, bags.offsets.device())
      .index_add(0, bags.offsets, begins)
      .cumsum(0)
      .sub(1)
      .narrow(0, 0, count);
}

// The row of `grad` for each index; zeros for indices in no bag.
Tensor rows_of_indices(const Tensor& grad, const Tensor& bag_of_index) {
  return constant_pad_nd(grad, {0, 0, 0, 1}).index_select(0, bag_of_index);
}

}  // namespace

Tensor embedding_bag_weight_gradient(const Tensor& grad, const EmbeddingBags& bags,
                                     const SymInt& num_weights, bool scale_grad_by_freq,
                                     const std::optional<Tensor>& per_sample_weights) {
  if (bags.mode == static_cast<int64_t>(BagMode::Max)) {
    const Tensor has_rows = bags.bag_size.gt(0).unsqueeze(1);
    return grad.new_zeros({num_weights, grad.sym_size(1)})
        .scatter_add(0, bags.max_indices.to(DType::Int64), where(has_rows, grad, Scalar(0)));
  }
  const Tensor bag_of_index = find_bags(bags);
  const Tensor shares =
      bags.mode == kMean ? grad.div(bags.bag_size.clamp(Scalar(1)).unsqueeze(1)) : grad;
  Tensor rows = rows_of_indices(shares, bag_of_index);
  if (per_sample_weights) rows = rows.mul(per_sample_weights->unsqueeze(1));
  return embedding_dense_backward(rows, bags.indices, num_weights, bags.padding_idx,
                                  scale_grad_by_freq);
}

Tensor embedding_bag_sample_gradient(const Tensor& grad, const EmbeddingBags& bags,
                                     const Tensor& weight) {
  const Tensor rows = rows_of_indices(grad, find_bags(bags));
  const Tensor sums = rows.mul(weight.index_select(0, bags.indices)).sum({1});
  return where(bags.indices.eq(bags.padding_idx), Scalar(0), sums);
}

}  // namespace opwright
