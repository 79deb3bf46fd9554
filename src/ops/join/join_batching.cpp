// vmap rules of joined, repeated, flipped, rolled and padded copies.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

// The elements of the list that is the first argument, each as a batch.
std::vector<Tensor> batch_list(const VmapInfo& info, std::span<const Tensor> tensors) {
  std::vector<Tensor> batches;
  batches.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    batches.push_back(as_batch(info.batch_size, tensors[i], info.in_dims[0].elements[i]));
  return batches;
}

// Samples of sizes [0] are compatible with any others, as in cat itself.
bool is_left_out(const Tensor& batch) {
  return batch.dim() == 2 && guard_or_false(batch.sym_size(1) == 0);
}

}  // namespace

VmapResult<Tensor> cat_vmap(const VmapInfo& info, std::span<const Tensor> tensors, int64_t dim) {
  std::vector<Tensor> batches = batch_list(info, tensors);
  OPWRIGHT_CHECK(!batches.empty(), "cat: tensors must not be empty");
  size_t shown = 0;  // the first that is not left out
  for (size_t i = 0; i < batches.size(); ++i) {
    OPWRIGHT_CHECK(batches[i].dim() > 1,
                   "cat: a tensor has zero dimensions; stack joins such tensors");
    if (is_left_out(batches[shown]) && !is_left_out(batches[i])) shown = i;
  }
  const int64_t joined = shifted_dim(batches[shown], dim, "cat");
  SymSizes sizes = sample_sizes(batches[shown]);
  sizes[static_cast<size_t>(joined - 1)] = 0;
  // They stay among the arguments: their dtypes and histories count.
  for (Tensor& batch : batches) {
    if (is_left_out(batch)) batch = batch.reshape(with_batch(info.batch_size, sizes));
  }
  return batched(cat(batches, joined));
}
VmapResult<Tensor> stack_vmap(const VmapInfo& info, std::span<const Tensor> tensors, int64_t dim) {
  const std::vector<Tensor> batches = batch_list(info, tensors);
  const auto ndim = static_cast<size_t>(batches.front().dim());
  return batched(stack(batches, static_cast<int64_t>(wrap_dim(dim, ndim, "stack")) + 1));
}
VmapResult<Tensor> repeat_vmap(const VmapInfo& info, const Tensor& self,
                               std::span<const SymInt> repeats) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(static_cast<int64_t>(repeats.size()) >= batch.dim() - 1, "repeat: repeats ",
                 to_text(repeats), " must name every dimension of self, which has ",
                 batch.dim() - 1);
  return batched(
      with_sample_ndim(batch, static_cast<int64_t>(repeats.size())).repeat(with_batch(1, repeats)));
}
VmapResult<Tensor> flip_vmap(const VmapInfo& info, const Tensor& self,
                             std::span<const int64_t> dims) {
  if (dims.empty()) return in_place_of_first(info, self.clone());
  return map_over(info, self, dims, "flip",
                  [](const Tensor& batch, IntList shifted) { return flip(batch, shifted); });
}
VmapResult<Tensor> roll_vmap(const VmapInfo& info, const Tensor& self,
                             std::span<const SymInt> shifts, std::span<const int64_t> dims) {
  const Tensor batch = batch_first(info, 0, self);
  if (dims.empty() && shifts.size() == 1) {
    const Tensor rolled = roll(as_rows(batch), shifts, {1});
    return batched(rolled.reshape(with_batch(info.batch_size, sample_sizes(batch))));
  }
  if (batch.dim() == 1 && dims.empty()) return batched(batch.clone());
  const Tensor lines = at_least_1d(batch);
  return batched(
      as_sample_of(roll(lines, shifts, shifted_dims(lines, dims, "roll")), batch.dim() - 1));
}

