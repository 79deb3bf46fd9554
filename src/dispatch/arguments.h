// The arguments and results of a call, as all higher layers pass them.
#pragma once

#include <span>

#include "opwright/value.h"

namespace opwright {

using Arguments = std::span<const OpwValue>;  // borrowed
using Results = std::span<OpwValue>;  // None when the call starts, owned by the caller after it

template <class Visit>
void visit_tensors(const OpwValue& value, Visit&& visit);

// For lists; a separate function, so that the common case is inlined.
template <class Visit>
[[gnu::noinline]] void visit_listed_tensors(const OpwValue& value, Visit& visit) {
  if (value.tag == kOpwTensorList) {
    for (uint32_t i = 0; i < value.length; ++i) visit(value.as_tensors[i]);
  } else {
    for (uint32_t i = 0; i < value.length; ++i)
      visit_tensors(static_cast<const OpwValue*>(value.as_values)[i], visit);
  }
}

// Calls `visit(OpwTensor*)` for every tensor in a value, lists included.
template <class Visit>
inline void visit_tensors(const OpwValue& value, Visit&& visit) {
  if (value.tag == kOpwTensor) [[likely]] {
    if (value.as_tensor) visit(value.as_tensor);
  } else if (value.tag == kOpwTensorList || value.tag == kOpwList) [[unlikely]] {
    visit_listed_tensors(value, visit);
  }
}

}  // namespace opwright
