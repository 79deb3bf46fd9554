#include "opwright/ops/view/view_gradients.h"

#include <algorithm>
#include <cstddef>

#include "opwright/functions.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symint.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

size_t wrapped(int64_t dim, size_t ndim) {
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(ndim) : dim);
}

Tensor int_range(const SymInt& end, const Tensor& like) {
  return arange(Scalar(end), DType::Int64, std::nullopt, like.device());
}

struct SplitGeometry {
  std::span<const SymInt> sizes;
  std::span<const SymInt> strides;
  SymInt offset;
};
SplitGeometry parts_of(std::span<const SymInt> geometry) {
  const size_t ndim = geometry.size() / 2;
  return {geometry.first(ndim), geometry.subspan(ndim, ndim), geometry.back()};
}

// The memory positions of the elements, counted from `offset`, as one dimension.
Tensor memory_places(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                     const SymInt& offset, const Tensor& like) {
  Tensor places = full({1}, Scalar(offset), DType::Int64, std::nullopt, like.device());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Tensor along = int_range(sizes[i], like) * Scalar(strides[i]);
    places = (places.unsqueeze(1) + along).reshape({-1});
  }
  return places;
}

// `grad` in memory with the base's strides, like as_strided_scatter copies the base; gaps between
// its elements do not affect the result.
Tensor in_layout_of(const Tensor& grad, const SplitGeometry& base) {
  Tensor copied = copy(grad.new_empty_strided(base.sizes, base.strides), grad);
  const SymGeometry layout = sym_geometry_of(copied);
  const SymInt extent = extent_of(layout.sizes, layout.strides);
  const SymInt numel = copied.sym_numel();
  if (guard_or_false(numel == 0) || guard_or_false(extent == numel)) return copied;
  const Tensor memory = grad.new_zeros({extent});
  return as_strided_scatter(memory, grad, layout.sizes, layout.strides, SymInt(0))
      .as_strided(layout.sizes, layout.strides, SymInt(0));
}

const Tensor& first_defined(const std::vector<Tensor>& tensors) {
  return *std::find_if(tensors.begin(), tensors.end(),
                       [](const Tensor& each) { return each.is_defined(); });
}

}  // namespace

SymSizes sizes_of(const Tensor& tensor) {
  SymSizes sizes;
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

Tensor sum_to(const Tensor& tensor, std::span<const SymInt> sizes) {
  const int64_t added = tensor.dim() - static_cast<int64_t>(sizes.size());
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    const bool was_one = i < added || guard_or_false(sizes[static_cast<size_t>(i - added)] == 1);
    if (was_one && (i < added || !guard_or_false(tensor.sym_size(i) == 1))) dims.push_back(i);
  }
  if (dims.empty()) return tensor;
  const Tensor summed = tensor.sum(dims, true);
  return added > 0 ? summed.reshape(sizes) : summed;
}

Tensor permute_gradient(const Tensor& grad, std::span<const int64_t> dims) {
  std::vector<int64_t> inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    inverse[wrapped(dims[i], dims.size())] = static_cast<int64_t>(i);
  return grad.permute(inverse);
}

Tensor unfold_gradient(const Tensor& grad, std::span<const SymInt> sizes, int64_t dimension,
                       int64_t size, int64_t step) {
  if (sizes.empty()) return grad.sum(std::vector<int64_t>{0}, false);
  const auto along = static_cast<int64_t>(wrapped(dimension, sizes.size()));
  const Tensor starts = int_range(grad.sym_size(along), grad) * Scalar(step);
  const Tensor places = (starts.unsqueeze(1) + int_range(size, grad)).reshape({-1});
  const Tensor windows = grad.movedim(-1, along + 1).flatten(along, along + 1);
  return grad.new_zeros(sizes).index_add(along, places, windows);
}

