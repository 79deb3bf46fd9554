// Guards of PyTorch's autograd. They do nothing: operators that a kernel calls are never recorded,
// and what a composite body calls always is.
#pragma once

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
struct [[deprecated(
    "NoGradGuard does nothing in Opwright: what a kernel calls is never recorded, what a composite "
    "body "
    "calls always is; register a kernel for a device instead")]] NoGradGuard {
  NoGradGuard() {}  // NOLINT: a variable of this type is used by being there
};
// Stand around calls of operators inside of kernels, which are below autograd here in any case.
struct AutoDispatchBelowADInplaceOrView {
  AutoDispatchBelowADInplaceOrView() {}  // NOLINT
};
struct AutoDispatchBelowAutograd {
  AutoDispatchBelowAutograd() {}  // NOLINT
};
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
