#include "opwright/ops/index/index_gradients.h"

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"
#include "opwright/ops/view/view_gradients.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The elements of `source` that a smaller index reads.
Tensor read_part(const Tensor& source, const Tensor& index) {
  Tensor part = source;
  for (int64_t i = 0; i < index.dim(); ++i) {
    if (!guard_or_false(part.sym_size(i) == index.sym_size(i)))
      part = part.slice(i, SymInt(0), index.sym_size(i));
  }
  return part;
}

// Pads the end of each dimension with zeros, up to `sizes`.
Tensor pad_to_sizes(const Tensor& part, std::span<const SymInt> sizes) {
  if (has_sizes(part, sizes)) return part;
  SymSizes pad;
  for (int64_t i = part.dim() - 1; i >= 0; --i) {
    pad.push_back(0);
    pad.push_back(sizes[static_cast<size_t>(i)] - part.sym_size(i));
  }
  return constant_pad_nd(part, pad);
}

// The operands of a scatter_reduce; `src` is the part that the index reads.
struct ScatterReduce {
  const Tensor& grad;
  const Tensor& self;
  int64_t dim;
  const Tensor& index;
  const Tensor& src;
  bool include_self;
  const Tensor& result;

  [[nodiscard]] Tensor gathered(const Tensor& tensor) const { return tensor.gather(dim, index); }
  // How many elements of `flags` went to each position, added to `start`.
  [[nodiscard]] Tensor count(const Tensor& start, const Tensor& flags) const {
    return start.scatter_add(dim, index, flags);
  }
};
using TwoTensors = std::tuple<Tensor, Tensor>;

TwoTensors mean_gradients(const ScatterReduce& call) {
  const Tensor start = call.include_self ? ones_like(call.grad) : zeros_like(call.grad);
  const Tensor count = call.count(start, ones_like(call.src)).clamp(Scalar(1));
  const Tensor shared = call.grad.div(count);
  return {shared, call.gathered(shared)};
}

// Equal extremes share the gradient.
TwoTensors extreme_gradients(const ScatterReduce& call) {
  const DType dtype = call.grad.dtype();
  Tensor self_is_it = call.self.eq(call.result).to(dtype);
  if (!call.include_self) self_is_it = self_is_it.scatter(call.dim, call.index, Scalar(0));
  const Tensor src_is_it = call.src.eq(call.gathered(call.result)).to(dtype);
  const Tensor shared = call.grad.div(call.count(self_is_it, src_is_it));
  return {self_is_it.mul(shared), src_is_it.mul(call.gathered(shared))};
}

// The product of the other elements, without division by zero. With two zeros, the product for each
// contains the other, so that second derivatives are correct.
Tensor scattered_products_of_others(const ScatterReduce& call, const Tensor& is_zero,
                                    const Tensor& nonzero) {
  const Tensor none = zeros_like(call.grad);
  const Tensor zeros = call.gathered(call.count(none, is_zero.to(call.grad.dtype())));
  const Tensor sum = call.count(none, where(is_zero, call.src, Scalar(0)));
  const Tensor other = call.gathered(sum).sub(call.src);
  const Tensor share = call.gathered(call.grad.mul(nonzero));
  return where(zeros.eq(1), share, where(zeros.eq(2), share.mul(other), Scalar(0)));
}

TwoTensors product_gradients(const ScatterReduce& call, bool needs_self, bool needs_src) {
  const auto multiply = [&](const Tensor& self, const Tensor& src) {
    return self.scatter_reduce(call.dim, call.index, src, "prod", call.include_self);
  };
  TwoTensors gradients;
  if (needs_self) {
    const Tensor factor = replace_zeros(call.self);
    std::get<0>(gradients) = call.grad.mul(multiply(factor, call.src)).div(factor);
  }
  if (needs_src) {
    const Tensor is_zero = call.src.eq(0);
    const Tensor divisor = replace_zeros(call.src);
    std::get<1>(gradients) =
        where(is_zero, scattered_products_of_others(call, is_zero, multiply(call.self, divisor)),
              call.gathered(call.grad.mul(call.result)).div(divisor));
  }
  return gradients;
}

}  // namespace

