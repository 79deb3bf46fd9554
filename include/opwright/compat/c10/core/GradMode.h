// Guards of PyTorch's autograd. They do nothing: operators called by a kernel are never recorded,
// and those called by a composite body always are.
#pragma once

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
struct [[deprecated(
    "NoGradGuard does nothing in Opwright: calls made by a kernel are never recorded, those made "
    "by a composite body always are; register a kernel for a device instead")]] NoGradGuard {
  NoGradGuard() {}  // NOLINT: avoids unused-variable warnings
};
// Used around operator calls inside kernels, which are always below autograd here.
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
