// Gradients of views and of operators that join, split and repeat tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

[[nodiscard]] SymSizes sizes_of(const Tensor& tensor);
// Sums over the dimensions along which `tensor` was broadcast from `sizes`.
[[nodiscard]] Tensor sum_to(const Tensor& tensor, std::span<const SymInt> sizes);

[[nodiscard]] Tensor permute_gradient(const Tensor& grad, std::span<const int64_t> dims);
[[nodiscard]] Tensor unfold_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                     int64_t dimension, int64_t size, int64_t step);
// `geometry`: the sizes, strides and offset of the base, concatenated.
[[nodiscard]] Tensor as_strided_gradient(const Tensor& grad, std::span<const SymInt> geometry,
                                         std::span<const SymInt> size,
                                         std::span<const SymInt> stride,
                                         const std::optional<SymInt>& storage_offset);
// The part of a gradient that as_strided_scatter replaced, and the gradient without it.
[[nodiscard]] Tensor as_strided_part(const Tensor& grad, std::span<const SymInt> geometry,
                                     std::span<const SymInt> size, std::span<const SymInt> stride,
                                     const std::optional<SymInt>& storage_offset);
[[nodiscard]] Tensor as_strided_rest(const Tensor& grad, std::span<const SymInt> geometry,
                                     std::span<const SymInt> size, std::span<const SymInt> stride,
                                     const std::optional<SymInt>& storage_offset);

// Missing gradients count as zeros.
[[nodiscard]] Tensor split_gradient(const std::vector<Tensor>& grads, std::span<const SymInt> sizes,
                                    const SymInt& split_size, int64_t dim);
[[nodiscard]] Tensor split_gradient(const std::vector<Tensor>& grads, std::span<const SymInt> sizes,
                                    std::span<const SymInt> split_sizes, int64_t dim);
[[nodiscard]] Tensor unbind_gradient(const std::vector<Tensor>& grads, int64_t dim);
[[nodiscard]] std::vector<Tensor> cat_gradients(const Tensor& grad,
                                                const std::vector<std::vector<SymInt>>& sizes,
                                                int64_t dim);
[[nodiscard]] Tensor repeat_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                     std::span<const SymInt> repeats);
[[nodiscard]] std::vector<SymInt> negated(std::span<const SymInt> shifts);

}  // namespace opwright