Tensor zero_of(const Tensor& like) { return zeros({}, like.dtype(), {}, like.device()); }

Tensor source_rows(const Tensor& grad, int64_t dim, const Tensor& index,
                   std::span<const SymInt> source_sizes) {
  const Tensor rows = grad.index_select(dim, index);
  return has_sizes(rows, source_sizes) ? rows : rows.reshape(source_sizes);
}

Tensor sum_filled_rows(const Tensor& grad, int64_t dim, const Tensor& index) {
  const Tensor is_filled = zeros_like(grad, DType::Bool).index_fill(dim, index, Scalar(true));
  return where(is_filled, grad, Scalar(0)).sum();
}

Tensor gather_source(const Tensor& grad, int64_t dim, const Tensor& index,
                     std::span<const SymInt> source_sizes) {
  return pad_to_sizes(grad.gather(dim, index), source_sizes);
}

TwoTensors scatter_reduce_gradients(const Tensor& grad, const Tensor& self, int64_t dim,
                                    const Tensor& index, const Tensor& src, std::string_view reduce,
                                    bool include_self, const Tensor& result, bool needs_self,
                                    bool needs_src) {
  const Tensor read = read_part(src, index);
  const ScatterReduce call{grad, self, dim, index, read, include_self, result};
  TwoTensors gradients;
  if (reduce == "sum") {
    gradients = {grad, needs_src ? call.gathered(grad) : Tensor()};
  } else if (reduce == "mean") {
    gradients = mean_gradients(call);
  } else if (reduce == "prod") {
    gradients = product_gradients(call, needs_self, needs_src);
  } else {
    gradients = extreme_gradients(call);
  }
  auto& [of_self, of_src] = gradients;
  if (needs_self && !include_self) of_self = of_self.scatter(dim, index, Scalar(0));
  if (needs_src) of_src = pad_to_sizes(of_src, sym_geometry_of(src).sizes);
  return gradients;
}

Tensor masked_select_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                              const Tensor& mask) {
  const SymSizes all = broadcast_sizes(sizes, sym_geometry_of(mask).sizes, "masked_select");
  return sum_to(grad.new_zeros(all).masked_scatter(mask, grad), sizes);
}

Tensor masked_scatter_source_gradient(const Tensor& grad, const Tensor& mask,
                                      std::span<const SymInt> source_sizes) {
  const SymInt count = product(source_sizes);
  const Tensor flat = mask.expand(sym_geometry_of(grad).sizes).flatten();
  // Elements that received nothing from the source are summed past the last position.
  const Tensor place = where(flat, flat.cumsum(0).sub(1), Scalar(count));
  return grad.new_zeros({count + 1})
      .index_add(0, place, grad.flatten())
      .narrow(0, 0, count)
      .reshape(source_sizes);
}

Tensor embedding_dense_backward_gradient(const Tensor& grad, const Tensor& indices,
                                         const SymInt& num_weights, const SymInt& padding_idx,
                                         bool scale_grad_by_freq) {
  const Tensor flat = indices.reshape({-1});
  Tensor rows = grad.index_select(0, flat);
  if (scale_grad_by_freq) {
    const Tensor count =
        grad.new_zeros({num_weights}).index_add(0, flat, grad.new_ones({flat.sym_size(0)}));
    rows = rows.div(count.index_select(0, flat).unsqueeze(1));
  }
  if (guard_or_false(padding_idx >= 0))
    rows = where(flat.eq(Scalar(padding_idx)).unsqueeze(1), Scalar(0), rows);
  SymSizes sizes = sym_geometry_of(indices).sizes;
  sizes.push_back(grad.sym_size(1));
  return rows.reshape(sizes);
}

}  // namespace opwright
