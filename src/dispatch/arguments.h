// The arguments and results of a call, as every layer above passes them on.
#pragma once

#include <span>

#include "opwright/value.h"

namespace opwright {

using Arguments = std::span<const OpwValue>;  // borrowed
using Results = std::span<OpwValue>;  // None when the call starts, owned by the caller after it

// Calls `visit(OpwTensor*)` for every tensor in a value, lists included.
template <class Visit>
void visit_tensors(const OpwValue& value, Visit&& visit) {
  if (value.tag == kOpwTensor) {
    if (value.as_tensor) visit(value.as_tensor);
  } else if (value.tag == kOpwTensorList) {
    for (uint32_t i = 0; i < value.length; ++i) visit(value.as_tensors[i]);
  } else if (value.tag == kOpwList) {
    for (uint32_t i = 0; i < value.length; ++i)
      visit_tensors(static_cast<const OpwValue*>(value.as_values)[i], visit);
  }
}

}  // namespace opwright
