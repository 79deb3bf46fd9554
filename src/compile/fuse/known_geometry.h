// What is known about sizes, strides and offsets without querying the environment: equal
// expressions have equal words.
#pragma once

#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

[[nodiscard]] inline bool is_same(const SymInt& a, const SymInt& b) { return a.word() == b.word(); }

[[nodiscard]] inline SymInt offset_of(const Tensor& tensor) {
  const TensorImpl& own = impl(tensor);
  return own.symbolic ? own.symbolic->offset : SymInt(own.storage_offset);
}

}  // namespace opwright
