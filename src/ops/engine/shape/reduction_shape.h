// The dimensions of a reduction: which are reduced, and the order in which the input is read.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

using DimSet = std::bitset<static_cast<size_t>(kMostDims)>;

// The dimensions in `dim`, all if it is none or empty. IndexError for one out of range, ValueError
// for a repeated one.
[[nodiscard]] DimSet fold_dims(const char* who, int64_t ndim,
                               std::optional<std::span<const int64_t>> dim);
// The sizes without the reduced dimensions or, with keepdim, with 1 for them.
[[nodiscard]] Sizes reduced_sizes(std::span<const int64_t> sizes, const DimSet& folded,
                                  bool keepdim);

struct StridedDim {
  int64_t size;
  int64_t stride;         // in the input, in elements
  int64_t target_stride;  // in a contiguous output; 0 for a reduced one
};

// Some dimensions of a tensor, innermost first; dimensions contiguous with each other are merged.
class StridedDims {
 public:
  void add(StridedDim dim);  // starting with the innermost

  [[nodiscard]] size_t count() const { return dims_.size(); }
  [[nodiscard]] int64_t numel() const;
  // A dimension of size 1 when there is none.
  [[nodiscard]] StridedDim inner() const { return dims_.empty() ? StridedDim{1, 0, 0} : dims_[0]; }
  [[nodiscard]] StridedDims without_inner() const;
  // The offset of element i in the input and in the output.
  [[nodiscard]] int64_t offset(int64_t i) const;
  [[nodiscard]] int64_t target_offset(int64_t i) const;
  [[nodiscard]] const SmallVector<StridedDim, kInlineDims>& dims() const { return dims_; }

 private:
  SmallVector<StridedDim, kInlineDims> dims_;
};

// Calls visit(offset) for every element, innermost dimension fastest.
template <class Visit>
void for_each_offset(const StridedDims& dims, const Visit& visit) {
  Sizes index(dims.count(), 0);
  const int64_t numel = dims.numel();
  int64_t offset = 0;
  for (int64_t i = 0; i < numel; ++i) {
    visit(offset);
    for (size_t d = 0; d < dims.count(); ++d) {
      const StridedDim& dim = dims.dims()[d];
      offset += dim.stride;
      if (++index[d] < dim.size) break;
      offset -= dim.size * dim.stride;
      index[d] = 0;
    }
  }
}

// The dimensions of `input` in memory order.
struct ReducedDims {
  ReducedDims(const Tensor& input, const DimSet& folded_dims);

  // Whether the terms of one output are closer together in memory than neighbouring outputs.
  [[nodiscard]] bool is_folded_innermost() const;

  StridedDims kept;
  StridedDims folded;
};

}  // namespace opwright
