// TorchScript classes are not available.
#pragma once

#include "opwright/visibility.h"

namespace torch OPWRIGHT_VISIBILITY {
struct CustomClassHolder {};

template <class T>
class class_ {
  static_assert(
      sizeof(T) == 0,
      "torch::class_: Opwright has no classes from C++ binaries; pass tensors and numbers");
};
}  // namespace torch
