// c10::DispatchKeySet: accepted where kernels pass one on. It is empty: which function of an
// operator runs follows from its arguments and from the function that calls it.
#pragma once

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
struct DispatchKeySet {
  friend constexpr DispatchKeySet operator&(DispatchKeySet a, DispatchKeySet /*b*/) { return a; }
  friend constexpr DispatchKeySet operator|(DispatchKeySet a, DispatchKeySet /*b*/) { return a; }
};
inline constexpr DispatchKeySet after_autograd_keyset{};
inline constexpr DispatchKeySet after_ADInplaceOrView_keyset{};
}  // namespace c10