// ---- padding ----
VmapResult<Tensor> constant_pad_nd_vmap(const VmapInfo& info, const Tensor& self,
                                        std::span<const SymInt> pad, const Scalar& value) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(static_cast<int64_t>(pad.size()) <= 2 * (batch.dim() - 1), "constant_pad_nd: pad ",
                 to_text(pad), " names more dimensions than self has, ", batch.dim() - 1);
  return batched(constant_pad_nd(batch, pad, value));
}

namespace {

// Pads the last dimensions; a sample has these and channels, and optionally a batch.
template <int64_t kDims, class Compute>
VmapResult<Tensor> map_padding(const VmapInfo& info, const Tensor& self, const Compute& compute) {
  return map_images(info, kDims + 1, compute, batch_first(info, 0, self));
}
template <int64_t kDims, class Compute>
VmapResult<Tensor> map_padding_gradient(const VmapInfo& info, const Tensor& grad_output,
                                        const Tensor& self, const Compute& compute) {
  return map_images(info, kDims + 1, compute, as_batch(info, 0, grad_output),
                    as_batch(info, 1, self));
}

}  // namespace

VmapResult<Tensor> reflection_pad1d_vmap(const VmapInfo& info, const Tensor& self,
                                         std::span<const SymInt> padding) {
  return map_padding<1>(info, self, [&](const Tensor& x) { return reflection_pad1d(x, padding); });
}
VmapResult<Tensor> reflection_pad2d_vmap(const VmapInfo& info, const Tensor& self,
                                         std::span<const SymInt> padding) {
  return map_padding<2>(info, self, [&](const Tensor& x) { return reflection_pad2d(x, padding); });
}
VmapResult<Tensor> reflection_pad3d_vmap(const VmapInfo& info, const Tensor& self,
                                         std::span<const SymInt> padding) {
  return map_padding<3>(info, self, [&](const Tensor& x) { return reflection_pad3d(x, padding); });
}
VmapResult<Tensor> replication_pad1d_vmap(const VmapInfo& info, const Tensor& self,
                                          std::span<const SymInt> padding) {
  return map_padding<1>(info, self, [&](const Tensor& x) { return replication_pad1d(x, padding); });
}
VmapResult<Tensor> replication_pad2d_vmap(const VmapInfo& info, const Tensor& self,
                                          std::span<const SymInt> padding) {
  return map_padding<2>(info, self, [&](const Tensor& x) { return replication_pad2d(x, padding); });
}
VmapResult<Tensor> replication_pad3d_vmap(const VmapInfo& info, const Tensor& self,
                                          std::span<const SymInt> padding) {
  return map_padding<3>(info, self, [&](const Tensor& x) { return replication_pad3d(x, padding); });
}
VmapResult<Tensor> reflection_pad1d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                  const Tensor& self,
                                                  std::span<const SymInt> padding) {
  return map_padding_gradient<1>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return reflection_pad1d_backward(g, x, padding);
  });
}
VmapResult<Tensor> reflection_pad2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                  const Tensor& self,
                                                  std::span<const SymInt> padding) {
  return map_padding_gradient<2>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return reflection_pad2d_backward(g, x, padding);
  });
}
VmapResult<Tensor> reflection_pad3d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                  const Tensor& self,
                                                  std::span<const SymInt> padding) {
  return map_padding_gradient<3>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return reflection_pad3d_backward(g, x, padding);
  });
}
VmapResult<Tensor> replication_pad1d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                   const Tensor& self,
                                                   std::span<const SymInt> padding) {
  return map_padding_gradient<1>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return replication_pad1d_backward(g, x, padding);
  });
}
VmapResult<Tensor> replication_pad2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                   const Tensor& self,
                                                   std::span<const SymInt> padding) {
  return map_padding_gradient<2>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return replication_pad2d_backward(g, x, padding);
  });
}
VmapResult<Tensor> replication_pad3d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                   const Tensor& self,
                                                   std::span<const SymInt> padding) {
  return map_padding_gradient<3>(info, grad_output, self, [&](const Tensor& g, const Tensor& x) {
    return replication_pad3d_backward(g, x, padding);
  });
}

}  // namespace opwright