Tensor as_strided_gradient(const Tensor& grad, std::span<const SymInt> geometry,
                           std::span<const SymInt> size, std::span<const SymInt> stride,
                           const std::optional<SymInt>& storage_offset) {
  const SplitGeometry base = parts_of(geometry);
  if (std::ranges::any_of(base.sizes, [](const SymInt& each) { return guard_or_false(each == 0); }))
    return grad.new_zeros(base.sizes);
  const SymInt offset = storage_offset ? *storage_offset : base.offset;
  const SymInt start = sym_min(offset, base.offset);
  const SymInt extent = sym_max(offset - start + extent_of(size, stride),
                                base.offset - start + extent_of(base.sizes, base.strides));
  // Gradients of view elements that share memory are added up; base elements that share memory
  // share the sum.
  const Tensor memory = grad.new_zeros({extent});
  const Tensor sums =
      memory.index_add(0, memory_places(size, stride, offset - start, grad), grad.reshape({-1}));
  const Tensor places = memory_places(base.sizes, base.strides, base.offset - start, grad);
  const Tensor owners =
      grad.new_zeros({extent}, DType::Int64)
          .index_add(0, places, grad.new_ones({places.sym_size(0)}, DType::Int64));
  return (sums / owners.clamp(1)).index_select(0, places).reshape(base.sizes);
}

Tensor as_strided_part(const Tensor& grad, std::span<const SymInt> geometry,
                       std::span<const SymInt> size, std::span<const SymInt> stride,
                       const std::optional<SymInt>& storage_offset) {
  const SplitGeometry base = parts_of(geometry);
  return in_layout_of(grad, base).as_strided(size, stride, storage_offset);
}
Tensor as_strided_rest(const Tensor& grad, std::span<const SymInt> geometry,
                       std::span<const SymInt> size, std::span<const SymInt> stride,
                       const std::optional<SymInt>& storage_offset) {
  const SplitGeometry base = parts_of(geometry);
  return as_strided_scatter(in_layout_of(grad, base), grad.new_zeros(size), size, stride,
                            storage_offset);
}

Tensor split_gradient(const std::vector<Tensor>& grads, std::span<const SymInt> sizes,
                      const SymInt& split_size, int64_t dim) {
  const SymInt& whole = sizes[wrapped(dim, sizes.size())];
  std::vector<SymInt> lengths(grads.size(), split_size);
  lengths.back() = whole - split_size * SymInt(static_cast<int64_t>(grads.size()) - 1);
  return split_gradient(grads, sizes, lengths, dim);
}
Tensor split_gradient(const std::vector<Tensor>& grads, std::span<const SymInt> sizes,
                      std::span<const SymInt> split_sizes, int64_t dim) {
  std::vector<Tensor> parts = grads;
  SymSizes part_sizes(sizes.begin(), sizes.end());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_defined()) continue;
    part_sizes[wrapped(dim, sizes.size())] = split_sizes[i];
    parts[i] = first_defined(grads).new_zeros(part_sizes);
  }
  return cat(parts, dim);
}

Tensor unbind_gradient(const std::vector<Tensor>& grads, int64_t dim) {
  std::vector<Tensor> parts = grads;
  for (Tensor& part : parts) {
    if (!part.is_defined()) part = zeros_like(first_defined(grads));
  }
  return stack(parts, dim);
}

std::vector<Tensor> cat_gradients(const Tensor& grad, const std::vector<std::vector<SymInt>>& sizes,
                                  int64_t dim) {
  const size_t along = wrapped(dim, static_cast<size_t>(grad.dim()));
  std::vector<Tensor> gradients;
  SymInt start = 0;
  for (const std::vector<SymInt>& each : sizes) {
    // A one-dimensional empty tensor joins with everything.
    if (each.size() != static_cast<size_t>(grad.dim())) {
      gradients.push_back(grad.new_zeros(each));
      continue;
    }
    gradients.push_back(grad.narrow(static_cast<int64_t>(along), start, each[along]));
    start = start + each[along];
  }
  return gradients;
}

Tensor repeat_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                       std::span<const SymInt> repeats) {
  if (guard_or_false(product(repeats) == 0)) return grad.new_zeros(sizes);
  const size_t added = repeats.size() - sizes.size();
  std::vector<SymInt> pairs;
  std::vector<int64_t> dims;
  for (size_t i = 0; i < repeats.size(); ++i) {
    dims.push_back(static_cast<int64_t>(pairs.size()));
    pairs.push_back(repeats[i]);
    if (i >= added) pairs.push_back(sizes[i - added]);
  }
  if (dims.empty()) return grad;
  return grad.reshape(pairs).sum(dims, false);
}

std::vector<SymInt> negated(std::span<const SymInt> shifts) {
  std::vector<SymInt> result;
  for (const SymInt& shift : shifts) result.push_back(SymInt(0) - shift);
  return result;
}

}  // namespace opwright
