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

// int32 or int64. TypeError.
void check_index_dtype(const char* who, const Tensor& index);
[[nodiscard]] bool is_mask(const Tensor& index);  // bool, or uint8 as PyTorch has it

// Which dimensions of a tensor index tensors replace, and by what.
struct IndexedShape {
  SymSizes index_sizes;                      // to which the index tensors broadcast
  SymSizes sizes;                            // of the result
  size_t insert_at = 0;                      // where index_sizes stand in sizes
  SmallVector<size_t, kInlineDims> kept;     // dimensions of the tensor, in the order of the result
  SmallVector<size_t, kInlineDims> indexed;  // the others, one for each index tensor
};

// Index tensors without masks, one for each dimension of `self` from the first on; none and a
// missing one keep theirs. The new dimensions stand where the indexed ones were, or first when
// those are not neighbours. IndexError, TypeError, ValueError.
[[nodiscard]] IndexedShape find_indexed_shape(const char* who, const Tensor& self,
                                              const IndexTensors& indices);
// One index tensor of any number of dimensions in place of one dimension.
[[nodiscard]] IndexedShape replace_dim(const Tensor& self, size_t dim, const Tensor& index);

// gather and scatter: `index` is, but for `dim`, no larger than self; and with `src` no larger than
// that. Gives the dimension. TypeError, ValueError.
size_t check_gather(const char* who, const Tensor& self, int64_t dim, const Tensor& index);
size_t check_scatter(const char* who, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor* src);

}  // namespace opwright
