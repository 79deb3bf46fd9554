// The gradients of operators that read and write elements by their indices or by a mask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// A zero that broadcasts, of the dtype and device of `like`.
[[nodiscard]] Tensor zero_of(const Tensor& like);

// What index_add and index_copy put into `source`'s place: rows of `grad`.
[[nodiscard]] Tensor source_rows(const Tensor& grad, int64_t dim, const Tensor& index,
                                 std::span<const SymInt> source_sizes);
// The sum of what index_fill overwrote; an index that occurs twice counts once.
[[nodiscard]] Tensor sum_filled_rows(const Tensor& grad, int64_t dim, const Tensor& index);

// What scatter and scatter_add read of `src`, of which elements beyond the index are not used.
[[nodiscard]] Tensor gather_source(const Tensor& grad, int64_t dim, const Tensor& index,
                                   std::span<const SymInt> source_sizes);
// Of self and src; each is undefined unless it is wanted.
[[nodiscard]] std::tuple<Tensor, Tensor> scatter_reduce_gradients(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    std::string_view reduce, bool include_self, const Tensor& result, bool needs_self,
    bool needs_src);

// Of self of masked_select.
[[nodiscard]] Tensor masked_select_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                            const Tensor& mask);
// Of source of masked_scatter: its elements in order went to where the mask is true.
[[nodiscard]] Tensor masked_scatter_source_gradient(const Tensor& grad, const Tensor& mask,
                                                    std::span<const SymInt> source_sizes);

// Of grad_output of embedding_dense_backward.
[[nodiscard]] Tensor embedding_dense_backward_gradient(const Tensor& grad, const Tensor& indices,
                                                       const SymInt& num_weights,
                                                       const SymInt& padding_idx,
                                                       bool scale_grad_by_freq);

}  // namespace opwright
