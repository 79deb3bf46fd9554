// PyTorch's dispatcher is not available: an operator binary names the operators it calls at compile
// time.
#pragma once

#include "opwright/registration/operator_handle.h"

namespace c10 OPWRIGHT_VISIBILITY {
class Dispatcher {
 public:
  [[gnu::error(
      "c10::Dispatcher: Opwright binaries declare the operators that they call; write "
      "opwright::imported<\"ns::name\", at::Tensor(const at::Tensor&)>(x), or call your own "
      "function")]]
  static Dispatcher& singleton();
};
}  // namespace c10
