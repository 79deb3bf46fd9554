// Functions whose calls of operators may be recorded: composite bodies and kernels for Autograd
// keys.
#pragma once

#include <utility>

#include "opwright/compat/c10/core/DispatchKeySet.h"
#include "opwright/compat/c10/core/GradMode.h"
#include "opwright/registration/kernel.h"

namespace c10 OPWRIGHT_VISIBILITY {
// Runs `function` as such a one. A DispatchKeySet as its first parameter is no argument of the
// operator.
template <class F, class Signature = typename opwright::SignatureOf<F>::Type>
struct RecordedFunction;
template <class F, class R, class... Args>
struct RecordedFunction<F, R(Args...)> {
  F function;

  R operator()(Args... args) {
    const RecordedFunctionScope scope;
    return function(std::forward<Args>(args)...);
  }
};
template <class F, class R, class... Args>
struct RecordedFunction<F, R(DispatchKeySet, Args...)> {
  F function;

  R operator()(Args... args) {
    const RecordedFunctionScope scope;
    return function(DispatchKeySet{}, std::forward<Args>(args)...);
  }
};
}  // namespace c10
