// Whether tensors share elements in memory.
#pragma once

#include <cstdint>

#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {

// Whether two indices of the tensor are the same element, as after expand. Exact; in the worst case
// O(numel) in time and one bit for each element between the first and the last in memory. For a
// wrapper without a storage, the answer is that of the wrapped tensor.
[[nodiscard]] bool has_internal_overlap(const TensorImpl& tensor);
[[nodiscard]] inline bool has_internal_overlap(const Tensor& tensor) {
  return has_internal_overlap(impl(tensor));
}

enum class Overlap : uint8_t {
  None,     // no byte in common
  Full,     // the same elements in the same order
  Partial,  // anything else
};

// Exact for tensors with memory and fake ones without symbols: different storages and disjoint
// ranges are None, equal sizes and strides at the same element are Full; otherwise a bitmap over
// the bytes that both ranges share decides, at a cost of O(numel). With symbols, identical words
// are Full, and anything else is None, since it is not known yet.
[[nodiscard]] Overlap overlap(const TensorImpl& a, const TensorImpl& b);
[[nodiscard]] inline Overlap overlap(const Tensor& a, const Tensor& b) {
  return overlap(impl(a), impl(b));
}

// Whether every element of `part` is one of `whole`; both are in one storage and have the same
// dtype. Exact, at the cost above; false if symbols leave it undecided.
[[nodiscard]] bool covers(const SymGeometry& whole, const SymGeometry& part);

}  // namespace opwright
