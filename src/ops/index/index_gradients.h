// Gradients of operators that read and write elements by indices or by a mask.
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

// A zero that broadcasts, with the dtype and device of `like`.
[[nodiscard]] Tensor zero_of(const Tensor& like);

// The gradient of `source` for index_add and index_copy: rows of `grad`.
[[nodiscard]] Tensor source_rows(const Tensor& grad, int64_t dim, const Tensor& index,
                                 std::span<const SymInt> source_sizes);
// The sum of the gradients that index_fill overwrote; a repeated index counts once.
[[nodiscard]] Tensor sum_filled_rows(const Tensor& grad, int64_t dim, const Tensor& index);

// The gradient of `src` for scatter and scatter_add; elements of `src` beyond the index are unused.
[[nodiscard]] Tensor gather_source(const Tensor& grad, int64_t dim, const Tensor& index,
                                   std::span<const SymInt> source_sizes);
// Gradients of self and src; undefined unless requested.
[[nodiscard]] std::tuple<Tensor, Tensor> scatter_reduce_gradients(
    const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
    std::string_view reduce, bool include_self, const Tensor& result, bool needs_self,
    bool needs_src);

// Gradient of self for masked_select.
[[nodiscard]] Tensor masked_select_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                            const Tensor& mask);
// Gradient of source for masked_scatter: its elements went, in order, to where the mask is true.
[[nodiscard]] Tensor masked_scatter_source_gradient(const Tensor& grad, const Tensor& mask,
                                                    std::span<const SymInt> source_sizes);

// Gradient of grad_output for embedding_dense_backward.
[[nodiscard]] Tensor embedding_dense_backward_gradient(const Tensor& grad, const Tensor& indices,
                                                       const SymInt& num_weights,
                                                       const SymInt& padding_idx,
                                                       bool scale_grad_by_freq);

}  // namespace opwright
