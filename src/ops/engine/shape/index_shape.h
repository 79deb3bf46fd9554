// How index tensors address the elements of a tensor: PyTorch's rules, for real and fake tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

using IndexTensors = std::vector<std::optional<Tensor>>;

// TypeError unless int32 or int64.
void check_index_dtype(const char* who, const Tensor& index);
[[nodiscard]] bool is_mask(const Tensor& index);  // bool, or uint8 as in PyTorch

// Which dimensions of a tensor are replaced by index tensors, and with what.
struct IndexedShape {
  SymSizes index_sizes;                      // the broadcast sizes of the index tensors
  SymSizes sizes;                            // of the result
  size_t insert_at = 0;                      // where index_sizes are in sizes
  SmallVector<size_t, kInlineDims> kept;     // dimensions of the tensor, in the order of the result
  SmallVector<size_t, kInlineDims> indexed;  // the others, one per index tensor
};

// `indices` holds index tensors without masks, one per dimension of `self` from the first;
// dimensions without one are kept. The new dimensions replace the indexed ones, or come first if
// those are not adjacent. IndexError, TypeError, ValueError.
[[nodiscard]] IndexedShape find_indexed_shape(const char* who, const Tensor& self,
                                              const IndexTensors& indices);
// One index tensor with any number of dimensions replaces one dimension.
[[nodiscard]] IndexedShape replace_dim(const Tensor& self, size_t dim, const Tensor& index);

// For gather and scatter: `index` must not be larger than self except in `dim`, nor larger than
// `src` if there is one. Returns the dimension. TypeError, ValueError.
size_t check_gather(const char* who, const Tensor& self, int64_t dim, const Tensor& index);
size_t check_scatter(const char* who, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor* src);

}  // namespace opwright
